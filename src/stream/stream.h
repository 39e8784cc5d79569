/* The stream: what a program under test emits and seriatim reads, as records in shared memory.
 *
 * The threads of the program write; one process of seriatim, the watcher, reads. The memory belongs
 * to the watcher (a memfd that the program inherits), so nothing is lost when the program is
 * killed, and the program can do no harm beyond what it writes there.
 *
 * Chunks. Each thread of the program fills chunks of records, one after the other. It takes a free
 * one, announces it, and publishes record by record (`count`); the watcher reads what is published
 * and gives a chunk back when it is full and read. When none is free the program waits: memory is
 * bounded, and nothing is dropped. If more threads are alive than there are chunks, the watcher has
 * more of them in reserve.
 *
 * Order. Within a thread records are in program order. Some records also have a sequence number,
 * from one counter without gaps for all threads, and happen in that order: all synchronisation, and
 * accesses to memory that another thread touched last. All other records of a thread come after the
 * last sequence number that it took or observed (ST_STREAM_OBSERVE), and do not conflict with
 * records of other threads that come after the same one. So the watcher may deliver them in this
 * order, which is one in which the events really happened, as far as it matters:
 *
 * - a record without a sequence number: when the records before it in its thread were delivered,
 *   and the sequence numbers up to the last one that its thread took or observed;
 * - sequence number n: when those below n were delivered, and, after it was seen, every record that
 *   was visible in any thread by then and could be delivered was delivered.
 *
 * Deferred accesses. If the watcher wants it so, a thread does not emit accesses to memory that no
 * other thread touches. A thread that then does emits them before its own access, if they can still
 * matter, with the epoch in which they happened: that of the first record of the thread that did
 * them (ST_STREAM_SLOT) plus the records that this thread had emitted by then, and what
 * ST_STREAM_AT and others have added. Every dependence of
 * a deferred access on another thread was emitted when it arose. The watcher says, for each slot,
 * before which epoch nothing matters any more (st_stream_dead_before). The epochs of a slot grow,
 * also when it gets a new thread.
 *
 * Boarding. A function in which a thread has made deferred accesses and nothing else is not entered
 * in the stream: the thread has *boarded* it, and has given it an epoch of its own. If something is
 * emitted while the function is open, its ST_STREAM_ENTER comes then, with that epoch. If another
 * thread emits an access of it before that, it also emits which functions are open
 * (ST_STREAM_BOARDED). If the function is left before, nothing of it is ever emitted, except where
 * an access in it happened (ST_STREAM_WITHIN). How often functions are boarded is counted in the
 * shared memory (st_stream_counters).
 *
 * A sequence number that never comes was taken by a thread that died before it could publish its
 * record; that is certain only when the whole program is dead. */
#ifndef SERIATIM_STREAM_STREAM_H
#define SERIATIM_STREAM_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The environment variable by which a program finds its stream: the descriptor of the memory ("9"),
 * or where to ask for one ("@NAME").
 *
 * The rendezvous. Every process needs a stream of its own, whoever started it. "@NAME" stands for a
 * unix socket (SOCK_SEQPACKET) with the abstract name NAME: it can be reached after all descriptors
 * were closed and from another root folder. The runtime connects, sends a request, and waits for
 * the answer, with which the descriptor of the memory comes (SCM_RIGHTS); `attached` is set in it.
 * If the answer is no, or nobody is there, the process is not watched. */
#define ST_STREAM_VARIABLE "SERIATIM_STREAM"
enum { ST_STREAM_RENDEZVOUS = '@' };

enum st_stream_wish {
    ST_STREAM_BEGUN,  /* a stream, for a program that has begun */
    ST_STREAM_FORKED, /* a stream, for a process that is a copy of one that was watched */
};
struct st_stream_request {
    uint64_t magic;
    uint32_t version;
    uint32_t wish;
};
struct st_stream_answer {
    uint64_t magic;
    uint32_t granted;
    uint32_t unused;
};

