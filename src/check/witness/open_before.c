#include "check/witness/open_before.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { SMALLEST_COLLECTION = 1, ALWAYS_COLLECT = 1, PART_BITS = 1, MOST_ITEMS = 2, MOST_FLAT = 3 };
#else
enum {
    SMALLEST_COLLECTION = 4 * 1024 * 1024, /* below this, memory is not worth a collection */
    ALWAYS_COLLECT = 0,
    PART_BITS = 4,   /* of a thread's number that a level distinguishes by */
    MOST_ITEMS = 64, /* of one node; at least as many as there are threads in a part of level 1 */
    MOST_FLAT = 256, /* of a set that is no tree: copying it is faster, and it is small enough */
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

/* ---- trees ---- */

enum { PARTS = 1 << PART_BITS };

/* How all items below came, on top of what they say themselves: so many hops more, the last of
 * which is `path` (NULL: no more hops). */
struct arrival {
    struct st_hop *path;
    st_time since;
    uint32_t length;
};

/* Takes the place of an item in nodes above level 0. */
struct link {
    struct st_open_before *set;
    struct arrival by;
};

_Static_assert(sizeof(struct link) == sizeof(struct st_before), "a node has either");

static struct link *links_of(const struct st_open_before *set) {
    return (struct link *)set->items;
}

/* A set or a part of it, as it is known: the items from `first` up to `end` of a node of level 0,
 * or all below another node. Empty if the set is NULL. */
struct part {
    struct st_open_before *set;
    uint32_t first, end;
    struct arrival by;
};

static struct part whole(const struct st_open_before *set, struct arrival by) {
    bool is_empty = !set || set->count == 0;
    return (struct part){.set = is_empty ? NULL : (struct st_open_before *)set,
                         .end = is_empty ? 0 : set->count,
                         .by = by};
}

static struct arrival arrive(struct arrival later, struct arrival earlier) {
    const struct arrival *last = later.path ? &later : &earlier;
    return (struct arrival){last->path, last->since, later.length + earlier.length};
}

static inline struct st_before item_of(const struct part *part, uint32_t i) {
    struct st_before item = part->set->items[i];
    if (__builtin_expect(part->by.length, 0)) {
        item.length += part->by.length;
        item.path = part->by.path;
        item.since = part->by.since;
    }
    return item;
}

static uint32_t bits_of(uint32_t thread, uint32_t level) {
    return thread >> (PART_BITS * level) & (PARTS - 1);
}

/* The lowest level whose nodes have room for the thread. */
static uint32_t level_for(uint32_t thread) {
    uint32_t level = 1;
    while ((uint64_t)thread >> (PART_BITS * (level + 1)))
        level++;
    return level;
}

static const struct link *find_link(const struct st_open_before *set, uint32_t c) {
    uint32_t before = set->parts & ((UINT32_C(1) << c) - 1);
    return set->parts >> c & 1 ? &links_of(set)[__builtin_popcount(before)] : NULL;
}

/* The part of threads whose bits at this level are c. What is above the level is the same for all
 * in the part. */
static struct part part_of(const struct part *part, uint32_t level, uint32_t c) {
    struct part empty = {.set = NULL};
    if (!part->set)
        return empty;
    if (part->set->level) {
        const struct link *link = find_link(part->set, c);
        return link ? whole(link->set, arrive(part->by, link->by)) : empty;
    }
    struct part some = *part;
    const struct st_before *items = part->set->items;
    st_lower_bound(some.first, part->first, part->end,
                   bits_of(items[some.first].thread, level) < c);
    st_lower_bound(some.end, some.first, part->end, bits_of(items[some.end].thread, level) <= c);
    return some.first < some.end ? some : empty;
}

bool st_open_before_find(const struct st_open_before *set, uint32_t thread,
                         struct st_before *item) {
    if (!set || (set->level && level_for(thread) > set->level))
        return false;
    struct arrival by = {NULL, 0, 0};
    while (set->level) {
        const struct link *link = find_link(set, bits_of(thread, set->level));
        if (!link)
            return false;
        by = arrive(by, link->by);
        set = link->set;
    }
    uint32_t at;
    st_lower_bound(at, 0, set->count, set->items[at].thread < thread);
    if (at == set->count || set->items[at].thread != thread)
        return false;
    struct part part = {(struct st_open_before *)set, 0, set->count, by};
    *item = item_of(&part, at);
    return true;
}

/* Is something in the part not dead? */
static bool has_live(const struct part *part, const struct st_open_blocks *blocks) {
    const struct st_open_before *set = part->set;
    if (!set || set->level == 0) {
        for (uint32_t i = part->first; i < part->end; i++)
            if (!is_dead(&set->items[i], blocks))
                return true;
        return false;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        struct part below = whole(links_of(set)[i].set, part->by);
        if (has_live(&below, blocks))
            return true;
    }
    return false;
}

static st_time since_of(const struct part *part, const struct st_open_blocks *blocks,
                        st_time oldest) {
    if (part->set && part->by.path) /* the same for all */
        return part->by.since < oldest && has_live(part, blocks) ? part->by.since : oldest;
    for (uint32_t i = part->first; i < part->end; i++) {
        if (part->set->level) {
            const struct link *link = &links_of(part->set)[i];
            struct part below = whole(link->set, link->by);
            oldest = since_of(&below, blocks, oldest);
        } else if (part->set->items[i].since < oldest && !is_dead(&part->set->items[i], blocks)) {
            oldest = part->set->items[i].since;
        }
    }
    return oldest;
}

st_time st_open_before_since(const struct st_open_before *set,
                             const struct st_open_blocks *blocks) {
    struct part all = whole(set, (struct arrival){NULL, 0, 0});
    return since_of(&all, blocks, ST_NEVER);
}

/* Items in order, of which only thread and time are looked at. */
struct walk {
    struct {
        const struct st_open_before *set;
        uint32_t next;
    } steps[32 / PART_BITS + 1];
    uint32_t depth;
};

static void step_down(struct walk *walk, const struct st_open_before *set) {
    walk->steps[walk->depth].set = set;
    walk->steps[walk->depth++].next = 0;
}

/* The next one that is not dead, or NULL. */
static const struct st_before *next_live(struct walk *walk, const struct st_open_blocks *blocks) {
    while (walk->depth) {
        const struct st_open_before *set = walk->steps[walk->depth - 1].set;
        uint32_t at = walk->steps[walk->depth - 1].next++;
        if (!set || at >= set->count)
            walk->depth--;
        else if (set->level)
            step_down(walk, links_of(set)[at].set);
        else if (!is_dead(&set->items[at], blocks))
            return &set->items[at];
    }
    return NULL;
}

bool st_open_before_same(const struct st_open_before *one, const struct st_open_before *other,
                         const struct st_open_blocks *blocks) {
    if (one == other)
        return true;
    struct walk ones = {.depth = 0}, others = {.depth = 0};
    step_down(&ones, one);
    step_down(&others, other);
    for (;;) {
        const struct st_before *a = next_live(&ones, blocks), *b = next_live(&others, blocks);
        if (!a || !b)
            return !a && !b;
        if (a->thread != b->thread || st_blocks_begun(&blocks[a->thread], a->time) !=
                                          st_blocks_begun(&blocks[b->thread], b->time))
            return false;
    }
}

/* ---- making sets ---- */

static struct st_pool *pool_for(struct st_before_pool *pool, uint32_t count) {
    return &pool->sets[count > 1 ? 32 - __builtin_clz(count - 1) : 0];
}

static struct st_open_before *new_node(struct st_before_pool *pool, uint32_t level,
                                       uint32_t count) {
    struct st_open_before *set = st_pool_take(pool_for(pool, count), pool->epoch);
    set->count = count;
    set->level = level;
    set->parts = 0;
    return set;
}

void st_open_before_give(struct st_before_pool *pool, struct st_open_before *set) {
    if (!pool->kept_old)
        st_pool_give(pool_for(pool, set->count), set);
}

/* A set of these items. If there are more than `most`, it is a tree whose root has that level. */
static struct st_open_before *new_set(struct st_before_pool *pool, const struct st_before *items,
                                      uint32_t count, uint32_t most, uint32_t level) {
    if (count <= most) {
        struct st_open_before *set = new_node(pool, 0, count);
        memcpy(set->items, items, count * sizeof *items);
        return set;
    }
    struct link links[PARTS];
    uint32_t parts = 0, found = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t c = bits_of(items[i].thread, level);
        for (end = i; end < count && bits_of(items[end].thread, level) == c;)
            end++;
        parts |= UINT32_C(1) << c;
        links[found++] =
            (struct link){.set = new_set(pool, items + i, end - i, MOST_ITEMS, level - 1)};
    }
    struct st_open_before *set = new_node(pool, level, found);
    set->parts = parts;
    memcpy(links_of(set), links, found * sizeof *links);
    return set;
}

