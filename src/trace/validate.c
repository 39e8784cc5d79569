#include "trace/validate.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `level` is how many blocks of the thread are open, and UNUSUAL beside that unless the thread has
 * started and was not joined: so one look at it tells what most events need to know. */
#define UNUSUAL (UINT32_C(1) << 31)
struct thread_state {
    uint32_t level;
    bool forked, started, joined;
};

/* Invariant: count > 0 iff a thread holds the lock; then holder is that thread. */
struct lock_state {
    uint32_t holder, count;
};

struct st_validator {
    bool repair;
    struct thread_state *threads;
    size_t thread_capacity;
    struct lock_state *locks;
    size_t lock_capacity;
    struct st_facts facts;
    struct st_repairs repairs;
    enum st_malformed bad_kind; /* of the event that st_validate stopped at */
    struct st_event bad_event;
};

static const char *const malformed_texts[] = {
    [ST_ACQUIRE_HELD] = "an acquire of a lock that another thread holds",
    [ST_RELEASE_NOT_HELD] = "a release of a lock that is not held",
    [ST_RELEASE_BY_OTHER] = "a release of a lock that another thread holds",
    [ST_END_WITHOUT_BEGIN] = "an end without a begin",
    [ST_FORK_SELF] = "a fork of the running thread",
    [ST_FORK_TWICE] = "a second fork of a thread",
    [ST_FORK_STARTED] = "a fork of a thread that is already running",
    [ST_JOIN_SELF] = "a join of the running thread",
    [ST_JOIN_UNKNOWN] = "a join of an unknown thread",
    [ST_EVENT_AFTER_JOIN] = "an event of a thread that was joined before",
};

const char *st_malformed_text(enum st_malformed kind) {
    return malformed_texts[kind];
}

static uint32_t depth_of(const struct thread_state *thread) {
    return thread->level & ~UNUSUAL;
}

/* It has started, or was joined, or is taken back. */
static void note_life(struct thread_state *thread) {
    bool usual = thread->started && !thread->joined;
    thread->level = depth_of(thread) | (usual ? 0 : UNUSUAL);
}

struct st_validator *st_validator_new(bool repair) {
    struct st_validator *validator = st_alloc(1, sizeof *validator);
    validator->repair = repair;
    return validator;
}

void st_validator_free(struct st_validator *validator) {
    if (!validator)
        return;
    free(validator->threads);
    free(validator->locks);
    free(validator->facts.executed);
    free(validator);
}

const struct st_facts *st_validator_facts(const struct st_validator *validator) {
    return &validator->facts;
}

const struct st_repairs *st_validator_repairs(const struct st_validator *validator) {
    return &validator->repairs;
}