#define ST_STREAM_MAGIC UINT64_C(0x3172747374616972)
enum {
    ST_STREAM_VERSION = 17,
    ST_STREAM_CHUNK_BYTES = 64 * 1024,
    ST_STREAM_RECORDS = ST_STREAM_CHUNK_BYTES / 16 - 4, /* in a chunk */
    ST_STREAM_SLOTS = 1 << 14, /* so many threads at a time can have words in shadow memory */
    ST_STREAM_COUNTED_SLOTS = 1 << 10, /* and so many of them count functions that they board ... */
    ST_STREAM_COUNTERS = 1 << 10,      /* ... at most so many different ones */
    ST_STREAM_STARTS = 1 << 10,        /* functions that threads and work of their own start with */
    ST_STREAM_HANDING_SITES = 1 << 8,
};

enum st_stream_op {
    ST_STREAM_NONE,     /* says nothing but its sequence number, without which it is none */
    ST_STREAM_SEQUENCE, /* argument: the sequence number of the next record; see also below */
    ST_STREAM_OBSERVE,  /* argument: a sequence number; what follows happens after it */

    /* Accesses. address; aux: bytes (1 to 16), or 0: the next record is ST_STREAM_LENGTH;
     * argument: return address of the callback, that is the instruction behind the access.
     * If the watcher wants values, aux has ST_STREAM_SETTLED beside the bytes if no write of
     * another thread to this memory can still be on its way; and an access that is not atomic has
     * ST_STREAM_WITH_VALUES, if ST_STREAM_VALUES follows, argument: what was there before it. */
    ST_STREAM_READ,
    ST_STREAM_WRITE,
    ST_STREAM_ATOMIC_READ,
    ST_STREAM_ATOMIC_WRITE,
    ST_STREAM_ATOMIC_UPDATE, /* a read and a write in one step */
    /* After an atomic access whose aux has ST_STREAM_WITH_VALUES set beside its bytes: what it did.
     * aux: enum st_stream_atomic (bits 0 to 3), memory order as in C11 (4 to 6); address: the lower
     * 48 bits of the value before, unless it was a store; argument: those 64 of the value after. */
    ST_STREAM_VALUES,
    ST_STREAM_LENGTH, /* argument: bytes of the range that the record before it is about */

    /* A deferred access of this or another thread: see above. address: a multiple of 8; aux:
     * which of the 8 bytes; argument: slot (bits 0 to 15) and epoch (16 to 63) of the thread that
     * did it. Then ST_STREAM_PC, argument: the lower 32 bits of the return address; aux:
     * ST_STREAM_LOOK if it was an atomic load that found nothing new. */
    ST_STREAM_DEFERRED_READ,
    ST_STREAM_DEFERRED_WRITE,
    ST_STREAM_PC,

    /* Blocks. The function is the one that holds `argument`; address: where it was called from
     * (return address; 0 if unknown); aux: ST_STREAM_HANDLER if that is the kernel, because of a
     * signal, ST_STREAM_AFTER_SKIPPED, see there, ST_STREAM_COUNTED if the call is counted
     * elsewhere, since it was boarded, and ST_STREAM_LOCK_FREE if it held none of the locks of
     * ST_STREAM_HOLDS, which it does not hold now either; from bit ST_STREAM_PASSED_AT on: epochs
     * as in ST_STREAM_AT. A function in which nothing happens is left out. */
    ST_STREAM_ENTER,
    ST_STREAM_LEAVE, /* argument: epochs as in ST_STREAM_AT; the same for ST_STREAM_END */
    /* An annotated block; argument: id of a text (ST_STREAM_TEXT), address: return address of
     * the call that began it. */
    ST_STREAM_BEGIN,
    ST_STREAM_END,
    /* The thread waited for others or let others begin here, on purpose: inferred blocks are split
     * at this point. aux: enum st_stream_split. argument: return address of the call, or 0; the
     * library's own calls split nothing. */
    ST_STREAM_SPLIT,

