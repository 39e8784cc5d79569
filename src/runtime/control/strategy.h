/* Who goes on: the default schedule, and the strategies that deviate from it. All of it follows
 * from the seed and from what the threads did. With the lock of the baton. */
#ifndef SERIATIM_RUNTIME_CONTROL_STRATEGY_H
#define SERIATIM_RUNTIME_CONTROL_STRATEGY_H

#include "runtime/control/runner.h"

void rt_strategy_start(void);
void rt_strategy_begin(struct rt_runner *runner); /* a new thread */

/* At a point of `me`, with its operation pending: before the choice, and before it is done. */
void rt_strategy_at_point(struct rt_runner *me, bool contested);
void rt_strategy_passes(struct rt_runner *me);
/* Without the lock: is the second one worth calling? (It does nothing otherwise.) */
bool rt_strategy_minds(const struct rt_runner *me);

/* `me` has yielded. */
void rt_strategy_yields(struct rt_runner *me);

/* NULL: by default. `me` may be NULL, or be one that cannot go on. */
struct rt_runner *rt_strategy_choose(struct rt_runner *me, bool at_point);
struct rt_runner *rt_default_choice(struct rt_runner *me);

/* Is everybody held who can go on? Then it may be time that they wait for. */
bool rt_strategy_holds_all(void);

/* Have all who can go on yielded? */
bool rt_all_yield(void);

bool rt_strategy_is_random(void);
bool rt_exits_last(void);
uint64_t rt_random_below(uint64_t bound);

#endif
