// threads.h: a pair under a plain mtx_t, read in two critical sections.
//
// EXPECT violated: read_pair
// EXPECT cut-by: write_pair
// EXPECT on: pair
// EXPECT line: read_pair @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <threads.h>

static struct {
    mtx_t lock;
    int x, y;
} pair;

static BLOCK int read_pair(void) {
    mtx_lock(&pair.lock);
    int x = pair.x; // @out
#ifndef FIXED
    mtx_unlock(&pair.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    mtx_lock(&pair.lock); // @in
#endif
    int y = pair.y; // @in
    mtx_unlock(&pair.lock);
    return x == y;
}

static BLOCK void write_pair(int value) {
    mtx_lock(&pair.lock);   // @cut
    pair.x = value;         // @cut
    pair.y = value;         // @cut
    mtx_unlock(&pair.lock); // @cut
}

static int reader(void *argument) {
    (void)argument;
    return read_pair();
}

static int writer(void *argument) {
    (void)argument;
    step(2);
    write_pair(1);
    step(3);
    return 0;
}

int main(void) {
    thrd_t one, two;
    int equal;
    check(mtx_init(&pair.lock, mtx_plain) == thrd_success);
    check(thrd_create(&one, reader, NULL) == thrd_success);
    check(thrd_create(&two, writer, NULL) == thrd_success);
    check(thrd_join(one, &equal) == thrd_success);
    check(thrd_join(two, NULL) == thrd_success);
    mtx_destroy(&pair.lock);
#ifdef FIXED
    check(equal);
#else
    check(!equal);
#endif
    puts("ok");
    return 0;
}
