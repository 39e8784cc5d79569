/* The control area: how `hunt` and `replay` steer a program, and what the program did.
 *
 * A file that both map. seriatim writes the plan before the program starts; the runtime in the
 * program reads it once, runs one thread at a time, decides at each *point* who goes on, and writes
 * the log. Nothing is exchanged while the program runs, so a decision costs no switch to another
 * process, and what was logged is there when the program is killed. What a program logs is not
 * trusted: seriatim checks every count and index.
 *
 * Points. Synchronisation, atomic accesses, and accesses at *sites* that were seen to touch shared
 * memory. A point comes before its operation is done and emitted. A thread at a point has a pending
 * operation, so it is known who can go on.
 *
 * Names that hold in other runs, wherever the modules are mapped: a site is st_control_site of the
 * module's file name and the offset of the return address in it; a thread is st_control_child of
 * its parent's name and of how many threads that had begun before; an event is its thread's clock,
 * which counts all events of the thread, points or not, so that it does not depend on which sites
 * are points.
 *
 * Schedules. The default schedule: the thread that runs goes on; when it cannot, the one with the
 * lowest index that can; who waits longest is woken first; time passes, and what comes from outside
 * of the program is noticed, only when nobody can go on.
 * A schedule is the list of its deviations from that. To replay is to run the default schedule with
 * those deviations. */
#ifndef SERIATIM_STREAM_CONTROL_H
#define SERIATIM_STREAM_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

/* The environment variable with the path of the file. The first process that opens it is the one
 * that is controlled (`process`). */
#define ST_CONTROL_VARIABLE "SERIATIM_CONTROL"

#define ST_CONTROL_MAGIC UINT64_C(0x6c6f72746e6f6373)
enum {
    ST_CONTROL_VERSION = 5,
    ST_CONTROL_SITES = 1 << 15,      /* a hash table, at most half full */
    ST_CONTROL_DEVIATIONS = 1 << 16, /* of the plan, and as many of the log */
    ST_CONTROL_POINTS = 1 << 17,
    ST_CONTROL_THREADS = 1 << 13, /* more of them run, and are not logged */
    ST_CONTROL_HELD = 32,
    ST_CONTROL_STEPS = 16,
    ST_CONTROL_STEP_SITES = 8,
    ST_CONTROL_ORDER = 4,
    ST_CONTROL_EXPECTED = 1024,
    ST_CONTROL_OUTER = 256,
    ST_CONTROL_CALLERS = 8,
    ST_CONTROL_MODULES = 256,
    ST_CONTROL_MODULE_NAME = 64
};

/* The exit status of a program that the runtime ended: `end` of the log says why. */
enum { ST_CONTROL_STATUS = 97 };

enum st_control_strategy {
    ST_STRATEGY_DEFAULT,   /* the default schedule, with the plan's deviations */
    ST_STRATEGY_RANDOM,    /* whoever can go on, with equal chance */
    ST_STRATEGY_URW,       /* with a chance by what it has left to do (`expected`) */
    ST_STRATEGY_PCT,       /* priorities, with `depth` - 1 changes at any contested point */
    ST_STRATEGY_BLOCK_PCT, /* at contested points in blocks, after their first one */
    ST_STRATEGY_POS,       /* priorities, drawn anew at each point and after a conflict */
    ST_STRATEGY_DIRECTED,  /* hold a block after `first` until another thread has passed `last` */
    ST_STRATEGY_STALL,     /* hold a block after `first` until nobody else can go on */
    ST_STRATEGY_STEPS,     /* let threads pass the `steps` of the plan in their order */
    ST_STRATEGY_COUNT
};

enum st_control_flag {
    ST_CONTROL_LEARN = 1,        /* find sites that touch shared memory; they are points at once */
    ST_CONTROL_REAL_TIME = 2,    /* clocks and sleeping are left alone */
    ST_CONTROL_EVERY_ACCESS = 4, /* each is a point */
    ST_CONTROL_DIVERGE = 8,      /* go on when a deviation cannot be followed; otherwise the program
                                    ends there */
    ST_CONTROL_BY_SITE = 16      /* deviations are found by site and count, not by clock */
};

enum st_control_kind {
    ST_POINT_BEGIN, /* of a thread */
    ST_POINT_READ,
    ST_POINT_WRITE,
    ST_POINT_ATOMIC_READ,
    ST_POINT_ATOMIC_WRITE,
    ST_POINT_LOCK,
    ST_POINT_READ_LOCK,
    ST_POINT_TRY_LOCK, /* does not wait */
    ST_POINT_UNLOCK,
    ST_POINT_COND_WAIT,
    ST_POINT_COND_SIGNAL,
    ST_POINT_SEM_WAIT,
    ST_POINT_SEM_POST,
    ST_POINT_BARRIER,
    ST_POINT_FORK,
    ST_POINT_JOIN,
    ST_POINT_ONCE,
    ST_POINT_FUTEX_WAIT,
    ST_POINT_FUTEX_WAKE,
    ST_POINT_YIELD,
    ST_POINT_SLEEP,
    ST_POINT_IO,     /* can wait for something outside of the program */
    ST_POINT_SIGNAL, /* a signal is delivered */
    ST_POINT_CANCEL,
    ST_POINT_EXIT, /* of the process */
    ST_POINT_END,  /* of a thread */
    ST_POINT_KINDS
};

