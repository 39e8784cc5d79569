/* A translator from inside: what translator.c, *_events.c and locks.c share. */
#ifndef SERIATIM_WATCH_TRANSLATOR_STATE_H
#define SERIATIM_WATCH_TRANSLATOR_STATE_H

#include "base/bits.h"
#include "watch/memory/fresh.h"
#include "watch/memory/known_names.h"
#include "watch/words/lock_words.h"
#include "watch/memory/java_objects.h"
#include "watch/locks.h"
#include "watch/translator.h"

/* What an open function or block is to us. */
enum kind {
    NO_BLOCK,
    INFERRED, /* nobody named it: split where its thread waits */
    TURN,     /* the same; no function, but one turn of a loop (start_blocks.c) */
    NAMED,    /* by the specification or an annotation */
    SECTION,  /* a critical section; named, too */
    OVER,     /* a critical section that ended while blocks in it are open: it ends with them */
};

/* What a call into the C++ library does with other threads (library_calls.c). */
enum library_call {
    CALL_WAITS = 1,      /* for others, on purpose, whether it had to sleep or not */
    CALL_SIGNALS = 2,    /* its atomics are sends and receives */
    CALL_RECEIVES = 4,   /* and read-modify-writes are both */
    CALL_SEMAPHORE = 8,  /* it is one of a semaphore, which may be a lock */
    CALL_POOL = 16,      /* its atomics are in the tables of the library, and mean nothing */
    CALL_COUNTS = 32,    /* it takes or drops a reference, itself and not by a function it calls */
    CALL_ASKS = 64,      /* it asks the program whether to wait: nobody goes on by what it sends */
    CALL_LISTS = 128,    /* what it reads and writes, itself, is the library's own list */
    CALL_LOCK_BIT = 256, /* it takes or gives back a lock that is the lowest bit of a word */
    CALL_SUSPENDS = 512, /* inlined there: what is done when a coroutine stops; of no library */
};

struct frame {
    enum kind kind;
    bool annotated; /* opened by ST_STREAM_BEGIN */
    bool start;     /* its thread starts with it, or with the loop that it is a turn of */
    bool hidden;    /* a function of the implementation */
    bool starts;    /* its thread, or work of its own, begins with it */
    bool coroutine; /* it is called each time a coroutine goes on */
    bool counted;   /* the program counts it, whether or not it is emitted */
    bool suspends;  /* while it is open, inferred blocks around it, from this index on, are not */
    uint16_t calls; /* enum library_call, of this and the library's functions around it */
    uint32_t suspended;   /* that index */
    uint32_t paused;      /* it is no block now: so many pauses were open with the one for it */
    uint32_t block;       /* name, unless it is no block */
    uint64_t loc;         /* of its begin */
    uint32_t call;        /* number in the sites */
    uint64_t called_from; /* of a function: return address, or 0 */
    uint64_t begun;       /* of one that was boarded and may be left by now: its first epoch */
};

#define SHARED_OBJECT (UINT32_C(1) << 31)

struct lock_held {
    uint32_t object;   /* index in the locks; with SHARED_OBJECT: in the shared locks */
    uint32_t number;   /* as it was when it was acquired; as in struct st_held_row */
    uint32_t held;     /* it and those before it: number in the sites */
    uint32_t acquired; /* where: number in the sites */
    uint32_t count;    /* of a shared lock: how often it is held, apart from once */
    uint32_t heard;    /* as `held`, without those that are quiet */
    bool hidden;       /* it is not among `held` */
    bool quiet;        /* taken without an event (quiet_locks.c) */
};

/* An atomic access that may have been waiting: it is emitted when its thread goes on. Invariant: no
 * event of the thread comes in between. */
struct held_back {
    bool there;
    unsigned calls; /* enum library_call */
    uint64_t address;
    uint64_t turn; /* smaller: happened before */
    uint64_t at;   /* as in the thread, then */
    struct st_stream_record record;
    struct st_atomic atomic;
};

