// The flag that a condition variable waits for is atomic, so it is set without the mutex. It can be
// set and notified after the waiting thread has looked, and before it waits.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static std::atomic<bool> finished{false};

static bool is_finished() {
    bool result = finished.load(); // @gap
    return result;
}

static void wait_for_end() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, is_finished);
}

static void finish() {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex);
#endif
    finished.store(true);
    changed.notify_one();
}

int main() {
    std::thread waiter(wait_for_end);
    std::thread worker(finish);
    waiter.join();
    worker.join();
    std::cout << "finished" << std::endl;
    return 0;
}
