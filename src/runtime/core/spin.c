#include "runtime/core/spin.h"

struct rt_stripe rt_stripes[RT_STRIPES];

void rt_await_operation(const volatile void *address) {
    rt_spin_lock(rt_stripe_of(address));
    rt_spin_unlock(rt_stripe_of(address));
}
