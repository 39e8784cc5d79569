// A table is filled before the threads start and only read afterwards, by long blocks of all of
// them, which also write what is theirs.
//
// EXPECT none
#include "schedule.h"

static int squares[32];
static const char digits[] = "0123456789";
static int sums[2];

static BLOCK void fill(void) {
    for (int i = 0; i < 32; i++)
        squares[i] = i * i;
}

static BLOCK int add(int who, int from, int to) {
    for (int i = from; i < to; i++)
        sums[who] += squares[i] + digits[i % 10] - '0';
    return sums[who];
}

static BLOCK int add_all(int who, int pass, int resume) {
    add(who, 0, 16);
    step(pass);
    step(resume);
    return add(who, 16, 32);
}

THREAD(one) {
    check(add_all(0, 1, 4) == 10552);
    return NULL;
}

THREAD(two) {
    step(2);
    check(add_all(1, 3, 5) == 10552);
    return NULL;
}

int main(void) {
    fill();
    together(one, two);
    puts("ok");
    return 0;
}
