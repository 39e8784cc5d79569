/* usleep for examples/bank.c, so that its bug strikes every time, however busy the machine is: the
 * auditor comes while the third transfer is under way, and the teller waits until he has left.
 * Nothing here is visible to seriatim: it is compiled without instrumentation, and synchronises by
 * system calls. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TELLERS_PAUSE = 20000, AUDITORS_PAUSE = 50000, CUT = 3 };

static int transfers, auditor;

static int load(const int *number) {
    return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

static void let_others_run(void) {
    syscall(SYS_sched_yield);
}

static int is_alive(int thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", thread);
    return syscall(SYS_access, path, F_OK) == 0;
}

static void wait_for_the_audit(void) {
    while (!load(&auditor) || is_alive(load(&auditor)))
        let_others_run();
}

static void wait_for_the_transfer(void) {
    __atomic_store_n(&auditor, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    while (load(&transfers) < CUT)
        let_others_run();
}

int usleep(useconds_t microseconds) {
    if (microseconds == TELLERS_PAUSE && __atomic_add_fetch(&transfers, 1, __ATOMIC_SEQ_CST) == CUT)
        wait_for_the_audit();
    if (microseconds == AUDITORS_PAUSE)
        wait_for_the_transfer();
    return 0;
}