/* A thread of the program. */
struct thread {
    uint32_t number;
    uint32_t slot;
    uint64_t first_epoch; /* and all epochs that have passed apart from those of records */
    uint64_t at;          /* the epoch behind the record at work; of boarded functions: the last */
    struct st_past past;
    bool started;               /* the function that it began with was entered */
    uint32_t pauses;            /* that are open */
    uint64_t last_pc, last_loc; /* of the last event; 0 where not valid */
    struct frame *frames;
    size_t depth, frame_capacity;
    size_t boarded; /* so many frames, the innermost, are boarded: the next record will show whether
                     * they are still open */
    bool locks_unknown; /* whatever is among them */
    struct lock_held *locks;
    size_t lock_count, lock_capacity;
    struct st_fresh fresh; /* in recordings */
    bool is_fresh;         /* it is among those that may have fresh memory */
    struct {
        uint64_t function, called_from;
        bool block;      /* the trace has its begin, and contexts in outline begin anew there */
    } within[16];        /* functions in which a deferred access was that the thread emits next */
    size_t within_count; /* those around others come first */
    struct st_stream_record *then; /* ST_STREAM_HELD and what is behind them, for that access */
    size_t then_count, then_capacity;
    bool then_unknown;
    struct turns {
        struct st_code_flow *flow; /* of the function that it started with and is in; or NULL */
        const uint32_t *blocks;    /* by loop */
        size_t base;               /* so many frames are open when that function is on top ... */
        bool open;                 /* ... and one more if there is a frame for a turn */
        uint64_t last;             /* return address of the last call that was seen; 0: none */
        bool skipped;              /* calls since then were skipped */
    } turns;
    struct held_back held_back;
    struct {
        uint64_t address; /* of the word that it was drawn from; 0: none */
        uint64_t number;
    } ticket; /* of a ticket lock, perhaps */
    struct {
        uint64_t address; /* 0: none */
        int64_t balance;  /* what the thread has added to the word since it last held nothing */
    } gates[4];           /* words of locks that several can hold */
};

/* How the functions that threads start with become blocks. */
enum st_start { NOT_LOOKED_AT, AS_WHOLE, IN_TURNS, NOT_AT_ALL, HANDS_ON, LIKE_OTHERS };

/* A thread that has ended, while accesses of it may still be deferred. */
struct gone_thread {
    uint32_t number;
    struct st_past past;
};
enum { GONE_THREADS = 64 }; /* the last ones are kept: 16 KiB each */

/* What is known of a function, by the address at which it calls us; and of what was inlined into a
 * function of the library, if a thread starts there. */
struct function {
    bool known, hidden; /* hidden: of the implementation */
    bool java;          /* of a Java program */
    bool inlined;       /* into a function of the implementation, where a thread begins */
    bool started;       /* a thread began with it */
    bool told;          /* to the program, what it is to those that start with it: ... */
    uint8_t told_kind;  /* ... enum st_stream_start */
    bool was_block;
    bool coroutine; /* it is called each time a coroutine goes on ... */
    bool suspends;  /* ... and this, when one stops */
    uint16_t calls; /* enum library_call */
    enum kind kind; /* as a block; INFERRED means: unless a thread starts with it */
    uint32_t block;
    enum st_start start;
    uint32_t start_block;      /* as a whole */
    struct st_code_flow *flow; /* in turns */
    uint32_t *turn_blocks;     /* by loop */
};

/* What the library's functions that are inlined at a place do. */
struct call_site {
    bool known;
    uint16_t calls; /* enum library_call */
};

/* Whose code a call is made in. */
enum st_ownership { NOT_ASKED, USER, LIBRARY };

/* By name: how many more have got a name like it. */
struct repeats {
    uint32_t *counts;
    size_t capacity;
};

/* Where a variable was first accessed, as a number in the sites; size 0: nobody asked. */
struct st_first_access {
    uint32_t site;
    uint32_t size;
};

