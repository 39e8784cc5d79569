// One thread waits until a std::atomic<std::shared_ptr> holds something, and then reads what the
// other one wrote before it put that there. The wait orders the two, though the pointer itself is
// looked at by nobody, and it ends the block: what comes after it is another one.
//
// FLAGS -std=c++20
// EXPECT none
#include "schedule.h"

#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> ready;
static int plain = 0;
static std::atomic<int> other = 0;

static BLOCK int take() {
    int before = other.load();
    step(1);
    ready.wait(nullptr);
    int seen = plain;
    return before + seen + other.load();
}

static BLOCK void give(int value) {
    plain = value;
    other.store(value);
    ready = std::make_shared<int>(value);
    ready.notify_one();
}

int main() {
    int sum = 0;
    std::thread taker([&sum] { sum = take(); });
    std::thread giver([] {
        step(2);
        give(7);
    });
    taker.join();
    giver.join();
    check(sum == 14);
    puts("ok");
    return 0;
}