/* The part as a link. A part of a node becomes a node. */
static struct link link_to(struct st_before_pool *pool, const struct part *part) {
    if (part->set->level || part->end - part->first == part->set->count)
        return (struct link){part->set, part->by};
    struct st_open_before *set = new_node(pool, 0, part->end - part->first);
    for (uint32_t i = part->first; i < part->end; i++)
        set->items[i - part->first] = item_of(part, i);
    return (struct link){.set = set};
}

/* ---- joining ---- */

struct joining {
    struct st_before_pool *pool;
    const struct st_open_before *old;
    uint32_t t;
    const struct st_predecessor *predecessor;
    struct st_hop *hop; /* from it; NULL until somebody needs that */
    const struct st_open_blocks *blocks;
    st_time next;
    uint32_t top; /* the level of the root, if it is a tree */
    bool grew;
};

/* Of what the predecessor adds: a part of its set, and itself, if its thread belongs to the part.
 */
struct offer {
    struct part part;
    bool self; /* is still to come */
    struct st_before item;
};

static inline bool next_offer(struct offer *offer, const struct st_predecessor *predecessor) {
    bool more = offer->part.first < offer->part.end;
    if (offer->self &&
        (!more || predecessor->thread < offer->part.set->items[offer->part.first].thread)) {
        offer->self = false;
        offer->item = (struct st_before){.thread = predecessor->thread, .time = predecessor->time};
        return true;
    }
    if (more)
        offer->item = item_of(&offer->part, offer->part.first++);
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

static struct st_hop *hop_of(struct joining *j) {
    if (!j->hop)
        j->hop = new_hop(j->pool, j->predecessor);
    return j->hop;
}

const struct st_hop *st_hop_before(const struct st_hop *hop, uint32_t thread) {
    struct st_before item = {.path = NULL};
    if (hop->thread != thread)
        st_open_before_find(hop->before, thread, &item);
    return item.path;
}

/* Replaces `mine`, which may be nothing, by what is offered of its thread, if that is more, or as
 * much by a shorter path. */
static inline bool improve(struct joining *j, struct st_before *mine,
                           const struct st_before *offered) {
    const struct st_open_blocks *theirs = &j->blocks[offered->thread];
    uint32_t length = offered->length + 1;
    if (offered->time <= mine->time && length >= mine->length)
        return false; /* the quick test; what follows compares blocks instead of times */
    uint32_t had = st_blocks_begun(theirs, mine->time);
    uint32_t now = st_blocks_begun(theirs, offered->time);
    if (now < had || now == 0 || (now == had && length >= mine->length))
        return false;
    j->grew |= now > had;
    *mine = (struct st_before){.thread = offered->thread,
                               .time = offered->time,
                               .since = had ? mine->since : j->next,
                               .length = length,
                               .path = hop_of(j)};
    return true;
}

/* Leaves out what is dead. Returns how many are left. */
static inline uint32_t drop_dead(struct st_before *items, uint32_t count,
                                 const struct st_open_blocks *blocks) {
    uint32_t alive = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_dead(&items[i], blocks))
            items[alive++] = items[i];
    return alive;
}

