// std::atomic: loaded and stored instead of being added to; the operators of the twin are one
// access.
//
// FLAGS -std=c++17
// SPEC atomic function Counter::*
// EXPECT violated: Counter::increment
// EXPECT cut-by: Counter::increment
// EXPECT on: counter
// EXPECT runs: Counter::increment 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <atomic>
#include <thread>

class Counter {
  public:
    BLOCK void increment(bool slow) {
#ifdef FIXED
        if (slow) {
            step(1);
            step(4);
        }
        value++;
#else
        long old = value;
        if (slow) {
            step(1);
            step(4);
        }
        value = old + 1;
#endif
    }

    std::atomic<long> value{0};
};

static Counter counter;

int main() {
    std::thread slow([] { counter.increment(true); });
    std::thread fast([] {
        step(2);
        counter.increment(false);
        step(3);
    });
    slow.join();
    fast.join();
#ifdef FIXED
    check(counter.value == 2);
#else
    check(counter.value == 1);
#endif
    puts("ok");
    return 0;
}
