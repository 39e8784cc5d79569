// std::unique_lock: taken late, let go early, taken again; std::try_to_lock that fails in the twin.
//
// FLAGS -std=c++17
// SPEC atomic function refresh
// SPEC atomic function peek
// EXPECT violated: refresh
// EXPECT cut-by: peek
// EXPECT on: page
// EXPECT line: refresh @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <atomic>
#include <mutex>
#include <thread>

static struct {
    std::mutex lock;
    int head = 0, body = 0;
} page;

static std::atomic<int> refused;

static BLOCK void refresh() {
    std::unique_lock<std::mutex> lock(page.lock, std::defer_lock);
    lock.lock();
    page.head++;   // @out
    lock.unlock(); // @out
#ifdef FIXED
    lock.lock();
#endif
    step(1);
    step(4);
#ifdef FIXED
    check(refused == 1);
#else
    lock.lock(); // @in
#endif
    page.body++; // @in
}

static BLOCK void peek() {
    std::unique_lock<std::mutex> lock(page.lock, std::try_to_lock);
    if (lock)
        check(page.head != page.body);
    else
        refused = 1;
}

int main() {
    std::thread author(refresh);
    std::thread reader([] {
        step(2);
        peek();
        step(3);
    });
    author.join();
    reader.join();
    puts("ok");
    return 0;
}
