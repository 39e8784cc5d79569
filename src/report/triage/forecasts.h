/* Which foreseen cuts are told together, and which first: those of blocks with the same name, in
 * the same pattern and at the same lines are told once, with a count. */
#ifndef SERIATIM_REPORT_TRIAGE_FORECASTS_H
#define SERIATIM_REPORT_TRIAGE_FORECASTS_H

#include "report/triage/rank.h"
#include "report/triage/triage.h"

struct st_forecast {
    const struct st_foreseen *block; /* the first of them */
    size_t count;                    /* how many are like it, itself included */
    size_t rank;                     /* of its name */
};

struct st_forecasts {
    struct st_forecast *items; /* in the order of their blocks' rank; what is certain comes first,
                                * and then what begins first */
    size_t count;
};

/* From the blocks that a prediction of the report reports and that are in this state. `rows` are
 * the names in the order of their rank. The prediction must outlive them. */
struct st_forecasts st_forecasts_make(const struct st_report *report,
                                      const struct st_prediction *prediction, enum st_state state,
                                      const struct st_block_row *rows, size_t row_count);
void st_forecasts_free(struct st_forecasts *forecasts);

/* Races between the same lines are told together, too. */
struct st_race_place {
    const struct st_foreseen_race *race; /* the first of them */
    size_t count;
};

/* In the order in which they were found. Release with free(). */
struct st_race_place *st_race_places(const struct st_report *report,
                                     const struct st_prediction *prediction, size_t *count);

#endif