struct st_translator {
    struct st_translation options;
    struct st_symbols symbols;
    struct st_sites sites;
    struct st_places *places;
    struct st_variables variables;
    struct st_java_objects java_objects;
    struct st_objects locks, channels;
    struct repeats lock_repeats, channel_repeats;
    struct st_objects shared; /* reader-writer locks (channel 0) and semaphores (channel 1) */
    struct st_shared_lock *shared_facts; /* by their index */
    size_t shared_capacity;
    struct repeats shared_repeats;
    /* Of allocations: return address of the user's call, and size; of frames: see memory_names.c.
     */
    struct st_pairs origins;
    struct {
        uint64_t inner; /* return address of the call that got the memory; 0 for frames */
        enum { TYPE_NOT_ASKED, TYPED, UNTYPED } type;
        bool part;     /* of memory that the program hands out itself (handed_out.c) */
        bool named;    /* a name was made there: then `step` is known */
        uint64_t step; /* names there repeat after so many bytes, with a larger number; 0: never */
    } * origin_facts;  /* by their number, from 1 on */
    size_t origin_capacity;
    struct st_known_names known_names;
    struct st_bits used_by_several;         /* variables in such parts */
    struct st_stream_head *head;            /* of the program, or NULL */
    struct st_first_access *first_accesses; /* by variable, of those that were allocated */
    size_t first_access_capacity;
    uint32_t noted_variables;      /* those below were asked for it */
    struct st_map64 allocating;    /* calls by which memory came, by return address, */
    enum st_ownership *allocators; /* and whether memory is to be named after them */
    size_t allocator_capacity;
    struct st_map64 calls;     /* by return address */
    enum st_ownership *owners; /* by that number: whose code is there */
    size_t owner_capacity;
    struct st_map64 functions; /* by the address at which they call us */
    struct function *function_facts;
    size_t function_capacity;
    struct st_stream_counter *counters; /* of the program, of those that it boards; or NULL */
    uint64_t *counted;                  /* by counter: so much of it was taken */
    size_t counted_capacity;
    struct st_map64 call_sites; /* of calls out of a function, and atomics: by return address */
    struct call_site *call_site_facts;
    bool has_lists; /* a call site with CALL_LISTS has been passed */
    size_t call_site_capacity;
    struct st_objects words;    /* that are accessed atomically: number 0, or none if forgotten */
    struct st_word *word_facts; /* by their index */
    size_t word_capacity;
    uint64_t turns;             /* of accesses that were held back */
    struct st_map64 spins;      /* of calls that look, by return address and arguments ... */
    struct st_spin *spin_facts; /* ... what is around them */
    size_t spin_capacity;
    struct st_map64 texts; /* by their ids */
    uint32_t *text_blocks; /* 1 + the block with this name, or 0 */
    size_t text_capacity;

    struct st_map64 serials;
    struct thread **threads;
    size_t thread_capacity;
    struct thread **fresh; /* that may have fresh memory, a few of them */
    size_t fresh_count, fresh_capacity;
    struct gone_thread gone[GONE_THREADS];
    size_t gone_count; /* of all; the last one is before this, modulo GONE_THREADS */
    uint32_t last_serial;
    struct thread *last_thread; /* of that serial, or NULL */

    uint64_t *locs; /* by site, unless sites are kept; 0 where not asked for yet */
    size_t loc_capacity;
    uint32_t named_variables;

    struct st_stream_record *moved; /* copies of records with other addresses, see translator.c */
    size_t moved_capacity;
    bool module_came;

    struct st_slots slots;
    _Atomic uint64_t *dead_before; /* of the program; NULL: nobody wants to know */
    struct st_event *batch;
    uint64_t *batch_at;
    struct st_access_value *batch_values; /* NULL: nobody wants them */
    uint32_t *batch_runs;                 /* likewise */
    struct st_access_value
        next_value;          /* of the event that is emitted next, if it is of an access */
    struct st_bits doubtful; /* variables whose values are not certain any more */
    const struct st_stream_record
        *valued; /* the atomic access at work, with its values behind it */
    size_t batched;
    bool finishing;   /* no record will come */
    bool publish_due; /* as soon as all events of the record at work are out */
    bool *began;      /* by thread: it has had an event */
    size_t began_capacity;
    struct {
        uint32_t thread;
        uint64_t loc, at;
        uint64_t length;
        enum st_op read, write; /* what reads and writes become */
        bool atomic, fresh;
        bool settled;    /* if values are wanted: ST_STREAM_SETTLED */
        uint64_t events; /* of all accesses so far */
        size_t last;     /* of its events, the last is before this one in the batch; 0: none */
    } access;            /* the one at work */
    bool joining;        /* the record at work has become an event already */
    struct st_translator_facts facts;
};

