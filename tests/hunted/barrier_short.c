// A barrier that somebody made of a mutex and a condition. It opens when all but one have come, and
// the one who adds up what the others made can be too early.
//
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int arrived;
static atomic_int parts[WORKERS], total;

static void meet(void) {
    pthread_mutex_lock(&lock);
    arrived++;
#ifdef FIXED
    while (arrived < WORKERS)
#else
    while (arrived < WORKERS - 1)
#endif
        pthread_cond_wait(&opened, &lock);
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
}

/* The more, the longer it takes. */
static void make_part(int index) {
    int part = 0;
    for (int i = 0; i < 1000000 * index; i++)
        part = (part + i) % 7;
    atomic_store(&parts[index], part + 1);
}

static void add_parts(void) {
    int sum = 0;
    for (int i = 0; i < WORKERS; i++)
        sum += atomic_load(&parts[i]);
    atomic_store(&total, sum);
}

static void *worker(void *argument) {
    int index = *(int *)argument;
    make_part(index); // @gap-before
    meet();
    if (index == WORKERS - 1)
        add_parts();
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    int indices[WORKERS] = {0, 1, 2};
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, &indices[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", total);
    return total != 4;
}
