#include "reference/reference.h"

#include <assert.h>
#include <string.h>

static uint64_t bit(size_t i) {
    return UINT64_C(1) << i;
}

/* The events of the first `length`. */
static uint64_t prefix_set(size_t length) {
    return length == SAMPLE_EVENTS ? UINT64_MAX : bit(length) - 1;
}

static bool is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

bool reference_depends(const struct st_event *from, const struct st_event *to,
                       enum st_edge_kind kind) {
    /* Dropped events do not count. Re-entrant lock events do: they neither acquire nor release,
     * but they are events of a child like any other. */
    if (from->thread == to->thread || from->op == ST_DROPPED || to->op == ST_DROPPED)
        return false;
    switch (kind) {
    case ST_EDGE_CONFLICT:
        return is_access(from) && is_access(to) && from->target == to->target &&
               (from->op == ST_WRITE || to->op == ST_WRITE);
    case ST_EDGE_LOCK:
        return from->op == ST_RELEASE && to->op == ST_ACQUIRE && from->target == to->target;
    case ST_EDGE_FORK:
        return from->op == ST_FORK && from->target == to->thread;
    case ST_EDGE_JOIN:
        return to->op == ST_JOIN && to->target == from->thread;
    case ST_EDGE_SYNC:
        return from->op == ST_SEND && to->op == ST_RECEIVE && from->target == to->target;
    }
    return false;
}

/* In `data`, the order from a release of a lock to an acquire of it does not count, nor that of a
 * channel which belongs to a lock. Everything else does. */
bool reference_counts(const struct sample *sample, const struct st_event *from,
                      const struct st_event *to, enum st_edge_kind kind) {
    if (!reference_depends(from, to, kind))
        return false;
    bool of_lock =
        kind == ST_EDGE_LOCK || (kind == ST_EDGE_SYNC && sample->lock_channels >> from->target & 1);
    return !(sample->relation == ST_DATA && of_lock);
}

static bool depends_somehow(const struct sample *sample, const struct st_event *from,
                            const struct st_event *to) {
    return from->thread == to->thread || reference_counts(sample, from, to, ST_EDGE_CONFLICT) ||
           reference_counts(sample, from, to, ST_EDGE_LOCK) ||
           reference_counts(sample, from, to, ST_EDGE_FORK) ||
           reference_counts(sample, from, to, ST_EDGE_JOIN) ||
           reference_counts(sample, from, to, ST_EDGE_SYNC);
}

static void order_events(struct reference *reference, const struct sample *sample) {
    for (size_t to = 0; to < sample->count; to++)
        for (size_t from = 0; from < to; from++)
            if (depends_somehow(sample, &sample->events[from], &sample->events[to]))
                reference->before[to] |= reference->before[from] | bit(from);
    for (size_t to = 0; to < sample->count; to++)
        for (size_t from = 0; from < to; from++)
            if (reference->before[to] & bit(from))
                reference->after[from] |= bit(to);
}

static void find_blocks(struct reference *reference, const struct sample *sample) {
    struct reference_block *open[SAMPLE_THREADS][SAMPLE_EVENTS];
    uint32_t depth[SAMPLE_THREADS] = {0};
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        uint32_t t = event->thread;
        if (event->op == ST_BEGIN) {
            struct reference_block *block = &reference->blocks[reference->block_count++];
            *block =
                (struct reference_block){.thread = t, .depth = depth[t], .begin = (unsigned)i + 1};
            open[t][depth[t]++] = block;
        } else if (event->op == ST_END) {
            assert(depth[t] > 0);
            open[t][--depth[t]]->end = (unsigned)i + 1;
        }
    }
}

/* The events of a block: those of its thread from its begin to its end. */
static uint64_t block_events(const struct reference_block *block, const struct sample *sample) {
    uint64_t events = 0;
    size_t end = block->end ? block->end : sample->count;
    for (size_t i = block->begin - 1; i < end; i++)
        if (sample->events[i].thread == block->thread)
            events |= bit(i);
    return events;
}

static void find_transactions(struct reference *reference, const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        reference->transaction[i] = bit(i);
    for (size_t b = 0; b < reference->block_count; b++) {
        if (reference->blocks[b].depth > 0)
            continue;
        uint64_t events = block_events(&reference->blocks[b], sample);
        for (size_t i = 0; i < sample->count; i++)
            if (events & bit(i))
                reference->transaction[i] = events;
    }
}

