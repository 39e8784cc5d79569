#include "trace/context_tracker.h"

#include "base/map64.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A location that we give has two numbers in it: that of the site in the trace, and that of its
 * context: an odd one is 2 i + 1 for number i of `contexts` (struct st_context_tracker), an even
 * one 2 s + 2 for stack s without locks, and 0 if it is not known. Sites with numbers too large to
 * fit count as unknown: FAR. */
enum { SITE_BITS = 24, CONTEXT_BITS = 47 - SITE_BITS };
#define FAR_SITE ((UINT32_C(1) << SITE_BITS) - 1)
#define CONTEXT_LIMIT (UINT32_C(1) << CONTEXT_BITS)

/* Recursion makes a new stack with every call. Beyond this number, new stacks and new sets of locks
 * count as unknown. So many take 100 MB. */
#define PART_LIMIT (UINT32_C(1) << 21)
#define UNKNOWN UINT32_MAX

struct lock_held {
    uint32_t lock, count;
    uint32_t taken; /* the lock and where it was acquired: number in `taken`, plus 1, or UNKNOWN */
};

/* The state of a thread after the events so far. Invariant: when `fresh`, `context` is that of the
 * innermost open block and of the locks held. All zero is a thread that did nothing yet. */
struct thread {
    bool fresh;
    uint32_t context;
    uint32_t *blocks; /* stacks of the open blocks: numbers plus 1, or UNKNOWN */
    size_t depth, block_capacity;
    struct lock_held *locks; /* in the order in which they were acquired */
    size_t lock_count, lock_capacity;
    struct st_event last; /* event, as it is in the trace, if it is a receive */
    uint32_t taken;       /* the lock whose write side that was, for reading or not; 0 if none */
};

/* Pairs of numbers as numbers: the first in the upper half of an id. All second halves are numbers
 * plus 1 of the same map, with 0 for none, but for `contexts`, which are pairs of a stack and a set
 * of locks, and where it is said otherwise. Of a stack the first half is the site of the begin of a
 * block, and of a set it is a number of `taken`, plus 1. */
struct st_context_tracker {
    const struct st_channels *channels;
    struct thread *threads;
    size_t thread_capacity;
    struct st_map64 acquires; /* site and stack */
    struct st_map64 taken;    /* a lock, and an acquire or 0 */
    struct st_map64 stacks, locks, contexts;
    struct st_map64 described; /* locations that were asked for, */
    uint64_t *descriptions;    /* and the answers */
    size_t description_capacity;
};

struct st_context_tracker *st_context_tracker_new(const struct st_channels *channels) {
    struct st_context_tracker *tracker = st_alloc(1, sizeof *tracker);
    tracker->channels = channels;
    st_map64_init(&tracker->acquires);
    st_map64_init(&tracker->taken);
    st_map64_init(&tracker->stacks);
    st_map64_init(&tracker->locks);
    st_map64_init(&tracker->contexts);
    st_map64_init(&tracker->described);
    return tracker;
}

void st_context_tracker_free(struct st_context_tracker *tracker) {
    if (!tracker)
        return;
    for (size_t i = 0; i < tracker->thread_capacity; i++) {
        free(tracker->threads[i].blocks);
        free(tracker->threads[i].locks);
    }
    free(tracker->threads);
    free(tracker->descriptions);
    st_map64_free(&tracker->acquires);
    st_map64_free(&tracker->taken);
    st_map64_free(&tracker->stacks);
    st_map64_free(&tracker->locks);
    st_map64_free(&tracker->contexts);
    st_map64_free(&tracker->described);
    free(tracker);
}

static uint64_t pair(uint32_t first, uint32_t second) {
    return (uint64_t)first << 32 | second;
}

/* ---- events ---- */

static uint32_t innermost(const struct thread *thread) {
    return thread->depth ? thread->blocks[thread->depth - 1] : 0;
}

/* The number of the pair plus 1, or UNKNOWN when there are too many. */
static uint32_t number_of(struct st_map64 *map, uint64_t id, uint32_t limit) {
    uint32_t number = map->count < limit ? st_map64_number(map, id) : st_map64_find(map, id);
    return number == ST_MAP64_NONE ? UNKNOWN : number + 1;
}

