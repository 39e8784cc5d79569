/* An item is open while some of its steps have been made and others have not. The last step of a
 * cycle enters an item that is open, so only what must come after an open item can close a cycle.
 * So it is enough to know, for each access that may still matter and for each thread, which open
 * items it must come after. These are a set of lanes, since a lane has at most one open item.
 *
 * The sets are transitively closed: what comes after an item comes after everything that the item
 * comes after. So an item can be forgotten when it ends, because the sets already contain what it
 * came after.
 *
 * A lock held from item to item counts like a variable that its acquire and release write and that
 * other uses of the lock read: a serial schedule must keep those apart. */
#include "predict/blocks/exact/cycles.h"

#include "base/memory.h"

#include <stdlib.h>
#include <xxhash.h>

#define NO_LANE UINT64_MAX

struct change {
    uint64_t *word;
    uint64_t old;
};

/* Columns are variables, followed by locks. */
struct st_cycles {
    const struct st_group *group;
    size_t lanes, columns;
    uint64_t *items;   /* by lane: what its open item comes after */
    uint64_t *futures; /* by lane: what all its later items come after */
    uint64_t *writers; /* by column: the lane of the last write, or NO_LANE */
    uint64_t *writes;  /* by column: what the last write comes after, its own item included */
    uint64_t *reads;   /* by column and lane: the same for reads since then */
    size_t *used;      /* columns that may have a nonempty set; each once */
    bool *is_used;
    size_t used_count;
    struct change *changes;
    size_t change_count, change_capacity;
};

struct st_cycles *st_cycles_new(const struct st_group *group) {
    struct st_cycles *cycles = st_alloc(1, sizeof *cycles);
    cycles->group = group;
    cycles->lanes = group->lane_count;
    cycles->columns = (size_t)group->variable_count + group->lock_count;
    cycles->items = st_alloc(cycles->lanes + 1, sizeof(uint64_t));
    cycles->futures = st_alloc(cycles->lanes + 1, sizeof(uint64_t));
    cycles->writers = st_alloc(cycles->columns + 1, sizeof(uint64_t));
    cycles->writes = st_alloc(cycles->columns + 1, sizeof(uint64_t));
    cycles->reads = st_alloc(cycles->columns * cycles->lanes + 1, sizeof(uint64_t));
    cycles->used = st_alloc(cycles->columns + 1, sizeof *cycles->used);
    cycles->is_used = st_alloc(cycles->columns + 1, sizeof *cycles->is_used);
    for (size_t i = 0; i < cycles->columns; i++)
        cycles->writers[i] = NO_LANE;
    return cycles;
}

void st_cycles_free(struct st_cycles *cycles) {
    if (!cycles)
        return;
    free(cycles->items);
    free(cycles->futures);
    free(cycles->writers);
    free(cycles->writes);
    free(cycles->reads);
    free(cycles->used);
    free(cycles->is_used);
    free(cycles->changes);
    free(cycles);
}

static void set(struct st_cycles *cycles, uint64_t *word, uint64_t value) {
    if (*word == value)
        return;
    st_reserve(&cycles->changes, &cycles->change_capacity, cycles->change_count + 1);
    cycles->changes[cycles->change_count++] = (struct change){word, *word};
    *word = value;
}

size_t st_cycles_mark(const struct st_cycles *cycles) {
    return cycles->change_count;
}

/* Columns stay in `used`; the next scan drops those without a set. */
void st_cycles_undo(struct st_cycles *cycles, size_t mark) {
    while (cycles->change_count > mark) {
        struct change *change = &cycles->changes[--cycles->change_count];
        *change->word = change->old;
    }
}

static void use(struct st_cycles *cycles, size_t column) {
    if (!cycles->is_used[column]) {
        cycles->is_used[column] = true;
        cycles->used[cycles->used_count++] = column;
    }
}

/* Whatever comes after the lane's open item now also comes after `more`; or, with `forget`, the
 * lane itself is removed. */
static void change_all(struct st_cycles *cycles, uint32_t lane, uint64_t more, bool forget) {
    uint64_t bit = UINT64_C(1) << lane;
#define CHANGE(word)                                                                               \
    do {                                                                                           \
        if (*(word)&bit)                                                                           \
            set(cycles, (word), forget ? *(word) & ~bit : *(word) | more);                         \
    } while (0)
    for (size_t i = 0; i < cycles->lanes; i++) {
        CHANGE(&cycles->items[i]);
        CHANGE(&cycles->futures[i]);
    }
    for (size_t i = 0; i < cycles->used_count; i++) {
        size_t column = cycles->used[i];
        CHANGE(&cycles->writes[column]);
        for (size_t k = 0; k < cycles->lanes; k++)
            CHANGE(&cycles->reads[column * cycles->lanes + k]);
    }
#undef CHANGE
}