void st_validate_explain(const struct st_validator *validator, const struct st_symbols *symbols,
                         struct st_error *error) {
    const struct st_event *event = &validator->bad_event;
    enum st_malformed kind = validator->bad_kind;
    char thread[80], target[80], holder[80] = "";
    const char *name = st_name(&symbols->threads, event->thread);
    st_quote(thread, sizeof thread, name, st_name_length(&symbols->threads, event->thread));
    name = st_target_name(symbols, (enum st_op)event->written, event->target);
    st_quote(target, sizeof target, name, strlen(name));
    if (kind == ST_ACQUIRE_HELD || kind == ST_RELEASE_BY_OTHER) {
        name = st_name(&symbols->threads, validator->locks[event->target].holder);
        st_quote(holder, sizeof holder, name, strlen(name));
    }
    static const char *const sentences[] = {
        [ST_ACQUIRE_HELD] = "thread %1$s acquires lock %2$s, which thread %3$s holds",
        [ST_RELEASE_NOT_HELD] = "thread %1$s releases lock %2$s, which nobody holds",
        [ST_RELEASE_BY_OTHER] = "thread %1$s releases lock %2$s, which thread %3$s holds",
        [ST_END_WITHOUT_BEGIN] = "thread %1$s ends a block, but none is open",
        [ST_FORK_SELF] = "thread %1$s forks itself",
        [ST_FORK_TWICE] = "thread %1$s forks thread %2$s, which was forked before",
        [ST_FORK_STARTED] = "thread %1$s forks thread %2$s, which already has events",
        [ST_JOIN_SELF] = "thread %1$s joins itself",
        [ST_JOIN_UNKNOWN] = ("thread %1$s joins thread %2$s, which was never forked and has no "
                             "event"),
        [ST_EVENT_AFTER_JOIN] = "thread %1$s has an event after it was joined",
    };
    char cause[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(cause, sizeof cause, sentences[kind], thread, target, holder);
#pragma GCC diagnostic pop
    st_fail(error, NULL, ST_AT_EVENT, validator->facts.events + 1, "%s", cause);
}

/* Not repairing: -1. Repairing: counts it, and the event is dropped. */
static __attribute__((noinline)) int malformed(struct st_validator *validator,
                                               enum st_malformed kind, struct st_event *event) {
    if (!validator->repair) {
        validator->bad_kind = kind;
        validator->bad_event = *event;
        return -1;
    }
    if (validator->repairs.kinds[kind].count++ == 0)
        validator->repairs.kinds[kind].first_event = validator->facts.events + 1;
    if (kind == ST_EVENT_AFTER_JOIN) {
        /* The join came too early, the event itself may be fine: keep it. */
        struct thread_state *thread = &validator->threads[event->thread];
        thread->joined = false;
        note_life(thread);
        return 0;
    }
    event->op = ST_DROPPED;
    return 0;
}

static int on_acquire(struct st_validator *v, struct st_event *event) {
    struct lock_state *lock = &v->locks[event->target];
    if (lock->count == 0) {
        lock->holder = event->thread;
        lock->count = 1;
        v->facts.held_locks++;
    } else if (lock->holder == event->thread) {
        lock->count++;
        event->op = ST_NESTED;
    } else {
        return ST_ACQUIRE_HELD;
    }
    return -1;
}

static int on_release(struct st_validator *v, struct st_event *event) {
    struct lock_state *lock = &v->locks[event->target];
    if (lock->count == 0)
        return ST_RELEASE_NOT_HELD;
    if (lock->holder != event->thread)
        return ST_RELEASE_BY_OTHER;
    if (--lock->count)
        event->op = ST_NESTED;
    else
        v->facts.held_locks--;
    return -1;
}

static int on_fork(struct st_validator *v, const struct st_event *event) {
    struct thread_state *child = &v->threads[event->target];
    if (event->thread == event->target)
        return ST_FORK_SELF;
    if (child->forked)
        return ST_FORK_TWICE;
    if (child->started)
        return ST_FORK_STARTED;
    child->forked = true;
    return -1;
}

static int on_join(struct st_validator *v, const struct st_event *event) {
    struct thread_state *child = &v->threads[event->target];
    if (event->thread == event->target)
        return ST_JOIN_SELF;
    if (!child->forked && !child->started)
        return ST_JOIN_UNKNOWN;
    child->joined = true;
    note_life(child);
    return -1;
}

static void count_block(struct st_facts *facts, uint32_t block, uint64_t times) {
    st_reserve(&facts->executed, &facts->executed_capacity, (size_t)block + 1);
    if (block >= facts->executed_count)
        facts->executed_count = (size_t)block + 1;
    facts->executed[block] += times;
}

void st_validator_count(struct st_validator *v, uint32_t block, uint64_t times) {
    count_block(&v->facts, block, times);
}

/* Now so many blocks of its thread are open. */
static inline void note_begin(struct st_facts *facts, const struct st_event *event,
                              uint32_t depth) {
    facts->open_blocks++;
    facts->outermost_blocks += depth == 1;
    if (depth > facts->deepest)
        facts->deepest = depth;
    if (event->target == ST_NO_NAME) {
        facts->unnamed_blocks++;
        return;
    }
    count_block(facts, event->target, !event->joined && !event->fresh);
}

static int on_begin(struct st_validator *v, const struct st_event *event) {
    struct thread_state *thread = &v->threads[event->thread];
    thread->level++;
    note_begin(&v->facts, event, depth_of(thread));
    return -1;
}

static int on_end(struct st_validator *v, const struct st_event *event) {
    struct thread_state *thread = &v->threads[event->thread];
    if (!depth_of(thread))
        return ST_END_WITHOUT_BEGIN;
    thread->level--;
    v->facts.open_blocks--;
    return -1;
}

/* The kind of malformed event that this is, or -1. */
static int check_event(struct st_validator *v, struct st_event *event) {
    switch (event->op) {
    case ST_ACQUIRE:
        return on_acquire(v, event);
    case ST_RELEASE:
        return on_release(v, event);
    case ST_FORK:
        return on_fork(v, event);
    case ST_JOIN:
        return on_join(v, event);
    case ST_BEGIN:
        return on_begin(v, event);
    case ST_END:
        return on_end(v, event);
    default:
        return -1;
    }
}

/* Takes any events. */
static int validate_each(struct st_validator *v, struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct st_event *event = &events[i];
        struct thread_state *thread = &v->threads[event->thread];
        bool outside = !depth_of(thread);
        if (__builtin_expect(thread->joined, 0) && event->op <= ST_DROPPED &&
            malformed(v, ST_EVENT_AFTER_JOIN, event) < 0)
            return -1;
        int kind = event->op <= ST_WRITE ? -1 : check_event(v, event);
        if (__builtin_expect(kind >= 0, 0) && malformed(v, (enum st_malformed)kind, event) < 0)
            return -1;
        v->facts.events++;
        if (__builtin_expect(event->op >= ST_DROPPED, 0)) {
            bool late = event->op > ST_DROPPED; /* says nothing of what its thread does now */
            v->facts.dropped += !late;
            v->facts.ops[event->written] += late;
            continue;
        }
        thread->started = true;
        note_life(thread);
        v->facts.nested += event->op == ST_NESTED;
        v->facts.unary += outside & (event->op != ST_BEGIN);
        v->facts.ops[event->written]++;
    }
    return 0;
}