/* Item by item. The result is in the draft; false: nothing is better than in `mine`. Inline, since
 * for sets that are no trees the compiler then knows that nothing arrived: a quarter of the time.
 */
static inline __attribute__((always_inline)) bool
join_items(struct joining *j, const struct part *mine, struct offer *offer, uint32_t *result) {
    uint32_t count = 0, i = mine->first;
    st_reserve(&j->pool->draft, &j->pool->draft_capacity,
               mine->end - mine->first + (size_t)(offer->part.end - offer->part.first) + 1);
    struct st_before *draft = j->pool->draft;
    bool better = false;
    while (next_offer(offer, j->predecessor)) {
        while (i < mine->end && mine->set->items[i].thread < offer->item.thread)
            draft[count++] = item_of(mine, i++);
        draft[count] = (struct st_before){0}; /* nothing: time 0 is before every begin */
        if (i < mine->end && mine->set->items[i].thread == offer->item.thread)
            draft[count] = item_of(mine, i++);
        if (offer->item.thread != j->t)
            better |= improve(j, &draft[count], &offer->item);
        count += draft[count].path != NULL;
    }
    if (!better)
        return false;
    while (i < mine->end)
        draft[count++] = item_of(mine, i++);
    *result = drop_dead(draft, count, j->blocks);
    return true;
}

/* The bits at this level of a thread that belongs to the node with that number (the bits above), or
 * PARTS if it does not. */
static uint32_t bits_below(uint32_t thread, uint32_t level, uint64_t number) {
    bool belongs = (uint64_t)thread >> (PART_BITS * (level + 1)) == number;
    return belongs ? bits_of(thread, level) : PARTS;
}

