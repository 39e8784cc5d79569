/* The other schedule, to be linked instead of schedule.c: nobody comes in between.
 *
 * The thread that makes step 1 goes on to its end; all others wait in their first step until it is
 * gone, and then go to their ends in the same way, one at a time. So the bug of a program does not
 * strike, and what is found of it in a recording was predicted. Checks of what comes out are
 * not made, as the programs check that the bug has struck.
 *
 * As in schedule.c, nothing here may be visible to a tool. */
#include "schedule.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The thread that may go on, or nobody: nobody before step 1, or nobody between two threads. */
enum { NOT_BEGUN = -1, NOBODY = 0 };
static int running = NOT_BEGUN;
static unsigned long made; /* a bit for each step */
static pthread_key_t key;

/* The thread that was running ends. */
static void leave(void *value) {
    (void)value;
    __atomic_store_n(&running, NOBODY, __ATOMIC_RELEASE);
    syscall(SYS_futex, &running, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

__attribute__((constructor)) static void begin(void) {
    pthread_key_create(&key, leave);
}

static int take_over(int from, int me) {
    return __atomic_compare_exchange_n(&running, &from, me, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static int is_made(int number) {
    return number < 0 || __atomic_load_n(&made, __ATOMIC_ACQUIRE) >> number & 1;
}

/* Begins, if it has not, when nobody is running and step `after` was made (-1: none need be). */
static void begin_or_go_on(int after, int is_first) {
    int saved = errno, me = (int)syscall(SYS_gettid), current;
    while ((current = __atomic_load_n(&running, __ATOMIC_ACQUIRE)) != me) {
        int is_free = current == NOBODY || (current == NOT_BEGUN && is_first);
        if (is_free && is_made(after) && take_over(current, me))
            pthread_setspecific(key, &key);
        else if (is_free && !is_made(after))
            syscall(SYS_sched_yield);
        else if (!is_free)
            syscall(SYS_futex, &running, FUTEX_WAIT_PRIVATE, current, NULL, NULL, 0);
    }
    errno = saved;
}

void schedule_step(int number) {
    begin_or_go_on(-1, number == 1);
    __atomic_fetch_or(&made, 1ul << number, __ATOMIC_RELEASE);
}

void schedule_step_after(int number) {
    begin_or_go_on(number, 0);
}

void schedule_step_or_go_on(int number) {
    schedule_step(number);
}

int schedule_thread(void) {
    return (int)syscall(SYS_gettid);
}

void schedule_wait_for_end(int thread) {
    (void)thread;
}

void schedule_check(int holds, const char *file, int line) {
    (void)holds;
    (void)file;
    (void)line;
}
