// A function gives the address of a local to a thread and joins it, again and again: the locals of
// all calls, and of another function in between, lie at the same addresses.
//
// EXPECT none
#include "schedule.h"

struct job {
    int from, to, sum;
};

static BLOCK void add_up(struct job *job) {
    for (int i = job->from; i < job->to; i++)
        job->sum += i;
}

static void *worker(void *argument) {
    add_up(argument);
    return NULL;
}

static BLOCK int sum_elsewhere(int from, int to) {
    pthread_t thread;
    struct job job = {from, to, 0};
    check(pthread_create(&thread, NULL, worker, &job) == 0);
    check(pthread_join(thread, NULL) == 0);
    return job.sum;
}

static BLOCK int sum_here(int from, int to) {
    struct job jobs[2] = {{from, from, 0}, {from, to, 0}};
    add_up(&jobs[0]);
    add_up(&jobs[1]);
    return jobs[1].sum;
}

static BLOCK int compare(int to) {
    return sum_elsewhere(0, to) - sum_here(0, to) + sum_elsewhere(0, to) - sum_here(0, to);
}

THREAD(comparer) {
    for (int to = 1; to < 20; to++)
        check(compare(to) == 0);
    return NULL;
}

int main(void) {
    together(comparer, comparer);
    puts("ok");
    return 0;
}
