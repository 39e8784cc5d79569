/* Threads that wait without saying so: by looking again and again. */
#ifndef SERIATIM_RUNTIME_CONTROL_SPINNING_H
#define SERIATIM_RUNTIME_CONTROL_SPINNING_H

#include "runtime/control/runner.h"

/* Has it done this so often in vain that others should go on? */
bool rt_spins(struct rt_runner *me, enum st_control_kind kind, uintptr_t object, uintptr_t caller);

/* The same for an access that is not atomic, quickly: so many of them in a row must be reads. */
enum { RT_QUIET = 512, RT_FAIR = 20000 };
static inline bool rt_access_spins(struct rt_runner *me, bool write, uintptr_t address,
                                   uintptr_t caller) {
    bool quiet =
        write ? me->spin.quiet < RT_QUIET && !rt_control.yields : me->spin.quiet + 1 < RT_QUIET;
    if (__builtin_expect(quiet && me->clock - me->since <= RT_FAIR, 1)) {
        me->spin.quiet = write ? 0 : me->spin.quiet + 1;
        return false;
    }
    return rt_spins(me, write ? ST_POINT_WRITE : ST_POINT_READ, address, caller);
}

/* The first clock, behind the present one, at which the plan may say something, or it is somebody
 * else's turn for the sake of fairness. */
static inline uint64_t rt_calm_until(const struct rt_runner *me) {
    uint64_t until = me->since + RT_FAIR;
    if (me->deviation_clock < until)
        until = me->deviation_clock;
    if (rt_control.stop_clock > me->clock && rt_control.stop_clock < until)
        until = rt_control.stop_clock;
    return me->counts && !me->loose ? until : 0;
}

#endif
