#include "runtime/core/fibers.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/spin.h"
#include "runtime/core/sync_events.h"

/* Reports name the channel of a fiber after this part of its memory, and that after its creation.
 */
enum { NAMED_BYTES = 64, SWITCHED_TO = 0 };

static _Thread_local bool announced __attribute__((tls_model("initial-exec")));

struct rt_thread *rt_fiber_create(uintptr_t caller) {
    uint32_t serial = rt_thread_fork(caller);
    struct rt_thread *fiber = rt_fiber_begin(serial);
    if (fiber)
        rt_allocate(fiber, NAMED_BYTES, caller);
    return fiber;
}

void rt_fiber_switch(struct rt_thread *fiber, bool synchronised, uintptr_t caller) {
    if (fiber == rt_self || fiber->generation != rt_generation)
        return;
    if (synchronised)
        rt_send(fiber, SWITCHED_TO, caller);
    rt_split();
    rt_fiber_become(fiber);
    if (synchronised)
        rt_receive(fiber, SWITCHED_TO, caller);
}

void rt_fiber_destroy(struct rt_thread *fiber, uintptr_t caller) {
    uint32_t serial = fiber->serial;
    if (fiber->generation != rt_generation)
        return;
    rt_fiber_end(fiber);
    rt_thread_join(serial, caller);
    rt_free(fiber, NAMED_BYTES);
}

void rt_fiber_announce(void) {
    announced = true;
}

bool rt_fiber_was_announced(void) {
    bool was = announced;
    announced = false;
    return was;
}
