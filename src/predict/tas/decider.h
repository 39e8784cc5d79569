/* Is there a feasible schedule in which some events come in a given order?
 *
 * The events are those of a path. Each pair (from, to) says that `from` is executed before `to`.
 * The schedule executes what must happen before these events and nothing else, unless a lock must
 * be released first. The decider derives an order of that set of events:
 *
 *  - A write that comes before a read comes before the couple of the read. A write that comes after
 *    the couple comes after the read. If a read sees what the frozen part left, all writes come
 *    after it.
 *  - If a critical section starts before another one of the same lock, it ends before the other one
 *    starts. If its end is not among the events, it is added.
 *
 * A cycle refutes the order. Otherwise the decider schedules the events in the order observed, as
 * far as the derived order allows. If that gets stuck, two events that are not ordered yet block
 * each other, and the decider tries both orders. So the answer is exact. */
#ifndef SERIATIM_PREDICT_TAS_DECIDER_H
#define SERIATIM_PREDICT_TAS_DECIDER_H

#include "predict/tas/search.h"

struct tas_pair {
    uint32_t from, to; /* events */
};

struct tas_decider; /* memory reused from question to question */
struct tas_decider *tas_decider_new(struct tas_worker *worker);
void tas_decider_free(struct tas_decider *decider);

/* `target` is the last event of its thread. It may be a read that sees anything, and so may the
 * last event of each other thread in the pairs. True if there is a schedule, which is then in
 * worker->schedule. False if the budget runs out. */
bool tas_decide(struct tas_decider *decider, const struct tas_pair *pairs, size_t count,
                uint32_t target);

/* True if the derived order alone shows that there is no schedule; false proves nothing. On false,
 * `before` has for each thread the last position known to come before the event, which must be in
 * one of the pairs. */
bool tas_refute(struct tas_decider *decider, const struct tas_pair *pairs, size_t count,
                uint32_t target, uint32_t event, uint32_t *before);

#endif
