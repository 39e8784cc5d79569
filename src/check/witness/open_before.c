#include "check/witness/open_before.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { SMALLEST_COLLECTION = 1, ALWAYS_COLLECT = 1 };
#else
enum {
    SMALLEST_COLLECTION = 4 * 1024 * 1024, /* below this, memory is not worth a collection */
    ALWAYS_COLLECT = 0,
};
#endif

enum { CLASSES = sizeof((struct st_before_pool *)0)->sets / sizeof(struct st_pool) };

void st_before_pool_init(struct st_before_pool *pool) {
    memset(pool, 0, sizeof *pool);
    pool->epoch = 1;
    pool->collect_at = SMALLEST_COLLECTION;
    st_pool_init(&pool->hops, sizeof(struct st_hop));
    for (size_t c = 0; c < CLASSES; c++)
        st_pool_init(&pool->sets[c],
                     sizeof(struct st_open_before) + ((size_t)1 << c) * sizeof(struct st_before));
}

void st_before_pool_free(struct st_before_pool *pool) {
    st_pool_free(&pool->hops);
    for (size_t c = 0; c < CLASSES; c++)
        st_pool_free(&pool->sets[c]);
    free(pool->draft);
    free(pool->stack);
}

size_t st_before_pool_memory(const struct st_before_pool *pool) {
    size_t bytes = st_pool_memory(&pool->hops) + pool->draft_capacity * sizeof(struct st_before) +
                   pool->stack_capacity * sizeof *pool->stack;
    for (size_t c = 0; c < CLASSES; c++)
        bytes += st_pool_memory(&pool->sets[c]);
    return bytes;
}

static bool is_dead(const struct st_before *item, const struct st_open_blocks *blocks) {
    return st_blocks_begun(&blocks[item->thread], item->time) == 0;
}

const struct st_before *st_open_before_find(const struct st_open_before *set, uint32_t thread) {
    if (!set)
        return NULL;
    uint32_t at;
    st_lower_bound(at, 0, set->count, set->items[at].thread < thread);
    return at < set->count && set->items[at].thread == thread ? &set->items[at] : NULL;
}

st_time st_open_before_since(const struct st_open_before *set,
                             const struct st_open_blocks *blocks) {
    st_time since = ST_NEVER;
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->items[i].since < since && !is_dead(&set->items[i], blocks))
            since = set->items[i].since;
    return since;
}

/* The first item from number i on that is not dead, or the number of items. */
static uint32_t next_live(const struct st_open_before *set, uint32_t i,
                          const struct st_open_blocks *blocks) {
    while (set && i < set->count && is_dead(&set->items[i], blocks))
        i++;
    return set ? i : 0;
}

bool st_open_before_same(const struct st_open_before *one, const struct st_open_before *other,
                         const struct st_open_blocks *blocks) {
    uint32_t ones = one ? one->count : 0, others = other ? other->count : 0;
    uint32_t i = next_live(one, 0, blocks), j = next_live(other, 0, blocks);
    while (one != other && i < ones && j < others) {
        const struct st_before *a = &one->items[i], *b = &other->items[j];
        if (a->thread != b->thread || st_blocks_begun(&blocks[a->thread], a->time) !=
                                          st_blocks_begun(&blocks[b->thread], b->time))
            return false;
        i = next_live(one, i + 1, blocks);
        j = next_live(other, j + 1, blocks);
    }
    return one == other || (i == ones && j == others);
}

/* ---- joining ---- */

/* What the predecessor adds, by thread: its set, and itself. */
struct offer {
    const struct st_predecessor *predecessor;
    struct st_hop *hop; /* from it; NULL until somebody needs that */
    uint32_t next;      /* in the set */
    bool self;          /* is still to come */
    struct st_before item;
};

static bool next_offer(struct offer *offer) {
    const struct st_open_before *set = offer->predecessor->before;
    bool more = set && offer->next < set->count;
    if (offer->self && (!more || offer->predecessor->thread < set->items[offer->next].thread)) {
        offer->self = false;
        offer->item = (struct st_before){.thread = offer->predecessor->thread,
                                         .time = offer->predecessor->time};
        return true;
    }
    if (more)
        offer->item = set->items[offer->next++];
    return more;
}

static struct st_hop *new_hop(struct st_before_pool *pool,
                              const struct st_predecessor *predecessor) {
    struct st_hop *hop = st_pool_take(&pool->hops, pool->epoch);
    hop->thread = predecessor->thread;
    hop->before = predecessor->before;
    hop->edge = predecessor->edge;
    return hop;
}

const struct st_hop *st_hop_before(const struct st_hop *hop, uint32_t thread) {
    if (hop->thread == thread)
        return NULL;
    return st_open_before_find(hop->before, thread)->path;
}

static struct st_pool *pool_for(struct st_before_pool *pool, uint32_t count) {
    return &pool->sets[count > 1 ? 32 - __builtin_clz(count - 1) : 0];
}

static struct st_open_before *new_set(struct st_before_pool *pool, uint32_t count) {
    struct st_open_before *set = st_pool_take(pool_for(pool, count), pool->epoch);
    set->count = count;
    memcpy(set->items, pool->draft, count * sizeof *set->items);
    return set;
}

void st_open_before_give(struct st_before_pool *pool, struct st_open_before *set) {
    st_pool_give(pool_for(pool, set->count), set);
}

/* Replaces `mine`, which may be nothing, by what is offered of its thread, if that is more, or as
 * much by a shorter path. */
