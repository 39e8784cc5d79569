// A pool of work with a flag that ends it. Tasks come from the heap; a worker gets one under the
// mutex and computes without it. In the bug, the sum and the number of tasks that are done change
// in two sections, and who looks in between sees a sum that does not fit.
//
// SPEC atomic function submit
// SPEC atomic function get
// SPEC atomic function compute
// SPEC atomic function finish
// SPEC atomic function mean
// EXPECT violated: finish
// EXPECT cut-by: mean
// EXPECT on: pool
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdlib.h>

enum { TASKS = 4 };

struct task {
    int from, to;
    long sum;
};

static struct {
    pthread_mutex_t lock;
    struct task *queue[TASKS];
    int first, end, stop, done;
    long total;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void submit(int from) {
    struct task *task = malloc(sizeof *task);
    *task = (struct task){from, from + 10, 0};
    pthread_mutex_lock(&pool.lock);
    pool.queue[pool.end++] = task;
    pthread_mutex_unlock(&pool.lock);
}

static BLOCK struct task *get(void) {
    struct task *task = NULL;
    pthread_mutex_lock(&pool.lock);
    if (pool.first < pool.end && !pool.stop)
        task = pool.queue[pool.first++];
    pthread_mutex_unlock(&pool.lock);
    return task;
}

static BLOCK void compute(struct task *task) {
    for (int i = task->from; i < task->to; i++)
        task->sum += i;
}

static void be_slow(int slow) {
    if (slow) {
        step(4);
        step(7);
    }
}

static BLOCK void finish(struct task *task, int slow) {
    long sum = task->sum;
    free(task);
    pthread_mutex_lock(&pool.lock);
    pool.total += sum;
#ifndef FIXED
    pthread_mutex_unlock(&pool.lock);
    be_slow(slow);
    pthread_mutex_lock(&pool.lock);
#endif
    pool.done++;
    pthread_mutex_unlock(&pool.lock);
#ifdef FIXED
    be_slow(slow);
#endif
}

static BLOCK long mean(void) {
    pthread_mutex_lock(&pool.lock);
    long result = pool.total / (pool.done + 1);
    pool.stop = pool.done == TASKS;
    pthread_mutex_unlock(&pool.lock);
    return result;
}

THREAD(owner) {
    step(1);
    for (int i = 0; i < TASKS; i++)
        submit(i);
    step(2);
    step(5);
    long result = mean();
    step(6);
    return result ? NULL : NULL;
}

THREAD(worker) {
    struct task *task;
    step(3);
    for (int i = 0; (task = get()); i++) {
        compute(task);
        finish(task, i == 0);
    }
    return NULL;
}

int main(void) {
    together(owner, worker);
    puts("ok");
    return 0;
}