    /* Synchronisation: always with a sequence number. address: the object; argument: return address
     * of the call. A release is emitted before it is done, an acquire after it was done. Re-entrant
     * acquires and their releases are emitted like all others. aux of both: enum st_stream_lock. */
    ST_STREAM_ACQUIRE,
    ST_STREAM_RELEASE,
    ST_STREAM_SEND,    /* happens before every later receive of the same channel */
    ST_STREAM_RECEIVE, /* aux of both: which channel of the object, 0 to 255 */

    /* A semaphore was made. Always with a sequence number. aux: its value, at most 127, and
     * ST_STREAM_OPENED if it has a name, and may have been opened here before. */
    ST_STREAM_SEMAPHORE_MADE,

    /* System calls that wait at a futex, and that wake those who wait: always with a sequence
     * number. address: the word; argument: return address of the call; aux: a channel of its own.
     * They count where the program accesses the word atomically itself. */
    ST_STREAM_FUTEX_WAIT,  /* before it waits: inferred blocks are split */
    ST_STREAM_FUTEX_WAKE,  /* before it is done: a send */
    ST_STREAM_FUTEX_WOKEN, /* it was woken: a receive */

    /* Threads. address: the serial number of the other thread. */
    ST_STREAM_FORK,
    ST_STREAM_JOIN,
    ST_STREAM_THREAD_END, /* the last record of a thread; its chunk is then marked as full */
    ST_STREAM_SLOT,       /* the first one. address: its slot; argument: its first epoch */

    /* Memory. address; the next record is ST_STREAM_LENGTH. */
    /* A name for memory, nothing more; argument: return address of the call; aux: how many
     * ST_STREAM_CALLER follow the length, innermost first, of the functions that the call was made
     * in. Those that are missing were entered by the records before. */
    ST_STREAM_ALLOCATE,
    ST_STREAM_FREE, /* with a sequence number; also for stacks of threads and unmapped pages */

    /* A text: argument: its id; address: its length in bytes, without a zero byte at its end, at
     * most 65536. The bytes follow in ceil(length / 16) raw records. A thread emits a text before
     * it uses its id, also if another thread has emitted it: their records have no order. */
    ST_STREAM_TEXT,
    /* A module of the program; address: start, argument: load bias; then ST_STREAM_LENGTH, then
     * its path as ST_STREAM_TEXT. */
    ST_STREAM_MODULE,

    /* The function that the thread is in has called others since the last record in it, and they
     * were left out. ST_STREAM_ENTER says so in its aux. Only for functions that are not deep in
     * the stack, where a thread starts. */
    ST_STREAM_SKIPPED,

    /* A function around an allocation: address: where it was called from; argument: an address in
     * it. */
    ST_STREAM_CALLER,
    /* A function that is open when its thread forks another, which may be given addresses of its
     * local variables. address: its stack pointer, argument: an address in it; then
     * ST_STREAM_LENGTH, up to where its frame ends: behind its return address. */
    ST_STREAM_FRAME,
    /* The program gives a thread a name. address: its serial number; then the name as
     * ST_STREAM_TEXT. */
    ST_STREAM_THREAD_NAME,

    /* argument: so many epochs of the thread have passed since its last record, not counting the
     * one that this record begins. */
    ST_STREAM_AT,

    /* A function that another thread has boarded, and had not left, in which an access happened
     * that is emitted next; those around it come before it. Like ST_STREAM_ENTER; then
     * ST_STREAM_BOARDED_AT, address: the first epoch of the boarded function around it, or 0;
     * argument: slot of the thread (bits 0 to 15) and first epoch of the function (16 to 63). It
     * counts unless the thread itself has emitted something since, which knows better. */
    ST_STREAM_BOARDED,
    ST_STREAM_BOARDED_AT,

    /* Like ST_STREAM_DEFERRED_READ and _WRITE, and always of the thread that emits them. They say
     * nothing of what the thread does now: functions that it has boarded and in which the access
     * did not happen come later, and no epoch passes. */
    ST_STREAM_KEPT_READ,
    ST_STREAM_KEPT_WRITE,

