/* bench-generate: writes large traces in STD text, fast and the same for the same seed.
 *
 * A small simulation: K threads run plans, a plan being a short list of steps (usually one block).
 * At each step a scheduler picks a random runnable thread and writes its next event. A thread that
 * wants a held lock waits in the queue of that lock, so every trace is one that a real program
 * could have given. When a thread's plan is done, the kind of trace (see `kinds`) makes its next.
 *
 * Why the traces are well formed: an acquire is written only for a free lock, each plan releases
 * what it acquired and closes what it opened, and a plan is started only when all of its events
 * fit into what is left of --events. So the trace is complete and has exactly that many events.
 * Why it never hangs: plans acquire their locks in ascending order.
 *
 * Why the serializable kinds are: see `plan_block` for the common argument (two-phase locking) and
 * the comment at each kind for the rest.
 */
#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_STEPS = 64,          /* of a plan */
    MAX_BLOCK_LOCKS = 6,     /* that one block holds */
    PADDING_STEPS = 16,      /* of a plan that only fills the trace up */
    LINES_PER_FUNCTION = 24, /* a block pretends to be a call of one of a few functions */
    MAX_FUNCTIONS = 16,
    OUTPUT_SIZE = 1 << 20,
    LONGEST_EVENT = 64, /* bytes, with room for copies of eight bytes past the end */
    NOBODY = UINT32_MAX
};

static uint32_t between(struct random *random, uint32_t low, uint32_t high) {
    return low + below(random, high - low + 1);
}

/* Writing events. printf would take ten times as long as all the rest, so the parts of a line are
 * prepared as texts of at most eight bytes and copied whole. */

enum op { READ, WRITE, ACQUIRE, RELEASE, FORK, JOIN, BEGIN, END, AWAIT_CUT, CUT_DONE };

struct text {
    char bytes[8];
    uint32_t length;
};

static const struct text op_texts[] = {
    [READ] = {"r(x", 3},      [WRITE] = {"w(x", 3},   [ACQUIRE] = {"acq(l", 5},
    [RELEASE] = {"rel(l", 5}, [FORK] = {"fork(T", 6}, [JOIN] = {"join(T", 6},
    [BEGIN] = {"begin", 5},   [END] = {"end", 3},
};

struct output {
    int file;
    const char *name;
    size_t used;
    struct text *threads;                                      /* "T3|" for each thread */
    struct text locations[MAX_FUNCTIONS * LINES_PER_FUNCTION]; /* "17\n" for each location */
    char digit_pairs[200];
    char buffer[OUTPUT_SIZE];
};

static void flush(struct output *out) {
    size_t done = 0;
    while (done < out->used) {
        ssize_t n = write(out->file, out->buffer + done, out->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            fprintf(stderr, "bench-generate: cannot write %s: %s\n", out->name, strerror(errno));
            exit(2);
        }
        done += (size_t)n;
    }
    out->used = 0;
}

static char *put_text(char *at, const struct text *text) {
    memcpy(at, text->bytes, sizeof text->bytes);
    return at + text->length;
}

static char *put_number(char *at, const char *digit_pairs, uint32_t number) {
    char digits[12];
    char *first = digits + 10;
    while (number >= 100) {
        first -= 2;
        memcpy(first, digit_pairs + number % 100 * 2, 2);
        number /= 100;
    }
    first -= 2;
    memcpy(first, digit_pairs + number * 2, 2);
    first += number < 10;
    size_t length = (size_t)(digits + 10 - first);
    memcpy(at, first, length);
    return at + length;
}

static void put_event(struct output *out, uint32_t thread, enum op op, uint32_t operand,
                      uint32_t location) {
    if (out->used > OUTPUT_SIZE - LONGEST_EVENT)
        flush(out);
    char *at = out->buffer + out->used;
    at = put_text(at, &out->threads[thread]);
    at = put_text(at, &op_texts[op]);
    if (op < BEGIN) {
        at = put_number(at, out->digit_pairs, operand);
        *at++ = ')';
    }
    *at++ = '|';
    at = put_text(at, &out->locations[location]);
    out->used = (size_t)(at - out->buffer);
}

