/* AeroDrome: Mathur, Viswanathan, ASPLOS 2020.
 *
 * Question: is the trace serializable? One pass, vector clocks only. It names no violated block,
 * and the event at which it reports can be later than the first bad event: it sees a cycle once
 * all of its transactions but one have ended.
 *
 * Idea: clocks order events by "happens before, or is joined to it through a transaction that has
 * ended": when a block of thread t ends, every clock that knows its begin learns all that t knows
 * by then, because in a serial order the whole block would have come first. A cycle shows when
 * something enters a block that already knows the block's begin.
 *
 * Algorithm 1 does the END step by a sweep over the clocks of all variables and locks. Here:
 * - A stored clock is a snapshot, shared by all accesses of a thread at one local time. It has a
 *   list of the blocks of other threads, still running, whose begin it knows: the blocks whose END
 *   it waits for.
 * - A block that ends updates its own snapshots at once: they are at hand. If others wait for it
 *   and it learned something after its begin, it leaves a summary, a snapshot of its thread's
 *   clock. A stored clock absorbs the summaries it was waiting for when it is next read, and waits
 *   from then on for what those were waiting for. Summaries that no reachable snapshot waits for
 *   are collected with the snapshots.
 * - Threads' own clocks are updated at END as printed, so they are always complete; a stored clock
 *   whose (thread, time) a thread knows can bring it nothing, and is not even looked at.
 *
 * Other differences from the printed algorithm, and why:
 * - Only the component of the thread itself is compared (C▷(t) <= clk(t)); that is equivalent
 *   everywhere, and the whole-vector comparison with the reduced read clock of section 4.3 misses
 *   violations. Reads are kept as in regiontrack.c: those that do not happen before another read.
 * - Joining a child without events learns nothing; as printed it is a false alarm.
 * - Clocks have an entry for each thread that lives, not for each that ever lived
 *   (check/thread_slots.h). Below, a thread is a slot, except in events.
 * - At the end of a truncated trace END runs for every open block; otherwise non-increasing cycles
 *   through open blocks would be missed. */
#include "check/clock_accesses.h"
#include "check/engine.h"
#include "check/thread_slots.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A block that some snapshot waits for. */
struct block {
    bool ended;
    struct st_snapshot *summary; /* once ended: what it knew then, or NULL if it learned nothing */
    uint32_t mark;               /* like that of a snapshot */
    struct block *next;          /* in the list of all blocks */
};

/* What st_snapshot.extra points to. NULL: waits for nothing. */
struct waiting {
    uint32_t count, capacity;
    struct block *blocks[];
};

/* Invariant: the clock is complete, that is, it has absorbed every ended block whose begin it
 * knows. */
struct thread {
    struct st_shared_row *clock;
    struct st_snapshot *snapshot;
    bool changed; /* the clock moved since the snapshot, or another transaction started */
    bool learned; /* the running block learned something after its begin */
    bool known;   /* another thread knows the begin of the running block */
    uint32_t depth;
    struct st_snapshot **taken; /* the snapshots of the running block */
    size_t taken_count, taken_capacity;
    struct block *block; /* the running block, once a snapshot of another thread waits for it */
};

struct aerodrome {
    struct st_findings *findings;
    struct st_snapshots snapshots;
    struct st_thread_slots slots;
    struct st_thread_origin *origins;
    size_t origin_capacity;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    st_time *running; /* begin time of each thread's running block; ST_NEVER outside of blocks */
    uint32_t running_room; /* entries of it: leaves of rows are compared with it as a whole */
    struct st_clock_accesses accesses;
    struct block *blocks; /* all of them, for collecting */
    size_t block_count;
    uint64_t joins, ends, summaries;
    struct st_snapshot **stack; /* scratch of complete() and mark() */
    size_t stack_capacity;
    bool reported;
    uint64_t number; /* of the current event */
};

static void *create(struct st_findings *findings) {
    struct aerodrome *ad = st_alloc(1, sizeof *ad);
    ad->findings = findings;
    st_snapshots_init(&ad->snapshots);
    return ad;
}

static void destroy(void *state) {
    struct aerodrome *ad = state;
    for (size_t t = 0; t < ad->thread_count; t++)
        free(ad->threads[t].taken);
    st_clock_accesses_free(&ad->accesses);
    while (ad->blocks) {
        struct block *block = ad->blocks;
        ad->blocks = block->next;
        free(block);
    }
    st_snapshots_free(&ad->snapshots);
    st_thread_slots_free(&ad->slots);
    free(ad->origins);
    free(ad->threads);
    free(ad->running);
    free(ad->stack);
    free(ad);
}