    /* The deferred access behind this happened in a function that was boarded and has been left.
     * Like ST_STREAM_ENTER; those around it come first. No epoch passes. */
    ST_STREAM_WITHIN,

    /* An allocator of the program's own returns memory (struct st_stream_handing). A name, nothing
     * more, like ST_STREAM_ALLOCATE; argument: where it returns to. */
    ST_STREAM_HANDED_OUT,

    /* Locks that were taken without ST_STREAM_ACQUIRE (`quiet_locks`), which order nothing; the one
     * that was taken first comes first. address: the lock; argument: return address of the call;
     * aux: enum st_stream_lock, and with ST_STREAM_HOLDS_SINCE the next record is ST_STREAM_SINCE:
     * the call was not made in the function that is open now. From here on the thread holds these
     * and no others: what one record says ends with the next one without ST_STREAM_HOLDS_TOO.
     * ST_STREAM_HOLDS_NOTHING: it holds none. No epoch passes. */
    ST_STREAM_HOLDS,
    /* The same for the deferred access behind it, whose thread held them then. All are additions;
     * ST_STREAM_HOLDS_NOTHING: what it held is not known. */
    ST_STREAM_HELD,
    /* argument: slot of a thread (bits 0 to 15) and epoch in which it took a lock (16 to 63); aux:
     * how many records follow, of the functions that it had boarded then and not emitted, outermost
     * first. For each there is ST_STREAM_CALLER. If it was still open, that has aux 1, and
     * ST_STREAM_BOARDED_AT behind it: it counts unless the thread has emitted it since. */
    ST_STREAM_SINCE,
    /* Such a lock is taken or given back by what the thread starts with, perhaps. argument: return
     * address of the call. */
    ST_STREAM_CALLED,

    /* Like ST_STREAM_ALLOCATE, but functions that the thread has boarded come later, and no epoch
     * passes. */
    ST_STREAM_ALLOCATE_QUIETLY,
};

enum { ST_STREAM_MOST_CALLERS = 8 };

enum { ST_STREAM_LOOK = 1 }; /* in ST_STREAM_PC */

enum {
    ST_STREAM_HANDLER = 1,
    ST_STREAM_AFTER_SKIPPED = 2,
    ST_STREAM_COUNTED = 4,
    ST_STREAM_LOCK_FREE = 8,
    ST_STREAM_PASSED_AT = 4,
    ST_STREAM_MOST_PASSED = 15 /* in ST_STREAM_ENTER */
};

/* What is acquired or released: a mutex, one side of a reader-writer lock, or a semaphore, which is
 * acquired by a wait and released by a post. A mutex that was tried would not have been waited for;
 * it is released like any other. */
enum st_stream_lock {
    ST_STREAM_MUTEX,
    ST_STREAM_WRITING,
    ST_STREAM_READING,
    ST_STREAM_SEMAPHORE,
    ST_STREAM_TRIED
};

/* In the aux of ST_STREAM_HOLDS and ST_STREAM_HELD, beside the kind of the lock. */
enum {
    ST_STREAM_HOLDS_KIND = 7,
    ST_STREAM_HOLDS_SINCE = 1 << 3,
    ST_STREAM_HOLDS_TOO = 1 << 4,
    ST_STREAM_HOLDS_NOTHING = 1 << 5
};

/* In the aux of ST_STREAM_SEMAPHORE_MADE. */
enum { ST_STREAM_OPENED = 1 << 7 };

enum { ST_STREAM_WITH_VALUES = 1 << 7, ST_STREAM_SETTLED = 1 << 6, ST_STREAM_ACCESS_BYTES = 0x1f };

enum st_stream_atomic {
    ST_ATOMIC_LOAD,
    ST_ATOMIC_FAIL, /* a compare-and-swap that did nothing */
    ST_ATOMIC_STORE,
    ST_ATOMIC_EXCHANGE,
    ST_ATOMIC_COMPARE, /* a compare-and-swap that succeeded */
    ST_ATOMIC_ADD,
    ST_ATOMIC_BITS
};

