/* The data races of a trace, counted, with the first few of them. */
#ifndef SERIATIM_SESSION_RACE_LIST_H
#define SERIATIM_SESSION_RACE_LIST_H

#include "base/bits.h"
#include "check/races/races.h"
#include "trace/symbols.h"

/* Two accesses that race, and how many accesses to the variable raced in the same places. */
struct st_race_pair {
    struct st_place from, to;
    uint64_t count;
};

/* Invariant: no two pairs are of the same variable and of the same two locations. */
struct st_race_list {
    struct st_races *races;
    uint64_t accesses, variables; /* that race */
    struct st_bits racing;        /* variables */
    struct st_race_pair *pairs;   /* the first ones */
    size_t pair_count, pair_capacity;
};

void st_race_list_init(struct st_race_list *list);
void st_race_list_free(struct st_race_list *list);

void st_race_list_feed(struct st_race_list *list, const struct st_event *events, size_t count,
                       uint64_t first);

/* The lives of these variables have ended. */
void st_race_list_forget(struct st_race_list *list, const struct st_variable_run *ended,
                         size_t count);

/* Was the trace too long for this analysis? Then nothing is known about races. */
const char *st_race_list_gave_up(const struct st_race_list *list);

/* There are no more events. Merges pairs that look the same to a reader, and keeps the few that
 * are worth showing. */
void st_race_list_finish(struct st_race_list *list, const struct st_symbols *symbols);

#endif