enum st_control_deviation_kind {
    ST_DEVIATION_PREEMPT, /* the thread could go on, and `next` did */
    ST_DEVIATION_BLOCKED, /* it could not, and `next` went on instead of who comes by default */
    ST_DEVIATION_WAKE,    /* it woke `next`, who had not waited longest */
    ST_DEVIATION_TIME,    /* the waiting or sleeping of `next` ended before others came to rest */
    ST_DEVIATION_SIGNAL, /* a signal from outside, or of a timer, came here; `next` is its number */
    ST_DEVIATION_ARRIVAL, /* what `next` waits for outside was there, and it could go on */
    ST_DEVIATION_KINDS
};

struct st_control_deviation {
    uint64_t thread, next; /* names of threads */
    uint64_t clock;        /* of `thread` */
    uint64_t site;         /* of its pending operation; 0: none */
    uint32_t count;        /* how many points it has had at that site, with this one */
    uint16_t kind;
    uint16_t ordinal; /* of decisions at this clock: an operation that blocks again has several */
};

/* For ST_STRATEGY_DIRECTED and STALL: sites. A thread that is in a block and has passed `first` is
 * held at its next points; a thread that comes to `other` is held until somebody has passed
 * `first`; when another thread has passed `last`, the block goes on at once. `other` and `last` are
 * the same when it is about one variable.
 *
 * With an order, for STALL: these threads have priority over all others, the first one most, and
 * only that one is held. So what it did is passed on from thread to thread while it is held. */
struct st_control_hold {
    uint32_t first_count, other_count, last_count, order_count;
    uint64_t order[ST_CONTROL_ORDER]; /* names */
    uint64_t first[ST_CONTROL_HELD], other[ST_CONTROL_HELD], last[ST_CONTROL_HELD];
};

/* For ST_STRATEGY_STEPS: what different threads are to do one after the other, as foreseen. The
 * thread that does the first step of a role does the others, too; no thread has two roles. If the
 * first step is done in a block, all is over when that block ends. */
struct st_control_step {
    uint32_t role;   /* below ST_CONTROL_STEPS */
    uint32_t same;   /* the first step that is about the same object; its own number: none before */
    uint32_t thread; /* index + 1 of the one who does it; 0: anyone */
    uint32_t site_count, entry_count, unused;
    uint64_t sites[ST_CONTROL_STEP_SITES]; /* any of them */
    /* Where a thread on its way there must stop if it is not its time yet: where it would take a
     * lock that others may need before. */
    uint64_t entries[ST_CONTROL_STEP_SITES];
};

struct st_control_plan {
    uint32_t strategy, flags;
    uint64_t seed;
    uint32_t depth;                 /* of PCT */
    uint32_t early;                 /* one decision in so many lets time pass early; 0: never */
    uint64_t expected_points;       /* contested points, of earlier runs */
    uint64_t expected_block_points; /* those in blocks, after their first one */
    uint64_t most_points;           /* the program is ended after so many; 0: never */
    /* Where __seriatim_on_cut is called, for a debugger: before this event. Clock 0: never. */
    uint64_t stop_thread, stop_clock;
    struct st_control_hold hold;
    uint32_t step_count, unused;
    struct st_control_step steps[ST_CONTROL_STEPS];
    /* Of earlier runs: how many points threads had. */
    uint32_t expected_count, outer_count;
    struct st_control_expected {
        uint64_t thread, points;
    } expected[ST_CONTROL_EXPECTED];
    /* A point is in the block of its outermost annotation, or else of the outermost function that
     * is not in this list (as in `block_site`), main aside; a function that a thread starts with is
     * one only for what it does itself. The list has what merely calls what threads start with, as
     * std::thread does, and, below that, what they start with. */
    uint64_t outer[ST_CONTROL_OUTER];
    uint32_t deviation_count;
    uint32_t site_count; /* in `sites`; the rest is 0 */
    uint64_t sites[ST_CONTROL_SITES];
    struct st_control_deviation deviations[ST_CONTROL_DEVIATIONS];
};

struct st_control_point {
    uint64_t site, object, clock;
    uint32_t thread;     /* index in `threads` */
    uint32_t block;      /* number of the block of this thread that it is in; 0: none */
    uint64_t block_site; /* in the function or annotation that is the block: to name it */
    uint32_t size;
    uint16_t kind;
    uint16_t contested; /* who could have gone on instead: bit i stands for thread i, the last bit
                           for all from 15 on. 0: nobody */
};

