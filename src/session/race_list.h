/* The data races of a trace, counted, with the first few of them. */
#ifndef SERIATIM_SESSION_RACE_LIST_H
#define SERIATIM_SESSION_RACE_LIST_H

#include "base/json.h"
#include "check/races/races.h"
#include "trace/symbols.h"

/* Two accesses that race, and how many accesses to the variable raced in the same places. */
struct race_pair {
    struct st_place from, to;
    uint64_t count;
};

/* Invariant: no two pairs are of the same variable and of the same two locations. */
struct race_list {
    struct st_races *races;
    uint64_t accesses, variables; /* that race */
    unsigned char *racing;        /* by variable, a bit each */
    size_t racing_capacity;
    struct race_pair *pairs; /* the first ones */
    size_t pair_count, pair_capacity;
};

void race_list_init(struct race_list *list);
void race_list_free(struct race_list *list);

void race_list_feed(struct race_list *list, const struct st_event *events, size_t count,
                    uint64_t first);

/* A line "data races", and one for each of the first of them; and the value of "races". */
void race_list_write_text(struct race_list *list, const struct st_symbols *symbols, FILE *file);
void race_list_write_json(struct race_list *list, const struct st_symbols *symbols,
                          struct st_json *json);

#endif
