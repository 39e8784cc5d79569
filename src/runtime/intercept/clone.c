/* clone: processes and threads that are made without the C library's knowledge.
 *
 * A child with memory of its own is like one of fork. One that has the memory of its parent, which
 * waits for it (CLONE_VFORK), runs as its parent: what it does is the parent's, and the functions
 * that it has not left are left when the parent goes on. A thread without thread-local memory of
 * its own (CLONE_VM without CLONE_SETTLS) cannot be distinguished from its parent. Both run on, and
 * neither is watched from then on, which counts as missing. */
#define _GNU_SOURCE
#include "runtime/core/call_stack.h"
#include "runtime/intercept/interpose.h"

#include <sched.h>
#include <stdarg.h>

RT_REAL(int, clone, int (*)(void *), void *, int, void *, ...)

/* What the child is to do, at the upper end of its stack. */
struct task {
    int (*function)(void *);
    void *argument;
};

static int run_as_process(void *at) {
    struct task task = *(struct task *)at;
    rt_stop_in_child();
    return task.function(task.argument);
}

static void stop_watching(void) {
    rt_thread_end();
    rt_count_lost();
}

RT_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...) {
    va_list rest;
    va_start(rest, argument);
    void *parent_id = va_arg(rest, void *), *tls = va_arg(rest, void *);
    void *child_id = va_arg(rest, void *);
    va_end(rest);
    if (!function || !stack) /* it will refuse that */
        return real_clone()(function, stack, flags, argument, parent_id, tls, child_id);
    if (!(flags & CLONE_VM)) {
        struct task *task = (struct task *)((uintptr_t)stack & -(uintptr_t)16) - 1;
        *task = (struct task){function, argument};
        return real_clone()(run_as_process, task, flags, task, parent_id, tls, child_id);
    }
    size_t depth = rt_self ? rt_self->depth : 0;
    if (!(flags & (CLONE_VFORK | CLONE_SETTLS)))
        stop_watching();
    int child = real_clone()(function, stack, flags, argument, parent_id, tls, child_id);
    if (flags & CLONE_VFORK && !(flags & CLONE_SETTLS))
        RT_EMIT(rt_unwind(depth));
    return child;
}
