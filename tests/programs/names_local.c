// Local variables of main that its threads use have their names.
//
// EXPECT violated: work
// EXPECT on: pool.jobs
// EXPECT on: main
// EXPECT line: work @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

struct pool {
    pthread_mutex_t lock;
    int jobs;
};

static BLOCK void work(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    int value = pool->jobs; // @out
#ifndef FIXED
    pthread_mutex_unlock(&pool->lock);
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&pool->lock);
#endif
    pool->jobs = value + 1; // @in
    pthread_mutex_unlock(&pool->lock);
}

static BLOCK void clear(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->jobs = 0; // @cut
    pthread_mutex_unlock(&pool->lock);
}

static void *worker(void *pool) {
    work(pool);
    return NULL;
}

static void *cleaner(void *pool) {
    step(2);
    clear(pool);
    step(3);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    long before[4] = {0};
    struct pool pool = {PTHREAD_MUTEX_INITIALIZER, (int)before[2]};
    check(pthread_create(&one, NULL, worker, &pool) == 0);
    check(pthread_create(&two, NULL, cleaner, &pool) == 0);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    puts("ok");
    return 0;
}