static struct text make_text(const char *format, uint32_t number) {
    struct text text;
    char buffer[24];
    text.length = (uint32_t)snprintf(buffer, sizeof buffer, format, number);
    memcpy(text.bytes, buffer, sizeof text.bytes);
    return text;
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "bench-generate: out of memory\n");
        exit(2);
    }
    return memory;
}

static struct output *open_output(const char *name, uint32_t threads) {
    struct output *out = allocate(1, sizeof *out);
    out->file = STDOUT_FILENO;
    out->name = name ? name : "standard output";
    if (name && (out->file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0) {
        fprintf(stderr, "bench-generate: cannot create %s: %s\n", name, strerror(errno));
        exit(2);
    }
    out->threads = allocate(threads, sizeof *out->threads);
    for (uint32_t t = 0; t < threads; t++)
        out->threads[t] = make_text("T%" PRIu32 "|", t);
    for (uint32_t i = 0; i < MAX_FUNCTIONS * LINES_PER_FUNCTION; i++)
        out->locations[i] = make_text("%" PRIu32 "\n", i + 1);
    for (int i = 0; i < 100; i++) {
        out->digit_pairs[2 * i] = (char)('0' + i / 10);
        out->digit_pairs[2 * i + 1] = (char)('0' + i % 10);
    }
    return out;
}

static void close_output(struct output *out) {
    flush(out);
    if (close(out->file) != 0) {
        fprintf(stderr, "bench-generate: cannot write %s: %s\n", out->name, strerror(errno));
        exit(2);
    }
    free(out->threads);
    free(out);
}

/* The simulation. */

struct step {
    uint32_t operand;
    uint16_t location;
    uint8_t op;
};

struct thread {
    struct step plan[MAX_STEPS];
    uint32_t next, count; /* plan[next..count) is still to be done */
    uint32_t function;    /* that the plan being made pretends to run */
    uint32_t behind;      /* next thread in the queue of the lock waited for, or NOBODY */
    bool in_giant_block;
};

/* Threads in `first..last` wait for the lock; none waits for a lock that stays free. */
struct lock {
    uint32_t holder;
    uint32_t first, last;
};

/* How far the violation of `violating-late` has come. */
enum cut { CUT_NOT_WANTED, CUT_TO_COME, CUT_OPENED, CUT_AWAITED, CUT_FILLED };

struct generator {
    const struct kind *kind;
    struct random random;
    struct output *out;
    uint64_t events;    /* the length of the trace */
    uint64_t written;   /* events so far */
    uint64_t committed; /* events written or in a plan; written ≤ committed */
    uint64_t reserved;  /* events that must still come; committed + reserved ≤ events */
    bool fork_join;

    /* Variables 0..shared are guarded: lock l guards those from l * per_lock on. Every later
     * variable belongs to one thread: t owns shared + t + i * thread_count for i < own. */
    uint32_t thread_count, lock_count, shared, per_lock, own;

    struct thread *threads;
    struct lock *locks;
    uint32_t *runnable; /* threads that neither wait nor are done */
    uint32_t runnable_count;

