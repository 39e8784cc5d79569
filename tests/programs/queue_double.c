// Two buffers: the writer fills one while the reader reads the other, without the mutex, and a flag
// under the mutex says whose turn it is. In the bug, the buffers are swapped in one section, and
// counted in the next.
//
// SPEC atomic function fill
// SPEC atomic function swap
// SPEC atomic function draw
// SPEC atomic function shown
// EXPECT violated: swap
// EXPECT cut-by: shown
// EXPECT on: screen
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

enum { PIXELS = 4 };

static struct {
    pthread_mutex_t lock;
    int buffers[2][PIXELS];
    int front, number;
} screen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void fill(int back, int value) {
    for (int i = 0; i < PIXELS; i++)
        screen.buffers[back][i] = value;
}

static void be_slow(int slow) {
    if (slow) {
        step(2);
        step(5);
    }
}

static BLOCK void swap(int slow) {
    pthread_mutex_lock(&screen.lock);
    screen.front ^= 1;
#ifndef FIXED
    pthread_mutex_unlock(&screen.lock);
    be_slow(slow);
    pthread_mutex_lock(&screen.lock);
#endif
    screen.number++;
    pthread_mutex_unlock(&screen.lock);
#ifdef FIXED
    be_slow(slow);
#endif
}

static BLOCK int shown(void) {
    pthread_mutex_lock(&screen.lock);
    int same = screen.front == (screen.number & 1);
    pthread_mutex_unlock(&screen.lock);
    return same;
}

static BLOCK int draw(int front) {
    int sum = 0;
    for (int i = 0; i < PIXELS; i++)
        sum += screen.buffers[front][i];
    return sum;
}

THREAD(writer) {
    step(1);
    fill(1, 1);
    swap(1);
    fill(0, 2);
    step(6);
    return NULL;
}

THREAD(reader) {
    step(3);
    int same = shown();
    step(4);
    step(7);
    return draw(1) + same ? NULL : NULL;
}

int main(void) {
    together(writer, reader);
    puts("ok");
    return 0;
}
