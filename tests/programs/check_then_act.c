// A set whose every operation is locked, and a caller that asks and then acts: between the two the
// lock is free, and both threads find the number missing. The operations themselves are atomic.
//
// EXPECT violated: add_once
// EXPECT cut-by: add_once
// EXPECT on: numbers
// EXPECT line: add_once @out @in
// EXPECT runs: add_once 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int count;
    int items[8];
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find(int number) {
    for (int i = 0; i < numbers.count; i++)
        if (numbers.items[i] == number)
            return 1;
    return 0;
}

static __attribute__((unused)) BLOCK int contains(int number) {
    pthread_mutex_lock(&numbers.lock);
    int found = find(number);
    pthread_mutex_unlock(&numbers.lock); // @out
    return found;
}

static __attribute__((unused)) BLOCK void insert(int number) {
    pthread_mutex_lock(&numbers.lock); // @in
    numbers.items[numbers.count++] = number;
    pthread_mutex_unlock(&numbers.lock);
}

static BLOCK void insert_if_missing(int number, int slow) {
    pthread_mutex_lock(&numbers.lock);
    if (!find(number)) {
        if (slow) {
            step(1);
            step(4);
        }
        numbers.items[numbers.count++] = number;
    }
    pthread_mutex_unlock(&numbers.lock);
}

static BLOCK void add_once(int number, int slow) {
#ifdef FIXED
    insert_if_missing(number, slow);
#else
    if (!contains(number)) { // @out
        if (slow) {
            step(1);
            step(4);
        }
        insert(number); // @in
    }
#endif
}

THREAD(slow) {
    add_once(7, 1);
    return NULL;
}

THREAD(fast) {
    step(2);
    add_once(7, 0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
    insert_if_missing(8, 0);
#ifdef FIXED
    check(numbers.count == 2);
#else
    check(numbers.count == 3 && contains(7));
    insert(9);
#endif
    puts("ok");
    return 0;
}