    enum cut cut;
    uint32_t cut_thread, cut_lock, cut_variable;
};

struct kind {
    const char *name;
    const char *description;
    void (*plan)(struct generator *g, uint32_t t);
    void (*set_up)(struct generator *g); /* may be NULL */
    uint32_t shared_percent;             /* of the variables; the rest belongs to threads */
    uint32_t functions;                  /* that blocks pretend to run */
    uint32_t threads, variables, locks;  /* unless options say otherwise */
};

static uint64_t events_left(const struct generator *g) {
    return g->events - g->committed - g->reserved;
}

/* Making plans. */

static void start_plan(struct generator *g, struct thread *thread) {
    thread->next = thread->count = 0;
    thread->function = below(&g->random, g->kind->functions);
}

/* The location is that of a source line: a function's n-th step is always on its n-th line. */
static void add(struct thread *thread, enum op op, uint32_t operand) {
    uint32_t line = thread->count % LINES_PER_FUNCTION;
    thread->plan[thread->count++] = (struct step){
        .op = op,
        .operand = operand,
        .location = (uint16_t)(thread->function * LINES_PER_FUNCTION + line),
    };
}

static void add_access(struct generator *g, struct thread *thread, uint32_t variable) {
    add(thread, below(&g->random, 10) < 3 ? WRITE : READ, variable);
}

static void add_own_access(struct generator *g, uint32_t t) {
    uint32_t variable = g->shared + t + below(&g->random, g->own) * g->thread_count;
    add_access(g, &g->threads[t], variable);
}

static void add_guarded_access(struct generator *g, uint32_t t, uint32_t lock) {
    uint32_t variable = lock * g->per_lock + below(&g->random, g->per_lock);
    add_access(g, &g->threads[t], variable);
}

/* A set of locks in ascending order. */
struct lock_set {
    uint32_t locks[MAX_BLOCK_LOCKS];
    uint32_t count;
};

static void add_lock(struct lock_set *set, uint32_t lock) {
    uint32_t i = set->count;
    for (uint32_t j = 0; j < set->count; j++)
        if (set->locks[j] == lock)
            return;
    for (; i > 0 && set->locks[i - 1] > lock; i--)
        set->locks[i] = set->locks[i - 1];
    set->locks[i] = lock;
    set->count++;
}

/* One block under two-phase locking. It acquires `set` in ascending order, with accesses in
 * between to what is guarded already, does the other accesses, and only then releases. One access
 * in `own_share` (0: none; with no locks: all) goes to a variable of the thread's own.
 *
 * Why traces of such blocks are serializable: order the blocks by their lock point, the last
 * acquire (for a block without locks, and for an event outside blocks, its first event). An edge
 * of the transaction graph between two threads is release → acquire of one lock, or a conflict on
 * a guarded variable, whose two accesses were made under the same lock: either way the first block
 * released, after its lock point, what the second acquired later, before or at its own. An edge
 * within a thread goes from a transaction to one that starts after it ended. So all edges go
 * forward in this order, and there is no cycle. Forks come before every event of the children and
 * joins after, both outside blocks. */
static void plan_block(struct generator *g, uint32_t t, const struct lock_set *set,
                       uint32_t accesses, uint32_t own_share) {
    struct thread *thread = &g->threads[t];
    start_plan(g, thread);
    if (own_share && one_in(&g->random, 4)) /* a little work outside blocks, as programs do */
        add_own_access(g, t);
    add(thread, BEGIN, 0);
    uint32_t held = 0;
    for (uint32_t i = 0; i < accesses || held < set->count; i++) {
        if (held < set->count && i >= held * 2)
            add(thread, ACQUIRE, set->locks[held++]);
        if (held == 0 || (own_share && one_in(&g->random, own_share)))
            add_own_access(g, t);
        else
            add_guarded_access(g, t, set->locks[below(&g->random, held)]);
    }
    while (held > 0)
        add(thread, RELEASE, set->locks[--held]);
    add(thread, END, 0);
}

static void plan_padding(struct generator *g, uint32_t t, uint64_t length) {
    start_plan(g, &g->threads[t]);
    for (uint64_t i = 0; i < length && i < PADDING_STEPS; i++)
        add_own_access(g, t);
}

/* two-phase: blocks of middle size over one to four of all locks. Serializable as said at
 * `plan_block`. */
static void plan_two_phase(struct generator *g, uint32_t t) {
    struct lock_set set = {.count = 0};
    for (uint32_t i = between(&g->random, 1, 4); i > 0; i--)
        add_lock(&set, below(&g->random, g->lock_count));
    plan_block(g, t, &set, between(&g->random, 8, 24), 4);
}

/* small-blocks: two to four accesses, mostly to the thread's own data and without a lock, one
 * block in four under one lock. Serializable as said at `plan_block`. */
static void plan_small_block(struct generator *g, uint32_t t) {
    struct lock_set set = {.count = 0};
    if (one_in(&g->random, 4))
        add_lock(&set, below(&g->random, g->lock_count));
    plan_block(g, t, &set, between(&g->random, 2, 4), 4);
}

/* partitioned: the locks are dealt out to the threads, and so are the variables with their locks.
 * A thread works on its own part; one block in 64 also takes a lock of another part, and so hands
 * data over. A part does not change what guards a variable: serializable as said at
 * `plan_block`. */
static void plan_partitioned(struct generator *g, uint32_t t) {
    uint32_t part = g->lock_count / g->thread_count;
    struct lock_set set = {.count = 0};
    for (uint32_t i = between(&g->random, 1, 2); i > 0; i--)
        add_lock(&set, t * part + below(&g->random, part));
    if (one_in(&g->random, 64))
        add_lock(&set, below(&g->random, g->lock_count));
    plan_block(g, t, &set, between(&g->random, 4, 16), 0);
}

/* contention: short blocks of all threads over a few hot locks and variables. Serializable as said
 * at `plan_block`. */
static void plan_contention(struct generator *g, uint32_t t) {
    struct lock_set set = {.count = 0};
    for (uint32_t i = between(&g->random, 1, 2); i > 0; i--)
        add_lock(&set, below(&g->random, g->lock_count));
    plan_block(g, t, &set, between(&g->random, 3, 6), 0);
}

/* giant-blocks: each thread is inside one block for almost all of the trace. T0 writes a shared
 * table before any thread starts, outside blocks; the blocks read the table, and read and write
 * only variables and locks of their own thread. So the only edges between threads lead from T0's
 * first events (and forks) to blocks, and from children to joins after all blocks: no edge leads
 * from a block to a transaction of another thread that could lead back. Serializable. */
static void set_up_giant_blocks(struct generator *g) {
    if (g->shared > g->events / 100)
        g->shared = (uint32_t)(g->events / 100);
    for (uint32_t x = 0; x < g->shared; x++)
        put_event(g->out, 0, WRITE, x, x % 4);
    g->written += g->shared;
    g->committed += g->shared;
}

static void add_giant_work(struct generator *g, uint32_t t) {
    struct thread *thread = &g->threads[t];
    bool locked = one_in(&g->random, 4);
    if (locked)
        add(thread, ACQUIRE, t);
    for (uint32_t i = between(&g->random, 4, 16); i > 0; i--) {
        if (g->shared && one_in(&g->random, 4))
            add(thread, READ, below(&g->random, g->shared));
        else
            add_own_access(g, t);
    }
    if (locked)
        add(thread, RELEASE, t);
}

static void plan_giant_block(struct generator *g, uint32_t t) {
    struct thread *thread = &g->threads[t];
    bool late = g->committed >= g->events / 100 * 98 || events_left(g) < MAX_STEPS;
    start_plan(g, thread);
    if (!thread->in_giant_block && !late) {
        add(thread, BEGIN, 0);
        thread->in_giant_block = true;
        g->reserved++; /* for its end */
    } else if (thread->in_giant_block && late) {
        add(thread, END, 0);
        thread->in_giant_block = false;
        g->reserved--;
    } else if (late) {
        plan_padding(g, t, events_left(g));
        return;
    }
    if (thread->in_giant_block)
        add_giant_work(g, t);
}

/* violating-late: two-phase, but in the last hundredth (or the last CUT_EVENTS events, if those
 * are more) one block, the victim, has two critical sections: it reads x in the first and writes x
 * in the second, and in between another thread, the intruder, writes x in a block of its own.
 * victim → intruder → victim is a cycle, so the trace is not serializable. Up to the victim's
 * second acquire every block keeps to two-phase locking, so nothing is wrong any earlier. */
enum { VICTIM_EVENTS = 8, INTRUDER_EVENTS = 5, CUT_EVENTS = VICTIM_EVENTS + INTRUDER_EVENTS };

static void set_up_cut(struct generator *g) {
    g->cut = CUT_TO_COME;
    g->reserved = CUT_EVENTS;
}

static void plan_victim(struct generator *g, uint32_t t) {
    struct thread *thread = &g->threads[t];
    g->cut = CUT_OPENED;
    g->cut_thread = t;
    g->cut_lock = below(&g->random, g->lock_count);
    g->cut_variable = g->cut_lock * g->per_lock + below(&g->random, g->per_lock);
    g->reserved -= VICTIM_EVENTS;
    start_plan(g, thread);
    add(thread, BEGIN, 0);
    add(thread, ACQUIRE, g->cut_lock);
    add(thread, READ, g->cut_variable);
    add(thread, RELEASE, g->cut_lock);
    add(thread, AWAIT_CUT, 0);
    add(thread, ACQUIRE, g->cut_lock);
    add(thread, WRITE, g->cut_variable);
    add(thread, RELEASE, g->cut_lock);
    add(thread, END, 0);
}

static void plan_intruder(struct generator *g, uint32_t t) {
    struct thread *thread = &g->threads[t];
    g->reserved -= INTRUDER_EVENTS;
    start_plan(g, thread);
    add(thread, BEGIN, 0);
    add(thread, ACQUIRE, g->cut_lock);
    add(thread, WRITE, g->cut_variable);
    add(thread, RELEASE, g->cut_lock);
    add(thread, CUT_DONE, 0);
    add(thread, END, 0);
}

static void plan_violating_late(struct generator *g, uint32_t t) {
    uint64_t late = g->events - g->events / 100;
    uint64_t last_chance = g->events - CUT_EVENTS - (g->fork_join ? g->thread_count - 1 : 0);
    if (g->cut == CUT_TO_COME && (g->written >= late || g->written >= last_chance))
        plan_victim(g, t);
    else if (g->cut == CUT_AWAITED && t != g->cut_thread && g->reserved)
        plan_intruder(g, t);
    else
        plan_two_phase(g, t);
}

static const struct kind kinds[] = {
    {"two-phase", "interleaved blocks under two-phase locking; serializable", plan_two_phase, NULL,
     75, 6, 8, 100000, 256},
    {"small-blocks", "many blocks of 2 to 4 accesses; serializable", plan_small_block, NULL, 25, 8,
     8, 100000, 256},
    {"giant-blocks", "one block a thread; own and read-only data; serializable", plan_giant_block,
     set_up_giant_blocks, 25, 4, 8, 100000, 8},
    {"partitioned", "threads on own data, rarely handed over by lock; serializable",
     plan_partitioned, NULL, 100, 6, 8, 100000, 256},
    {"contention", "short blocks on few hot variables and locks; serializable", plan_contention,
     NULL, 100, 4, 8, 16, 4},
    {"violating-late", "two-phase with one block cut in the last 1 %; not serializable",
     plan_violating_late, set_up_cut, 75, 6, 8, 100000, 256},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* Running plans. */

/* Gives the thread its next plan; false when it has nothing more to do. The plan may be empty:
 * then the thread is asked again later. */
static bool plan_next(struct generator *g, uint32_t t) {
    struct thread *thread = &g->threads[t];
    g->kind->plan(g, t);
    uint64_t length = thread->count;
    for (uint32_t i = 0; i < thread->count; i++)
        length -= thread->plan[i].op >= AWAIT_CUT;
    if (length > events_left(g)) {
        plan_padding(g, t, events_left(g));
        length = thread->count;
    }
    g->committed += length;
    bool waits_for_cut = g->cut != CUT_NOT_WANTED && g->cut != CUT_FILLED;
    return length > 0 || waits_for_cut;
}

static void make_runnable(struct generator *g, uint32_t t) {
    g->runnable[g->runnable_count++] = t;
}

static bool take_lock(struct generator *g, uint32_t t, uint32_t l) {
    struct lock *lock = &g->locks[l];
    if (lock->holder == NOBODY) {
        lock->holder = t;
        return true;
    }
    g->threads[t].behind = NOBODY;
    if (lock->first == NOBODY)
        lock->first = t;
    else
        g->threads[lock->last].behind = t;
    lock->last = t;
    return false;
}

/* The first in the queue may run again, but has to try again: a running thread may be faster. */
static void give_lock_back(struct generator *g, uint32_t l) {
    struct lock *lock = &g->locks[l];
    lock->holder = NOBODY;
    if (lock->first == NOBODY)
        return;
    make_runnable(g, lock->first);
    lock->first = g->threads[lock->first].behind;
}

/* Does the next step of the thread's plan; false when the thread has to wait. */
static bool do_step(struct generator *g, uint32_t t) {
    struct thread *thread = &g->threads[t];
    const struct step *step = &thread->plan[thread->next];
    if (step->op == ACQUIRE && !take_lock(g, t, step->operand))
        return false;
    thread->next++;
    if (step->op == AWAIT_CUT) {
        g->cut = CUT_AWAITED;
        return false;
    }
    if (step->op == CUT_DONE) {
        g->cut = CUT_FILLED;
        make_runnable(g, g->cut_thread);
        return true;
    }
    if (step->op == RELEASE)
        give_lock_back(g, step->operand);
    put_event(g->out, t, step->op, step->operand, step->location);
    g->written++;
    return true;
}

static void run_threads(struct generator *g) {
    while (g->runnable_count > 0) {
        uint32_t i = below(&g->random, g->runnable_count);
        uint32_t t = g->runnable[i];
        struct thread *thread = &g->threads[t];
        bool goes_on = true;
        if (thread->next == thread->count)
            goes_on = plan_next(g, t);
        if (goes_on && thread->next < thread->count)
            goes_on = do_step(g, t);
        /* do_step only ever appends, so the thread is still at i. */
        if (!goes_on)
            g->runnable[i] = g->runnable[--g->runnable_count];
    }
}

static void put_fork_or_join(struct generator *g, enum op op) {
    for (uint32_t t = 1; t < g->thread_count; t++)
        put_event(g->out, 0, op, t, op == FORK ? 0 : 1);
    g->written += g->thread_count - 1;
}

static void generate(struct generator *g) {
    if (g->kind->set_up)
        g->kind->set_up(g);
    if (g->fork_join) {
        g->committed += 2 * (uint64_t)(g->thread_count - 1);
        put_fork_or_join(g, FORK);
    }
    for (uint32_t t = 0; t < g->thread_count; t++)
        make_runnable(g, t);
    run_threads(g);
    if (g->fork_join)
        put_fork_or_join(g, JOIN);
}

/* The command line. */

struct options {
    const struct kind *kind;
    uint64_t events, threads, variables, locks, seed;
    bool fork_join;
    const char *output;
};

static void print_help(void) {
    printf("usage: bench-generate --kind KIND [options]\n"
           "\n"
           "Writes a trace in STD text, complete and well formed, the same for the same options.\n"
           "\n"
           "  --kind KIND      what the trace looks like (see below)\n"
           "  --events N       exactly so many events (1000000)\n"
           "  --threads K      so many threads\n"
           "  --variables V    about so many variables; not all need occur in a short trace\n"
           "  --locks L        so many locks (giant-blocks: one a thread)\n"
           "  --fork-join      T0 forks all other threads first and joins them last\n"
           "  --seed S         for other random choices (1)\n"
           "  -o, --output F   write to the file F instead of standard output\n"
           "  --help           show this\n"
           "\n"
           "kinds (with their threads, variables, locks):\n");
    for (int i = 0; i < KIND_COUNT; i++)
        printf("  %-15s %s (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n", kinds[i].name,
               kinds[i].description, kinds[i].threads, kinds[i].variables, kinds[i].locks);
}

static _Noreturn void refuse(const char *what, const char *value) {
    fprintf(stderr, "bench-generate: %s: %s (see --help)\n", what, value);
    exit(2);
}

static uint64_t number_option(const char *name, const char *value, uint64_t most) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (errno || *end || end == value || *value == '-' || number > most)
        refuse(name, value);
    return number;
}

static const struct kind *kind_option(const char *name) {
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    refuse("no such kind", name);
}

static void parse_options(int argc, char **argv, struct options *options) {
    static const struct option names[] = {
        {"kind", required_argument, NULL, 'k'},    {"events", required_argument, NULL, 'e'},
        {"threads", required_argument, NULL, 't'}, {"variables", required_argument, NULL, 'v'},
        {"locks", required_argument, NULL, 'l'},   {"seed", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},  {"fork-join", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "o:h", names, NULL)) != -1) {
        switch (option) {
        case 'k':
            options->kind = kind_option(optarg);
            break;
        case 'e':
            options->events = number_option("--events", optarg, UINT64_MAX / 128);
            break;
        case 't': /* "T99999|" is the longest text of a thread that fits */
            options->threads = number_option("--threads", optarg, 100000);
            break;
        case 'v':
            options->variables = number_option("--variables", optarg, 1000000000);
            break;
        case 'l':
            options->locks = number_option("--locks", optarg, 100000000);
            break;
        case 's':
            options->seed = number_option("--seed", optarg, UINT64_MAX);
            break;
        case 'o':
            options->output = optarg;
            break;
        case 'f':
            options->fork_join = true;
            break;
        case 'h':
            print_help();
            exit(0);
        default:
            exit(2);
        }
    }
    if (optind < argc)
        refuse("unexpected argument", argv[optind]);
    if (!options->kind)
        refuse("missing option", "--kind");
}

