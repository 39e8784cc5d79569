/* Threads that do little but take the same lock: nearly every event is a point. */
#include "../kernels/kernel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds, total;

static void add(long amount) {
    pthread_mutex_lock(&lock);
    total += amount;
    pthread_mutex_unlock(&lock);
}

static void *work(void *number) {
    for (long i = 0; i < rounds; i++)
        add((intptr_t)number);
    return NULL;
}

int main(int argc, char **argv) {
    rounds = 20000 * scale(argc, argv);
    run_threads(work);
    printf("%ld\n", total);
}