/* Between a pause and its resume a thread does work that belongs to none of the functions that are
 * open in it, as if it were another thread: a share of a parallel region, or a task that it runs
 * while it waits. Inferred blocks are ended at the pause and begun again at the resume; what is
 * entered first in between is what that work starts with. Pauses nest. */
enum st_stream_split { ST_SPLIT_HERE, ST_SPLIT_PAUSE, ST_SPLIT_RESUME };

/* Channels with a meaning of their own, whatever object they belong to: that of the runtime, which
 * has no name, or, for dependences of tasks, the variable that they are about. */
enum st_stream_channel {
    ST_CHANNEL_FIRST = 192,
    ST_CHANNEL_FORK = ST_CHANNEL_FIRST, /* a parallel region begins */
    ST_CHANNEL_BARRIER,                 /* and its twin, for every other phase */
    ST_CHANNEL_BARRIER_ODD,
    ST_CHANNEL_TASK,     /* a task is created, or goes on in another thread */
    ST_CHANNEL_TASKWAIT, /* a child of a task has ended */
    ST_CHANNEL_TASKGROUP,
    ST_CHANNEL_ORDERED,
    ST_CHANNEL_DOACROSS,
    ST_CHANNEL_REDUCTION,
    ST_CHANNEL_DETACHED, /* an event of a detached task was fulfilled */
    ST_CHANNEL_SPAWN,    /* oneTBB: a task is handed to the scheduler */
    ST_CHANNEL_ARENA,    /* what was to be done in an arena is done */
    ST_CHANNEL_OUTSIDE,  /* something came from outside of the program: nobody sends */
    ST_CHANNEL_LAST_OF_RUNTIME = ST_CHANNEL_OUTSIDE,
    ST_CHANNEL_WRITERS, /* tasks that depend on a variable as out or inout */
    ST_CHANNEL_READERS, /* as in */

    /* A word that counts references: who drops the last comes after all others who dropped one. */
    ST_CHANNEL_REFERENCES = 252,
    /* A word by which a library in C++ headers signals: its atomics are sends and receives. */
    ST_CHANNEL_LIBRARY = 253,
    /* A word that threads spin at: writes to it are sends, looks at it are receives. */
    ST_CHANNEL_SPIN = 254,
};

/* `what` holds op (bits 0 to 6), aux (8 to 15) and address (16 to 63: user addresses have 47 bits).
 * With bit 7 the record has a sequence number of its own, without ST_STREAM_SEQUENCE before it:
 * bits 48 to 63 of its argument are the lower bits of that number, which is less than 65536 after
 * the last one that its thread has emitted or observed. The argument proper is what remains. */
struct st_stream_record {
    uint64_t what, argument;
};
enum { ST_STREAM_SEQUENCED = 1 << 7, ST_STREAM_SEQUENCE_AT = 48 };

static inline uint64_t st_stream_what(enum st_stream_op op, unsigned aux, uint64_t address) {
    return (uint64_t)op | (uint64_t)(aux & 0xff) << 8 | address << 16;
}
static inline enum st_stream_op st_stream_op(const struct st_stream_record *record) {
    return (enum st_stream_op)(record->what & 0x7f);
}
static inline bool st_stream_is_sequenced(const struct st_stream_record *record) {
    return record->what & ST_STREAM_SEQUENCED;
}
/* `last`: the last sequence number of the thread. */
static inline uint64_t st_stream_sequence(const struct st_stream_record *record, uint64_t last) {
    return last + 1 + ((record->argument >> ST_STREAM_SEQUENCE_AT) - last - 1) % 65536;
}
static inline struct st_stream_record st_stream_with_sequence(struct st_stream_record record,
                                                              uint64_t sequence) {
    return (struct st_stream_record){record.what | ST_STREAM_SEQUENCED,
                                     record.argument | sequence << ST_STREAM_SEQUENCE_AT};
}
static inline struct st_stream_record
st_stream_without_sequence(const struct st_stream_record *record) {
    return (struct st_stream_record){record->what & ~(uint64_t)ST_STREAM_SEQUENCED,
                                     record->argument &
                                         ((UINT64_C(1) << ST_STREAM_SEQUENCE_AT) - 1)};
}
static inline unsigned st_stream_aux(const struct st_stream_record *record) {
    return record->what >> 8 & 0xff;
}
static inline uint64_t st_stream_address(const struct st_stream_record *record) {
    return record->what >> 16;
}

