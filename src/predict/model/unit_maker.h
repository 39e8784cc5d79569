/* Makes the units of a model from the events of a trace.
 *
 * Inside of a block that is plain: the unit is what happens until the block ends or is split. What
 * happens outside is one unit an event, but for critical sections. A critical section that contains
 * only one access, or only one transaction, can be moved together in every schedule, since nobody
 * minds when exactly a lock is taken or given back: it is one unit with that access or transaction
 * (of which it becomes a part). Only if it contains more is it *loose*: it then lasts from one unit
 * to another, and a serial order has to respect that. So what is outside is gathered until it is
 * known what a critical section contains. */
#ifndef SERIATIM_PREDICT_MODEL_UNIT_MAKER_H
#define SERIATIM_PREDICT_MODEL_UNIT_MAKER_H

#include "predict/model/model.h"
#include "predict/model/order.h"

struct st_unit_maker;

/* The model has the facts of variables and locks already. Its units, instances and shapes are
 * filled, and its locks are marked as loose. Both arguments outlive the maker. */
struct st_unit_maker *st_unit_maker_new(struct st_model *model, struct st_order *order);
void st_unit_maker_free(struct st_unit_maker *maker);

/* All events of the trace, in order. Keeps the order of periods up to date, too. */
void st_unit_maker_event(struct st_unit_maker *maker, const struct st_event *event,
                         uint64_t number);

/* No more events come; the trace may end inside blocks and critical sections. */
void st_unit_maker_finish(struct st_unit_maker *maker);

#endif