/* ---- translator.c ---- */

/* Hands the batch to the sink, in the middle of a record as well. */
void st_translate_flush(struct st_translator *t);

static inline void emit_event(struct st_translator *t, struct st_event event, uint64_t at) {
    if (__builtin_expect(t->batch_values != NULL, 0)) {
        t->batch_values[t->batched] = t->next_value;
        t->next_value = (struct st_access_value){0};
    }
    if (t->batch_runs)
        t->batch_runs[t->batched] = 0;
    t->batch[t->batched] = event;
    t->batch_at[t->batched] = at;
    if (__builtin_expect(++t->batched == ST_BATCH, 0))
        st_translate_flush(t);
}

static inline void emit(struct st_translator *t, const struct thread *thread, enum st_op op,
                        uint32_t target, uint64_t loc) {
    emit_event(t,
               (struct st_event){
                   .thread = thread->number, .target = target, .loc = loc, .written = op, .op = op},
               thread->at);
}

static inline uint32_t call_of(const struct thread *thread) {
    return thread->depth ? thread->frames[thread->depth - 1].call : 0;
}

static inline uint32_t held_by(const struct thread *thread) {
    return thread->lock_count ? thread->locks[thread->lock_count - 1].held : 0;
}

/* The same without those that are quiet: which of them were held then is said with each access. */
static inline uint32_t heard_held_by(const struct thread *thread) {
    return thread->lock_count ? thread->locks[thread->lock_count - 1].heard : 0;
}

/* The location of an event there, when that was called and held. */
static inline uint64_t location_at(struct st_translator *t, uint64_t pc, uint32_t call,
                                   uint32_t held) {
    return st_location_of(st_sites_number(&t->sites, pc, call), t->options.outline ? 0 : held);
}

/* The location of an event there, now. */
uint64_t st_translate_loc(struct st_translator *t, const struct thread *thread, uint64_t pc);

static inline uint64_t loc_at(struct st_translator *t, struct thread *thread, uint64_t pc) {
    if (pc != thread->last_pc) {
        thread->last_loc = st_translate_loc(t, thread, pc);
        thread->last_pc = pc;
    }
    return thread->last_loc;
}

/* The stack or the locks have changed. */
static inline void change_context(struct thread *thread) {
    thread->last_pc = 0;
    st_past_add(&thread->past,
                (struct st_past_context){thread->at, call_of(thread), heard_held_by(thread)});
}

/* Adds a name that the table does not have, like this one: "lock", "lock #2", "lock #3". */
uint32_t st_translate_unique(struct st_names *names, struct repeats *repeats, const char *name);

/* The number of a thread by its serial number; it has a name from now on. */
uint32_t st_translate_thread_number(struct st_translator *t, uint32_t serial);

/* ---- rare_records.c ---- */

/* Memory of programs lies below. */
#define USER_ADDRESSES (UINT64_C(1) << 47)

/* The record of a range, with its length behind it: does it lie where memory of programs is? What
 * was moved (move_records) lies behind that. */
static inline bool is_range(const struct st_stream_record *record, uint64_t longest) {
    uint64_t length = record[1].argument, address = st_stream_address(record);
    return st_stream_op(&record[1]) == ST_STREAM_LENGTH && length <= longest &&
           (address >= USER_ADDRESSES || address + length <= USER_ADDRESSES);
}

/* The records of a complete item that is none of an access, a function or a lock. */
void st_translate_rare(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record);

/* ---- memory_names.c ---- */

/* The name of what is at an address. */
void st_translate_name(struct st_translator *t, struct st_data_place place, char *buffer,
                       size_t size);