/* Records that belong together (a sequence number and its record, a record and its length, a text)
 * are published at once, but may lie in two chunks. */
struct st_stream_chunk {
    _Atomic uint32_t count; /* records published */
    _Atomic uint32_t full;  /* no more will come into this chunk, be it that its thread has ended */
    uint32_t thread;        /* serial number of the thread that fills it; the first one is 0 */
    uint32_t index;         /* 0, 1, 2, ... of the chunks of this thread */
    uint64_t unused[6];
    struct st_stream_record records[ST_STREAM_RECORDS];
};

_Static_assert(sizeof(struct st_stream_chunk) == ST_STREAM_CHUNK_BYTES, "chunks fill their pages");

/* Which eager accesses may be left out (docs/recordings.md has the rules, and why they are so). */
enum st_stream_rule {
    ST_STREAM_REDUCED,    /* what checking does without: repetitions in a block */
    ST_STREAM_SUFFICIENT, /* what prediction does without, too */
    ST_STREAM_EVERY       /* none, atomic loads in a loop aside */
};

/* Functions that hand out memory, as the watcher knows them by their names. The program looks for
 * two places in each: where the function has just called __tsan_func_entry, and holds how much is
 * wanted; and where it has called __tsan_func_exit, and holds what it returns. Steps lead from the
 * registers that calls keep to the value, as the machine code does. Registers have their numbers in
 * machine code, ST_STREAM_ZERO holds 0, and the value ends in the first one. */
enum st_stream_operation {
    ST_STEP_ADD,      /* a + (b << shift) + number */
    ST_STEP_LOAD,     /* 8 bytes at that address */
    ST_STEP_SUBTRACT, /* a - b */
    ST_STEP_MULTIPLY, /* a * (b + number) */
    ST_STEP_AND,      /* a and (b + number); */
    ST_STEP_OR,
    ST_STEP_SHIFT,  /* a >> shift */
    ST_STEP_WIDEN,  /* the lower 32 bits of a as a signed number ... */
    ST_STEP_NARROW, /* ... or as one without a sign */
};
enum { ST_STREAM_ZERO = 16, ST_STREAM_MOST_STEPS = 12 };
struct st_stream_step {
    uint8_t operation, to, a, b;
    uint8_t shift, unused[3];
    int32_t number;
};
struct st_stream_handing {
    uint64_t site;  /* return address */
    uint32_t size;  /* how much it hands out, if that is always the same; or 0 */
    uint8_t enters; /* it is the first place, and the value has `bytes` bytes */
    uint8_t bytes;
    uint16_t step_count;
    struct st_stream_step steps[ST_STREAM_MOST_STEPS];
};