static bool join_parts(struct joining *j, const struct part *mine, const struct offer *offer,
                       uint32_t level, uint64_t number, struct link *result);

/* Is there room for what they have in a single node, and for as much again? */
static bool are_few(const struct link *links, uint32_t count) {
    uint32_t items = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].set->level)
            return false;
        items += links[i].set->count;
    }
    return items <= MOST_ITEMS / 2;
}

static struct st_open_before *merge(struct joining *j, const struct link *links, uint32_t count) {
    uint32_t items = 0;
    st_reserve(&j->pool->draft, &j->pool->draft_capacity, MOST_ITEMS);
    for (uint32_t i = 0; i < count; i++) {
        struct part part = whole(links[i].set, links[i].by);
        while (part.first < part.end)
            j->pool->draft[items++] = item_of(&part, part.first++);
    }
    items = drop_dead(j->pool->draft, items, j->blocks);
    return new_set(j->pool, j->pool->draft, items, MOST_ITEMS, 0);
}

/* Part by part. */
static bool join_trees(struct joining *j, const struct part *mine, const struct offer *offer,
                       uint32_t level, uint64_t number, struct link *result) {
    struct part mines[PARTS];
    struct link links[PARTS];
    uint32_t better = 0, parts = 0, count = 0;
    uint32_t self = bits_below(j->predecessor->thread, level, number);
    for (uint32_t c = 0; c < PARTS; c++) {
        mines[c] = part_of(mine, level, c);
        struct offer below = {.part = part_of(&offer->part, level, c),
                              .self = offer->self && c == self};
        if (join_parts(j, &mines[c], &below, level - 1, number << PART_BITS | c, &links[c]))
            better |= UINT32_C(1) << c;
    }
    if (!better)
        return false;
    for (uint32_t c = 0; c < PARTS; c++) {
        struct link link = links[c];
        if (!(better >> c & 1))
            link = mines[c].set ? link_to(j->pool, &mines[c]) : (struct link){.set = NULL};
        if (!link.set || !link.set->count)
            continue;
        j->pool->kept_old |= link.set == j->old;
        parts |= UINT32_C(1) << c;
        links[count++] = link;
    }
    if (are_few(links, count)) {
        *result = (struct link){.set = merge(j, links, count)};
        return true;
    }
    struct st_open_before *set = new_node(j->pool, level, count);
    set->parts = parts;
    memcpy(links_of(set), links, count * sizeof *links);
    *result = (struct link){.set = set};
    return true;
}

/* Joins the parts of the node with that level and number. False: nothing is better than in `mine`.
 */
static bool join_parts(struct joining *j, const struct part *mine, const struct offer *offer,
                       uint32_t level, uint64_t number, struct link *result) {
    const struct part *theirs = &offer->part;
    if (!theirs->set && !offer->self)
        return false;
    bool plain = !offer->self && (uint64_t)j->t >> (PART_BITS * (level + 1)) != number;
    bool is_whole = theirs->set && theirs->end - theirs->first == theirs->set->count;
    if (plain && is_whole && mine->set == theirs->set && theirs->by.length + 1 >= mine->by.length)
        return false; /* the same, and not by a shorter path */
    if (plain && is_whole && !mine->set) {
        if (!has_live(theirs, j->blocks))
            return false;
        struct arrival by = {hop_of(j), j->next, 1};
        *result = (struct link){theirs->set, arrive(by, theirs->by)};
        j->grew = true;
        return true;
    }
    if ((mine->set && mine->set->level) || (theirs->set && theirs->set->level))
        return join_trees(j, mine, offer, level, number, result);
    struct offer items = *offer;
    uint32_t count;
    if (!join_items(j, mine, &items, &count))
        return false;
    uint32_t most = level == j->top ? MOST_FLAT : MOST_ITEMS;
    *result = (struct link){.set = new_set(j->pool, j->pool->draft, count, most, level)};
    return true;
}

/* The set with its root at this level, if it is a tree. */
static struct st_open_before *lift(struct st_before_pool *pool, struct st_open_before *set,
                                   uint32_t level) {
    while (set && set->level && set->level < level) {
        struct st_open_before *root = new_node(pool, set->level + 1, 1);
        root->parts = 1;
        links_of(root)[0] = (struct link){.set = set};
        set = root;
    }
    return set;
}

/* The level that a tree must have for what the set has, which may have only items. */
static uint32_t top_level(const struct st_open_before *set, uint32_t level) {
    if (!set || !set->count)
        return level;
    uint32_t own = set->level ? set->level : level_for(set->items[set->count - 1].thread);
    return own > level ? own : level;
}