static void find_violated_blocks(struct reference *reference, const struct sample *sample) {
    for (size_t b = 0; b < reference->block_count; b++) {
        struct reference_block *block = &reference->blocks[b];
        uint64_t events = block_events(block, sample);
        uint64_t others = 0;
        for (size_t i = 0; i < sample->count; i++)
            if (sample->events[i].thread != block->thread)
                others |= bit(i);
        for (size_t m = block->begin - 1; m < sample->count && !block->violated_at; m++)
            if (events & bit(m) &&
                reference->after[block->begin - 1] & reference->before[m] & others)
                block->violated_at = (unsigned)m + 1;
    }
}

/* Is this prefix's transaction graph cyclic? A graph has no cycle iff one can keep removing nodes
 * that no other remaining node points to, until nothing remains. */
static bool prefix_is_bad(const struct reference *reference, size_t length) {
    uint64_t remaining = prefix_set(length);
    for (bool progress = true; progress;) {
        progress = false;
        for (size_t i = 0; i < length; i++) {
            if (!(remaining & bit(i)))
                continue;
            uint64_t transaction = reference->transaction[i] & prefix_set(length);
            uint64_t predecessors = 0;
            for (uint64_t rest = transaction; rest; rest &= rest - 1)
                predecessors |= reference->before[__builtin_ctzll(rest)];
            if (!(predecessors & remaining & ~transaction)) {
                remaining &= ~transaction;
                progress = true;
            }
        }
    }
    return remaining != 0;
}

static void find_first_bad_event(struct reference *reference) {
    /* Transactions and their edges only grow with the prefix, so a trace without a cycle has no
     * prefix with one, and the loop can be skipped. */
    reference->serializable = !prefix_is_bad(reference, reference->count);
    if (reference->serializable)
        return;
    for (size_t length = 1; length <= reference->count && !reference->first_bad; length++)
        if (prefix_is_bad(reference, length))
            reference->first_bad = (unsigned)length;
}

/* Closes the relation transitively. */
static void close_transitively(uint64_t *reach, size_t count) {
    for (size_t via = 0; via < count; via++)
        for (size_t i = 0; i < count; i++)
            if (reach[i] & bit(via))
                reach[i] |= reach[via];
}

static bool aerodrome_reports(const struct reference *reference, size_t length) {
    uint64_t prefix = prefix_set(length), reach[SAMPLE_EVENTS];
    for (size_t i = 0; i < length; i++)
        reach[i] = reference->after[i] & prefix;
    /* Collapsing a completed block to one node: each of its events reaches all others. */
    for (size_t b = 0; b < reference->block_count; b++) {
        const struct reference_block *block = &reference->blocks[b];
        if (block->depth > 0 || !block->end || block->end > length)
            continue;
        uint64_t events = reference->transaction[block->begin - 1];
        for (size_t i = 0; i < length; i++)
            if (events & bit(i))
                reach[i] |= events;
    }
    close_transitively(reach, length);
    for (size_t b = 0; b < reference->block_count; b++) {
        const struct reference_block *block = &reference->blocks[b];
        if (block->depth > 0 || block->begin > length)
            continue;
        uint64_t inside = reference->transaction[block->begin - 1] & prefix;
        for (size_t e = 0; e < length; e++)
            if (reach[block->begin - 1] & ~inside & bit(e) && reach[e] & inside)
                return true;
    }
    return false;
}

/* AeroDrome reports only cycles, so the search can start at the first bad event. A cycle that no
 * prefix shows becomes visible when the end of the trace completes the open blocks. */
static void find_aerodrome_report(struct reference *reference) {
    if (reference->serializable)
        return;
    size_t length = reference->first_bad;
    while (length < reference->count && !aerodrome_reports(reference, length))
        length++;
    reference->aerodrome = (unsigned)length;
}

void reference_check(struct reference *reference, const struct sample *sample) {
    memset(reference, 0, sizeof *reference);
    reference->count = sample->count;
    order_events(reference, sample);
    find_blocks(reference, sample);
    find_transactions(reference, sample);
    find_violated_blocks(reference, sample);
    find_first_bad_event(reference);
    find_aerodrome_report(reference);
}

void reference_print(FILE *file, const struct reference *reference) {
    if (reference->serializable)
        fprintf(file, "  serializable\n");
    else
        fprintf(file, "  not serializable, first bad event %u, AeroDrome reports at %u\n",
                reference->first_bad, reference->aerodrome);
    for (size_t b = 0; b < reference->block_count; b++) {
        const struct reference_block *block = &reference->blocks[b];
        if (block->violated_at)
            fprintf(file, "  violated: thread T%u begin %u end %u depth %u event %u\n",
                    block->thread + 1, block->begin, block->end, block->depth, block->violated_at);
    }
}
