// A coroutine sells a seat, and then goes on in another thread: where it waits for that, its block
// ends, though its thread does not wait. It looks for a seat and takes it in two critical sections,
// and another thread comes in between. The twin does both in one; what another thread does between
// that and the wait cuts nothing.
//
// FLAGS -std=c++20
// EXPECT violated: sell buy
// EXPECT cut-by: give_up
// EXPECT on: seats
// EXPECT line: buy @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <coroutine>
#include <mutex>
#include <thread>

static struct {
    std::mutex lock;
    int free = 1, sold = 0;
} seats;

static struct {
    std::mutex lock;
    std::coroutine_handle<> first;
    int count = 0;
} waiting;

static BLOCK void put(std::coroutine_handle<> handle) {
    std::lock_guard<std::mutex> guard(waiting.lock);
    if (handle)
        waiting.first = handle;
    waiting.count++;
}

static BLOCK std::coroutine_handle<> get() {
    std::lock_guard<std::mutex> guard(waiting.lock);
    return waiting.first;
}

struct next_thread {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { put(handle); }
    void await_resume() {}
};

struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

#ifndef FIXED
static BLOCK bool is_free() {
    std::lock_guard<std::mutex> guard(seats.lock);
    return seats.free > 0; // @out
}
#endif

static BLOCK bool buy() {
#ifndef FIXED
    if (!is_free())
        return false;
    step(1);
    step(4);
#endif
    std::lock_guard<std::mutex> guard(seats.lock);
    if (seats.free <= 0) // @in
        return false;
    seats.free--;
    return ++seats.sold > 0;
}

/* Of the other thread: it touches what the coroutine has used, and what it will use. */
static BLOCK void give_up() {
    {
        std::lock_guard<std::mutex> guard(seats.lock);
        seats.free++;
    }
    put(nullptr);
}

static task sell() {
    co_await next_thread();
    buy();
#ifdef FIXED
    step(1);
    step(4);
#endif
    co_await next_thread();
}

int main() {
    sell();
    std::thread one([] { get().resume(); });
    std::thread other([] {
        step(2);
        give_up();
        step(3);
    });
    one.join();
    other.join();
    get().resume();
    check(seats.free == 1 && seats.sold == 1 && waiting.count == 3);
    puts("ok");
    return 0;
}
