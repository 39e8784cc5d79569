// A job moves from one list to another, each with its lock. In between it is in neither, and a
// search that looks through both, with both locks held, does not find it.
//
// EXPECT violated: job_start
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { JOBS = 4 };

struct list {
    pthread_mutex_t lock;
    bool has[JOBS];
};

static struct list waiting = {PTHREAD_MUTEX_INITIALIZER, {true, true, true, true}};
static struct list running = {PTHREAD_MUTEX_INITIALIZER, {false}};
static int lost;

static void job_start(int job) {
#ifdef FIXED
    pthread_mutex_lock(&waiting.lock);
    pthread_mutex_lock(&running.lock);
    waiting.has[job] = false;
    running.has[job] = true;
    pthread_mutex_unlock(&running.lock);
    pthread_mutex_unlock(&waiting.lock);
#else
    pthread_mutex_lock(&waiting.lock);
    waiting.has[job] = false;
    pthread_mutex_unlock(&waiting.lock); // @gap
    pthread_mutex_lock(&running.lock);
    running.has[job] = true;
    pthread_mutex_unlock(&running.lock);
#endif
}

static bool job_exists(int job) {
    pthread_mutex_lock(&waiting.lock);
    pthread_mutex_lock(&running.lock);
    bool found = waiting.has[job] || running.has[job];
    pthread_mutex_unlock(&running.lock);
    pthread_mutex_unlock(&waiting.lock);
    return found;
}

static void *scheduler(void *argument) {
    job_start(2);
    job_start(0);
    return argument;
}

static void *monitor(void *argument) {
    for (int job = 0; job < JOBS; job++)
        if (!job_exists(job))
            lost++;
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, scheduler, NULL);
    pthread_create(&b, NULL, monitor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d jobs were lost\n", lost);
    return lost != 0;
}