/* ---- strips ---- */

/* Nearly all events are of usual threads, and neither fork nor join nor end a block that nobody
 * began. A strip of such events is taken in two steps. The first one has no branches that depend on
 * the events: which operation comes next, no processor can predict. It counts operations, follows
 * the depth of blocks, and lists the begins and the events of locks. The second one looks at these,
 * list by list: they do not depend on each other. */
enum { STRIP = 256 };

struct strip {
    uint64_t outside; /* how many events are outside all blocks */
    uint64_t counts;  /* how many are there of each operation, in fields */
    size_t lock_count, begin_count;
    uint16_t locks[STRIP], begins[STRIP]; /* their places */
    uint32_t depths[STRIP];               /* of the begins: of their threads, before them */
};

/* Where an operation is counted; reads are the rest. */
enum { FIELD_BITS = 9 };
_Static_assert(STRIP < 1 << FIELD_BITS, "a field has room for a whole strip");
#define FIELD(i) (UINT64_C(1) << (i)*FIELD_BITS)
static const enum st_op counted[] = {ST_WRITE, ST_ACQUIRE, ST_RELEASE, ST_BEGIN,
                                     ST_END,   ST_SEND,    ST_RECEIVE};
enum { COUNTED = sizeof counted / sizeof *counted };

/* What an operation means for a strip. `depth` is added to the level of its thread: all that does
 * not belong in such a strip, an end where no block is open, and whatever an unusual thread does,
 * gives a level of ODD or more. */
#define ODD (UINT32_C(1) << 30)
static const struct {
    uint64_t count;
    uint32_t depth;
    uint8_t lock, begin;
} rules[ST_FORGET + 1] = {
    [ST_WRITE] = {.count = FIELD(0)},
    [ST_ACQUIRE] = {.count = FIELD(1), .lock = 1},
    [ST_RELEASE] = {.count = FIELD(2), .lock = 1},
    [ST_BEGIN] = {.count = FIELD(3), .depth = 1, .begin = 1},
    [ST_END] = {.count = FIELD(4), .depth = UINT32_MAX},
    [ST_SEND] = {.count = FIELD(5)},
    [ST_RECEIVE] = {.count = FIELD(6)},
    [ST_FORK] = {.depth = ODD},
    [ST_JOIN] = {.depth = ODD},
    [ST_NESTED] = {.depth = ODD},
    [ST_UNMARKED] = {.depth = ODD},
    [ST_LOCKING] = {.depth = ODD},
    [ST_DROPPED] = {.depth = ODD},
    [ST_DEFERRED_READ] = {.depth = ODD},
    [ST_DEFERRED_WRITE] = {.depth = ODD},
    [ST_SPLIT] = {.depth = ODD},
    [ST_FORGET] = {.depth = ODD},
};

