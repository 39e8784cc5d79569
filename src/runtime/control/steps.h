/* ST_STRATEGY_STEPS: threads do what was foreseen, in that order. */
#ifndef SERIATIM_RUNTIME_CONTROL_STEPS_H
#define SERIATIM_RUNTIME_CONTROL_STEPS_H

#include "runtime/control/runner.h"

void rt_steps_start(void); /* with the first of them, done by nobody */

/* The runner is at a point: must it stay there for now? */
bool rt_steps_hold(const struct rt_runner *runner);

/* It has passed one. */
void rt_steps_pass(struct rt_runner *me);

/* Is it at the step that comes next, or the one who will do that? Then it goes first. */
bool rt_steps_is_next(const struct rt_runner *runner);

/* Nobody else can go on: how much is lost if the runner, who is held, does? The larger, the more.
 */
unsigned rt_steps_loss(const struct rt_runner *runner);

/* It goes on in spite of that. */
void rt_steps_let_go(const struct rt_runner *runner);

#endif