/* The same for a lock, which the user acquires by the call that returns to `pc`. */
void st_translate_name_lock(struct st_translator *t, struct st_data_place place, uint64_t pc,
                            char *buffer, size_t size);
void st_translate_allocate(struct st_translator *t, const struct thread *thread,
                           const struct st_stream_record *record);
void st_translate_frame(struct st_translator *t, const struct st_stream_record *record);
/* The innermost call that the memory of the record should be named after; and the number of the
 * origin for `length` bytes from there. */
uint64_t st_translate_namer(struct st_translator *t, const struct thread *thread,
                            const struct st_stream_record *record);
uint32_t st_translate_origin(struct st_translator *t, const struct st_stream_record *record,
                             uint64_t call, uint64_t length);
/* The access at work is the first to this new variable. */
void st_translate_first_access(struct st_translator *t, uint32_t variable);

/* ---- handed_out.c ---- */

/* A module came, the last of the places if it is `known`: the program learns which functions in it
 * hand out memory. */
void st_translate_module_read(struct st_translator *t, bool known);
void st_translate_hand_out(struct st_translator *t, const struct thread *thread,
                           const struct st_stream_record *record);

/* ---- access_events.c ---- */

st_variable_split st_translate_split_variable;
void st_translate_range(struct st_translator *t, const struct thread *thread, uint64_t address,
                        uint64_t length, bool write, bool atomic, uint64_t loc);
void st_translate_deferred(struct st_translator *t, struct thread *emitter,
                           const struct st_stream_record *record, bool write);
/* The function of the record is one that the deferred access behind it was in. */
/* What the thread called and held in earlier epochs; NULL: not known any more. */
const struct st_past *st_translate_past(const struct st_translator *t, uint32_t number);
void st_translate_within(struct thread *emitter, const struct st_stream_record *record, bool block);
/* In outline: the calls inside of a block, none so far, of which the function is remembered. */
uint32_t st_translate_outline(struct st_translator *t, uint64_t function);

/* The next event is that of an access to the variable: what is known of its value.
 * ST_VARIABLE_NONE: it has several. */
void st_translate_value(struct st_translator *t, uint32_t variable,
                        const struct st_stream_record *record, bool write, bool atomic);

/* The number of the variable will stand for another one. */
void st_translate_forget_doubt(struct st_translator *t, uint32_t variable);

/* The thread has allocated the memory of the record (memory/fresh.h); it was freed, so that it is
 * nobody's fresh memory any more; the thread ends. */
void st_translate_fresh(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record);
void st_translate_not_fresh(struct st_translator *t, const struct st_stream_record *record);
void st_translate_leave_fresh(struct st_translator *t, const struct thread *thread);

/* An access of 1 to 16 bytes. */
static inline void access_variable(struct st_translator *t, struct thread *thread, uint64_t address,
                                   const struct st_stream_record *record, bool write, bool atomic) {
    uint64_t loc = loc_at(t, thread, record->argument);
    unsigned size = st_stream_aux(record) & ST_STREAM_ACCESS_BYTES;
    uint32_t variable = st_variables_find(&t->variables, address, size);
    enum st_op op = write ? ST_WRITE : ST_READ;
    if (__builtin_expect(t->batch_values != NULL, 0))
        st_translate_value(t, variable, record, write, atomic);
    if (__builtin_expect(variable != ST_VARIABLE_NONE, 1))
        emit_event(t,
                   (struct st_event){.thread = thread->number,
                                     .target = variable,
                                     .loc = loc,
                                     .written = op,
                                     .fresh = !atomic && st_is_fresh(&thread->fresh, address, size),
                                     .atomic = atomic,
                                     .joined = atomic && t->joining,
                                     .op = op},
                   thread->at);
    else
        st_translate_range(t, thread, address, size, write, atomic, loc);
}

/* The first event of a thread, so that a fork reaches what it does, and a join is reached from it,
 * also if nobody else ever touches what it touched. */
void st_translate_start(struct st_translator *t, uint32_t thread, uint64_t at);

/* ---- block_events.c ---- */