struct st_stream_head {
    uint64_t magic;
    uint32_t version;
    uint32_t chunk_count; /* of chunks behind the head */
    uint32_t watcher;     /* process id of the watcher */
    /* The watcher holds this robust mutex while it lives. When it dies, however that happens, the
     * kernel sets FUTEX_OWNER_DIED in its first word, at once and not only when somebody has waited
     * for it, and whatever name spaces the two are in. */
    union {
        pthread_mutex_t mutex;
        _Atomic uint32_t word;
    } alive;
    _Atomic uint32_t attached;  /* process id of the program, once its runtime has started */
    _Atomic uint32_t closed;    /* set by the watcher when it reads no more: emit nothing */
    _Atomic uint32_t ended;     /* set by the program when it ends in an orderly way */
    _Atomic uint32_t status;    /* its exit status then, plus 1; 0 where it is not known */
    _Atomic uint32_t waiting;   /* how many threads wait for a free chunk (a futex: `free_word`) */
    _Atomic uint32_t free_word; /* grows when a chunk was given back */
    uint32_t deferred;          /* set by the watcher: accesses are to be deferred */
    uint32_t quiet_locks;   /* set by the watcher: mutexes and reader-writer locks order nothing,
                               so they need no events; only where accesses are deferred */
    uint32_t rule;          /* set by the watcher: enum st_stream_rule, if they are not */
    uint32_t values;        /* set by the watcher: it wants values of accesses */
    uint32_t recorded;      /* set by the watcher: what is deferred becomes a trace for all engines,
                               so no atomic operation is deferred (tsan/looks.h) */
    uint32_t names_modules; /* set by the watcher: a program that starts is to wait until all of
                               its modules are read, and what is in `handing` is complete */
    _Atomic uint32_t modules_read;  /* so many ST_STREAM_MODULE; a futex */
    _Atomic uint32_t handing_count; /* grows */
    _Atomic uint32_t no_room; /* set by the program: no addresses for shadow memory, no events */
    _Atomic uint32_t
        worn_out;         /* set by the program: a thread has no epochs left, so it closed it */
    _Atomic uint32_t met; /* set by the program: two threads have used the same memory, and one of
                             them wrote, be it in what no longer matters and is not emitted */
    _Atomic uint32_t shut_in; /* processes forked after the program had shut itself in (seccomp) */
    _Atomic uint64_t dropped; /* events not emitted (signal handlers, forked children) */
    _Atomic uint32_t reports; /* set by the watcher: how often it has found a block cut so far */
    char pad0[56];
    _Atomic uint64_t next_sequence; /* the first one is 1 */
    char pad1[56];
    /* A stack of free chunks: index + 1 of the top in the low half, a tag against reuse in the
     * high half. next_free[i] is index + 1 of the one below chunk i. */
    _Atomic uint64_t free_top;
    _Atomic uint32_t announced; /* how many announcements were begun */
    char pad2[52];
    struct st_stream_handing handing[ST_STREAM_HANDING_SITES];
    _Atomic uint64_t starts[ST_STREAM_STARTS]; /* set by the watcher: st_stream_start_of */
    /* Two arrays of chunk_count words follow, then, at a multiple of the chunk size, the chunks:
     * _Atomic uint32_t announcements[]: chunk index + 1 at position (n % chunk_count), 0 until it
     * is there; the watcher sets it to 0 again before it gives that chunk back. _Atomic uint32_t
     * next_free[]. Between them and the chunks, _Atomic uint64_t dead_before[ST_STREAM_SLOTS], then
     * struct st_stream_counter counters[ST_STREAM_COUNTED_SLOTS][ST_STREAM_COUNTERS]. */
};

/* What the watcher knows of a function, if a thread or work of its own starts in it. */
enum st_stream_start {
    ST_START_UNKNOWN,
    ST_START_LIBRARY,  /* none of the program's: perhaps what it calls is what is started with */
    ST_START_HANDS_ON, /* the same, if it has a caller, and is not in work of its own */
    ST_START_TURNS,    /* its calls tell the turns of its loops, if it is not in such work */
    ST_START_WHOLE,    /* its calls tell nothing */
    ST_START_OF_WORK   /* if it is in such work, that is what that starts with; else unknown */
};

/* A function is at its hash or behind that, with its kind in the low bits; unused words are zero.
 * The place of the function, or of the first unused word; ST_STREAM_STARTS: there is neither. */
