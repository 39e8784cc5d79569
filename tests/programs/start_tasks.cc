// Lambdas given to std::jthread and std::async are what threads start with. They have no loops, so
// each is a block as a whole; the call of std::async is none.
//
// FLAGS -std=c++20
// EXPECT violated: thread?function?main::*
// EXPECT on: total
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <future>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int total;

int main() {
    {
        std::jthread adder([] {
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
        std::jthread other([] {
            step(2);
            mutex.lock();
            total += 10;
            mutex.unlock();
            step(3);
        });
    }
    auto adder = std::async(std::launch::async, [] {
        mutex.lock();
        int old = total;
#ifndef FIXED
        mutex.unlock();
        step(5);
        step(8);
        mutex.lock();
#endif
        total = old + 1;
        mutex.unlock();
#ifdef FIXED
        step(5);
        step(8);
#endif
        return old;
    });
    auto other = std::async(std::launch::async, [] {
        step(6);
        mutex.lock();
        total += 10;
        mutex.unlock();
        step(7);
        return 0;
    });
    adder.get();
    other.get();
#ifdef FIXED
    check(total == 22);
#else
    check(total == 2);
#endif
    puts("ok");
    return 0;
}
