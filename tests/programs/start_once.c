// Everything happens in the functions that the threads start with. Without a loop, such a function
// is a block: the first thread reads and writes a total in two critical sections.
//
// EXPECT violated: thread?function?adder
// EXPECT cut-by: other
// EXPECT on: total
// EXPECT line: thread?function?adder @out @cut @in
// EXPECT runs: thread?function?adder 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} total = {PTHREAD_MUTEX_INITIALIZER, 0};

THREAD(adder) {
    pthread_mutex_lock(&total.lock);
    int old = total.value; // @out
#ifndef FIXED
    pthread_mutex_unlock(&total.lock);
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&total.lock);
#endif
    total.value = old + 1; // @in
    pthread_mutex_unlock(&total.lock);
    return NULL;
}

THREAD(other) {
    step(2);
    pthread_mutex_lock(&total.lock);
    total.value += 10; // @cut
    pthread_mutex_unlock(&total.lock);
    step(3);
    return NULL;
}

int main(void) {
    together(adder, other);
#ifdef FIXED
    check(total.value == 11);
#else
    check(total.value == 1);
#endif
    puts("ok");
    return 0;
}
