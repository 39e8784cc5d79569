// A signal handler counts, and the program takes the count and resets it. A signal that comes in
// between is forgotten. The thread is cut by itself: no block is violated.
//
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int pending;
static pthread_t receiver;

static void on_signal(int number) {
    (void)number;
    atomic_fetch_add(&pending, 1);
}

static int take_pending(void) {
#ifdef FIXED
    return atomic_exchange(&pending, 0);
#else
    int count = atomic_load(&pending); // @gap
    atomic_store(&pending, 0);
    return count;
#endif
}

static void *sender(void *argument) {
    pthread_kill(receiver, SIGUSR1);
    return argument;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    int count = 0;
    sigaction(SIGUSR1, &action, NULL);
    receiver = pthread_self();
    pthread_create(&thread, NULL, sender, NULL);
    count += take_pending();
    pthread_join(thread, NULL);
    count += take_pending();
    printf("%d\n", count);
    return count != 1;
}
