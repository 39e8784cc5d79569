// Functions that every compiler wants to inline are functions in the source, and blocks: one that
// is called once, and one that is hardly more than a call. (One that is declared inline and as
// small as that may be inlined: docs/programs.md.)
//
// EXPECT violated: outer inner
// EXPECT cut-by: look
// EXPECT on: cell
// EXPECT line: inner @out @cut @in
// EXPECT runs: outer 1/1
// EXPECT runs: inner 1/1
// EXPECT runs: bump 0/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int value;
} cell = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void bump(void) {
    cell.value++;
}

static void inner(void) {
    pthread_mutex_lock(&cell.lock);
    bump(); // @out
#ifndef FIXED
    pthread_mutex_unlock(&cell.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&cell.lock); // @in
#endif
    bump(); // @in
    pthread_mutex_unlock(&cell.lock);
}

static void outer(void) {
    inner();
}

static int look(void) {
    pthread_mutex_lock(&cell.lock);   // @cut
    int value = cell.value;           // @cut
    pthread_mutex_unlock(&cell.lock); // @cut
    return value;
}

THREAD(worker) {
    outer();
    return NULL;
}

THREAD(observer) {
    step(2);
    int value = look();
    step(3);
#ifdef FIXED
    check(value != 1);
#else
    check(value == 1);
#endif
    return NULL;
}

int main(void) {
    together(worker, observer);
    puts("ok");
    return 0;
}
