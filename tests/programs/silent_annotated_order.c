// Threads hand data over by means that no tool can see, and say so: in two spellings, what was
// written before comes before what is read after. There is no race.
//
// EXPECT none
#include "schedule.h"

void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
void __tsan_release(void *object);
void __tsan_acquire(void *object);

static int data[2];

THREAD(giver) {
    data[0] = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &data[0]);
    data[1] = 3;
    __tsan_release(&data[1]);
    step(1);
    return NULL;
}

THREAD(taker) {
    step(2);
    AnnotateHappensAfter(__FILE__, __LINE__, &data[0]);
    check(data[0] == 1);
    __tsan_acquire(&data[1]);
    check(data[1] == 3);
    return NULL;
}

int main(void) {
    together(giver, taker);
    puts("ok");
    return 0;
}
