// A loop of compare-and-swap that computes the new value once, before the loop. If the first try
// fails, the second one writes what was right before.
//
// EXPECT violated: add
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <iostream>
#include <thread>

static std::atomic<int> total{0};

static void add(int amount) {
#ifdef FIXED
    total.fetch_add(amount);
#else
    int expected = total.load();
    int next = expected + amount; // @gap
    while (!total.compare_exchange_strong(expected, next)) {
    }
#endif
}

int main() {
    std::thread one([] { add(3); });
    std::thread two([] { add(4); });
    one.join();
    two.join();
    std::cout << total << std::endl;
    return total != 7;
}
