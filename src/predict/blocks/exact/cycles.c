/* An item is open while some of its steps are made and others are not. Only what must come behind
 * an open item can close a ring, because the last step of a ring enters one that is open. So it is
 * enough to know, for each access that may still matter and for each thread, behind which open
 * items it must come: as a set of lanes, which have one open item at most.
 *
 * Sets are closed: what is behind an item is behind all that it is behind. An item that ends can be
 * forgotten then, for what it was behind is in the sets.
 *
 * A lock that is held from item to item counts like a variable, which its acquire and release write
 * and which other uses of the lock read: a serial schedule must keep those apart. */
#include "predict/blocks/exact/cycles.h"

#include "base/memory.h"

#include <stdlib.h>
#include <xxhash.h>

#define NO_LANE UINT64_MAX

struct change {
    uint64_t *word;
    uint64_t old;
};

/* Columns are variables and then locks. */
struct st_rings {
    const struct st_group *group;
    size_t lanes, columns;
    uint64_t *items;   /* by lane: behind what its open item is */
    uint64_t *futures; /* by lane: behind what all its later items are */
    uint64_t *writers; /* by column: the lane of the last write, or NO_LANE */
    uint64_t *writes;  /* by column: behind what the last write is, its own item included */
    uint64_t *reads;   /* by column and lane: the same of reads since then */
    size_t *used;      /* columns with a set that is not empty, maybe; each once */
    bool *is_used;
    size_t used_count;
    struct change *changes;
    size_t change_count, change_capacity;
};

struct st_rings *st_rings_new(const struct st_group *group) {
    struct st_rings *rings = st_alloc(1, sizeof *rings);
    rings->group = group;
    rings->lanes = group->lane_count;
    rings->columns = (size_t)group->variable_count + group->lock_count;
    rings->items = st_alloc(rings->lanes + 1, sizeof(uint64_t));
    rings->futures = st_alloc(rings->lanes + 1, sizeof(uint64_t));
    rings->writers = st_alloc(rings->columns + 1, sizeof(uint64_t));
    rings->writes = st_alloc(rings->columns + 1, sizeof(uint64_t));
    rings->reads = st_alloc(rings->columns * rings->lanes + 1, sizeof(uint64_t));
    rings->used = st_alloc(rings->columns + 1, sizeof *rings->used);
    rings->is_used = st_alloc(rings->columns + 1, sizeof *rings->is_used);
    for (size_t i = 0; i < rings->columns; i++)
        rings->writers[i] = NO_LANE;
    return rings;
}

void st_rings_free(struct st_rings *rings) {
    if (!rings)
        return;
    free(rings->items);
    free(rings->futures);
    free(rings->writers);
    free(rings->writes);
    free(rings->reads);
    free(rings->used);
    free(rings->is_used);
    free(rings->changes);
    free(rings);
}

static void set(struct st_rings *rings, uint64_t *word, uint64_t value) {
    if (*word == value)
        return;
    st_reserve(&rings->changes, &rings->change_capacity, rings->change_count + 1);
    rings->changes[rings->change_count++] = (struct change){word, *word};
    *word = value;
}

size_t st_rings_mark(const struct st_rings *rings) {
    return rings->change_count;
}

/* Columns stay in `used`; those without a set are dropped by the next scan. */
void st_rings_undo(struct st_rings *rings, size_t mark) {
    while (rings->change_count > mark) {
        struct change *change = &rings->changes[--rings->change_count];
        *change->word = change->old;
    }
}

static void use(struct st_rings *rings, size_t column) {
    if (!rings->is_used[column]) {
        rings->is_used[column] = true;
        rings->used[rings->used_count++] = column;
    }
}

/* Whatever is behind the lane's open item also becomes one behind `more`; or, with `forget`, the
 * lane itself is taken out. */