/* One of the sets, or both, is a tree, or would be too large for a single node. */
static __attribute__((noinline)) struct st_open_before *join_large(struct joining *j,
                                                                   struct st_open_before *old) {
    const struct arrival here = {NULL, 0, 0};
    struct st_open_before *before = (struct st_open_before *)j->predecessor->before;
    uint32_t level = top_level(before, top_level(old, level_for(j->predecessor->thread)));
    j->top = level;
    struct part mine = whole(lift(j->pool, old, level), here);
    struct offer offer = {.part = whole(lift(j->pool, before, level), here), .self = true};
    struct link result;
    if (!join_parts(j, &mine, &offer, level, 0, &result))
        return old;
    j->pool->kept_old |= mine.set != old; /* as a part of the one that was lifted */
    return result.set;
}

struct st_open_before *st_open_before_join(struct st_before_pool *pool, struct st_open_before *old,
                                           uint32_t t, const struct st_predecessor *predecessor,
                                           const struct st_open_blocks *blocks, st_time next,
                                           bool *grew) {
    const struct arrival here = {NULL, 0, 0};
    struct joining j = {.pool = pool,
                        .old = old,
                        .t = t,
                        .predecessor = predecessor,
                        .blocks = blocks,
                        .next = next};
    struct part mine = whole(old, here);
    struct offer offer = {.part = whole(predecessor->before, here), .self = true};
    struct st_open_before *joined = old;
    uint32_t count;
    pool->kept_old = false;
    if ((mine.set && mine.set->level) || (offer.part.set && offer.part.set->level) ||
        mine.end + offer.part.end >= MOST_FLAT)
        joined = join_large(&j, old);
    else if (join_items(&j, &mine, &offer, &count))
        joined = new_set(pool, pool->draft, count, MOST_FLAT, 0);
    *grew |= j.grew;
    return joined;
}

bool st_before_is_longer(const struct st_before *item, st_time time,
                         const struct st_open_blocks *blocks) {
    const struct st_open_blocks *theirs = &blocks[item->thread];
    return item->length > 1 && st_blocks_begun(theirs, time) == st_blocks_begun(theirs, item->time);
}

/* A copy of the node, in which all arrived as they did in the part. */
static struct st_open_before *copy_node(struct st_before_pool *pool, const struct part *part) {
    struct st_open_before *copy = new_node(pool, part->set->level, part->set->count);
    copy->parts = part->set->parts;
    for (uint32_t i = 0; i < copy->count; i++)
        if (copy->level)
            links_of(copy)[i] = (struct link){links_of(part->set)[i].set,
                                              arrive(part->by, links_of(part->set)[i].by)};
        else
            copy->items[i] = item_of(part, i);
    return copy;
}

static void replace_item(struct st_open_before *set, const struct st_before *item) {
    uint32_t at;
    st_lower_bound(at, 0, set->count, set->items[at].thread < item->thread);
    set->items[at] = *item;
}

/* The part with another item for a thread that has one in it. */
static struct st_open_before *replace(struct st_before_pool *pool, const struct part *part,
                                      const struct st_before *item) {
    struct st_open_before *copy = copy_node(pool, part);
    if (copy->level) {
        struct link *link = (struct link *)find_link(copy, bits_of(item->thread, copy->level));
        struct part below = whole(link->set, link->by);
        *link = (struct link){.set = replace(pool, &below, item)};
        return copy;
    }
    replace_item(copy, item);
    return copy;
}

struct st_open_before *st_open_before_shorten(struct st_before_pool *pool,
                                              struct st_open_before *set, bool unseen,
                                              const struct st_predecessor *predecessor) {
    struct part all = whole(set, (struct arrival){NULL, 0, 0});
    struct st_before item = {.path = NULL};
    st_open_before_find(set, predecessor->thread, &item);
    item.time = predecessor->time;
    item.length = 1;
    item.path = new_hop(pool, predecessor);
    pool->kept_old = false;
    if (!unseen || set->level)
        return replace(pool, &all, &item);
    replace_item(set, &item);
    return set;
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
        if (set->level == 0)
            set->count = drop_dead(set->items, set->count, blocks); /* while nobody reads it */
        for (uint32_t i = 0; i < set->count; i++) {
            struct st_hop *hop = set->level ? links_of(set)[i].by.path : set->items[i].path;
            if (hop && hop->mark != pool->epoch) {
                push_set(pool, &depth, hop->before);
                hop->mark = pool->epoch;
            }
            if (set->level)
                push_set(pool, &depth, links_of(set)[i].set);
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
