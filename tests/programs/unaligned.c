// A number that lies across the border of two words is one variable of eight bytes. The bug writes
// the last of them, the twin the byte behind it.
//
// RACY the order is kept by the schedule alone, so that only the bytes decide
// EXPECT violated: count
// EXPECT cut-by: mark
// EXPECT on: header
// EXPECT line: count @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

struct __attribute__((packed)) {
    char kind[5];
    long long counter;
    char after[3];
} header __attribute__((aligned(8)));

static BLOCK void count(void) {
    header.counter++; // @out
    step(1);
    step(4);
    header.counter++; // @in
}

static BLOCK void mark(char *byte) {
    *byte = 1; // @cut
}

THREAD(counter) {
    count();
    return NULL;
}

THREAD(marker) {
    char *bytes = (char *)&header;
    step(2);
#ifdef FIXED
    mark(&bytes[4]);
    mark(&bytes[13]);
#else
    mark(&bytes[12]);
#endif
    step(3);
    return NULL;
}

int main(void) {
    together(counter, marker);
    puts("ok");
    return 0;
}