static bool improve(struct st_before_pool *pool, struct st_before *mine, struct offer *offer,
                    const struct st_open_blocks *blocks, st_time next, bool *grew) {
    const struct st_open_blocks *theirs = &blocks[offer->item.thread];
    uint32_t length = offer->item.length + 1;
    if (offer->item.time <= mine->time && length >= mine->length)
        return false; /* the quick test; what follows compares blocks instead of times */
    uint32_t had = st_blocks_begun(theirs, mine->time);
    uint32_t now = st_blocks_begun(theirs, offer->item.time);
    if (now < had || now == 0 || (now == had && length >= mine->length))
        return false;
    *grew |= now > had;
    if (!offer->hop)
        offer->hop = new_hop(pool, offer->predecessor);
    *mine = (struct st_before){.thread = offer->item.thread,
                               .time = offer->item.time,
                               .since = had ? mine->since : next,
                               .length = length,
                               .path = offer->hop};
    return true;
}

/* Leaves out what is dead. Returns how many are left. */
static uint32_t drop_dead(struct st_before *items, uint32_t count,
                          const struct st_open_blocks *blocks) {
    uint32_t alive = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_dead(&items[i], blocks))
            items[alive++] = items[i];
    return alive;
}

struct st_open_before *st_open_before_join(struct st_before_pool *pool, struct st_open_before *old,
                                           uint32_t t, const struct st_predecessor *predecessor,
                                           const struct st_open_blocks *blocks, st_time next,
                                           bool *grew) {
    uint32_t old_count = old ? old->count : 0, count = 0, i = 0;
    st_reserve(&pool->draft, &pool->draft_capacity,
               old_count + (predecessor->before ? predecessor->before->count : 0) + (size_t)1);
    struct st_before *draft = pool->draft;
    struct offer offer = {.predecessor = predecessor, .self = true};
    bool better = false;
    while (next_offer(&offer)) {
        while (i < old_count && old->items[i].thread < offer.item.thread)
            draft[count++] = old->items[i++];
        draft[count] = (struct st_before){0}; /* nothing: time 0 is before every begin */
        if (i < old_count && old->items[i].thread == offer.item.thread)
            draft[count] = old->items[i++];
        if (offer.item.thread != t)
            better |= improve(pool, &draft[count], &offer, blocks, next, grew);
        count += draft[count].path != NULL;
    }
    if (!better)
        return old;
    while (i < old_count)
        draft[count++] = old->items[i++];
    return new_set(pool, drop_dead(draft, count, blocks));
}

bool st_before_is_longer(const struct st_before *item, st_time time,
                         const struct st_open_blocks *blocks) {
    const struct st_open_blocks *theirs = &blocks[item->thread];
    return item->length > 1 && st_blocks_begun(theirs, time) == st_blocks_begun(theirs, item->time);
}

void st_open_before_shorten(struct st_before_pool *pool, struct st_open_before *set,
                            const struct st_predecessor *predecessor) {
    struct st_before *mine =
        &set->items[st_open_before_find(set, predecessor->thread) - set->items];
    mine->time = predecessor->time;
    mine->length = 1;
    mine->path = new_hop(pool, predecessor);
}

struct st_open_before *st_open_before_copy(struct st_before_pool *pool,
                                           const struct st_open_before *set) {
    st_reserve(&pool->draft, &pool->draft_capacity, set->count);
    memcpy(pool->draft, set->items, set->count * sizeof *set->items);
    return new_set(pool, set->count);
}

/* ---- collecting ---- */

static size_t used_bytes(const struct st_before_pool *pool) {
    size_t bytes = pool->hops.used_bytes;
    for (size_t c = 0; c < CLASSES; c++)
        bytes += pool->sets[c].used_bytes;
    return bytes;
}

bool st_before_pool_full(const struct st_before_pool *pool) {
    return used_bytes(pool) >= pool->collect_at;
}

void st_before_pool_mark_begin(struct st_before_pool *pool) {
    pool->epoch++;
}

/* Marks the set, to be looked at later, unless it was marked before. */
static void push_set(struct st_before_pool *pool, size_t *depth, const struct st_open_before *set) {
    if (!set || set->mark == pool->epoch)
        return;
    st_reserve(&pool->stack, &pool->stack_capacity, *depth + 1);
    pool->stack[*depth] = (struct st_open_before *)set;
    pool->stack[(*depth)++]->mark = pool->epoch;
}

/* With a stack, because paths can be long. */
void st_open_before_mark(struct st_before_pool *pool, struct st_open_before *set,
                         const struct st_open_blocks *blocks) {
    size_t depth = 0;
    push_set(pool, &depth, set);
    while (depth) {
        set = pool->stack[--depth];
        set->count = drop_dead(set->items, set->count, blocks); /* while nobody reads it */
        for (uint32_t i = 0; i < set->count; i++) {
            struct st_hop *hop = set->items[i].path;
            if (hop->mark != pool->epoch)
                push_set(pool, &depth, hop->before);
            hop->mark = pool->epoch;
        }
    }
}

void st_before_pool_sweep(struct st_before_pool *pool, size_t root_bytes) {
    st_pool_sweep(&pool->hops, pool->epoch, NULL, NULL);
    for (size_t c = 0; c < CLASSES; c++)
        st_pool_sweep(&pool->sets[c], pool->epoch, NULL, NULL);
    pool->collect_at = 2 * used_bytes(pool) + root_bytes;
    if (pool->collect_at < SMALLEST_COLLECTION)
        pool->collect_at = SMALLEST_COLLECTION;
    if (ALWAYS_COLLECT)
        pool->collect_at = 0;
}
