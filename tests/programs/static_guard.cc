// A static of a function is initialised once, also when two threads come at the same time: the
// second waits for the first. The bug does it by hand, with a flag that it asks too early.
//
// FLAGS -std=c++17
// SPEC atomic function get_registry
// EXPECT violated: get_registry
// EXPECT cut-by: get_registry
// EXPECT runs: get_registry 1/3
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <atomic>
#include <mutex>
#include <thread>

static int made;

struct Registry {
    BLOCK explicit Registry(bool slow) {
#ifdef FIXED
        if (slow) {
            step(1);
            step(4);
        }
#else
        (void)slow;
#endif
        size = ++made;
    }
    int size;
};

#ifdef FIXED
static BLOCK Registry &get_registry(bool slow) {
    static Registry registry(slow);
    return registry;
}
#else
static std::mutex lock;
static std::atomic<Registry *> shared;

static BLOCK Registry &get_registry(bool slow) {
    if (!shared) {
        if (slow) {
            step(1);
            step(4);
        }
        std::lock_guard<std::mutex> guard(lock);
        delete shared.load();
        shared = new Registry(slow);
    }
    return *shared;
}
#endif

int main() {
    std::thread slow([] { get_registry(true); });
    std::thread fast([] {
        step(2);
        get_registry(false);
        step(3);
    });
    slow.join();
    fast.join();
#ifdef FIXED
    check(get_registry(false).size == 1);
#else
    check(get_registry(false).size == 2);
    delete shared.load();
#endif
    puts("ok");
    return 0;
}
