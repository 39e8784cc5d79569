#define _GNU_SOURCE /* qsort_r */
#include "predict/model/spare/crossings.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>

/* What a group does with a variable: its pieces that begin first and end last. ST_NUMBER_NONE:
 * there is none. */
struct use {
    uint32_t group;
    uint32_t first_read, first_write, last_read, last_write;
};

struct making {
    struct st_crossings *crossings;
    const struct st_piece_table *table;
    const struct st_periods *periods;
    uint32_t *ranks;  /* by group: its place in the order of groups */
    struct use *uses; /* of one variable, by rank */
    size_t use_count, use_capacity;
};

static uint32_t chain_of(const struct st_piece_table *table, const struct st_periods *periods,
                         uint32_t group) {
    return periods->items[table->groups[group].first_period].chain;
}

/* ---- lists ---- */

static int by_end(const void *left, const void *right) {
    const struct st_crossing *a = left, *b = right;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->begin < b->begin) - (a->begin > b->begin);
}

/* Sorts the list, and drops what other crossings are no worse than. */
static void put_in_order(struct st_crossing_list *list) {
    size_t kept = list->count;
    if (list->sorted == list->count)
        return;
    qsort(list->items, list->count, sizeof *list->items, by_end);
    for (size_t i = list->count; i-- > 0;)
        if (kept == list->count || list->items[i].begin < list->items[kept].begin)
            list->items[--kept] = list->items[i];
    for (size_t i = kept; i < list->count; i++)
        list->items[i - kept] = list->items[i];
    list->sorted = list->count -= kept;
}

const struct st_crossing *st_crossing_from(const struct st_crossing_list *list, uint64_t position) {
    size_t at;
    st_lower_bound(at, 0, list->sorted, list->items[at].end < position);
    return at < list->sorted ? &list->items[at] : NULL;
}

static struct st_crossing_list *list_of(struct making *making, uint32_t from, uint32_t to) {
    struct st_crossings *crossings = making->crossings;
    uint32_t number = st_map64_number(&crossings->numbers, (uint64_t)from << 32 | to);
    if (number == crossings->list_count) {
        st_reserve(&crossings->lists, &crossings->list_capacity, crossings->list_count + 1);
        crossings->lists[crossings->list_count++] =
            (struct st_crossing_list){.from = from, .to = to};
    }
    return &crossings->lists[number];
}

static void add_crossing(struct making *making, struct st_crossing_list *list, uint32_t leaves,
                         uint32_t enters) {
    enum { FEW = 64 };
    if (leaves == ST_NUMBER_NONE || enters == ST_NUMBER_NONE)
        return;
    const struct st_piece *items = making->table->items;
    const struct st_crossing crossing = {items[leaves].end, items[enters].begin, leaves, enters};
    const struct st_crossing *known = st_crossing_from(list, crossing.end);
    if (known && known->begin <= crossing.begin)
        return;
    if (list->count >= FEW && list->count >= 2 * list->sorted)
        put_in_order(list);
    st_reserve(&list->items, &list->capacity, list->count + 1);
    list->items[list->count++] = crossing;
}

/* ---- a variable ---- */

static void note_first(const struct making *making, uint32_t *known, uint32_t piece) {
    const struct st_piece *items = making->table->items;
    if (*known == ST_NUMBER_NONE || items[piece].begin < items[*known].begin)
        *known = piece;
}

static void note_last(const struct making *making, uint32_t *known, uint32_t piece) {
    const struct st_piece *items = making->table->items;
    if (*known == ST_NUMBER_NONE || items[piece].end > items[*known].end)
        *known = piece;
}

static int by_rank(const void *left, const void *right, void *context) {
    const uint32_t *ranks = context;
    const struct use *a = left, *b = right;
    return (ranks[a->group] > ranks[b->group]) - (ranks[a->group] < ranks[b->group]);
}

/* One for each piece, and then those of one group together. */
static void list_uses(struct making *making, struct st_piece_range range) {
    making->use_count = 0;
    st_reserve(&making->uses, &making->use_capacity, range.end - range.first);
    for (size_t i = range.first; i < range.end; i++) {
        const struct st_piece *piece = &making->table->items[i];
        uint32_t number = (uint32_t)i;
        struct use use = {piece->group, ST_NUMBER_NONE, ST_NUMBER_NONE, ST_NUMBER_NONE,
                          ST_NUMBER_NONE};
        *(piece->writes ? &use.first_write : &use.first_read) = number;
        *(piece->writes ? &use.last_write : &use.last_read) = number;
        making->uses[making->use_count++] = use;
    }
    qsort_r(making->uses, making->use_count, sizeof *making->uses, by_rank, making->ranks);
}

static void join_use(const struct making *making, struct use *use, const struct use *other) {
    if (other->first_read != ST_NUMBER_NONE) {
        note_first(making, &use->first_read, other->first_read);
        note_last(making, &use->last_read, other->last_read);
    } else {
        note_first(making, &use->first_write, other->first_write);
        note_last(making, &use->last_write, other->last_write);
    }
}

static void join_uses(struct making *making) {
    size_t kept = 0;
    for (size_t i = 1; i < making->use_count; i++)
        if (making->uses[i].group == making->uses[kept].group)
            join_use(making, &making->uses[kept], &making->uses[i]);
        else
            making->uses[++kept] = making->uses[i];
    making->use_count = kept + 1;
}

