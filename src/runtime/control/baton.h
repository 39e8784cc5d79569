/* The baton: who has it runs. */
#ifndef SERIATIM_RUNTIME_CONTROL_BATON_H
#define SERIATIM_RUNTIME_CONTROL_BATON_H

#include "runtime/control/runner.h"

void rt_lock_baton(void);
void rt_unlock_baton(void);
/* Who goes on? With the lock, which it lets go of. `me` is at a point, or has just become one that
 * cannot go on; then it returns when that has changed. */
enum rt_decision { RT_AT_POINT, RT_AT_BLOCK, RT_AT_END };
void rt_decide(struct rt_runner *me, enum rt_decision decision);
/* The same for most points, and quickly. Without the lock. false: nothing was done, as it is not
 * that simple. */
bool rt_decide_plainly(struct rt_runner *me, bool contested);
/* After that, before the operation is done. Without the lock. */
void rt_pass_point(struct rt_runner *me);
void rt_park(struct rt_runner *me);
/* It goes on without the baton, until it comes back. With the lock, which it lets go of. */
void rt_leave_baton(struct rt_runner *me);
void rt_come_back(struct rt_runner *me);
/* The same when that is a decision. With the lock, which it lets go of. */
void rt_return(struct rt_runner *me);
/* If nobody has the baton and somebody can go on. */
void rt_dispatch(void);

#endif