static size_t memory(const void *state) {
    const struct aerodrome *ad = state;
    return sizeof *ad + st_snapshots_memory(&ad->snapshots) +
           st_clock_accesses_memory(&ad->accesses) + st_thread_slots_memory(&ad->slots) +
           ad->origin_capacity * sizeof *ad->origins + ad->thread_capacity * sizeof *ad->threads +
           ad->running_room * sizeof *ad->running + ad->block_count * sizeof(struct block) +
           ad->stack_capacity * sizeof *ad->stack;
}

static void make_room(struct aerodrome *ad, struct st_extent need) {
    st_thread_slots_reserve(&ad->slots, need.threads);
    st_reserve(&ad->origins, &ad->origin_capacity, need.threads);
    st_clock_accesses_reserve(&ad->accesses, need);
}

static struct thread *add_thread(struct aerodrome *ad) {
    st_reserve(&ad->threads, &ad->thread_capacity, ad->slots.count);
    if (ad->slots.count > ad->running_room) {
        uint32_t old = ad->running_room;
        ad->running_room = (old + old / 2 + ST_ROW_FAN) & ~(uint32_t)(ST_ROW_FAN - 1);
        ad->running = st_realloc(ad->running, ad->running_room, sizeof *ad->running);
        for (uint32_t t = old; t < ad->running_room; t++)
            ad->running[t] = ST_NEVER;
    }
    return &ad->threads[ad->thread_count++];
}

/* The running block of t as something to wait for. */
static struct block *running_block(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    if (!thread->block) {
        thread->block = st_alloc(1, sizeof *thread->block);
        thread->block->next = ad->blocks;
        ad->blocks = thread->block;
        ad->block_count++;
    }
    return thread->block;
}

/* It is not among those that the snapshot waits for. */
static void wait_for_new(struct st_snapshot *snapshot, struct block *block) {
    struct waiting *waiting = snapshot->extra;
    if (!waiting || waiting->count == waiting->capacity) {
        uint32_t count = waiting ? waiting->count : 0;
        uint32_t capacity = count ? 2 * count : 2;
        waiting = st_realloc(waiting, sizeof *waiting + capacity * sizeof *waiting->blocks, 1);
        waiting->count = count;
        waiting->capacity = capacity;
        snapshot->extra = waiting;
    }
    waiting->blocks[waiting->count++] = block;
}

static void wait_for(struct st_snapshot *snapshot, struct block *block) {
    const struct waiting *waiting = snapshot->extra;
    for (uint32_t i = 0; waiting && i < waiting->count; i++)
        if (waiting->blocks[i] == block)
            return;
    wait_for_new(snapshot, block);
}

/* How many running blocks does a leaf of a clock know the begin of? */
static uint32_t count_running(const st_time *times, const st_time *running) {
    uint32_t count = 0;
    for (uint32_t u = 0; u < ST_ROW_FAN; u++)
        count += running[u] <= times[u];
    return count;
}

/* A snapshot of the thread's clock that waits for the blocks of others. */
static struct st_snapshot *take_snapshot(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    struct st_snapshot *snapshot =
        st_snapshot_take(&ad->snapshots, t, st_row_get(thread->clock, t), thread->clock);
    const st_time *times;
    for (uint64_t at = 0; (times = st_row_leaf(thread->clock, &at)); at += ST_ROW_FAN)
        if (count_running(times, ad->running + at))
            for (uint32_t i = 0; i < ST_ROW_FAN; i++)
                if (at + i != t && ad->running[at + i] <= times[i])
                    wait_for_new(snapshot, running_block(ad, (uint32_t)at + i));
    return snapshot;
}

/* The thread's clock as it is now. */
static struct st_snapshot *now(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    if (thread->changed) {
        st_time time = st_row_get(thread->clock, t) + 1;
        if (__builtin_expect(time >= ST_TIME_LIMIT, 0))
            ad->findings->gave_up = ST_OUT_OF_TIME;
        st_row_set(&ad->snapshots.rows, &thread->clock, t, time);
        thread->snapshot = take_snapshot(ad, t);
        thread->changed = false;
        if (thread->depth) {
            st_reserve(&thread->taken, &thread->taken_capacity, thread->taken_count + 1);
            thread->taken[thread->taken_count++] = thread->snapshot;
        }
    }
    return thread->snapshot;
}

