// Statistics in two fields: the sum and the number of samples are updated in a critical section
// each. Whoever reads the average in between gets one that never was.
//
// EXPECT violated: add_sample
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum = 50, count = 1;
static int wrong;

static void add_sample(long value) {
    pthread_mutex_lock(&lock);
    sum += value;
#ifndef FIXED
    pthread_mutex_unlock(&lock); // @gap
    pthread_mutex_lock(&lock);
#endif
    count++;
    pthread_mutex_unlock(&lock);
}

static long average(void) {
    pthread_mutex_lock(&lock);
    long result = sum / count;
    pthread_mutex_unlock(&lock);
    return result;
}

static void *sampler(void *argument) {
    for (int i = 0; i < 3; i++)
        add_sample(50);
    return argument;
}

static void *display(void *argument) {
    long shown = average();
    if (shown != 50) {
        fprintf(stderr, "average %ld of samples that are all 50\n", shown);
        wrong = 1;
    }
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sampler, NULL);
    pthread_create(&b, NULL, display, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld samples\n", count);
    return wrong;
}
