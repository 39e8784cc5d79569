// A loop of which the compiler is asked to write several turns after each other, and one of which
// it writes all turns after each other. What looks like one iteration, or like a function without a
// loop, is several: that another thread comes in between means nothing.
//
// EXPECT none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} total = {PTHREAD_MUTEX_INITIALIZER, 0};

THREAD(partly) {
#pragma GCC unroll 4
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&total.lock);
        total.value++;
        pthread_mutex_unlock(&total.lock);
        if (i == 5) {
            step(1);
            step(4);
        }
    }
    return NULL;
}

THREAD(wholly) {
    step(5);
#pragma GCC unroll 8
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&total.lock);
        total.value++;
        pthread_mutex_unlock(&total.lock);
        if (i == 1)
            step(8);
    }
    return NULL;
}

static int at;

THREAD(between) {
    step(at + 2);
    pthread_mutex_lock(&total.lock);
    total.value += 100;
    pthread_mutex_unlock(&total.lock);
    step(at + 3);
    return NULL;
}

int main(void) {
    together(partly, between);
    at = 4;
    together(wholly, between);
    check(total.value == 212);
    puts("ok");
    return 0;
}
