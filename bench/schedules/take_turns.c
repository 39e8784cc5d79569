/* Two threads that take turns at a condition: every turn is a hand-over, under control or not. */
#include "../kernels/kernel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turns, done;

static void take_turn(long parity) {
    pthread_mutex_lock(&lock);
    while (done % 2 != parity)
        pthread_cond_wait(&changed, &lock);
    done++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *number) {
    for (long i = 0; i < turns; i++)
        take_turn((intptr_t)number);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t one, other;
    turns = 10000 * scale(argc, argv);
    if (pthread_create(&one, NULL, work, (void *)0) ||
        pthread_create(&other, NULL, work, (void *)1))
        abort();
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%ld\n", done);
}
