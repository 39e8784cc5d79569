/* The short ways of an access that is deferred. They do what defer() does in the same cases
 * (access_deferred.c), with fewer questions. */
#include "runtime/deferred/own_memory.h"
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"

/* The first access in a function. */
static __attribute__((noinline)) void defer_first(uintptr_t address, uint32_t bytes, bool write,
                                                  uintptr_t caller, uint64_t w, uint64_t r) {
    if (!rt_board_quickly(rt_self))
        rt_defer_slowly(address, bytes, write, caller, w, r);
    else if (write)
        rt_defer_write(address, bytes, caller, w, r);
    else
        rt_defer_read(address, bytes, caller, w, r);
}

/* An access to own memory, of which other bytes were accessed in other epochs. */
static __attribute__((noinline)) void defer_beside(uintptr_t address, uint32_t bytes, bool write,
                                                   uintptr_t caller, uint64_t w, uint64_t r) {
    if (!rt_set_own_beside(rt_self, address & ~(uintptr_t)7, w, r, bytes, write, caller))
        rt_defer_slowly(address, bytes, write, caller, w, r);
}

/* Where most accesses come by that are no repetitions: so these two are short, call nothing but at
 * their end, and need no memory on the stack. */

void rt_defer_read(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    struct rt_thread *t = rt_self;
    if (t->since == RT_STALE) {
        defer_first(address, bytes, false, caller, w, r);
        return;
    }
    if (t->alone || !rt_is_own_or_none(t, w) || !rt_is_own_or_none(t, r)) {
        rt_defer_slowly(address, bytes, false, caller, w, r);
        return;
    }
    if (!rt_set_own(t, address, w, r, bytes, false, caller))
        defer_beside(address, bytes, false, caller, w, r);
}

void rt_defer_write(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    struct rt_thread *t = rt_self;
    if (t->since == RT_STALE) {
        defer_first(address, bytes, true, caller, w, r);
        return;
    }
    if (t->alone || !rt_is_own_or_none(t, w) || !rt_is_own_or_none(t, r)) {
        rt_defer_slowly(address, bytes, true, caller, w, r);
        return;
    }
    if (!rt_set_own(t, address, w, r, bytes, true, caller))
        defer_beside(address, bytes, true, caller, w, r);
}