enum { ST_START_BITS = 3 };
static inline size_t st_stream_start_at(struct st_stream_head *head, uint64_t function) {
    enum { TRIES = 16 };
    uint64_t hash = function * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    for (size_t i = 0; i < TRIES; i++) {
        size_t at = (hash + i) % ST_STREAM_STARTS;
        uint64_t there = atomic_load_explicit(&head->starts[at], memory_order_relaxed);
        if (!there || there >> ST_START_BITS == function)
            return at;
    }
    return ST_STREAM_STARTS;
}
static inline enum st_stream_start st_stream_start_of(struct st_stream_head *head,
                                                      uint64_t function) {
    size_t at = st_stream_start_at(head, function);
    if (at == ST_STREAM_STARTS)
        return ST_START_UNKNOWN;
    uint64_t there = atomic_load_explicit(&head->starts[at], memory_order_relaxed);
    return (enum st_stream_start)(there & ((1 << ST_START_BITS) - 1));
}

/* How often the thread of a slot has boarded a function, or those that had the slot before. A
 * function is at its hash or behind that; unused ones are zero. Only the thread writes. */
struct st_stream_counter {
    _Atomic uint64_t function, count;
};

static inline _Atomic uint32_t *st_stream_announcements(struct st_stream_head *head) {
    return (_Atomic uint32_t *)(void *)(head + 1);
}
static inline _Atomic uint32_t *st_stream_next_free(struct st_stream_head *head) {
    return st_stream_announcements(head) + head->chunk_count;
}
static inline _Atomic uint64_t *st_stream_dead_before(struct st_stream_head *head) {
    return (_Atomic uint64_t *)(void *)(st_stream_announcements(head) +
                                        2 * (uint64_t)head->chunk_count);
}
static inline struct st_stream_counter *st_stream_counters(struct st_stream_head *head) {
    return (struct st_stream_counter *)(void *)(st_stream_dead_before(head) + ST_STREAM_SLOTS);
}
static inline uint64_t st_stream_chunks_at(uint32_t chunk_count) {
    uint64_t bytes =
        sizeof(struct st_stream_head) + 8 * (uint64_t)chunk_count + 8 * ST_STREAM_SLOTS +
        sizeof(struct st_stream_counter) * ST_STREAM_COUNTED_SLOTS * ST_STREAM_COUNTERS;
    return (bytes + ST_STREAM_CHUNK_BYTES - 1) / ST_STREAM_CHUNK_BYTES * ST_STREAM_CHUNK_BYTES;
}
static inline struct st_stream_chunk *st_stream_first_chunk(struct st_stream_head *head,
                                                            uint32_t chunk_count) {
    return (struct st_stream_chunk *)(void *)((char *)head + st_stream_chunks_at(chunk_count));
}
static inline struct st_stream_chunk *st_stream_chunk(struct st_stream_head *head, uint32_t i) {
    return st_stream_first_chunk(head, head->chunk_count) + i;
}
static inline uint64_t st_stream_bytes(uint32_t chunk_count) {
    return st_stream_chunks_at(chunk_count) + (uint64_t)chunk_count * ST_STREAM_CHUNK_BYTES;
}

/* Takes a free chunk: its index, or -1. */
static inline int64_t st_stream_take_chunk(struct st_stream_head *head) {
    uint64_t top = atomic_load_explicit(&head->free_top, memory_order_acquire);
    while ((uint32_t)top) {
        uint32_t index = (uint32_t)top - 1;
        uint64_t below =
            atomic_load_explicit(&st_stream_next_free(head)[index], memory_order_relaxed);
        uint64_t next = ((top >> 32) + 1) << 32 | below;
        if (atomic_compare_exchange_weak_explicit(&head->free_top, &top, next, memory_order_acquire,
                                                  memory_order_acquire))
            return index;
    }
    return -1;
}

/* For the watcher, who does not ask the head where things are: the program may overwrite that. */
static inline void st_stream_give_chunk(struct st_stream_head *head, _Atomic uint32_t *next_free,
                                        uint32_t index) {
    uint64_t top = atomic_load_explicit(&head->free_top, memory_order_relaxed), next;
    do {
        atomic_store_explicit(&next_free[index], (uint32_t)top, memory_order_relaxed);
        next = ((top >> 32) + 1) << 32 | (index + 1);
    } while (!atomic_compare_exchange_weak_explicit(&head->free_top, &top, next,
                                                    memory_order_release, memory_order_relaxed));
}

#endif