/* Divides the variables among locks and threads. Every lock guards one at least and every thread
 * owns one at least, so there may be a few more variables than asked for. */
static void lay_out(struct generator *g, const struct options *options) {
    const struct kind *kind = g->kind;
    uint32_t threads = (uint32_t)(options->threads ? options->threads : kind->threads);
    uint32_t variables = (uint32_t)(options->variables ? options->variables : kind->variables);
    uint32_t locks = (uint32_t)(options->locks ? options->locks : kind->locks);
    uint32_t shared = (uint32_t)((uint64_t)variables * kind->shared_percent / 100);
    if (kind->plan == plan_partitioned)
        locks = locks < threads ? threads : locks / threads * threads;
    if (kind->plan == plan_giant_block)
        locks = threads;
    g->thread_count = threads;
    g->lock_count = locks;
    if (kind->plan == plan_giant_block) {
        g->shared = shared;
    } else {
        g->per_lock = shared / locks ? shared / locks : 1;
        g->shared = g->per_lock * locks;
    }
    uint32_t rest = variables > g->shared ? variables - g->shared : 0;
    g->own = rest / threads ? rest / threads : 1;
}

static void check_sizes(const struct generator *g) {
    uint64_t least = g->fork_join ? 2 * (uint64_t)(g->thread_count - 1) : 0;
    if (g->kind->set_up == set_up_cut) {
        least += CUT_EVENTS;
        if (g->thread_count < 2)
            refuse("violating-late needs two threads", "--threads 1");
    }
    if (g->kind->set_up == set_up_giant_blocks)
        least += least / 50; /* for the shared table */
    if (g->events < least)
        refuse("too few for the forks, joins and blocks that must occur", "--events");
}

static void allocate_state(struct generator *g) {
    g->threads = allocate(g->thread_count, sizeof *g->threads);
    g->runnable = allocate(g->thread_count, sizeof *g->runnable);
    g->locks = allocate(g->lock_count, sizeof *g->locks);
    for (uint32_t l = 0; l < g->lock_count; l++)
        g->locks[l] = (struct lock){.holder = NOBODY, .first = NOBODY, .last = NOBODY};
}

int main(int argc, char **argv) {
    struct options options = {.events = 1000000, .seed = 1};
    parse_options(argc, argv, &options);
    struct generator g = {
        .kind = options.kind,
        .random = {.state = options.seed * 0x2545f4914f6cdd1du},
        .events = options.events,
        .fork_join = options.fork_join,
    };
    lay_out(&g, &options);
    check_sizes(&g);
    allocate_state(&g);
    g.out = open_output(options.output, g.thread_count);
    generate(&g);
    close_output(g.out);
    free(g.threads);
    free(g.runnable);
    free(g.locks);
    return 0;
}