static void change_all(struct st_rings *rings, uint32_t lane, uint64_t more, bool forget) {
    uint64_t bit = UINT64_C(1) << lane;
#define CHANGE(word)                                                                               \
    do {                                                                                           \
        if (*(word)&bit)                                                                           \
            set(rings, (word), forget ? *(word) & ~bit : *(word) | more);                          \
    } while (0)
    for (size_t i = 0; i < rings->lanes; i++) {
        CHANGE(&rings->items[i]);
        CHANGE(&rings->futures[i]);
    }
    for (size_t i = 0; i < rings->used_count; i++) {
        size_t column = rings->used[i];
        CHANGE(&rings->writes[column]);
        for (size_t k = 0; k < rings->lanes; k++)
            CHANGE(&rings->reads[column * rings->lanes + k]);
    }
#undef CHANGE
}

/* The lane's open item comes behind all of these. True when it is among them. */
static bool put_behind(struct st_rings *rings, uint32_t lane, uint64_t these) {
    uint64_t more = these & ~rings->items[lane];
    if (these >> lane & 1)
        return true;
    if (!more)
        return false;
    set(rings, &rings->items[lane], rings->items[lane] | more);
    change_all(rings, lane, more, false);
    return false;
}

static bool meet_write(struct st_rings *rings, uint32_t lane, size_t column) {
    return rings->writers[column] != lane && put_behind(rings, lane, rings->writes[column]);
}

static bool meet_reads(struct st_rings *rings, uint32_t lane, size_t column) {
    for (uint32_t i = 0; i < rings->lanes; i++)
        if (i != lane && put_behind(rings, lane, rings->reads[column * rings->lanes + i]))
            return true;
    return false;
}

static bool make_access(struct st_rings *rings, uint32_t lane, size_t column, bool write) {
    if (meet_write(rings, lane, column) || (write && meet_reads(rings, lane, column)))
        return true;
    uint64_t self = rings->items[lane] | UINT64_C(1) << lane;
    use(rings, column);
    if (!write) {
        set(rings, &rings->reads[column * rings->lanes + lane], self);
        return false;
    }
    set(rings, &rings->writers[column], lane);
    set(rings, &rings->writes[column], self);
    for (size_t i = 0; i < rings->lanes; i++)
        set(rings, &rings->reads[column * rings->lanes + i], 0);
    return false;
}

/* It comes behind what its thread did, and behind what other threads must have done before. */
static void begin_item(struct st_rings *rings, uint32_t lane, uint32_t item) {
    const struct st_window *window = st_item_window(rings->group, item);
    uint64_t behind = rings->futures[lane];
    for (size_t i = 0; i < rings->lanes; i++)
        if (window->from[i])
            behind |= rings->futures[i];
    set(rings, &rings->items[lane], behind);
}

static void end_item(struct st_rings *rings, uint32_t lane) {
    set(rings, &rings->futures[lane], rings->futures[lane] | rings->items[lane]);
    set(rings, &rings->items[lane], 0);
    change_all(rings, lane, 0, true);
}

bool st_rings_step(struct st_rings *rings, uint32_t lane, size_t place) {
    const struct st_step *step = &rings->group->lanes[lane].steps[place];
    const struct st_item *item = &rings->group->items[step->item];
    bool access = st_is_access_step(step), ring;
    if (place == item->first)
        begin_item(rings, lane, step->item);
    ring = make_access(rings, lane,
                       access ? step->target : (size_t)rings->group->variable_count + step->target,
                       access ? step->kind == ST_TOKEN_WRITE : step->lasting);
    if (place + 1 == item->end)
        end_item(rings, lane);
    return ring;
}

/* A sum, because columns are in no particular order. */
uint64_t st_rings_hash(const struct st_rings *rings) {
    uint64_t sum = XXH3_64bits(rings->items, rings->lanes * sizeof *rings->items) +
                   XXH3_64bits_withSeed(rings->futures, rings->lanes * sizeof *rings->futures, 1);
    for (size_t i = 0; i < rings->used_count; i++) {
        size_t column = rings->used[i];
        if (rings->writes[column]) {
            uint64_t words[3] = {column, rings->writers[column], rings->writes[column]};
            sum += XXH3_64bits(words, sizeof words);
        }
        for (size_t k = 0; k < rings->lanes; k++) {
            uint64_t words[3] = {column, k, rings->reads[column * rings->lanes + k]};
            if (words[2])
                sum += XXH3_64bits_withSeed(words, sizeof words, 2);
        }
    }
    return sum;
}
