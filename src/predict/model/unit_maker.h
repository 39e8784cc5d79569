/* Makes the units of a model from the events of a trace.
 *
 * Inside a block this is simple: the unit is what happens until the block ends or is split. Outside
 * blocks each event is one unit, apart from critical sections. A critical section that contains
 * only one access, or only one transaction, can be moved together in every schedule, since it does
 * not matter to others when exactly a lock is acquired or released. So it forms one unit with that
 * access or transaction (and becomes part of it). If it contains more, it is *loose*: it spans
 * several units, and a serial order has to respect that. So events outside blocks are gathered
 * until it is known what a critical section contains. */
#ifndef SERIATIM_PREDICT_MODEL_UNIT_MAKER_H
#define SERIATIM_PREDICT_MODEL_UNIT_MAKER_H

#include "predict/model/model.h"
#include "predict/model/order.h"

struct st_unit_maker;

struct st_spare;

/* The model must already have the facts about variables and locks. The maker fills its units,
 * instances and shapes, and marks loose locks. `spare` says which units are kept; NULL: all. The
 * arguments outlive the maker. */
struct st_unit_maker *st_unit_maker_new(struct st_model *model, struct st_order *order,
                                        struct st_spare *spare);
void st_unit_maker_free(struct st_unit_maker *maker);

/* Takes all events of the trace, in order. Also updates the order of periods. */
void st_unit_maker_event(struct st_unit_maker *maker, const struct st_event *event,
                         uint64_t number);

/* Forgets the units that it has made, as the model does. */
void st_unit_maker_forget(struct st_unit_maker *maker);

/* Ends the trace, which may be inside blocks and critical sections. */
void st_unit_maker_finish(struct st_unit_maker *maker);

#endif
