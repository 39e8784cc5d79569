/* Data races, pair by pair: two accesses of different threads to one variable, at least one of them
 * a write, in units that can run at the same time, with no lock in common. That is the definition
 * itself (TSE 2006, section 1), for all schedules at once. So it shows for each access whether it
 * takes part in a race, where lockset algorithms only classify variables.
 *
 * Equal accesses (operation, lockset, thread, period) are one entry, and the entries of a chain
 * (predict/model/periods.h) are in order, so one look at a chain shows whether it has a partner.
 * The time is proportional to entries times chains, not to pairs of events. */
#ifndef SERIATIM_PREDICT_REDUCTION_PAIR_RACES_H
#define SERIATIM_PREDICT_REDUCTION_PAIR_RACES_H

#include "predict/model/model.h"

/* An access that is a token of a unit. */
struct st_race_use {
    uint32_t variable, writes, lockset;
    uint32_t line; /* the chain of its thread, or, without order, the thread */
    uint32_t first_period, last_period;
    uint32_t unit, token;
};

struct st_pair_races {
    struct st_race_use *uses; /* ordered by their fields, but with the last period before the
                               * first */
    size_t use_count;
    size_t *tokens;     /* by unit: index of its first token in `partners` */
    uint32_t *partners; /* by token: a use that it races with, plus 1, or 0 */
};

/* ordered: only units that can run at the same time race; otherwise all threads count as concurrent
 * all the time. */
void st_pair_races_find(struct st_pair_races *races, const struct st_model *model, bool ordered);
void st_pair_races_free(struct st_pair_races *races);

/* The use that this access races with, or NULL. */
static inline const struct st_race_use *st_pair_race(const struct st_pair_races *races,
                                                     uint32_t unit, uint32_t token) {
    uint32_t partner = races->partners[races->tokens[unit] + token];
    return partner ? &races->uses[partner - 1] : NULL;
}

/* Runs the multilockset algorithm over the uses: sets racy[v] for each variable v on which it finds
 * a race (multilockset.c). */
void st_multilockset_find(const struct st_model *model, const struct st_pair_races *races,
                          bool *racy);

#endif
