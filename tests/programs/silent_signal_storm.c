// Signals hit a thread at any point, also inside of the runtime, while it works in blocks of its
// own. The handler only touches what belongs to it: nothing is shared, nothing is cut.
//
// EXPECT none
#include "schedule.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Thread_local volatile sig_atomic_t signals;
static atomic_int finished;

static BLOCK void note(int signal) {
    signals += signal == SIGUSR1;
}

static void on_signal(int signal) {
    note(signal);
}

static BLOCK long mix(pthread_mutex_t *own, long *numbers, long seed) {
    pthread_mutex_lock(own);
    memset(numbers, (int)seed, 32 * sizeof *numbers);
    for (int i = 0; i < 64; i++)
        numbers[i] = numbers[(i + 7) % 64] * 31 + seed + i;
    pthread_mutex_unlock(own);
    return numbers[seed & 63];
}

THREAD(worker) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    long numbers[64] = {1};
    long seed = 1;
    while (signals < 20)
        seed = mix(&own, numbers, seed);
    atomic_fetch_add(&finished, 1);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    check(pthread_create(&one, NULL, worker, NULL) == 0);
    check(pthread_create(&two, NULL, worker, NULL) == 0);
    while (atomic_load(&finished) < 2) {
        pthread_kill(one, SIGUSR1);
        pthread_kill(two, SIGUSR1);
        usleep(200);
    }
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    puts("ok");
    return 0;
}
