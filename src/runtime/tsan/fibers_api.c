/* ThreadSanitizer's interface for programs that switch stacks themselves. */
#include "runtime/core/fibers.h"

enum { NO_SYNC = 1 }; /* __tsan_switch_to_fiber_no_sync */

/* What programs get that are not watched: some take NULL for a failure. */
static char no_fiber;

static bool is_fiber(const void *fiber) {
    return fiber && fiber != &no_fiber;
}

RT_EXPORT void *__tsan_get_current_fiber(void);
RT_EXPORT void *__tsan_get_current_fiber(void) {
    if (!rt_self && rt_enter())
        rt_leave();
    return rt_self ? (void *)rt_self : &no_fiber;
}

RT_EXPORT void *__tsan_create_fiber(unsigned flags);
RT_EXPORT void *__tsan_create_fiber(unsigned flags) {
    (void)flags;
    struct rt_thread *fiber = NULL;
    if (rt_enter()) {
        fiber = rt_fiber_create(RT_CALLER);
        rt_leave();
    }
    return fiber ? (void *)fiber : &no_fiber;
}

RT_EXPORT void __tsan_destroy_fiber(void *fiber);
RT_EXPORT void __tsan_destroy_fiber(void *fiber) {
    if (!is_fiber(fiber) || fiber == rt_self || fiber == rt_fiber_own() || !rt_enter())
        return;
    rt_fiber_destroy(fiber, RT_CALLER);
    rt_leave();
}

RT_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
RT_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags) {
    rt_fiber_announce();
    if (!is_fiber(fiber) || !rt_enter())
        return; /* if a handler interrupted the runtime: events are dropped until it comes back */
    rt_fiber_switch(fiber, !(flags & NO_SYNC), RT_CALLER);
    rt_leave();
}

/* Threads have numbers in reports. */
RT_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
RT_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name) {
    (void)fiber, (void)name;
}
