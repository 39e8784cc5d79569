/* Forked children, and jumps that leave functions without their exit being called.
 *
 * posix_spawn, system and the like run nothing of the program in the child. exec ends what is told;
 * the new program is another. */
#define _GNU_SOURCE
#include "runtime/core/call_stack.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/intercept/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>

/* ---- fork ---- */

/* Other threads may have been anywhere in the runtime when the process was copied; the child never
 * comes near what they held, since nothing is told there. Handlers run in the order in which they
 * were registered, so ours is before those of the program. */
__attribute__((constructor(102))) static void register_child(void) {
    pthread_atfork(NULL, NULL, rt_stop_in_child);
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
    return child;
}

/* The child of a real vfork runs in the memory of its parent: functions that it enters and never
 * leaves, since it calls exec, would stay open in the parent. A child by fork may do all that one
 * by vfork may, and does it in its own memory. */
RT_EXPORT pid_t vfork(void) {
    return fork();
}

/* ---- longjmp ---- */

/* setjmp returns twice and cannot be stood in for, so where a jump goes is found in what setjmp
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

/* A jump down the stack goes to another stack: a coroutine, not a return. */
static void leave_for(const struct __jmp_buf_tag *target) {
    uintptr_t stack = stack_pointer_of(target);
    if (stack > (uintptr_t)__builtin_frame_address(0) && rt_enter()) {
        rt_unwind_to_stack(stack);
        rt_leave();
    }
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

/* With -fexceptions, functions tell that they are left by an exception. Those of C, mostly, are
 * compiled without, and an exception can still pass: so what lies below the function that catches
 * it is left here at the latest. */
RT_REAL(void *, __cxa_begin_catch, void *)
RT_EXPORT void *__cxa_begin_catch(void *exception);
RT_EXPORT void *__cxa_begin_catch(void *exception) {
    if (rt_enter()) {
        rt_unwind_to_stack((uintptr_t)__builtin_dwarf_cfa());
        rt_leave();
    }
    return real___cxa_begin_catch()(exception);
}

/* ---- modules ---- */

/* Modules that come and go.
 *
 * dlopen is not stood in for. It finds out by its return address who called it, and searches where
 * that module says (RUNPATH, $ORIGIN, its namespace); called from here it would search in vain. It
 * need not be: each instrumented module calls __tsan_init when it is loaded, and modules are told
 * there. What else was loaded is told here at the latest, before it can be gone. */
RT_REAL(int, dlclose, void *)

static void tell_modules(void) {
    if (rt_enter()) {
        rt_tell_modules();
        rt_leave();
    }
}

RT_EXPORT int dlclose(void *handle) {
    tell_modules();
    int result = real_dlclose()(handle);
    tell_modules();
    return result;
}