enum st_control_thread_state {
    ST_THREAD_READY,
    ST_THREAD_BLOCKED, /* at a lock, semaphore, barrier, join, futex: `blocked_on` */
    ST_THREAD_WAITING, /* at a condition */
    ST_THREAD_SLEEPING,
    ST_THREAD_OUTSIDE, /* in the kernel, or in code that we do not see */
    ST_THREAD_ENDED,
    ST_THREAD_STATES
};

struct st_control_thread {
    uint64_t name, parent;
    uint64_t clock, points; /* so far */
    uint32_t child;         /* number of children that its parent had before */
    uint16_t state;         /* these as they are now; they matter when nobody can go on */
    uint16_t kind;
    uint64_t site, object, blocked_on;
    uint64_t owner; /* name of the thread that has what it waits for; 0: not known */
};

/* How the run ended, as far as the runtime decided it. */
enum st_control_end {
    ST_END_BY_ITSELF,
    ST_END_DEADLOCK, /* nobody could ever go on */
    ST_END_LIVELOCK, /* all who ran did so in vain for long: they spun, or tried and failed */
    ST_END_TOO_LONG, /* most_points */
    ST_END_DIVERGED, /* a deviation could not be followed: `diverged_at` of the plan */
    ST_END_COUNT
};

struct st_control_log {
    uint64_t points, contested, contested_in_blocks, decisions, switches, preemptions, events;
    uint64_t virtual_nanoseconds;
    uint32_t end, diverged_at;
    uint32_t followed; /* so many deviations of the plan */
    uint32_t loose;    /* so often a thread waited in the kernel without our knowledge: the run may
                          not be repeatable */
    uint32_t hits;     /* of the hold: another thread came between */
    uint32_t given_up; /* so often was somebody let go, since nobody else could go on */
    uint32_t thread_count, module_count;
    uint32_t point_count, deviation_count, lost_deviations; /* that had no room */
    uint32_t site_count;
    uint32_t wanted_input;    /* it read from standard input, which was /dev/null */
    uint32_t wanted_terminal; /* it tried to open /dev/tty */
    /* The signal that ended the program, if we have seen it (0: none), the index of the thread, and
     * where it was: as a return address. */
    uint32_t crash_signal, crash_thread;
    uint64_t crash_pc;
    /* The same in the innermost function that is instrumented, for a crash in what that has called;
     * 0: not known. */
    uint64_t crash_caller;
    uint64_t sites[ST_CONTROL_SITES]; /* learned, and those of the plan */
    struct st_control_module {
        char name[ST_CONTROL_MODULE_NAME]; /* the last part of its path, cut off */
        uint64_t start, bias, end;
    } modules[ST_CONTROL_MODULES];
    struct st_control_thread threads[ST_CONTROL_THREADS];
    struct st_control_deviation deviations[ST_CONTROL_DEVIATIONS];
    /* Of a preemption: from where the functions that were open had been called, the innermost
     * first, as return addresses; the rest is 0. In a library, this says where the user's code was.
     */
    uint64_t callers[ST_CONTROL_DEVIATIONS][ST_CONTROL_CALLERS];
    struct st_control_point log[ST_CONTROL_POINTS]; /* the first ones of the run */
};

/* A client that talks to the program takes turns with it: it is stopped while the program runs, and
 * goes on when all threads of the program wait. So neither is faster in one run than in another.
 * The runtime asks, and seriatim answers when the client waits, too. */
enum st_control_client {
    ST_CLIENT_NONE,  /* there is none, or it has ended */
    ST_CLIENT_HELD,  /* stopped, or not there yet */
    ST_CLIENT_ASKED, /* it has its turn */
};

struct st_control_area {
    uint64_t magic;
    uint32_t version;
    _Atomic uint32_t client;  /* st_control_client */
    _Atomic uint32_t process; /* that is controlled; 0: none has come */
    _Atomic uint32_t others;  /* processes that came later, or were forked, and run freely */
    struct st_control_plan plan;
    struct st_control_log log;
};

static inline uint64_t st_control_mix(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* `module`: the last part of the path of its file. */
static inline uint64_t st_control_site(const char *module, uint64_t offset) {
    uint64_t hash = 1;
    for (; *module; module++)
        hash = st_control_mix(hash, (unsigned char)*module);
    return (hash & 0xffffff) << 40 | (offset & ((UINT64_C(1) << 40) - 1));
}

/* Where a site is in a table of ST_CONTROL_SITES, or the empty place where it belongs. The table is
 * at most half full. */
static inline uint32_t st_control_slot(const uint64_t *sites, uint64_t site) {
    uint32_t slot = (uint32_t)st_control_mix(0, site) % ST_CONTROL_SITES;
    while (sites[slot] && sites[slot] != site)
        slot = (slot + 1) % ST_CONTROL_SITES;
    return slot;
}

enum { ST_CONTROL_MAIN = 1 };

/* Never 0, nor that of the first thread. */
static inline uint64_t st_control_child(uint64_t parent, uint32_t child) {
    uint64_t name = st_control_mix(st_control_mix(2, parent), child + UINT64_C(1));
    return name > ST_CONTROL_MAIN ? name : name + 2;
}

#endif
