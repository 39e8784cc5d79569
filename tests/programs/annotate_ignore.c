// A counter of hits that nobody takes seriously: a block looks at it twice, and another thread
// changes it in between. In the twin the program asks to ignore these accesses, and the functions
// around them are seen as usual.
//
// EXPECT violated: serve
// EXPECT cut-by: serve_other
// EXPECT on: hits
// EXPECT line: serve @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static atomic_int hits;

static BLOCK void careless(void) {
#ifdef FIXED
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
}

static BLOCK void careful(void) {
#ifdef FIXED
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

static BLOCK void serve(void) {
    careless();
    atomic_fetch_add(&hits, 1); // @out
    careful();
    step(1);
    step(4);
    careless();
    check(atomic_load(&hits) == 2); // @in
    careful();
}

static BLOCK void serve_other(void) {
    careless();
    atomic_fetch_add(&hits, 1); // @cut
    careful();
}

THREAD(one) {
    serve();
    return NULL;
}

THREAD(two) {
    step(2);
    serve_other();
    step(3);
    return NULL;
}

int main(void) {
    together(one, two);
    puts("ok");
    return 0;
}
