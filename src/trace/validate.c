#include "trace/validate.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Invariant: a thread is `usual` iff it has started and was not joined. */
struct thread_state {
    uint32_t depth; /* open blocks */
    bool forked, started, joined, usual;
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
        thread->usual = thread->started;
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
    child->usual = false;
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
    count_block(facts, event->target, !event->joined);
}

static int on_begin(struct st_validator *v, const struct st_event *event) {
    note_begin(&v->facts, event, ++v->threads[event->thread].depth);
    return -1;
}

static int on_end(struct st_validator *v, const struct st_event *event) {
    struct thread_state *thread = &v->threads[event->thread];
    if (!thread->depth)
        return ST_END_WITHOUT_BEGIN;
    thread->depth--;
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
        bool outside = !thread->depth;
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
        thread->usual = !thread->joined;
        v->facts.nested += event->op == ST_NESTED;
        v->facts.unary += outside & (event->op != ST_BEGIN);
        v->facts.ops[event->written]++;
    }
    return 0;
}

/* ---- strips ---- */

/* Nearly all events are of usual threads, and neither fork nor join nor end a block that nobody
 * began. A strip of such events is taken in two steps. The first one has no branches that depend on
 * the events: which operation comes next, no processor can predict. It counts accesses, follows the
 * depth of blocks, and lists the other events; the second one looks at those. That is as many
 * instructions an event, 40, but 5 instead of 7.5 ns on a busy machine. */
enum { STRIP = 256 };

struct strip {
    size_t count; /* of events that are no accesses */
    uint16_t places[STRIP];
    uint32_t depths[STRIP];   /* of their threads, before them */
    uint64_t writes, outside; /* how many events are writes, and how many outside all blocks */
};

/* By operation: what is added to the depth. All that does not belong in such a strip, and an end
 * where no block is open, gives a depth of ODD or more. */
#define ODD (UINT32_C(1) << 30)
static const uint32_t depth_change[ST_FORGET + 1] = {
    [ST_BEGIN] = 1,           [ST_END] = UINT32_MAX,     [ST_FORK] = ODD,    [ST_JOIN] = ODD,
    [ST_NESTED] = ODD,        [ST_UNMARKED] = ODD,       [ST_LOCKING] = ODD, [ST_DROPPED] = ODD,
    [ST_DEFERRED_READ] = ODD, [ST_DEFERRED_WRITE] = ODD, [ST_SPLIT] = ODD,   [ST_FORGET] = ODD};

/* False if the strip has other events than those; then nothing has changed. */
static bool scan_strip(struct thread_state *threads, const struct st_event *events, size_t count,
                       struct strip *strip) {
    size_t listed = 0;
    uint64_t writes = 0, outside = 0;
    uint32_t odd = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t op = events[i].op;
        struct thread_state *thread = &threads[events[i].thread];
        uint32_t depth = thread->depth, after = depth + depth_change[op];
        odd |= ((uint32_t)thread->usual - 1) | after;
        thread->depth = after;
        outside += depth == 0;
        writes += op == ST_WRITE;
        strip->places[listed] = (uint16_t)i;
        strip->depths[listed] = depth;
        listed += op > ST_WRITE;
    }
    strip->count = listed;
    strip->writes = writes;
    strip->outside = outside;
    for (size_t i = 0; odd >= ODD && i < count; i++)
        threads[events[i].thread].depth -= depth_change[events[i].op];
    return odd < ODD;
}

/* An event of a strip that is malformed: what the scan has counted is put right. */
static __attribute__((noinline)) int drop(struct st_validator *v, enum st_malformed kind,
                                          struct st_event *event, bool outside) {
    v->facts.dropped++;
    v->facts.unary -= outside;
    return malformed(v, kind, event);
}

/* The events of a strip that are no accesses. */
static int validate_listed(struct st_validator *v, struct st_event *events,
                           const struct strip *strip) {
    struct st_facts *facts = &v->facts;
    uint64_t before = facts->events;
    for (size_t i = 0; i < strip->count; i++) {
        struct st_event *event = &events[strip->places[i]];
        int kind = -1;
        if (event->op == ST_ACQUIRE)
            kind = on_acquire(v, event);
        else if (event->op == ST_RELEASE)
            kind = on_release(v, event);
        else if (event->op == ST_BEGIN)
            note_begin(facts, event, strip->depths[i] + 1);
        facts->open_blocks -= event->op == ST_END;
        facts->nested += event->op == ST_NESTED;
        facts->unary -= event->op == ST_BEGIN && !strip->depths[i];
        facts->ops[event->written]++;
        if (__builtin_expect(kind < 0, 1))
            continue;
        facts->events = before + strip->places[i];
        facts->ops[event->written]--;
        if (drop(v, (enum st_malformed)kind, event, !strip->depths[i]) < 0)
            return -1;
    }
    facts->events = before;
    return 0;
}

static int validate_strip(struct st_validator *v, struct st_event *events, size_t count) {
    struct strip strip;
    if (!scan_strip(v->threads, events, count, &strip))
        return validate_each(v, events, count);
    v->facts.unary += strip.outside;
    v->facts.ops[ST_WRITE] += strip.writes;
    v->facts.ops[ST_READ] += count - strip.count - strip.writes;
    if (validate_listed(v, events, &strip) < 0)
        return -1;
    v->facts.events += count;
    return 0;
}

int st_validate(struct st_validator *v, struct st_event *events, size_t count, uint32_t threads,
                uint32_t locks) {
    st_reserve(&v->threads, &v->thread_capacity, threads);
    st_reserve(&v->locks, &v->lock_capacity, locks);
    for (size_t i = 0; i < count; i += STRIP)
        if (validate_strip(v, events + i, count - i < STRIP ? count - i : STRIP) < 0)
            return -1;
    return 0;
}
