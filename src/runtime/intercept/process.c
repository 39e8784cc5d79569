/* Forked children, the end of a process, jumps and exceptions that leave functions without their
 * exit callback, and modules.
 *
 * posix_spawn, system and the like run nothing of the program in the child. exec ends the stream;
 * the new program is another. */
#define _GNU_SOURCE
#include "runtime/control/crashes.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/runners.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/fibers.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/intercept/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- fork ---- */

/* Other threads may have been anywhere in the runtime when the process was copied; the child never
 * comes near what they held, since it emits nothing until it has a stream of its own
 * (rt_follow_child). Handlers run in the order in which they were registered, so ours is before
 * those of the program. */
__attribute__((constructor(102))) static void register_child(void) {
    pthread_atfork(NULL, rt_note_fork, rt_stop_in_child);
}

RT_REAL(pid_t, _Fork, void)

/* Calls no handlers. */
RT_EXPORT pid_t _Fork(void) {
    if (!real__Fork()) {
        errno = ENOSYS;
        return -1;
    }
    pid_t child = real__Fork()();
    if (child == 0)
        rt_stop_in_child();
    else if (child > 0)
        rt_note_fork();
    return child;
}

/* The child of a real vfork runs in the memory of its parent: functions that it enters and never
 * leaves, since it calls exec, would stay open in the parent. A child by fork may do all that one
 * by vfork may, and does it in its own memory. */
RT_EXPORT pid_t vfork(void) {
    return fork();
}

/* Who shuts itself in with seccomp does one of these first, libseccomp included. */
RT_REAL(int, prctl, int, unsigned long, unsigned long, unsigned long, unsigned long)
RT_EXPORT int prctl(int option, ...) {
    unsigned long value[4];
    va_list list;
    va_start(list, option);
    for (size_t i = 0; i < 4; i++)
        value[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_SECCOMP || (option == PR_SET_NO_NEW_PRIVS && value[0]))
        rt_shut_in();
    int result = real_prctl()(option, value[0], value[1], value[2], value[3]);
    if (option == PR_SET_NAME && result == 0) {
        char name[16]; /* what is longer was cut off */
        int error = errno;
        if (!real_prctl()(PR_GET_NAME, (unsigned long)name, 0, 0, 0))
            rt_name_thread(pthread_self(), name);
        errno = error;
    }
    return result;
}

/* ---- the end ---- */

RT_REAL(void, _exit, int)

static _Noreturn void leave_at_once(int status, uintptr_t caller) {
    rt_point_of_exit(caller);
    rt_note_exit(status);
    real__exit()(status);
    __builtin_unreachable();
}
RT_EXPORT void _exit(int status) {
    leave_at_once(status, RT_CALLER);
}
RT_EXPORT void _Exit(int status) {
    leave_at_once(status, RT_CALLER);
}

/* ---- failing ---- */

RT_REAL(void, abort, void)
RT_REAL(void, __assert_fail, const char *, const char *, unsigned, const char *)

/* In controlled runs it is of interest who calls it. */
RT_EXPORT void abort(void) {
    rt_crashes_at(SIGABRT, RT_CALLER);
    real_abort()();
    __builtin_unreachable();
}

RT_EXPORT _Noreturn void __assert_fail(const char *what, const char *file, unsigned line,
                                       const char *function);
RT_EXPORT void __assert_fail(const char *what, const char *file, unsigned line,
                             const char *function) {
    rt_crashes_at(SIGABRT, RT_CALLER);
    real___assert_fail()(what, file, line, function);
    __builtin_unreachable();
}

/* ---- longjmp ---- */

/* setjmp returns twice and cannot be interposed, so where a jump goes is found in what setjmp
 * wrote: the stack pointer, disguised as glibc does it. Functions below it are left. 0: unknown. */
static uintptr_t stack_pointer_of(const struct __jmp_buf_tag *target) {
#if defined(__x86_64__) && defined(__GLIBC__)
    enum { STACK_POINTER = 6 };
    uintptr_t value = (uintptr_t)target->__jmpbuf[STACK_POINTER];
    __asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(value) : : "cc");
    return value;
#else
    (void)target;
    return 0;
#endif
}

/* Does the thread run on its stack for handlers of signals, and the jump go elsewhere? */
static bool leaves_signal_stack(uintptr_t here, uintptr_t stack) {
    stack_t alternate;
    if (sigaltstack(NULL, &alternate) < 0 || !(alternate.ss_flags & SS_ONSTACK))
        return false;
    uintptr_t low = (uintptr_t)alternate.ss_sp;
    return here - low < alternate.ss_size && stack - low >= alternate.ss_size;
}

/* A jump down the stack goes to another stack: a coroutine, not a return; unless it leaves the
 * handler of a signal. If the program has said which fiber comes next, the frames are those of that
 * fiber already. */
static void leave_for(const struct __jmp_buf_tag *target) {
    uintptr_t stack = stack_pointer_of(target), here = (uintptr_t)__builtin_frame_address(0);
    bool switched = rt_fiber_was_announced();
    int error = errno;
    if (rt_controlled && stack)
        rt_handler_left(stack);
    if (stack && (switched || stack > here || leaves_signal_stack(here, stack)))
        RT_EMIT(rt_unwind_to_stack(stack, switched ? 0 : here));
    errno = error;
}

#define JUMP(name)                                                                                 \
    typedef void (*name##_type)(struct __jmp_buf_tag *, int) __attribute__((noreturn));            \
    RT_EXPORT void name(struct __jmp_buf_tag target[1], int value) __attribute__((noreturn));      \
    RT_EXPORT void name(struct __jmp_buf_tag target[1], int value) {                               \
        leave_for(target);                                                                         \
        ((name##_type)rt_real(#name))(target, value);                                              \
    }

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

/* ---- exceptions of C++ ---- */

/* With -fexceptions, functions call their exit callback when an exception passes. Most of those in
 * C are compiled without, and an exception can still pass: so functions below the one that catches
 * it are left here at the latest. */
RT_REAL(void *, __cxa_begin_catch, void *)
RT_EXPORT void *__cxa_begin_catch(void *exception);
RT_EXPORT void *__cxa_begin_catch(void *exception) {
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    RT_EMIT(rt_unwind_to_stack(stack, stack - 1));
    return real___cxa_begin_catch()(exception);
}

/* ---- modules ---- */

/* dlopen is not interposed. It finds out by its return address who called it, and searches where
 * that module says (RUNPATH, $ORIGIN, its namespace); called from here it would search in vain. It
 * need not be: each instrumented module calls __tsan_init when it is loaded, which emits the
 * modules. Others that were loaded are emitted here at the latest, before they can be gone. */
RT_REAL(int, dlclose, void *)

static void emit_modules(void) {
    RT_EMIT(rt_emit_modules());
}

RT_EXPORT int dlclose(void *handle) {
    emit_modules();
    int result = real_dlclose()(handle);
    emit_modules();
    return result;
}
