#define _GNU_SOURCE
#include "predict/commit/lock_ranks.h"

#include "base/memory.h"
#include "base/scc.h"

#include <stdlib.h>

/* ---- ranks ---- */

struct ranked {
    uint32_t lock, group;
};

/* Groups are numbered from the locks that are taken last (base/scc.c). Within one, the lock that
 * the trace has first comes first. */
static int by_group(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->group != b->group)
        return a->group > b->group ? -1 : 1;
    return (a->lock > b->lock) - (a->lock < b->lock);
}

/* Does a group have more than one lock? */
static bool disagree(const struct ranked *locks, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (locks[i].group == locks[i - 1].group)
            return true;
    return false;
}

static uint32_t *rank(const uint32_t *groups, size_t count, size_t all) {
    struct ranked *locks = st_alloc(count + 1, sizeof *locks);
    uint32_t *ranks = NULL;
    for (uint32_t i = 0; i < count; i++)
        locks[i] = (struct ranked){i, groups[i]};
    qsort(locks, count, sizeof *locks, by_group);
    if (disagree(locks, count)) {
        ranks = st_alloc(all + 1, sizeof *ranks);
        for (uint32_t i = 0; i < all; i++)
            ranks[i < count ? locks[i].lock : i] = i;
    }
    free(locks);
    return ranks;
}

/* Atomic variables have locks of their own, which are held around one access each, and never decide
 * before others. */
uint32_t *st_lock_ranks(const struct st_model *model) {
    bool ascending = true; /* most runs */
    for (uint32_t i = 0; i < model->lock_pairs.count && ascending; i++)
        ascending = model->lock_pairs.ids[i] >> 32 < (uint32_t)model->lock_pairs.ids[i];
    if (ascending)
        return NULL;
    uint32_t *groups = st_scc_of_edges(&model->lock_pairs, model->first_atomic_lock);
    uint32_t *ranks = rank(groups, model->first_atomic_lock, model->lock_count);
    free(groups);
    return ranks;
}

/* ---- sections ---- */

/* Goes through the critical sections around a token, from the one that was entered last. */
struct around {
    const struct st_shape *shape;
    uint32_t i, acquire; /* ST_NO_TOKEN: the locks that are held from the beginning are next */
    uint32_t held;       /* how many of those are left */
    uint32_t lock;
    struct st_shape_span span;
};

static struct around around(const struct st_shape *shape, uint32_t i) {
    uint32_t innermost = ST_NO_TOKEN;
    if (i != ST_NO_TOKEN)
        innermost = shape->tokens[i].kind == ST_TOKEN_ACQUIRE ? i : shape->ups[i];
    return (struct around){.shape = shape, .i = i, .acquire = innermost, .held = shape->held_count};
}

static bool next_section(struct around *at) {
    const struct st_shape *shape = at->shape;
    while (at->acquire != ST_NO_TOKEN) {
        uint32_t j = at->acquire;
        at->acquire = shape->ups[j];
        if (shape->ends[j] >= at->i) {
            at->lock = shape->tokens[j].target;
            at->span = (struct st_shape_span){j + 1, shape->ends[j] + 1};
            return true;
        }
    }
    while (at->held--) {
        if (at->i == ST_NO_TOKEN || shape->held_ends[at->held] >= at->i) {
            at->lock = shape->held[at->held];
            at->span = (struct st_shape_span){0, shape->held_ends[at->held] + 1};
            return true;
        }
    }
    at->held = 0;
    return false;
}

static bool find_ranked_first(const struct st_shape *shape, const uint32_t *ranks,
                              const struct st_locksets *sets, uint32_t i, uint32_t set,
                              struct around *first) {
    bool found = false;
    for (struct around at = around(shape, i); next_section(&at);)
        if (st_lockset_has(sets, set, at.lock) && (!found || ranks[at.lock] < ranks[first->lock])) {
            *first = at;
            found = true;
        }
    return found;
}

bool st_deciding_section(const struct st_shape *shape, const uint32_t *ranks,
                         const struct st_locksets *sets, uint32_t i, uint32_t set,
                         struct st_shape_span *span) {
    struct around first;
    if (!ranks)
        return st_shape_outermost(shape, sets, i, set, span);
    if (!find_ranked_first(shape, ranks, sets, i, set, &first))
        return false;
    *span = first.span;
    return true;
}

/* Can the section decide where another lock of the set, whose section is `first`, could, too? */
static bool may_decide(const struct around *at, const uint32_t *ranks, const struct around *first) {
    return ranks ? ranks[at->lock] <= ranks[first->lock] : at->span.start <= first->span.start;
}

bool st_least_section(const struct st_shape *shape, const uint32_t *ranks,
                      const struct st_locksets *sets, uint32_t i, uint32_t set,
                      struct st_shape_span *span) {
    struct around first;
    if (ranks ? !find_ranked_first(shape, ranks, sets, i, set, &first)
              : !st_shape_outermost(shape, sets, i, set, &first.span))
        return false;
    *span = first.span;
    for (struct around at = around(shape, i); next_section(&at);)
        if (may_decide(&at, ranks, &first)) {
            span->start = at.span.start > span->start ? at.span.start : span->start;
            span->end = at.span.end < span->end ? at.span.end : span->end;
        }
    return true;
}