/* False if the strip has other events than those; then nothing has changed. */
static bool scan_strip(struct thread_state *threads, const struct st_event *events, size_t count,
                       struct strip *strip) {
    size_t locks = 0, begins = 0;
    uint64_t counts = 0, outside = 0;
    uint32_t odd = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t op = events[i].op;
        struct thread_state *thread = &threads[events[i].thread];
        uint32_t depth = thread->level, after = depth + rules[op].depth;
        odd |= after;
        thread->level = after;
        outside += depth == 0;
        counts += rules[op].count;
        strip->locks[locks] = strip->begins[begins] = (uint16_t)i;
        strip->depths[begins] = depth;
        locks += rules[op].lock;
        begins += rules[op].begin;
    }
    strip->outside = outside;
    strip->counts = counts;
    strip->lock_count = locks;
    strip->begin_count = begins;
    for (size_t i = 0; odd >= ODD && i < count; i++)
        threads[events[i].thread].level -= rules[events[i].op].depth;
    return odd < ODD;
}

static void count_strip(struct st_facts *facts, const struct strip *strip, size_t count) {
    size_t others = 0;
    for (size_t i = 0; i < COUNTED; i++) {
        uint64_t n = strip->counts >> i * FIELD_BITS & ((1 << FIELD_BITS) - 1);
        facts->ops[counted[i]] += n;
        facts->open_blocks -= counted[i] == ST_END ? n : 0;
        others += n;
    }
    facts->ops[ST_READ] += count - others;
    facts->unary += strip->outside;
}

static void take_begins(struct st_facts *facts, const struct st_event *events,
                        const struct strip *strip) {
    for (size_t i = 0; i < strip->begin_count; i++) {
        note_begin(facts, &events[strip->begins[i]], strip->depths[i] + 1);
        facts->unary -= !strip->depths[i];
    }
}

/* Is the event at that place of the strip, which was scanned, outside all blocks? */
static bool is_outside(const struct st_validator *v, const struct st_event *events, size_t place,
                       size_t count) {
    uint32_t thread = events[place].thread, depth = v->threads[thread].level;
    for (size_t i = place; i < count; i++)
        depth -= events[i].thread == thread ? rules[events[i].written].depth : 0;
    return !depth;
}

/* An event of a lock that is not usual. If it is malformed, what was counted is put right. */
static __attribute__((noinline)) int take_odd_lock(struct st_validator *v, struct st_event *events,
                                                   size_t place, size_t count) {
    struct st_event *event = &events[place];
    struct st_facts *facts = &v->facts;
    int kind = event->op == ST_ACQUIRE ? on_acquire(v, event) : on_release(v, event);
    facts->nested += event->op == ST_NESTED;
    if (kind < 0)
        return 0;
    uint64_t before = facts->events;
    facts->ops[event->written]--;
    facts->unary -= is_outside(v, events, place, count);
    facts->dropped++;
    facts->events += place;
    int result = malformed(v, (enum st_malformed)kind, event);
    if (result == 0)
        facts->events = before;
    return result;
}

/* A usual acquire is of a lock that nobody holds, a usual release of one that the thread acquired
 * once. */
static int take_locks(struct st_validator *v, struct st_event *events, size_t count,
                      const struct strip *strip) {
    uint64_t held = 0;
    for (size_t i = 0; i < strip->lock_count; i++) {
        const struct st_event *event = &events[strip->locks[i]];
        struct lock_state *lock = &v->locks[event->target];
        bool acquire = event->op == ST_ACQUIRE;
        bool usual = (lock->count == !acquire) & (acquire | (lock->holder == event->thread));
        if (__builtin_expect(!usual, 0)) {
            if (take_odd_lock(v, events, strip->locks[i], count) < 0)
                return -1;
            continue;
        }
        lock->holder = event->thread;
        lock->count = acquire;
        held += 2 * (uint64_t)acquire - 1;
    }
    v->facts.held_locks += held;
    return 0;
}

static int validate_strip(struct st_validator *v, struct st_event *events, size_t count) {
    struct strip strip;
    if (!scan_strip(v->threads, events, count, &strip))
        return validate_each(v, events, count);
    count_strip(&v->facts, &strip, count);
    take_begins(&v->facts, events, &strip);
    if (take_locks(v, events, count, &strip) < 0)
        return -1;
    v->facts.events += count;
    return 0;
}

int st_validate(struct st_validator *v, struct st_event *events, size_t count, uint32_t threads,
                uint32_t locks) {
    size_t known = v->thread_capacity;
    st_reserve(&v->threads, &v->thread_capacity, threads);
    for (size_t t = known; t < v->thread_capacity; t++)
        v->threads[t].level = UNUSUAL;
    st_reserve(&v->locks, &v->lock_capacity, locks);
    for (size_t i = 0; i < count; i += STRIP)
        if (validate_strip(v, events + i, count - i < STRIP ? count - i : STRIP) < 0)
            return -1;
    return 0;
}