static uint32_t held_by(struct st_context_tracker *tracker, const struct thread *thread) {
    uint32_t held = 0;
    for (size_t i = 0; i < thread->lock_count && held != UNKNOWN; i++)
        held = thread->locks[i].taken == UNKNOWN
                   ? UNKNOWN
                   : number_of(&tracker->locks, pair(thread->locks[i].taken, held), PART_LIMIT);
    return held;
}

static __attribute__((noinline)) void refresh(struct st_context_tracker *tracker,
                                              struct thread *thread) {
    uint32_t held = held_by(tracker, thread), stack = innermost(thread), context = UNKNOWN;
    if (stack != UNKNOWN && held && held != UNKNOWN)
        context = number_of(&tracker->contexts, pair(stack, held), CONTEXT_LIMIT / 2 - 2);
    if (stack != UNKNOWN && !held)
        thread->context = 2 * stack + 2;
    else
        thread->context = context == UNKNOWN ? 0 : 2 * context + 1;
    thread->fresh = true;
}

static void open_block(struct st_context_tracker *tracker, struct thread *thread, uint64_t loc) {
    uint32_t around = innermost(thread), stack = UNKNOWN;
    if (loc & ST_LOC_NAME && around != UNKNOWN)
        stack =
            number_of(&tracker->stacks, pair((uint32_t)(loc & ~ST_LOC_NAME), around), PART_LIMIT);
    st_reserve(&thread->blocks, &thread->block_capacity, thread->depth + 1);
    thread->blocks[thread->depth++] = stack;
    thread->fresh = false;
}

static void close_block(struct thread *thread) {
    thread->depth -= thread->depth != 0;
    thread->fresh = false;
}

/* The lock, acquired at this location of the trace; where that is not known, the lock alone. */
static uint32_t take_at(struct st_context_tracker *tracker, const struct thread *thread,
                        uint32_t lock, uint64_t loc) {
    uint32_t acquire = 0, stack = innermost(thread);
    if (loc & ST_LOC_NAME && stack != UNKNOWN)
        acquire =
            number_of(&tracker->acquires, pair((uint32_t)(loc & ~ST_LOC_NAME), stack), PART_LIMIT);
    return number_of(&tracker->taken, pair(lock, acquire == UNKNOWN ? 0 : acquire), PART_LIMIT);
}

static void add_lock(struct st_context_tracker *tracker, struct thread *thread, uint32_t lock,
                     uint64_t loc) {
    for (size_t i = 0; i < thread->lock_count; i++) {
        if (thread->locks[i].lock == lock) {
            thread->locks[i].count++;
            return;
        }
    }
    st_reserve(&thread->locks, &thread->lock_capacity, thread->lock_count + 1);
    thread->locks[thread->lock_count++] =
        (struct lock_held){lock, 1, take_at(tracker, thread, lock, loc)};
    thread->fresh = false;
}

static void remove_lock(struct thread *thread, uint32_t lock) {
    size_t i = thread->lock_count;
    while (i && thread->locks[i - 1].lock != lock)
        i--;
    if (!i || --thread->locks[i - 1].count)
        return;
    memmove(&thread->locks[i - 1], &thread->locks[i],
            (thread->lock_count - i) * sizeof *thread->locks);
    thread->lock_count--;
    thread->fresh = false;
}

/* It is known to be a signal. */
static void remove_from_all(struct st_context_tracker *tracker, uint32_t lock) {
    for (size_t i = 0; i < tracker->thread_capacity; i++) {
        struct thread *thread = &tracker->threads[i];
        for (size_t k = thread->lock_count; k > 0; k--)
            if (thread->locks[k - 1].lock == lock) {
                thread->locks[k - 1].count = 1;
                remove_lock(thread, lock);
            }
    }
}

static bool follows(const struct thread *thread, const struct st_event *event) {
    return thread->last.written == ST_RECEIVE && thread->last.loc == event->loc;
}

/* Both receives of a write lock belong to the context before it. So a receive from the write side
 * has its effect with the next event, which says whether it was a read lock. */
