// The configuration is read when it is first needed. Two threads find that it is not there yet, and
// each reads it: the settings that one of them has made are gone.
//
// EXPECT violated: get_config
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    int verbosity;
    int jobs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *config;

static struct config *read_config(void) {
    struct config *fresh = calloc(1, sizeof *fresh);
    fresh->jobs = 1;
    return fresh;
}

static struct config *get_config(void) {
    pthread_mutex_lock(&lock);
    struct config *current = config;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (!current) {
        current = read_config(); // @gap
#ifndef FIXED
        pthread_mutex_lock(&lock);
#endif
        config = current;
#ifndef FIXED
        pthread_mutex_unlock(&lock);
#endif
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return current;
}

static void *set_verbosity(void *argument) {
    get_config()->verbosity = 2;
    return argument;
}

static void *set_jobs(void *argument) {
    get_config()->jobs = 4;
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, set_verbosity, NULL);
    pthread_create(&b, NULL, set_jobs, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("verbosity %d, %d jobs\n", config->verbosity, config->jobs);
    return config->verbosity != 2 || config->jobs != 4;
}
