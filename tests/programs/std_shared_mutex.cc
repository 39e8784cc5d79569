// std::shared_mutex: looked up under the shared lock, filled in under the exclusive one. The twin
// has readers only in the middle of its block, and they do not cut it.
//
// FLAGS -std=c++17
// SPEC atomic function lookup
// SPEC atomic function sum
// EXPECT violated: lookup
// EXPECT cut-by: lookup
// EXPECT on: cache
// EXPECT runs: lookup 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <mutex>
#include <shared_mutex>
#include <thread>

static struct {
    std::shared_mutex lock;
    int filled = 0, fills = 0;
} cache;

static BLOCK int is_filled() {
    std::shared_lock<std::shared_mutex> guard(cache.lock);
    return cache.filled;
}

static BLOCK void fill() {
    std::unique_lock<std::shared_mutex> guard(cache.lock);
    cache.filled = 1;
    cache.fills++;
}

static __attribute__((unused)) BLOCK void lookup(bool slow) {
    if (!is_filled()) {
        if (slow) {
            step(1);
            step(4);
        }
        fill();
    }
}

static __attribute__((unused)) BLOCK int sum(bool slow) {
    int first = is_filled();
    if (slow) {
        step(1);
        step(4);
    }
    return first + is_filled();
}

int main() {
#ifdef FIXED
    fill();
    std::thread slow([] { check(sum(true) == 2); });
#else
    std::thread slow(lookup, true);
#endif
    std::thread fast([] {
        step(2);
#ifdef FIXED
        check(sum(false) == 2);
#else
        lookup(false);
#endif
        step(3);
    });
    slow.join();
    fast.join();
#ifdef FIXED
    check(cache.fills == 1);
#else
    check(cache.fills == 2);
#endif
    puts("ok");
    return 0;
}