static struct st_clock_access this_access(struct aerodrome *ad, uint32_t t) {
    struct st_snapshot *snapshot = now(ad, t);
    return (struct st_clock_access){.thread = t, .time = snapshot->time, .snapshot = snapshot};
}

/* The index of a block in the list that has ended, or the count. */
static uint32_t find_ended(const struct waiting *waiting) {
    uint32_t i = 0;
    while (i < waiting->count && !waiting->blocks[i]->ended)
        i++;
    return i;
}

static bool is_complete(const struct st_snapshot *snapshot) {
    const struct waiting *waiting = snapshot->extra;
    return !waiting || find_ended(waiting) == waiting->count;
}

static void absorb(struct aerodrome *ad, struct st_snapshot *into,
                   const struct st_snapshot *summary) {
    st_row_join(&ad->snapshots.rows, &into->clock, summary->clock);
    const struct waiting *waiting = summary->extra;
    for (uint32_t i = 0; waiting && i < waiting->count; i++)
        wait_for(into, waiting->blocks[i]);
}

/* Absorbs what the snapshot waits for and has ended. Summaries wait for blocks that end later than
 * they were made, so this terminates; a stack, because chains of them can be long. */
static __attribute__((noinline)) void complete(struct aerodrome *ad, struct st_snapshot *snapshot) {
    size_t depth = 0;
    st_reserve(&ad->stack, &ad->stack_capacity, 1);
    ad->stack[depth++] = snapshot;
    while (depth) {
        struct st_snapshot *top = ad->stack[depth - 1];
        struct waiting *waiting = top->extra;
        uint32_t i = waiting ? find_ended(waiting) : 0;
        if (!waiting || i == waiting->count) {
            depth--;
            continue;
        }
        struct st_snapshot *summary = waiting->blocks[i]->summary;
        if (summary && !is_complete(summary)) {
            st_reserve(&ad->stack, &ad->stack_capacity, depth + 1);
            ad->stack[depth++] = summary;
            continue;
        }
        waiting->blocks[i] = waiting->blocks[--waiting->count];
        if (summary)
            absorb(ad, top, summary);
    }
}

static void report(struct aerodrome *ad) {
    if (!ad->reported)
        st_findings_bad_event(ad->findings, ad->number);
    ad->reported = true;
}

/* CHECKANDGET of the paper. */
static void check_and_get(struct aerodrome *ad, uint32_t t, struct st_shared_row *clock) {
    struct thread *thread = &ad->threads[t];
    if (ad->running[t] <= st_row_get(clock, t))
        report(ad);
    const st_time *times;
    for (uint64_t at = 0; (times = st_row_leaf(clock, &at)); at += ST_ROW_FAN)
        if (count_running(times, ad->running + at))
            for (uint32_t i = 0; i < ST_ROW_FAN; i++)
                if (ad->running[at + i] <= times[i])
                    ad->threads[at + i].known = true;
    st_row_join(&ad->snapshots.rows, &thread->clock, clock);
    thread->changed = thread->learned = true;
    ad->joins++;
}

static __attribute__((noinline)) void learn(struct aerodrome *ad, uint32_t t,
                                            struct st_snapshot *source) {
    if (!is_complete(source))
        complete(ad, source);
    check_and_get(ad, t, source->clock);
}

static inline void edge(struct aerodrome *ad, uint32_t t, const struct st_clock_access *source) {
    if (st_row_get(ad->threads[t].clock, source->thread) < source->time)
        learn(ad, t, source->snapshot);
}

/* The first event of a thread, or of one that goes on after it was joined. */
static __attribute__((noinline)) uint32_t enter(struct aerodrome *ad, uint32_t number) {
    struct st_thread_origin *origin = &ad->origins[number];
    const struct st_snapshot *known = origin->after.time ? origin->after.snapshot : NULL;
    st_time last;
    uint32_t t = st_thread_slots_enter(&ad->slots, number, known ? known->clock : NULL, &last);
    struct thread *thread = t < ad->thread_count ? &ad->threads[t] : add_thread(ad);
    st_row_drop(&ad->snapshots.rows, thread->clock);
    thread->clock = NULL;
    st_row_set(&ad->snapshots.rows, &thread->clock, t, last);
    thread->changed = true;
    if (known)
        learn(ad, t, origin->after.snapshot);
    *origin = (struct st_thread_origin){.joined = false};
    return t;
}

static void on_begin(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    if (thread->depth++)
        return;
    thread->changed = true;
    thread->learned = thread->known = false;
    thread->taken_count = 0;
    ad->running[t] = st_row_get(thread->clock, t) + 1; /* the time of its first snapshot */
}