void st_translate_enter(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record);
/* Is the function that is entered one of the implementation? */
bool st_translate_is_hidden(struct st_translator *t, const struct st_stream_record *enter);
void st_translate_begin(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record);
/* Ends the innermost frame that is a function (or annotated), and what is open in it. */
void st_translate_leave(struct st_translator *t, struct thread *thread, bool annotated);
void st_translate_leave_all(struct st_translator *t, struct thread *thread);
void st_translate_split(struct st_translator *t, struct thread *thread, enum st_stream_split kind);

/* Opens the frame of a function, as the block that its kind says. */
void st_translate_open(struct st_translator *t, struct thread *thread, struct function *function,
                       struct frame frame, uint64_t pc);

/* Ends the innermost frame, whatever it is. */
void st_translate_pop(struct st_translator *t, struct thread *thread);
/* Ends the inferred blocks that can be split, and begins them again: the index of the first is what
 * the one returns and the other takes. */
size_t st_translate_suspend(struct st_translator *t, struct thread *thread);
void st_translate_resume(struct st_translator *t, struct thread *thread, size_t first);

/* A block that is no function; a critical section that began last is over. */
void st_translate_begin_block(struct st_translator *t, struct thread *thread, struct frame frame,
                              uint64_t pc);
void st_translate_end_section(struct st_translator *t, struct thread *thread);

/* So many epochs of the thread have passed. */
void st_translate_passed(struct st_translator *t, struct thread *thread, uint64_t epochs);
/* Functions that were boarded: one is open in the thread of a slot. The thread that emits this is
 * another one. */
void st_translate_boarded(struct st_translator *t, struct thread *emitter,
                          const struct st_stream_record *record);
/* The thread enters a function, or emits something else. Is it one that was boarded, and has begun
 * then? The others that were boarded were left. */
bool st_translate_confirm(struct st_translator *t, struct thread *thread);
void st_translate_leave_boarded(struct st_translator *t, struct thread *thread);

/* ---- start_blocks.c ---- */

/* A thread starts with this function, or something else does that begins with a function of its own
 * and is no call, such as a task. Decides whether the function is a block, and opens its frame. */
void st_translate_enter_start(struct st_translator *t, struct thread *thread,
                              struct function *function, struct frame frame, uint64_t pc);
/* Tells the program what that function, which was entered when its thread had not started, is. */
void st_translate_tell_start(struct st_translator *t, struct function *function, uint64_t pc,
                             bool starts);
void st_translate_turn(struct st_translator *t, struct thread *thread, uint64_t pc);
void st_translate_end_turn(struct st_translator *t, struct thread *thread);
void st_start_free(struct function *function);

static inline bool is_on_top(const struct thread *thread) {
    return thread->turns.flow && thread->depth == thread->turns.base + thread->turns.open;
}

/* An event of the function itself, or a call that it made, which returns to `pc`: it may be in
 * another turn of a loop. */
static inline void step(struct st_translator *t, struct thread *thread, uint64_t pc) {
    if (__builtin_expect(is_on_top(thread), 0))
        st_translate_turn(t, thread, pc);
}

/* ---- locks.c ---- */

void st_translate_acquire(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record);
void st_translate_release(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record);
void st_translate_channel(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record, enum st_op op);
/* The object at the address, on `channel` of it; a new one has no number yet. Valid until the
 * next call. */
struct st_sync_object *st_object_at(struct st_objects *objects, uint64_t address, unsigned channel);

/* Adds a lock to those that the thread holds, or takes one from them. */
void st_translate_hold(struct st_translator *t, struct thread *thread, struct lock_held lock,
                       uint64_t pc);
void st_translate_drop(struct st_translator *t, struct thread *thread, struct lock_held *lock);
/* After some of them were hidden. */
void st_translate_relist(struct st_translator *t, struct thread *thread);

/* If critical sections are blocks: one begins here if the thread holds no lock, and is over if it
 * holds none any more. */
void st_translate_section(struct st_translator *t, struct thread *thread, const char *lock,
                          uint64_t pc);
