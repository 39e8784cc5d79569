/* Where a program crashes: the instruction, the thread, and where the innermost function that is
 * instrumented was, which may have called what crashed. The handler writes that to the log, and
 * lets the signal do what it does without us. A program that has a handler of its own replaces
 * ours. */
#define _GNU_SOURCE
#include "runtime/control/crashes.h"
#include "runtime/control/endings.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/system_call.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unwind.h>

/* The stack pointer of the innermost function that is instrumented; 0: there is none. */
static uintptr_t innermost_stack(void) {
    const struct rt_thread *t = rt_self;
    for (size_t i = t ? t->depth : 0; i-- > 0;)
        if (!t->frames[i].block)
            return t->frames[i].stack;
    return 0;
}

/* Frames are visited from the innermost one on, each with its stack pointer. That of the function
 * is the last one that does not lie above where it was when the function began. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *frame, void *stack) {
    int before = 0; /* is it the next instruction, and not a return address? */
    uintptr_t pc = _Unwind_GetIPInfo(frame, &before);
    if (_Unwind_GetCFA(frame) > *(const uintptr_t *)stack)
        return _URC_END_OF_STACK;
    rt_control.log->crash_caller = before ? pc + 1 : pc;
    return _URC_NO_REASON;
}

/* false: another crash is known already, or there is nobody to know it. */
static bool note(int number, uintptr_t pc) {
    const struct rt_runner *me = rt_runner_self;
    if (!rt_controlled || !me || rt_control.log->crash_signal)
        return false;
    rt_control.log->crash_thread = me->index;
    rt_control.log->crash_pc = pc;
    rt_control.log->crash_signal = (uint32_t)number;
    rt_note_end_of_input();
    return true;
}

/* A stack in ruins may lead to another crash, which ends the program, too. */
static void find_caller(void) {
    uintptr_t stack = innermost_stack();
    if (stack)
        _Unwind_Backtrace(visit, &stack);
}

void rt_crashes_at(int number, uintptr_t pc) {
    if (note(number, pc))
        find_caller();
}

/* As if it were a return address. Behind a call to where there is no code, only that address is on
 * the stack. */
static void note_state(int number, const ucontext_t *state) {
    uintptr_t pc = (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
    if (!note(number, pc + 1))
        return;
    if (rt_is_code(pc))
        find_caller();
    else
        rt_control.log->crash_caller =
            *(const uintptr_t *)
                 state->uc_mcontext.gregs[REG_RSP]; // NOLINT(performance-no-int-to-ptr)
}

/* What was sent, and not caused by an instruction, is sent again: it comes when the handler
 * returns. */
static void note_crash(int number, siginfo_t *info, void *context) {
    note_state(number, context);
    if (info->si_code > 0)
        return;
    long process = rt_system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long thread = rt_system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    rt_system_call(SYS_tgkill, process, thread, number, 0, 0, 0);
}

void rt_catch_crashes(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    struct sigaction ours = {.sa_sigaction = note_crash,
                             .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};
    struct sigaction before;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &ours, NULL);
}
