// A std::atomic<std::shared_ptr> holds the settings. Who changes them copies what is there, and puts
// the copy in its place: what another thread has put there meanwhile is lost. In the twin only one
// thread at a time changes them, and others look at them in between: each operation is one step,
// though the library makes it from a lock that is one bit of a pointer.
//
// FLAGS -std=c++20
// EXPECT violated: raise
// EXPECT cut-by: raise
// EXPECT on: settings
// EXPECT line: raise @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

static std::atomic<std::shared_ptr<const int>> settings;

#ifdef FIXED
static std::mutex changing;
#endif

static BLOCK void raise(bool slow) {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(changing);
#endif
    std::shared_ptr<const int> old = settings.load(); // @out
    if (slow) {
        step(1);
        step(4);
    }
    settings.store(std::make_shared<const int>(*old + 1)); // @in
}

static BLOCK int look() {
    std::shared_ptr<const int> first = settings.load();
    std::shared_ptr<const int> second = settings;
    return *first + *second;
}

int main() {
    settings = std::make_shared<const int>(1);
    std::thread one([] {
        raise(true);
        look();
    });
    std::thread other([] {
        step(2);
#ifdef FIXED
        look();
#else
        raise(false);
#endif
        step(3);
    });
    one.join();
    other.join();
    check(look() == 4);
    puts("ok");
    return 0;
}
