// A table that grows: `new_entry` returns where the entry is, and it is written after that. If the
// table has moved in between, the entry is written to where the table was.
//
// EXPECT violated: add_entry
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first_home[2];
static int *entries = first_home;
static size_t capacity = 2, used = 1;

/* Old homes are kept, for those who still read there. */
static int *new_entry(void) {
    if (used == capacity) {
        int *larger = calloc(2 * capacity, sizeof *larger);
        memcpy(larger, entries, capacity * sizeof *larger);
        entries = larger;
        capacity *= 2;
    }
    return &entries[used++];
}

static void add_entry(int value) {
    pthread_mutex_lock(&lock);
    int *entry = new_entry();
#ifndef FIXED
    pthread_mutex_unlock(&lock); // @gap
    pthread_mutex_lock(&lock);
#endif
    *entry = value;
    pthread_mutex_unlock(&lock);
}

static void *adder(void *value) {
    add_entry(*(int *)value);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int values[2] = {5, 7}, sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, &values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < used; i++)
        sum += entries[i];
    printf("%d\n", sum);
    return sum != 12;
}
