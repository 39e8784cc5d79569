/* Ends, unless the second thread comes before the first has said that it need not wait. Then it
 * waits for ever where nobody sees it. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>

static _Atomic int said;
static int word;

static void wait_for_ever(void) {
    long result;
    register long timeout __asm__("r10") = 0;
    do
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(SYS_futex), "D"(&word), "S"(FUTEX_WAIT_PRIVATE), "d"(0), "r"(timeout)
                         : "rcx", "r11", "memory");
    while (result != 1);
}

static void *look(void *argument) {
    if (!atomic_load(&said))
        wait_for_ever();
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    atomic_store(&said, 1);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