/* All accesses of a block that has ended know what the block knew in the end. */
static void complete_own(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    struct st_snapshot *last = NULL;
    for (size_t i = 0; i < thread->taken_count; i++) {
        struct st_snapshot *snapshot = thread->taken[i];
        if (snapshot == thread->snapshot && !thread->changed)
            break; /* the last one, and nothing was learned after it */
        if (!last)
            last = take_snapshot(ad, t);
        absorb(ad, snapshot, last);
    }
}

/* END of the paper: threads learn at once, stored clocks when they are next read. */
static void end_block(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    st_time begin = ad->running[t];
    ad->running[t] = ST_NEVER;
    ad->ends++;
    if (thread->known) {
        for (uint32_t u = 0; u < ad->thread_count; u++)
            if (u != t && st_row_get(ad->threads[u].clock, t) >= begin)
                check_and_get(ad, u, thread->clock);
    }
    if (thread->learned)
        complete_own(ad, t);
    if (thread->block) {
        thread->block->ended = true;
        if (thread->learned) {
            thread->block->summary = take_snapshot(ad, t);
            ad->summaries++;
        }
    }
    thread->block = NULL;
    thread->taken_count = 0;
    thread->changed = true;
}

static void on_end(struct aerodrome *ad, uint32_t t) {
    if (--ad->threads[t].depth == 0)
        end_block(ad, t);
}

static void on_read(struct aerodrome *ad, uint32_t t, uint32_t x) {
    struct st_clock_variable *variable = &ad->accesses.variables[x];
    edge(ad, t, &variable->write);
    struct st_clock_access read = this_access(ad, t);
    st_clock_variable_read(&ad->accesses, variable, &read, ad->threads[t].clock);
}

/* The dependences on all reads of a variable, or on all sends of a channel. */
static inline void edges_from_reads(struct aerodrome *ad, uint32_t t,
                                    const struct st_clock_variable *variable) {
    if (__builtin_expect(st_has_several_reads(variable), 0))
        for (uint32_t i = 0; i < variable->reads->count; i++)
            edge(ad, t, &variable->reads->items[i]);
    else
        edge(ad, t, &variable->read);
}

static void on_write(struct aerodrome *ad, uint32_t t, uint32_t x) {
    struct st_clock_variable *variable = &ad->accesses.variables[x];
    edge(ad, t, &variable->write);
    edges_from_reads(ad, t, variable);
    struct st_clock_access write = this_access(ad, t);
    st_clock_variable_write(&ad->accesses, variable, &write);
}

static void on_send(struct aerodrome *ad, uint32_t t, uint32_t c) {
    struct st_clock_variable *channel = st_clock_accesses_channel(&ad->accesses, c);
    struct st_clock_access send = this_access(ad, t);
    st_clock_variable_read(&ad->accesses, channel, &send, ad->threads[t].clock);
}

static void on_fork(struct aerodrome *ad, uint32_t t, uint32_t number) {
    ad->origins[number].after = this_access(ad, t);
}

/* The child leaves its slot, unless it did before or is in a block. */
static void on_join(struct aerodrome *ad, uint32_t t, uint32_t number) {
    struct st_thread_origin *origin = &ad->origins[number];
    uint32_t child = ad->slots.of[number];
    if (child == ST_NO_SLOT && !origin->joined)
        return; /* it did nothing */
    struct st_clock_access end = child == ST_NO_SLOT ? origin->after : this_access(ad, child);
    edge(ad, t, &end);
    if (child != ST_NO_SLOT && !ad->threads[child].depth) {
        *origin = (struct st_thread_origin){end, true};
        st_thread_slots_leave(&ad->slots, number, end.time);
    }
}

static void on_event(struct aerodrome *ad, const struct st_event *event) {
    uint32_t t = ad->slots.of[event->thread], target = event->target;
    if (__builtin_expect(t == ST_NO_SLOT, 0)) {
        if (event->op == ST_DROPPED)
            return; /* as if it were not there */
        t = enter(ad, event->thread);
    }
    switch (event->op) {
    case ST_READ:
        on_read(ad, t, target);
        break;
    case ST_WRITE:
        on_write(ad, t, target);
        break;
    case ST_ACQUIRE:
        edge(ad, t, &ad->accesses.locks[target]);
        break;
    case ST_RELEASE:
        ad->accesses.locks[target] = this_access(ad, t);
        break;
    case ST_FORK:
        on_fork(ad, t, target);
        break;
    case ST_JOIN:
        on_join(ad, t, target);
        break;
    case ST_BEGIN:
        on_begin(ad, t);
        break;
    case ST_END:
        on_end(ad, t);
        break;
    case ST_SEND:
        on_send(ad, t, target);
        break;
    case ST_RECEIVE:
        edges_from_reads(ad, t, st_clock_accesses_channel(&ad->accesses, target));
        break;
    default:
        break;
    }
}

