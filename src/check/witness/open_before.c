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

enum { CLASSES = sizeof((struct st_knowledge *)0)->sets / sizeof(struct st_pool) };

void st_knowledge_init(struct st_knowledge *knowledge) {
    memset(knowledge, 0, sizeof *knowledge);
    knowledge->epoch = 1;
    knowledge->collect_at = SMALLEST_COLLECTION;
    st_pool_init(&knowledge->hops, sizeof(struct st_hop));
    for (size_t c = 0; c < CLASSES; c++)
        st_pool_init(&knowledge->sets[c],
                     sizeof(struct st_known) + ((size_t)1 << c) * sizeof(struct st_knows));
}

void st_knowledge_free(struct st_knowledge *knowledge) {
    st_pool_free(&knowledge->hops);
    for (size_t c = 0; c < CLASSES; c++)
        st_pool_free(&knowledge->sets[c]);
    free(knowledge->draft);
}

size_t st_knowledge_memory(const struct st_knowledge *knowledge) {
    size_t bytes =
        st_pool_memory(&knowledge->hops) + knowledge->draft_capacity * sizeof(struct st_knows);
    for (size_t c = 0; c < CLASSES; c++)
        bytes += st_pool_memory(&knowledge->sets[c]);
    return bytes;
}

static bool is_dead(const struct st_knows *knows, const struct st_blocks *blocks) {
    return st_blocks_known(&blocks[knows->thread], knows->time) == 0;
}