/* A write meets all accesses, a read meets writes. */
static void cross(struct making *making, const struct use *from, const struct use *to,
                  bool is_signal) {
    if (!st_groups_concurrent(&making->table->groups[from->group],
                              &making->table->groups[to->group], making->periods))
        return;
    struct st_crossing_list *list = list_of(making, from->group, to->group);
    add_crossing(making, list, from->last_write, to->first_write);
    add_crossing(making, list, from->last_write, to->first_read);
    if (!is_signal)
        add_crossing(making, list, from->last_read, to->first_write);
}

/* In each chain, those that can run at the same time as a group are next to each other. */
static void cross_all(struct making *making, bool is_signal) {
    const struct st_piece_group *groups = making->table->groups;
    const struct st_periods *periods = making->periods;
    const struct use *uses = making->uses;
    size_t count = making->use_count;
    for (size_t i = 0; i < count; i++)
        for (size_t first = 0, end; first < count; first = end) {
            const struct st_piece_group *group = &groups[uses[i].group];
            uint32_t chain = chain_of(making->table, periods, uses[first].group);
            size_t at, stop;
            st_lower_bound(end, first, count,
                           chain_of(making->table, periods, uses[end].group) <= chain);
            st_lower_bound(
                at, first, end,
                st_period_before(periods, making->crossings->latest[making->ranks[uses[at].group]],
                                 group->first_period));
            st_lower_bound(stop, at, end,
                           !st_period_before(periods, group->last_period,
                                             groups[uses[stop].group].first_period));
            for (; at < stop; at++)
                cross(making, &uses[i], &uses[at], is_signal);
        }
}

/* ---- all of them ---- */

static int by_chain(const void *left, const void *right, void *context) {
    const struct making *making = context;
    const struct st_piece_group *a = &making->table->groups[*(const uint32_t *)left];
    const struct st_piece_group *b = &making->table->groups[*(const uint32_t *)right];
    const struct st_period *x = &making->periods->items[a->first_period];
    const struct st_period *y = &making->periods->items[b->first_period];
    if (x->chain != y->chain)
        return x->chain < y->chain ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (a->last_period > b->last_period) - (a->last_period < b->last_period);
}

static void rank_groups(struct making *making) {
    struct st_crossings *crossings = making->crossings;
    const struct st_period *periods = making->periods->items;
    size_t count = making->table->group_count;
    crossings->order = st_alloc(count + 1, sizeof *crossings->order);
    crossings->latest = st_alloc(count + 1, sizeof *crossings->latest);
    making->ranks = st_alloc(count + 1, sizeof *making->ranks);
    for (size_t i = 0; i < count; i++)
        crossings->order[i] = (uint32_t)i;
    qsort_r(crossings->order, count, sizeof *crossings->order, by_chain, making);
    for (size_t i = 0; i < count; i++) {
        uint32_t last = making->table->groups[crossings->order[i]].last_period;
        uint32_t before = i ? crossings->latest[i - 1] : last;
        bool later = periods[before].chain == periods[last].chain &&
                     periods[before].index > periods[last].index;
        making->ranks[crossings->order[i]] = (uint32_t)i;
        crossings->latest[i] = later ? before : last;
    }
}

size_t st_crossings_near(const struct st_crossings *crossings, const struct st_piece_table *table,
                         const struct st_periods *periods, const struct st_piece_group *group,
                         uint32_t *near) {
    const uint32_t *order = crossings->order;
    size_t count = table->group_count, found = 0;
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t chain = chain_of(table, periods, order[first]);
        size_t at, stop;
        st_lower_bound(end, first, count, chain_of(table, periods, order[end]) <= chain);
        st_lower_bound(at, first, end,
                       st_period_before(periods, crossings->latest[at], group->first_period));
        st_lower_bound(stop, at, end,
                       !st_period_before(periods, group->last_period,
                                         table->groups[order[stop]].first_period));
        for (; at < stop; at++)
            if (st_groups_concurrent(group, &table->groups[order[at]], periods))
                near[found++] = order[at];
    }
    return found;
}

static int by_groups(const void *left, const void *right) {
    const struct st_crossing_list *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void finish_lists(struct st_crossings *crossings, size_t group_count) {
    for (size_t i = 0; i < crossings->list_count; i++)
        put_in_order(&crossings->lists[i]);
    if (crossings->list_count)
        qsort(crossings->lists, crossings->list_count, sizeof *crossings->lists, by_groups);
    crossings->first = st_alloc(group_count + 1, sizeof *crossings->first);
    for (size_t group = 0, list = 0; group <= group_count; group++) {
        while (list < crossings->list_count && crossings->lists[list].from < group)
            list++;
        crossings->first[group] = list;
    }
    st_map64_free(&crossings->numbers);
}

void st_crossings_make(struct st_crossings *crossings, const struct st_piece_table *table,
                       const struct st_periods *periods, uint32_t first_signal) {
    struct making making = {.crossings = crossings, .table = table, .periods = periods};
    *crossings = (struct st_crossings){0};
    st_map64_init(&crossings->numbers);
    rank_groups(&making);
    for (size_t i = 0; i < table->count;) {
        struct st_piece_range range = st_pieces_of(table, table->items[i].variable);
        bool is_signal = table->items[i].variable >= first_signal;
        i = range.end;
        if (range.end == range.first + 1)
            continue;
        list_uses(&making, range);
        join_uses(&making);
        cross_all(&making, is_signal);
    }
    finish_lists(crossings, table->group_count);
    free(making.ranks);
    free(making.uses);
}

void st_crossings_free(struct st_crossings *crossings) {
    for (size_t i = 0; i < crossings->list_count; i++)
        free(crossings->lists[i].items);
    free(crossings->lists);
    free(crossings->first);
    free(crossings->order);
    free(crossings->latest);
    st_map64_free(&crossings->numbers);
    *crossings = (struct st_crossings){0};
}
