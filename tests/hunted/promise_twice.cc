// Whoever knows the answer first keeps the promise. "Has nobody answered yet?" and "I have" are two
// steps, and a promise cannot be kept twice.
//
// EXPECT violated: thread?function?answer
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <future>
#include <iostream>
#include <thread>

static std::promise<int> promise;
static std::atomic<bool> answered{false};

static void answer(int value) {
#ifdef FIXED
    if (!answered.exchange(true))
        promise.set_value(value);
#else
    if (!answered.load()) {
        answered.store(true); // @gap-before
        promise.set_value(value);
    }
#endif
}

int main() {
    std::future<int> future = promise.get_future();
    std::thread one(answer, 42);
    std::thread two(answer, 42);
    int value = future.get();
    one.join();
    two.join();
    std::cout << value << std::endl;
    return value != 42;
}