/* Puts the lane's open item after all of these. True if it is one of them. */
static bool put_behind(struct st_cycles *cycles, uint32_t lane, uint64_t these) {
    uint64_t more = these & ~cycles->items[lane];
    if (these >> lane & 1)
        return true;
    if (!more)
        return false;
    set(cycles, &cycles->items[lane], cycles->items[lane] | more);
    change_all(cycles, lane, more, false);
    return false;
}

static bool meet_write(struct st_cycles *cycles, uint32_t lane, size_t column) {
    return cycles->writers[column] != lane && put_behind(cycles, lane, cycles->writes[column]);
}

static bool meet_reads(struct st_cycles *cycles, uint32_t lane, size_t column) {
    for (uint32_t i = 0; i < cycles->lanes; i++)
        if (i != lane && put_behind(cycles, lane, cycles->reads[column * cycles->lanes + i]))
            return true;
    return false;
}

static bool make_access(struct st_cycles *cycles, uint32_t lane, size_t column, bool write) {
    if (meet_write(cycles, lane, column) || (write && meet_reads(cycles, lane, column)))
        return true;
    uint64_t self = cycles->items[lane] | UINT64_C(1) << lane;
    use(cycles, column);
    if (!write) {
        set(cycles, &cycles->reads[column * cycles->lanes + lane], self);
        return false;
    }
    set(cycles, &cycles->writers[column], lane);
    set(cycles, &cycles->writes[column], self);
    for (size_t i = 0; i < cycles->lanes; i++)
        set(cycles, &cycles->reads[column * cycles->lanes + i], 0);
    return false;
}

/* The item comes after what its thread did, and after what other threads must have done before. */
static void begin_item(struct st_cycles *cycles, uint32_t lane, uint32_t item) {
    const struct st_window *window = st_item_window(cycles->group, item);
    uint64_t behind = cycles->futures[lane];
    for (size_t i = 0; i < cycles->lanes; i++)
        if (window->from[i])
            behind |= cycles->futures[i];
    set(cycles, &cycles->items[lane], behind);
}

static void end_item(struct st_cycles *cycles, uint32_t lane) {
    set(cycles, &cycles->futures[lane], cycles->futures[lane] | cycles->items[lane]);
    set(cycles, &cycles->items[lane], 0);
    change_all(cycles, lane, 0, true);
}

bool st_cycles_step(struct st_cycles *cycles, uint32_t lane, size_t place) {
    const struct st_exact_step *step = &cycles->group->lanes[lane].steps[place];
    const struct st_item *item = &cycles->group->items[step->item];
    bool access = st_is_access_step(step), closed;
    if (place == item->first)
        begin_item(cycles, lane, step->item);
    closed = make_access(
        cycles, lane, access ? step->target : (size_t)cycles->group->variable_count + step->target,
        access ? step->kind == ST_TOKEN_WRITE : st_stays_apart(cycles->group, step));
    if (place + 1 == item->end)
        end_item(cycles, lane);
    return closed;
}

static void add(XXH128_hash_t *sum, const uint64_t *words, size_t count, uint64_t seed) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(words, count * sizeof *words, seed);
    sum->low64 += hash.low64;
    sum->high64 += hash.high64;
}

/* A sum, because columns are in no particular order. */
XXH128_hash_t st_cycles_hash(const struct st_cycles *cycles) {
    XXH128_hash_t sum = {0};
    add(&sum, cycles->items, cycles->lanes, 0);
    add(&sum, cycles->futures, cycles->lanes, 1);
    for (size_t i = 0; i < cycles->used_count; i++) {
        size_t column = cycles->used[i];
        if (cycles->writes[column]) {
            uint64_t words[3] = {column, cycles->writers[column], cycles->writes[column]};
            add(&sum, words, 3, 0);
        }
        for (size_t k = 0; k < cycles->lanes; k++) {
            uint64_t words[3] = {column, k, cycles->reads[column * cycles->lanes + k]};
            if (words[2])
                add(&sum, words, 3, 2);
        }
    }
    return sum;
}
