// Lambdas given to std::thread are what the threads start with: one without a loop is a block as a
// whole, and each iteration of the loop of another one is.
//
// FLAGS -std=c++17
// EXPECT violated: thread?function?main::*
// EXPECT violated: one?iteration?of?the?loop?at?main::*
// EXPECT on: total
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <mutex>
#include <thread>

static std::mutex mutex;
static int total;

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow __attribute__((unused)) = 1;

int main() {
    std::thread once([] {
        mutex.lock();
        int old = total;
#ifndef FIXED
        mutex.unlock();
        step(1);
        step(4);
        mutex.lock();
#endif
        total = old + 1;
        mutex.unlock();
#ifdef FIXED
        step(1);
        step(4);
#endif
    });
    std::thread often([] {
        step(5);
        for (int i = 0; i < 3; i++) {
            mutex.lock();
            int old = total;
#ifndef FIXED
            mutex.unlock();
            if (i == slow) {
                step(6);
                step(9);
            }
            mutex.lock();
#endif
            total = old + 1;
            mutex.unlock();
#ifdef FIXED
            if (i == slow) {
                step(6);
                step(9);
            }
#endif
        }
    });
    std::thread other([] {
        step(2);
        mutex.lock();
        total += 10;
        mutex.unlock();
        step(3);
    });
    std::thread another([] {
        step(7);
        mutex.lock();
        total += 100;
        mutex.unlock();
        step(8);
    });
    once.join();
    often.join();
    other.join();
    another.join();
    puts("ok");
    return 0;
}