/* Marks a snapshot and all that it may still absorb. */
static void mark_snapshot(struct aerodrome *ad, struct st_snapshot *snapshot) {
    size_t depth = 0;
    if (!st_snapshot_mark(&ad->snapshots, snapshot))
        return;
    st_reserve(&ad->stack, &ad->stack_capacity, 1);
    ad->stack[depth++] = snapshot;
    while (depth) {
        const struct waiting *waiting = ad->stack[--depth]->extra;
        for (uint32_t i = 0; waiting && i < waiting->count; i++) {
            struct block *block = waiting->blocks[i];
            block->mark = ad->snapshots.epoch;
            if (!st_snapshot_mark(&ad->snapshots, block->summary))
                continue;
            st_reserve(&ad->stack, &ad->stack_capacity, depth + 1);
            ad->stack[depth++] = block->summary;
        }
    }
}

static void mark_access(void *aerodrome, struct st_clock_access *access) {
    mark_snapshot(aerodrome, access->snapshot);
}

static void sweep_blocks(struct aerodrome *ad) {
    struct block **link = &ad->blocks;
    while (*link) {
        struct block *block = *link;
        if (block->mark == ad->snapshots.epoch) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        ad->block_count--;
        free(block);
    }
}

/* Snapshots that nobody refers to need no update at the end of their block. */
static void forget_unmarked(struct aerodrome *ad, struct thread *thread) {
    size_t kept = 0;
    for (size_t i = 0; i < thread->taken_count; i++)
        if (thread->taken[i]->mark == ad->snapshots.epoch)
            thread->taken[kept++] = thread->taken[i];
    thread->taken_count = kept;
}

static __attribute__((noinline)) void collect(struct aerodrome *ad) {
    st_snapshots_mark_begin(&ad->snapshots);
    for (size_t t = 0; t < ad->thread_count; t++) {
        mark_snapshot(ad, ad->threads[t].snapshot);
        if (ad->threads[t].block)
            ad->threads[t].block->mark = ad->snapshots.epoch;
    }
    st_clock_accesses_visit(&ad->accesses, mark_access, ad);
    for (size_t t = 0; t < ad->origin_capacity; t++)
        mark_snapshot(ad, ad->origins[t].after.snapshot);
    for (size_t t = 0; t < ad->thread_count; t++)
        forget_unmarked(ad, &ad->threads[t]);
    sweep_blocks(ad);
    st_snapshots_sweep(&ad->snapshots, st_clock_accesses_memory(&ad->accesses) +
                                           ad->origin_capacity * sizeof *ad->origins);
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct aerodrome *ad = state;
    if (ad->reported || ad->findings->gave_up)
        return; /* the verdict is final, and it is all that this engine has to say */
    make_room(ad, st_batch_extent(events, count));
    for (size_t i = 0; i < count && !ad->reported; i++) {
        st_batch_prefetch(events, i, count, ad->accesses.variables);
        ad->number = first + i;
        on_event(ad, &events[i]);
    }
    if (st_snapshots_full(&ad->snapshots))
        collect(ad);
}

static void forget(void *state, uint32_t variable) {
    struct aerodrome *ad = state;
    st_clock_accesses_forget(&ad->accesses, variable);
}

static void finish(void *state, uint64_t events) {
    struct aerodrome *ad = state;
    ad->number = events;
    for (uint32_t t = 0; t < ad->thread_count && !ad->reported; t++)
        if (ad->threads[t].depth)
            end_block(ad, t);
    if (!ad->reported && !ad->findings->gave_up)
        ad->findings->verdict = ST_SERIALIZABLE;
}

static void count(const void *state, struct st_counters *counters) {
    const struct aerodrome *ad = state;
    st_count(counters, "joins", ad->joins);
    st_count(counters, "ends", ad->ends);
    st_count(counters, "summaries", ad->summaries);
}

const struct st_engine st_aerodrome = {
    .name = "aerodrome",
    .summary = "vector clocks joined at the end of blocks; exact verdict, reported late",
    .create = create,
    ST_ENGINE_FUNCTIONS,
};