static void take(struct st_context_tracker *tracker, struct thread *thread,
                 const struct st_event *event) {
    struct st_channel channel = {0};
    if (event->written == ST_RECEIVE && follows(thread, event))
        channel = st_channel(tracker->channels, event->target);
    bool writes = channel.kind == ST_READ_SIDE && (channel.lock | ST_HELD_SHARED) == thread->taken;
    if (!writes) {
        add_lock(tracker, thread, thread->taken | ST_HELD_READ, thread->last.loc);
        thread->taken = 0;
    }
}

static void receive(struct st_context_tracker *tracker, struct thread *thread,
                    const struct st_event *event) {
    struct st_channel channel = st_channel(tracker->channels, event->target);
    struct st_channel before = st_channel(tracker->channels, thread->last.target);
    uint32_t lock = channel.lock | ST_HELD_SHARED;
    if (channel.kind == ST_WRITE_SIDE) {
        thread->taken = lock;
        thread->fresh = false; /* so that the next event comes here */
    } else if (channel.kind == ST_READ_SIDE && thread->taken) {
        add_lock(tracker, thread, lock, event->loc);
        thread->taken = 0;
    } else if (channel.kind == ST_WHOLE_LOCK) {
        if (follows(thread, event) && before.kind == ST_SIGNAL_SIDE && before.lock == channel.lock)
            remove_from_all(tracker, lock);
        else
            add_lock(tracker, thread, lock, event->loc);
    }
}

static void send(struct st_context_tracker *tracker, struct thread *thread, uint32_t target) {
    struct st_channel channel = st_channel(tracker->channels, target);
    uint32_t lock = channel.lock | ST_HELD_SHARED;
    if (st_is_lock_kind(channel.kind))
        remove_lock(thread, channel.kind == ST_READ_SIDE ? lock | ST_HELD_READ : lock);
}

static uint64_t place(struct st_context_tracker *tracker, struct thread *thread, uint64_t loc) {
    if (!(loc & ST_LOC_NAME))
        return loc;
    if (!thread->fresh)
        refresh(tracker, thread);
    uint64_t site = loc & ~ST_LOC_NAME;
    return ST_LOC_NAME | (uint64_t)thread->context << SITE_BITS |
           (site < FAR_SITE ? site : FAR_SITE);
}

/* Begin, acquire and release, receive and send, belong to the context before them, an end to the
 * one after it. */
static __attribute__((noinline)) void track(struct st_context_tracker *tracker,
                                            struct st_event *event) {
    st_reserve(&tracker->threads, &tracker->thread_capacity, (size_t)event->thread + 1);
    struct thread *thread = &tracker->threads[event->thread];
    uint64_t loc = event->loc;
    if (thread->taken)
        take(tracker, thread, event);
    if (event->written == ST_END)
        close_block(thread);
    struct st_event written = *event;
    event->loc = place(tracker, thread, loc) & ((ST_LOC_NAME << 1) - 1);
    if (event->written == ST_BEGIN)
        open_block(tracker, thread, loc);
    else if (event->written == ST_ACQUIRE)
        add_lock(tracker, thread, event->target, loc);
    else if (event->written == ST_RELEASE)
        remove_lock(thread, event->target);
    else if (event->written == ST_RECEIVE)
        receive(tracker, thread, &written);
    else if (event->written == ST_SEND)
        send(tracker, thread, event->target);
    thread->last = written;
}

/* Most events are accesses in a context that has its number already. */
void st_context_tracker_events(struct st_context_tracker *tracker, struct st_event *events,
                               size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct st_event *event = &events[i];
        if (event->written <= ST_WRITE && event->thread < tracker->thread_capacity &&
            tracker->threads[event->thread].fresh && event->loc - ST_LOC_NAME < FAR_SITE)
            event->loc |= (uint64_t)tracker->threads[event->thread].context << SITE_BITS;
        else if (event->op != ST_DROPPED)
            track(tracker, event);
    }
}

/* ---- descriptions ---- */

/* Frames on their way from one contexts to another, innermost first. */
struct frames {
    struct st_frame_row *rows;
    size_t count, capacity;
};

static void collect(struct frames *frames, const struct st_contexts *from, uint32_t frame) {
    for (; frame; frame = from->frames[frame - 1].caller) {
        st_reserve(&frames->rows, &frames->capacity, frames->count + 1);
        frames->rows[frames->count++] = from->frames[frame - 1];
    }
}

