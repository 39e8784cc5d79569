// Three tasks of std::async add to a total, each of them by a load and a store. The task is the
// function that the thread starts with.
//
// EXPECT violated: thread?function?add_part
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <future>
#include <iostream>

static std::atomic<long> total{0};

static long add_part(long from, long to) {
    long sum = 0;
    for (long i = from; i < to; i++)
        sum += i;
#ifdef FIXED
    total += sum;
#else
    long old = total; // @gap
    total = old + sum;
#endif
    return sum;
}

int main() {
    auto first = std::async(std::launch::async, add_part, 0, 10);
    auto second = std::async(std::launch::async, add_part, 10, 20);
    auto third = std::async(std::launch::async, add_part, 20, 30);
    long expected = first.get() + second.get() + third.get();
    std::cout << total << " of " << expected << std::endl;
    return total != expected;
}