const struct st_knows *st_known_find(const struct st_known *known, uint32_t thread) {
    uint32_t low = 0, high = known ? known->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (known->items[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return known && low < known->count && known->items[low].thread == thread ? &known->items[low]
                                                                             : NULL;
}

st_time st_known_since(const struct st_known *known, const struct st_blocks *blocks) {
    st_time since = ST_NEVER;
    for (uint32_t i = 0; known && i < known->count; i++)
        if (known->items[i].since < since && !is_dead(&known->items[i], blocks))
            since = known->items[i].since;
    return since;
}

/* The first item from number i on that is not dead, or the number of items. */
static uint32_t next_live(const struct st_known *known, uint32_t i,
                          const struct st_blocks *blocks) {
    while (known && i < known->count && is_dead(&known->items[i], blocks))
        i++;
    return known ? i : 0;
}

bool st_known_alike(const struct st_known *one, const struct st_known *other,
                    const struct st_blocks *blocks) {
    uint32_t ones = one ? one->count : 0, others = other ? other->count : 0;
    uint32_t i = next_live(one, 0, blocks), j = next_live(other, 0, blocks);
    while (one != other && i < ones && j < others) {
        const struct st_knows *a = &one->items[i], *b = &other->items[j];
        if (a->thread != b->thread || st_blocks_known(&blocks[a->thread], a->time) !=
                                          st_blocks_known(&blocks[b->thread], b->time))
            return false;
        i = next_live(one, i + 1, blocks);
        j = next_live(other, j + 1, blocks);
    }
    return one == other || (i == ones && j == others);
}

/* ---- learning ---- */

/* What the teller has to tell, by thread: its set, and itself. */
struct told {
    const struct st_teller *teller;
    uint32_t next; /* in the set */
    bool self;     /* is still to come */
    struct st_knows item;
};

static bool next_told(struct told *told) {
    const struct st_known *known = told->teller->known;
    bool more = known && told->next < known->count;
    if (told->self && (!more || told->teller->thread < known->items[told->next].thread)) {
        told->self = false;
        told->item = (struct st_knows){.thread = told->teller->thread, .time = told->teller->time};
        return true;
    }
    if (more)
        told->item = known->items[told->next++];
    return more;
}

static struct st_hop *new_hop(struct st_knowledge *knowledge, const struct st_edge *edge,
                              struct st_hop *before) {
    struct st_hop *hop = st_pool_take(&knowledge->hops, knowledge->epoch);
    hop->before = before;
    hop->edge = *edge;
    return hop;
}

static struct st_pool *pool_for(struct st_knowledge *knowledge, uint32_t count) {
    return &knowledge->sets[count > 1 ? 32 - __builtin_clz(count - 1) : 0];
}

static struct st_known *new_set(struct st_knowledge *knowledge, uint32_t count) {
    struct st_known *known = st_pool_take(pool_for(knowledge, count), knowledge->epoch);
    known->count = count;
    memcpy(known->items, knowledge->draft, count * sizeof *known->items);
    return known;
}

void st_known_give(struct st_knowledge *knowledge, struct st_known *known) {
    st_pool_give(pool_for(knowledge, known->count), known);
}

/* Takes what was told of a thread over `mine`, which may be nothing, when it is more, or as much by
 * a shorter way. */
static bool improve(struct st_knowledge *knowledge, struct st_knows *mine, const struct told *told,
                    const struct st_blocks *blocks, st_time next, bool *news) {
    const struct st_blocks *theirs = &blocks[told->item.thread];
    uint32_t length = told->item.length + 1;
    if (told->item.time <= mine->time && length >= mine->length)
        return false; /* at a glance; what follows says the same of blocks instead of times */
    uint32_t known = st_blocks_known(theirs, mine->time);
    uint32_t now = st_blocks_known(theirs, told->item.time);
    if (now < known || now == 0 || (now == known && length >= mine->length))
        return false;
    *news |= now > known;
    *mine = (struct st_knows){.thread = told->item.thread,
                              .time = told->item.time,
                              .since = known ? mine->since : next,
                              .length = length,
                              .how = new_hop(knowledge, &told->teller->edge, told->item.how)};
    return true;
}

/* Leaves out what is dead. Returns how many are left. */
static uint32_t drop_dead(struct st_knows *items, uint32_t count, const struct st_blocks *blocks) {
    uint32_t alive = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_dead(&items[i], blocks))
            items[alive++] = items[i];
    return alive;
}

struct st_known *st_known_learn(struct st_knowledge *knowledge, struct st_known *old, uint32_t t,
                                const struct st_teller *teller, const struct st_blocks *blocks,
                                st_time next, bool *news) {
    uint32_t old_count = old ? old->count : 0, count = 0, i = 0;
    st_reserve(&knowledge->draft, &knowledge->draft_capacity,
               old_count + (teller->known ? teller->known->count : 0) + (size_t)1);
    struct st_knows *draft = knowledge->draft;
    struct told told = {.teller = teller, .self = true};
    bool better = false;
    while (next_told(&told)) {
        while (i < old_count && old->items[i].thread < told.item.thread)
            draft[count++] = old->items[i++];
        draft[count] = (struct st_knows){0}; /* knows nothing: time 0 is before every begin */
        if (i < old_count && old->items[i].thread == told.item.thread)
            draft[count] = old->items[i++];
        if (told.item.thread != t)
            better |= improve(knowledge, &draft[count], &told, blocks, next, news);
        count += draft[count].how != NULL;
    }
    if (!better)
        return old;
    while (i < old_count)
        draft[count++] = old->items[i++];
    return new_set(knowledge, drop_dead(draft, count, blocks));
}

bool st_known_longer(const struct st_knows *knows, st_time time, const struct st_blocks *blocks) {
    const struct st_blocks *theirs = &blocks[knows->thread];
    return knows->length > 1 &&
           st_blocks_known(theirs, time) == st_blocks_known(theirs, knows->time);
}

void st_known_shorten(struct st_knowledge *knowledge, struct st_known *known,
                      const struct st_teller *teller) {
    struct st_knows *mine = &known->items[st_known_find(known, teller->thread) - known->items];
    mine->time = teller->time;
    mine->length = 1;
    mine->how = new_hop(knowledge, &teller->edge, NULL);
}

struct st_known *st_known_copy(struct st_knowledge *knowledge, const struct st_known *known) {
    st_reserve(&knowledge->draft, &knowledge->draft_capacity, known->count);
    memcpy(knowledge->draft, known->items, known->count * sizeof *known->items);
    return new_set(knowledge, known->count);
}

/* ---- collecting ---- */

static size_t used_bytes(const struct st_knowledge *knowledge) {
    size_t bytes = knowledge->hops.used_bytes;
    for (size_t c = 0; c < CLASSES; c++)
        bytes += knowledge->sets[c].used_bytes;
    return bytes;
}

bool st_knowledge_full(const struct st_knowledge *knowledge) {
    return used_bytes(knowledge) >= knowledge->collect_at;
}

void st_knowledge_mark_begin(struct st_knowledge *knowledge) {
    knowledge->epoch++;
}

void st_known_mark(struct st_knowledge *knowledge, struct st_known *known,
                   const struct st_blocks *blocks) {
    if (!known || known->mark == knowledge->epoch)
        return;
    known->mark = knowledge->epoch;
    known->count = drop_dead(known->items, known->count, blocks); /* while nobody looks */
    for (uint32_t i = 0; i < known->count; i++)
        for (struct st_hop *hop = known->items[i].how; hop && hop->mark != knowledge->epoch;
             hop = hop->before)
            hop->mark = knowledge->epoch;
}

void st_knowledge_sweep(struct st_knowledge *knowledge, size_t root_bytes) {
    st_pool_sweep(&knowledge->hops, knowledge->epoch, NULL);
    for (size_t c = 0; c < CLASSES; c++)
        st_pool_sweep(&knowledge->sets[c], knowledge->epoch, NULL);
    knowledge->collect_at = 2 * used_bytes(knowledge) + root_bytes;
    if (knowledge->collect_at < SMALLEST_COLLECTION)
        knowledge->collect_at = SMALLEST_COLLECTION;
    if (ALWAYS_COLLECT)
        knowledge->collect_at = 0;
}