static uint32_t copy_name(struct st_names *to, const struct st_names *from, uint32_t name) {
    return st_names_add(to, st_name(from, name), st_name_length(from, name));
}

/* The whole stack: that of the site, and then of each block around it. */
static uint32_t copy_stack(const struct st_context_tracker *tracker, const struct st_contexts *from,
                           struct st_contexts *to, uint32_t frame, uint32_t stack) {
    struct frames frames = {0};
    uint32_t caller = 0;
    collect(&frames, from, frame);
    while (stack) {
        uint64_t block = tracker->stacks.ids[stack - 1];
        collect(&frames, from, from->sites[block >> 32].call);
        stack = (uint32_t)block;
    }
    while (frames.count) {
        const struct st_frame_row *row = &frames.rows[--frames.count];
        caller = st_contexts_frame(
            to, (struct st_frame_row){copy_name(&to->functions, &from->functions, row->function),
                                      copy_name(&to->lines, &from->lines, row->line), caller});
    }
    free(frames.rows);
    return caller;
}

/* The frame of an acquire. */
static uint32_t copy_acquire(const struct st_context_tracker *tracker,
                             const struct st_contexts *from, struct st_contexts *to,
                             uint32_t acquire) {
    if (!acquire)
        return 0;
    uint64_t id = tracker->acquires.ids[acquire - 1], site = id >> 32;
    return site < from->site_count
               ? copy_stack(tracker, from, to, from->sites[site].frame, (uint32_t)id)
               : 0;
}

/* Sets of locks are built from the one acquired first. */
static uint32_t copy_locks(const struct st_context_tracker *tracker, const struct st_contexts *from,
                           struct st_contexts *to, uint32_t held) {
    uint32_t *taken = NULL, rest = 0;
    size_t count = 0, capacity = 0;
    for (; held; held = (uint32_t)tracker->locks.ids[held - 1]) {
        st_reserve(&taken, &capacity, count + 1);
        taken[count++] = (uint32_t)(tracker->locks.ids[held - 1] >> 32);
    }
    while (count) {
        uint64_t id = tracker->taken.ids[taken[--count] - 1];
        rest = st_contexts_held(
            to, (struct st_held_row){(uint32_t)(id >> 32), rest,
                                     copy_acquire(tracker, from, to, (uint32_t)id)});
    }
    free(taken);
    return rest;
}

/* The stack and the set of locks behind the number of a context. */
static uint64_t context_of(const struct st_context_tracker *tracker, uint32_t context) {
    return context % 2 ? tracker->contexts.ids[context / 2 - 1] : pair(context / 2 - 1, 0);
}

static uint64_t describe(const struct st_context_tracker *tracker, const struct st_symbols *from,
                         struct st_symbols *to, uint64_t loc) {
    uint64_t number = loc & ~ST_LOC_NAME, site = number & FAR_SITE, context = number >> SITE_BITS;
    struct st_site_row row = {0};
    if (site == FAR_SITE || site >= from->contexts.site_count) {
        row.line = st_names_add(&to->contexts.lines, "", 0);
    } else {
        const struct st_site_row *known = &from->contexts.sites[site];
        row.line = copy_name(&to->contexts.lines, &from->contexts.lines, known->line);
        if (context) {
            uint64_t around = context_of(tracker, (uint32_t)context);
            row.frame = copy_stack(tracker, &from->contexts, &to->contexts, known->frame,
                                   (uint32_t)(around >> 32));
            row.held = copy_locks(tracker, &from->contexts, &to->contexts, (uint32_t)around);
        }
    }
    return ST_LOC_NAME | st_symbols_site(to, row);
}

uint64_t st_context_tracker_location(struct st_context_tracker *tracker,
                                     const struct st_symbols *from, struct st_symbols *to,
                                     uint64_t loc) {
    if (!(loc & ST_LOC_NAME))
        return loc;
    uint32_t known = tracker->described.count, number = st_map64_number(&tracker->described, loc);
    st_reserve(&tracker->descriptions, &tracker->description_capacity, (size_t)number + 1);
    if (number == known)
        tracker->descriptions[number] = describe(tracker, from, to, loc);
    return tracker->descriptions[number];
}
