// Two nested loops: an iteration of the outer one is the block, with all turns of the inner one,
// since it does something of its own. What two turns of the inner loop do belongs together; in the
// twin, the other thread comes in between two iterations of the outer loop.
//
// EXPECT violated: one?iteration?of?the?loop?at?adder,*
// EXPECT cut-by: other
// EXPECT on: cells
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

enum { ROWS = 3, COLUMNS = 4 };

static struct {
    pthread_mutex_t lock;
    int value[COLUMNS], rows;
} cells = {PTHREAD_MUTEX_INITIALIZER, {0}, 0};

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow __attribute__((unused)) = 1;

THREAD(adder) {
    for (int row = 0; row < ROWS; row++) {
        pthread_mutex_lock(&cells.lock);
        cells.rows++;
        pthread_mutex_unlock(&cells.lock);
        for (int column = 0; column < COLUMNS; column++) {
            pthread_mutex_lock(&cells.lock);
            cells.value[column]++;
            pthread_mutex_unlock(&cells.lock);
#ifndef FIXED
            if (row == slow && column == slow) {
                step(1);
                step(4);
            }
#endif
        }
#ifdef FIXED
        if (row == slow) {
            step(1);
            step(4);
        }
#endif
    }
    return NULL;
}

THREAD(other) {
    step(2);
    pthread_mutex_lock(&cells.lock);
    int first = cells.value[0], last = cells.value[COLUMNS - 1];
    pthread_mutex_unlock(&cells.lock);
    step(3);
#ifdef FIXED
    check(first == last);
#else
    check(first == last + 1);
#endif
    return NULL;
}

int main(void) {
    together(adder, other);
    check(cells.value[0] == ROWS && cells.value[COLUMNS - 1] == ROWS);
    puts("ok");
    return 0;
}
