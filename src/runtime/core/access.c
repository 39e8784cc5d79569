#include "runtime/core/access.h"
#include "runtime/core/loaded_modules.h"

enum { SHORT = 16 };

void rt_read_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    struct rt_thread *t = rt_self;
    if (rt_is_shared_since(t, t->since, address & ~(uintptr_t)7, w, r, bytes))
        return;
    if (__builtin_expect(rt_deferring_freely, 1))
        rt_defer_read(address, bytes, caller, w, r);
    else if (rt_controlled)
        rt_access_in_turn(address, bytes, false, caller);
    else
        rt_emit_now(address, bytes, false, caller);
}

void rt_write_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    if (__builtin_expect(rt_deferring_freely, 1))
        rt_defer_write(address, bytes, caller, w, r);
    else if (rt_controlled)
        rt_access_in_turn(address, bytes, true, caller);
    else
        rt_emit_now(address, bytes, true, caller);
}

static void access_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                         uintptr_t caller) {
    if (rt_is_in(&rt_openmp, caller))
        return;
    if (__builtin_expect(rt_controlled, 0) && size) {
        rt_leave();
        rt_range_in_turn(address, size, write, caller);
        rt_enter();
    }
    if (size && !rt_is_ignored(t, !write, write))
        (rt_deferring ? rt_defer_range : rt_emit_range_now)(t, address, size, write, caller);
}

void rt_range_slow(uintptr_t address, size_t size, bool write, uintptr_t caller) {
    if (size <= SHORT && rt_deferring_freely &&
        rt_defer_short(rt_self, address, size, write, caller))
        return;
    if (!rt_enter_quickly())
        return;
    access_range(rt_self, address, size, write, caller);
    rt_leave_quickly();
}

void rt_read_range(uintptr_t address, size_t size, uintptr_t caller) {
    access_range(rt_self, address, size, false, caller);
}

void rt_write_range(uintptr_t address, size_t size, uintptr_t caller) {
    access_range(rt_self, address, size, true, caller);
}
