/* Is there a feasible schedule in which some events come in a given order?
 *
 * The events are those of a path; each pair (from, to) says that `from` is executed before `to`.
 * The schedule executes what must happen before them and nothing else, unless a lock must be
 * released first. Of that set of events, an order is built up by what it implies:
 *
 *  - a write that comes before a read comes before the couple of the read, and a write that comes
 *    after the couple comes after the read; all writes come after a read of what the frozen part
 *    left;
 *  - when a critical section starts before another one of the same lock, it ends before it starts;
 *    if its end is not among the events, it is added.
 *
 * A cycle refutes the order. Otherwise the events are scheduled as they were observed, as far as
 * the order lets them; where that gets stuck, two events block each other that are in no order yet,
 * and both are tried. So the answer is exact. */
#ifndef SERIATIM_PREDICT_TAS_DECIDE_H
#define SERIATIM_PREDICT_TAS_DECIDE_H

#include "predict/tas/search.h"

struct tas_pair {
    uint32_t from, to; /* events */
};

struct tas_decider; /* memory that is reused from question to question */
struct tas_decider *tas_decider_new(struct tas_worker *worker);
void tas_decider_free(struct tas_decider *decider);

/* `target` is the last event of its thread, which may be a read that sees anything, and so may be
 * the last event of each other thread in the pairs. True when there is a schedule; it is in
 * worker->schedule then. When the budget is used up, false. */
bool tas_decide(struct tas_decider *decider, const struct tas_pair *pairs, size_t count,
                uint32_t target);

/* True when there is no schedule, by what the order implies alone; false means nothing. Then
 * `before` has for each thread the last position that comes before the event, as far as that is
 * implied; the event is one of the pairs. */
bool tas_refute(struct tas_decider *decider, const struct tas_pair *pairs, size_t count,
                uint32_t target, uint32_t event, uint32_t *before);

#endif
