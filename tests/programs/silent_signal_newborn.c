// Each thread gets a signal as soon as its creator knows it, which is often before anything of it
// has run. Whoever comes first, the handler or the start routine, it is the thread that was created
// and is joined: what it writes is ordered.
//
// EXPECT none
#include "schedule.h"

#include <signal.h>

static int sum; // of all threads, one after the other
static _Thread_local volatile sig_atomic_t signals;

static BLOCK void add(int value) {
    sum += value;
}

static void on_signal(int signal) {
    signals += signal == SIGUSR1;
}

THREAD(worker) {
    add(1);
    return NULL;
}

int main(void) {
    enum { THREADS = 300 };
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        check(pthread_create(&thread, NULL, worker, NULL) == 0);
        check(pthread_kill(thread, SIGUSR1) == 0);
        check(pthread_join(thread, NULL) == 0);
        add(1);
    }
    check(sum == 2 * THREADS);
    puts("ok");
    return 0;
}
