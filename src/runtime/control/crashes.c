/* Where a program crashes: the instruction, and the thread. The handler writes that to the log, and
 * lets the signal do what it does without us. A program that has a handler of its own replaces
 * ours. */
#define _GNU_SOURCE
#include "runtime/control/runner.h"
#include "runtime/core/system_call.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

void rt_crashes_at(int number, uintptr_t pc) {
    const struct rt_runner *me = rt_runner_self;
    if (!rt_controlled || !me || rt_control.log->crash_signal)
        return;
    rt_control.log->crash_thread = me->index;
    rt_control.log->crash_pc = pc;
    rt_control.log->crash_signal = (uint32_t)number;
    rt_note_end_of_input();
}

/* As if it were a return address. What was sent, and not caused by an instruction, is sent again:
 * it comes when the handler returns. */
static void note_crash(int number, siginfo_t *info, void *context) {
    const ucontext_t *state = context;
    rt_crashes_at(number, (uintptr_t)state->uc_mcontext.gregs[REG_RIP] + 1);
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
