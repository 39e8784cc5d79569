#include "runtime/core/access.h"

static void touch_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                        uintptr_t caller) {
    if (size)
        (rt_late ? rt_keep_range : rt_tell_range)(t, address, size, write, caller);
}

void rt_range_slow(uintptr_t address, size_t size, bool write, uintptr_t caller) {
    if (!rt_enter())
        return;
    touch_range(rt_self, address, size, write, caller);
    rt_leave();
}

void rt_read_range(uintptr_t address, size_t size, uintptr_t caller) {
    touch_range(rt_self, address, size, false, caller);
}

void rt_write_range(uintptr_t address, size_t size, uintptr_t caller) {
    touch_range(rt_self, address, size, true, caller);
}
