// The timed mutexes of C++: try_lock_for, try_lock_until, and the recursive ones. In the twin they
// run out of time, and the unlocks inside let nobody in.
//
// FLAGS -std=c++17
// SPEC atomic function update
// SPEC atomic function look
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static struct {
    std::recursive_timed_mutex lock;
    int left = 0, right = 0;
} state;

#ifdef FIXED
static std::atomic<int> refused;
#endif

static BLOCK void add(int &half) {
    check(state.lock.try_lock_for(10s));
    half++;
    state.lock.unlock();
}

static BLOCK void update() {
#ifdef FIXED
    state.lock.lock();
#endif
    add(state.left);
    step(1);
    step(4);
    add(state.right);
#ifdef FIXED
    check(refused == 1);
    state.lock.unlock();
#endif
}

static BLOCK void look() {
#ifdef FIXED
    check(!state.lock.try_lock());
    check(!state.lock.try_lock_for(1ms));
    refused = 1;
#else
    check(state.lock.try_lock_until(std::chrono::system_clock::now() + 10s));
    check(state.left != state.right);
    state.lock.unlock();
#endif
}

int main() {
    std::thread writer(update);
    std::thread looker([] {
        step(2);
        look();
        step(3);
    });
    writer.join();
    looker.join();
    puts("ok");
    return 0;
}
