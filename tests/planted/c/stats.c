#include "planted.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count, sum;

/* Of threads that did not want to wait for the lock: see record_sample. */
static long quick_count, quick_sum;

/* There is no lock at all, so that any two of its lines can be those of the gap. */
// CAUSE record_sample
BLOCK void record_sample(long value) {
    quick_count++;
    gap(SAMPLE);
    quick_sum += value / quick_count;
}

/* One operation: nobody can come in between. */
BLOCK void skip_sample(void) {
    __atomic_fetch_add(&quick_count, 1, __ATOMIC_RELAXED);
}

static BLOCK long read_sum(void) {
    pthread_mutex_lock(&lock);
    long result = sum;
    pthread_mutex_unlock(&lock);
    return result;
}

static BLOCK long read_count(void) {
    pthread_mutex_lock(&lock);
    long result = count;
    pthread_mutex_unlock(&lock);
    return result;
}

// CAUSE average @sum @count
BLOCK long average(void) {
    long all = read_sum(); // @sum
    gap(AVERAGE);
    long many = read_count(); // @count
    return many ? all / many : 0;
}

// CAUSE reset_stats @first @second
BLOCK void reset_stats(void) {
    pthread_mutex_lock(&lock); // @first
    count = 0;
    pthread_mutex_unlock(&lock);
    gap(RESET);
    pthread_mutex_lock(&lock); // @second
    sum = 0;
    pthread_mutex_unlock(&lock);
}

BLOCK void add_sample(long value) {
    pthread_mutex_lock(&lock);
    sum += value;
    count++;
    pthread_mutex_unlock(&lock);
}

BLOCK void double_stats(void) {
    pthread_mutex_lock(&lock);
    count *= 2;
    sum *= 2;
    pthread_mutex_unlock(&lock);
}
