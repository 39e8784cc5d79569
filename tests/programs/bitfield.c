// Bit-fields that share a byte cannot be written without each other; those of another group (behind
// the `: 0`) can, and so can the neighbouring byte.
//
// RACY the order is kept by the schedule alone, and fields of one byte are one memory location
// EXPECT violated: toggle
// EXPECT cut-by: mark
// EXPECT on: flags
// EXPECT line: toggle @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

struct {
    unsigned char one : 3;
    unsigned char two : 5;
    unsigned char : 0;
    unsigned char three : 4;
    unsigned char four;
} flags;

static BLOCK void toggle(void) {
    flags.one++; // @out
    step(1);
    step(4);
    flags.one++; // @in
}

static BLOCK void mark(unsigned char value) {
#ifdef FIXED
    flags.three = value & 15;
    flags.four = value;
#else
    flags.two = value & 31; // @cut
#endif
}

THREAD(toggler) {
    toggle();
    return NULL;
}

THREAD(marker) {
    step(2);
    mark(9);
    step(3);
    return NULL;
}

int main(void) {
    together(toggler, marker);
    check(flags.one == 2);
    puts("ok");
    return 0;
}
