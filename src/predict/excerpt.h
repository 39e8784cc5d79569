/* The events of a long run that count for feasible schedules (predict/tas/tas.h), with their
 * numbers.
 *
 * Left out is what no such schedule can depend on:
 *  - accesses to variables that only one thread uses, or that nobody writes: such a read sees its
 *    couple in every schedule, and such an access is in no conflict;
 *  - begins and ends of blocks inside others: only outermost blocks are judged;
 *  - re-entrant acquires, marks that do not count, and the releases and ends that belong to them.
 * A schedule without them becomes one with them: each is put directly before the next event of its
 * thread that is there. And the other way round.
 *
 * What a thread does directly after a release, an acquire or a receive is kept even so, because
 * what follows directly makes a condition wait. So are atomic operations, which consist of events
 * that follow each other. */
#ifndef SERIATIM_PREDICT_EXCERPT_H
#define SERIATIM_PREDICT_EXCERPT_H

#include "predict/model/model.h"

struct st_excerpt {
    bool is_used;
    size_t memory; /* bytes that an analysis of the excerpt may take; 0: any amount */
    struct st_event *events;
    uint64_t *numbers;
    size_t count, event_capacity, number_capacity;
    uint64_t last_kept; /* 0: nothing is missing. Otherwise the last event before memory ran out */
    struct st_excerpt_thread *threads;
    size_t thread_capacity;
};

/* Is a run of so many events better kept as an excerpt? One that is short enough is kept whole, so
 * that schedules show everything that happens in them. */
bool st_excerpt_pays(uint64_t events, size_t memory);

/* The next events of the run; the model knows its variables. */
void st_excerpt_feed(struct st_excerpt *excerpt, const struct st_model *model,
                     const struct st_event *events, size_t count, uint64_t first);
void st_excerpt_free(struct st_excerpt *excerpt);

#endif
