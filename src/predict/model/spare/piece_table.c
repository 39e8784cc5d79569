#include "predict/model/spare/piece_table.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 256 };

void st_pieces_free(struct st_piece_table *table) {
    st_free_table(table->items, table->capacity, sizeof *table->items);
    st_numbers_free(&table->numbers);
    free(table->groups);
    st_numbers_free(&table->group_numbers);
    free(table->first);
    *table = (struct st_piece_table){0};
}

/* ---- groups ---- */

struct wanted_group {
    const struct st_piece_group *groups, *like;
};

static bool is_group(const void *context, uint32_t number) {
    const struct wanted_group *wanted = context;
    const struct st_piece_group *a = &wanted->groups[number], *b = wanted->like;
    return a->thread == b->thread && a->first_period == b->first_period &&
           a->last_period == b->last_period;
}

uint32_t st_piece_group_of(struct st_piece_table *table, const struct st_piece_group *like) {
    const struct wanted_group wanted = {table->groups, like};
    uint64_t hash = XXH3_64bits(like, sizeof *like);
    if (!table->group_count)
        st_numbers_grow(&table->group_numbers, FIRST_SLOTS);
    uint32_t known = st_numbers_find(&table->group_numbers, hash, is_group, &wanted);
    if (known != ST_NUMBER_NONE)
        return known;
    st_reserve(&table->groups, &table->group_capacity, table->group_count + 1);
    table->groups[table->group_count] = *like;
    st_numbers_add(&table->group_numbers, hash, (uint32_t)table->group_count);
    return (uint32_t)table->group_count++;
}

bool st_groups_concurrent(const struct st_piece_group *left, const struct st_piece_group *right,
                          const struct st_periods *periods) {
    return left->thread != right->thread &&
           !st_period_before(periods, left->last_period, right->first_period) &&
           !st_period_before(periods, right->last_period, left->first_period);
}

/* ---- pieces ---- */

struct wanted {
    const struct st_piece *items, *like;
};

static bool is_alike(const void *context, uint32_t number) {
    const struct wanted *wanted = context;
    const struct st_piece *a = &wanted->items[number], *b = wanted->like;
    return a->variable == b->variable && a->lockset == b->lockset && a->group == b->group &&
           a->writes == b->writes;
}

static uint64_t hash_piece(const struct st_piece *piece) {
    const uint32_t key[] = {piece->variable, piece->lockset,
                            (uint32_t)piece->group << 1 | piece->writes};
    return XXH3_64bits(key, sizeof key);
}

struct st_piece *st_pieces_add(struct st_piece_table *table, const struct st_piece *piece) {
    const struct wanted wanted = {table->items, piece};
    uint64_t hash = hash_piece(piece);
    if (!table->count)
        st_numbers_grow(&table->numbers, FIRST_SLOTS);
    uint32_t known = st_numbers_find(&table->numbers, hash, is_alike, &wanted);
    if (known != ST_NUMBER_NONE) {
        table->items[known].end = piece->end;
        return NULL;
    }
    st_numbers_add(&table->numbers, hash, (uint32_t)table->count);
    st_reserve_table(&table->items, &table->capacity, table->count + 1);
    table->items[table->count] = *piece;
    return &table->items[table->count++];
}

/* ---- sorting ---- */

static int by_access(const void *left, const void *right) {
    const struct st_piece *a = left, *b = right;
    if (a->lockset != b->lockset)
        return a->lockset < b->lockset ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (int)a->writes - (int)b->writes;
}

/* Gives each variable its places, in the order in which variables came first: table->first has the
 * first of them plus 1. In `next`, the same for the next one that is free. */
static void give_places(struct st_piece_table *table, uint32_t *next) {
    uint32_t used = 0;
    for (size_t i = 0; i < table->count; i++)
        next[table->items[i].variable]++;
    for (size_t i = 0; i < table->count; i++) {
        uint32_t variable = table->items[i].variable;
        if (table->first[variable])
            continue;
        uint32_t count = next[variable];
        table->first[variable] = next[variable] = used + 1;
        used += count;
    }
}

/* Each is moved to its place at once, without room for a second table. */
static void sort_by_variable(struct st_piece_table *table, uint32_t *next) {
    for (size_t i = 0; i < table->count;) {
        struct st_piece *piece = &table->items[i];
        uint32_t first = table->first[piece->variable] - 1, place = next[piece->variable] - 1;
        if (i >= first && i < place) { /* it is there */
            i++;
            continue;
        }
        next[piece->variable]++;
        struct st_piece moved = *piece;
        *piece = table->items[place];
        table->items[place] = moved;
    }
}

void st_pieces_finish(struct st_piece_table *table, size_t variable_count) {
    st_numbers_free(&table->numbers);
    st_numbers_free(&table->group_numbers);
    table->variable_count = variable_count;
    table->first = st_alloc(variable_count + 1, sizeof *table->first);
    uint32_t *next = st_alloc(variable_count + 1, sizeof *next);
    give_places(table, next);
    sort_by_variable(table, next);
    free(next);
    for (size_t i = 0; i < table->count;) {
        struct st_piece_range range = st_pieces_of(table, table->items[i].variable);
        if (range.end > i + 1)
            qsort(table->items + i, range.end - i, sizeof *table->items, by_access);
        i = range.end;
    }
}

struct st_piece_range st_pieces_of(const struct st_piece_table *table, uint32_t variable) {
    if (variable >= table->variable_count || !table->first[variable])
        return (struct st_piece_range){0, 0};
    size_t first = table->first[variable] - 1, step = 1, end;
    while (first + step < table->count && table->items[first + step].variable == variable)
        step *= 2;
    size_t most = first + step < table->count ? first + step : table->count;
    st_lower_bound(end, first + step / 2, most, table->items[end].variable == variable);
    return (struct st_piece_range){first, end};
}
