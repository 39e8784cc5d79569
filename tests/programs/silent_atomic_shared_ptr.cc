// A thread looks twice at what a std::atomic<std::shared_ptr> holds, and others look in between: one
// that takes a copy, and one that tries to exchange it and fails. Nobody changes anything, though
// each of these operations takes a lock in the library, which is one bit of a pointer.
//
// FLAGS -std=c++20
// EXPECT none
#include "schedule.h"

#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> current;

static BLOCK int look_twice() {
    std::shared_ptr<int> first = current.load();
    step(1);
    step(4);
    std::shared_ptr<int> second = current.load();
    return *first + *second;
}

static BLOCK bool look_and_try() {
    std::shared_ptr<int> seen = current.load(), none;
    return seen && !current.compare_exchange_strong(none, seen);
}

int main() {
    int sum = 0;
    bool failed = false;
    current = std::make_shared<int>(7);
    std::thread one([&sum] { sum = look_twice(); });
    std::thread other([&failed] {
        step(2);
        failed = look_and_try();
        step(3);
    });
    one.join();
    other.join();
    check(sum == 14 && failed);
    puts("ok");
    return 0;
}
