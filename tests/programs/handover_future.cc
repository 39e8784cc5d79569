// A result is made and handed over with a promise. In the bug, its maker still changes it behind that.
//
// SPEC atomic function make
// SPEC atomic function look
// EXPECT violated: make
// EXPECT cut-by: look
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <atomic>
#include <future>

struct result {
    std::atomic<int> size, sum;
};

static std::promise<result *> promise;
static result made;

static BLOCK void make(void) {
    made.size = 3;
#ifndef FIXED
    promise.set_value(&made);
    step(1);
    step(4);
#endif
    made.sum = 6;
#ifdef FIXED
    promise.set_value(&made);
    step(1);
#endif
}

static BLOCK int look(result *from) {
    return from->size + from->sum;
}

THREAD(maker) {
    make();
    return NULL;
}

THREAD(reader) {
    step(2);
    int seen = look(promise.get_future().get());
    step(3);
    return seen ? nullptr : nullptr;
}

int main(void) {
    together(maker, reader);
    puts("ok");
    return 0;
}
