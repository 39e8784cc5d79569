/* A library without instrumentation whose functions wait where nobody sees it: at a condition of
 * the C library, in the kernel by a system call of its own, and in a loop. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>

void quiet_open(int way);
void quiet_pass(int way);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_open;
static _Atomic int word, flag;

static long call_futex(int operation, long value) {
    long result;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_futex), "D"(&word), "S"(operation), "d"(value), "r"(timeout)
                     : "rcx", "r11", "memory");
    return result;
}

void quiet_open(int way) {
    if (way == 0) {
        pthread_mutex_lock(&mutex);
        is_open = 1;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&mutex);
    } else if (way == 1) {
        atomic_store(&word, 1);
        call_futex(FUTEX_WAKE_PRIVATE, 100);
    } else {
        atomic_store(&flag, 1);
    }
}

void quiet_pass(int way) {
    if (way == 0) {
        pthread_mutex_lock(&mutex);
        while (!is_open)
            pthread_cond_wait(&condition, &mutex);
        pthread_mutex_unlock(&mutex);
    } else if (way == 1) {
        while (!atomic_load(&word))
            call_futex(FUTEX_WAIT_PRIVATE, 0);
    } else {
        while (!atomic_load(&flag))
            ;
    }
}