void st_translate_section_over(struct st_translator *t, struct thread *thread);

/* What reader-writer locks and mutexes are called that have no events. */
struct st_sync_object *st_translate_mutex_at(struct st_translator *t, const struct thread *thread,
                                             uint64_t address, uint64_t pc);
struct st_sync_object *st_translate_rwlock_at(struct st_translator *t, uint64_t address);

/* Those that are no mutexes. */
void st_translate_shared(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record, bool acquire);
void st_translate_semaphore(struct st_translator *t, const struct st_stream_record *record);

/* ---- quiet_locks.c ---- */

/* A record, with what is behind it. */
void st_translate_holds(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record);
void st_translate_holds_nothing(struct st_translator *t, struct thread *thread);
/* For the deferred access that comes next. `length`: of all records. */
void st_translate_held(struct thread *emitter, const struct st_stream_record *record,
                       size_t length);
/* Those that its thread held then, added to these. */
uint32_t st_translate_held_then(struct st_translator *t, const struct thread *emitter,
                                uint32_t held);

/* ---- library_calls.c ---- */

/* Is the call, or a function that was inlined there, the user's own code? */
bool st_translate_is_users(struct st_translator *t, uint64_t pc);

/* Of the calls that the thread is in, the innermost one that was made in the user's own code: its
 * return address. `pc` is that of the call at work, and the result where all are the library's. */
uint64_t st_translate_user_call(struct st_translator *t, const struct thread *thread, uint64_t pc);
/* Of a function with this name; of those that are inlined at a call or an atomic access. */
unsigned st_library_calls(const char *function);
unsigned st_library_calls_at(struct st_translator *t, uint64_t pc);
/* Is it what is done when a coroutine stops; was that inlined there? */
bool st_suspends_coroutine(const char *function);
bool st_suspends_coroutine_at(struct st_translator *t, uint64_t pc);

static inline bool is_waiting_call(unsigned calls) {
    return calls & CALL_WAITS && calls & CALL_SIGNALS;
}

/* ---- spin_waits.c ---- */

/* An atomic operation that returns to `pc`: does the thread spin there, and what then?
 */
struct st_spin st_translate_spin(struct st_translator *t, const struct thread *thread, uint64_t pc);
/* A look at a word that the thread spins at until it sees what it waits for; a write to a word that
 * others spin at. */
void st_translate_look(struct st_translator *t, struct thread *thread, struct st_word *word,
                       const struct st_stream_record *record);
void st_translate_seen_write(struct st_translator *t, struct thread *thread, struct st_word *word,
                             const struct st_stream_record *record);

/* ---- gate_words.c ---- */

/* Does a thread come in by this swap or addition, having spun? */
bool st_translate_takes(struct st_translator *t, const struct thread *thread, struct st_word *word,
                        uint64_t pc);
void st_translate_forget_gate(struct st_translator *t, uint64_t address);
/* An operation on a word that is a gate, or becomes one by it; as a lock, it has its holder. */
void st_translate_gate(struct st_translator *t, struct thread *thread, struct st_word *word,
                       const struct st_stream_record *record, const struct st_atomic *atomic);

/* ---- atomic_events.c ---- */

/* An atomic access as one to a variable: which one, the generation says (lock_words.h). */
void st_translate_data(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record, unsigned generation);

/* An atomic access; what it did is in the record after it, if it says so. */
void st_translate_atomic(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record);
/* Is what the thread looked at data, and no wait? Then its variable is at the address that the word
 * has now. */
bool st_translate_looks_at_data(struct st_translator *t, const struct thread *thread, uint64_t pc,
                                uint64_t *address);
/* The thread has ended. What it took once and did not give back was no lock. */
void st_translate_end_of_words(struct st_translator *t, struct thread *thread);
/* A wait at a futex, and order from one. */
void st_translate_futex(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record);

/* The record is the next of a thread with an access that was held back, and the first of those that
 * are left; or something else shows that the thread has gone on: NULL. */
void st_translate_held_back(struct st_translator *t, struct thread *thread,
                            const struct st_stream_record *record, size_t left);

#endif
