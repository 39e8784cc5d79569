// Orders are handed over with a counting semaphore of C++20. In the bug, the second half of an order
// follows when its reader has been let in.
//
// FLAGS -std=c++20
// SPEC atomic function order
// SPEC atomic function serve
// EXPECT violated: order
// EXPECT cut-by: serve
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <atomic>
#include <semaphore>

static std::counting_semaphore<8> orders(0);
static std::atomic<int> dish, number;

static BLOCK void order(int what) {
    dish = what;
#ifndef FIXED
    orders.release();
    step(1);
    step(4);
#endif
    number = 2;
#ifdef FIXED
    orders.release();
    step(1);
#endif
}

static BLOCK int serve(void) {
    return dish * number;
}

THREAD(guest) {
    order(7);
    return NULL;
}

THREAD(cook) {
    step(2);
    orders.acquire();
    int served = serve();
    step(3);
    return served ? nullptr : nullptr;
}

int main(void) {
    together(guest, cook);
    puts("ok");
    return 0;
}
