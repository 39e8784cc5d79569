// parse() and fail() are left by longjmp and end there. What comes after cuts safe_parse(), which
// goes on, and not them. The thread touches the same data once more outside of any block.
//
// EXPECT violated: safe_parse
// EXPECT cut-by: reset
// EXPECT on: parser
// EXPECT line: safe_parse @out @cut @in
// EXPECT runs: safe_parse 1/1
// EXPECT runs: parse 0/1
// EXPECT runs: fail 0/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <setjmp.h>

static struct {
    pthread_mutex_t lock;
    int errors;
} parser = {.lock = PTHREAD_MUTEX_INITIALIZER};

static jmp_buf handler;

static BLOCK void count_error(void) {
    pthread_mutex_lock(&parser.lock);   // @in
    parser.errors++;                    // @in @out
    pthread_mutex_unlock(&parser.lock); // @out
}

static BLOCK __attribute__((noreturn)) void fail(void) {
    count_error();
    longjmp(handler, 1);
}

static BLOCK void parse(int bad) {
    if (bad)
        fail();
}

static BLOCK void safe_parse(void) {
    if (setjmp(handler) == 0) {
        parse(1);
    } else {
#ifndef FIXED
        step(1);
        step(4);
        count_error();
#endif
    }
}

static BLOCK void reset(void) {
    pthread_mutex_lock(&parser.lock);   // @cut
    parser.errors = 0;                  // @cut
    pthread_mutex_unlock(&parser.lock); // @cut
}

THREAD(reader) {
    safe_parse();
#ifdef FIXED
    step(1);
    step(4);
#endif
    count_error();
    return NULL;
}

THREAD(resetter) {
    step(2);
    reset();
    step(3);
    return NULL;
}

int main(void) {
    together(reader, resetter);
    puts("ok");
    return 0;
}
