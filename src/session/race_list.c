#include "session/race_list.h"

#include "base/memory.h"
#include "report/calls.h"

#include <stdlib.h>
#include <string.h>

/* How many pairs are shown. More are kept, because pairs that differ only in their callers look
 * the same. */
enum { SHOWN = 10, KEPT = 32 };

static bool same_places(const struct st_race_pair *pair, const struct st_place *from,
                        const struct st_place *to) {
    return pair->to.event.target == to->event.target && pair->from.event.loc == from->event.loc &&
           pair->to.event.loc == to->event.loc;
}

static void note(void *context, const struct st_place *from, const struct st_place *to) {
    struct st_race_list *list = context;
    list->accesses++;
    list->variables += st_bits_add(&list->racing, to->event.target);
    for (size_t i = 0; i < list->pair_count; i++) {
        if (same_places(&list->pairs[i], from, to)) {
            list->pairs[i].count++;
            return;
        }
    }
    if (list->pair_count == KEPT)
        return;
    st_reserve(&list->pairs, &list->pair_capacity, list->pair_count + 1);
    list->pairs[list->pair_count++] = (struct st_race_pair){*from, *to, 1};
}

void st_race_list_init(struct st_race_list *list) {
    *list = (struct st_race_list){.races = st_races_new(note, list)};
}

void st_race_list_free(struct st_race_list *list) {
    st_races_free(list->races);
    st_bits_free(&list->racing);
    free(list->pairs);
}

void st_race_list_feed(struct st_race_list *list, const struct st_event *events, size_t count,
                       uint64_t first) {
    st_races_feed(list->races, events, count, first);
}

void st_race_list_forget(struct st_race_list *list, const struct st_variable_run *ended,
                         size_t count) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < ended[i].count; n++)
            st_races_forget(list->races, ended[i].first + n);
}

const char *st_race_list_gave_up(const struct st_race_list *list) {
    return st_races_gave_up(list->races);
}

static bool same_location(const struct st_symbols *symbols, uint64_t one, uint64_t other) {
    char first[ST_LOCATION_SIZE], second[ST_LOCATION_SIZE];
    return one == other || strcmp(st_user_location(symbols, NULL, one, first),
                                  st_user_location(symbols, NULL, other, second)) == 0;
}

static bool look_same(const struct st_symbols *symbols, const struct st_race_pair *one,
                      const struct st_race_pair *other) {
    return one->from.event.op == other->from.event.op && one->to.event.op == other->to.event.op &&
           one->to.event.target == other->to.event.target &&
           same_location(symbols, one->from.event.loc, other->from.event.loc) &&
           same_location(symbols, one->to.event.loc, other->to.event.loc);
}

void st_race_list_finish(struct st_race_list *list, const struct st_symbols *symbols) {
    size_t kept = 0;
    for (size_t i = 0; i < list->pair_count; i++) {
        size_t k = 0;
        while (k < kept && !look_same(symbols, &list->pairs[k], &list->pairs[i]))
            k++;
        if (k < kept)
            list->pairs[k].count += list->pairs[i].count;
        else
            list->pairs[kept++] = list->pairs[i];
    }
    list->pair_count = kept < SHOWN ? kept : SHOWN;
}
