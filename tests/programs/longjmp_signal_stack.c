// The handler of a signal runs on a stack of its own, which lies above that of the thread, and
// leaves it by siglongjmp. risky() is over then, although its address is lower: what comes in
// between later cuts update() and nothing else.
//
// EXPECT violated: update
// EXPECT cut-by: reset
// EXPECT on: meter
// EXPECT line: update @out @cut @in
// EXPECT runs: risky 0/1
// TWIN -DFIXED
// EXPECT-FIXED none
#define _GNU_SOURCE
#include "schedule.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static struct {
    pthread_mutex_t lock;
    long value;
} meter = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { STACK = 1 << 20 };
static char *stacks; // first that of the thread, then that of the handler
static sigjmp_buf recovery;

static BLOCK long get(void) {
    pthread_mutex_lock(&meter.lock);   // @out
    long value = meter.value;          // @out
    pthread_mutex_unlock(&meter.lock); // @out
    return value;
}

static __attribute__((unused)) BLOCK void set(long value) {
    pthread_mutex_lock(&meter.lock); // @in
    meter.value = value;             // @in
    pthread_mutex_unlock(&meter.lock);
}

static BLOCK void on_fault(int signal) {
    (void)signal;
    siglongjmp(recovery, 1);
}

static BLOCK void risky(void) {
    get();
    raise(SIGUSR1);
}

static BLOCK void update(void) {
#ifdef FIXED
    pthread_mutex_lock(&meter.lock);
    step(1);
    step(4);
    meter.value++;
    pthread_mutex_unlock(&meter.lock);
#else
    long value = get();
    step(1);
    step(4);
    set(value + 1);
#endif
}

static BLOCK void reset(void) {
    pthread_mutex_lock(&meter.lock);   // @cut
    meter.value = 0;                   // @cut
    pthread_mutex_unlock(&meter.lock); // @cut
}

THREAD(worker) {
    stack_t high = {.ss_sp = stacks + STACK, .ss_size = STACK};
    check(sigaltstack(&high, NULL) == 0);
    if (sigsetjmp(recovery, 1) == 0)
        risky();
    update();
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attr;
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(stacks != MAP_FAILED);
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    check(pthread_attr_init(&attr) == 0);
    check(pthread_attr_setstack(&attr, stacks, STACK) == 0);
    check(pthread_create(&thread, &attr, worker, NULL) == 0);
    step(2);
    reset();
    step(3);
    check(pthread_join(thread, NULL) == 0);
    check(pthread_attr_destroy(&attr) == 0);
    puts("ok");
    return 0;
}
