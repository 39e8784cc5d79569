// Two workers fill their parts and count a latch down, and a third one waits for it. In the bug, a
// worker counts down before it is done.
//
// FLAGS -std=c++20
// SPEC atomic function fill
// SPEC atomic function add
// EXPECT violated: fill
// EXPECT cut-by: add
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <atomic>
#include <latch>

static std::latch filled(1);
static std::atomic<int> parts[2];

static BLOCK void fill(void) {
    parts[0] = 1;
#ifndef FIXED
    filled.count_down();
    step(1);
    step(4);
#endif
    parts[1] = 2;
#ifdef FIXED
    filled.count_down();
    step(1);
#endif
}

static BLOCK int add(void) {
    return parts[0] + parts[1];
}

THREAD(worker) {
    fill();
    return NULL;
}

THREAD(waiter) {
    step(2);
    filled.wait();
    int sum = add();
    step(3);
    return sum ? nullptr : nullptr;
}

int main(void) {
    together(worker, waiter);
    puts("ok");
    return 0;
}
