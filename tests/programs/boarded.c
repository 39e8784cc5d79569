// What a function has done to memory of its own thread counts once another thread comes there while
// the function is open: the function was not known until then. A function that was left before that
// is not violated, and the one that called it is.
//
// RACY box
// EXPECT violated: outer inner
// EXPECT cut-by: peek
// EXPECT on: box
// EXPECT line: inner @out @cut @in
// EXPECT runs: outer 1/1
// EXPECT runs: inner 1/1
// EXPECT runs: prepare 0/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#ifdef FIXED
enum { EXPECTED = 0 };
#else
enum { EXPECTED = 1 };
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int size, weight, seen; } box;

static void prepare(void) {
    box.weight++;
}

static void inner(void) {
    prepare();
    box.size = 1; // @out
#ifndef FIXED
    step(1);
    step(4);
#endif
    check(box.seen == EXPECTED); // @in
}

static void outer(void) {
    prepare();
    inner();
}

static void peek(void) {
    box.seen = box.size; // @cut
}

THREAD(worker) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    outer();
    pthread_mutex_unlock(&lock);
    step(1);
    step(4);
#else
    outer();
#endif
    return NULL;
}

THREAD(observer) {
    step(2);
#ifdef FIXED
    pthread_mutex_lock(&lock);
    peek();
    pthread_mutex_unlock(&lock);
#else
    (void)lock;
    peek();
#endif
    step(3);
    return NULL;
}

int main(void) {
    together(worker, observer);
    puts("ok");
    return 0;
}
