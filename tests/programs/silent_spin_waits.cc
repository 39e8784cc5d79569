// Loops that wait, with std::atomic: operators and member functions, yields and sleeps of the
// library, lambdas, std::atomic_flag. They are waits, and cut nobody.
//
// EXPECT none
#include "schedule.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

enum { ROUNDS = 10 };

std::atomic<bool> ready{false}, seen{false};
std::atomic<int> round_of_first{0}, round_of_second{0};
std::atomic<const int *> message{nullptr};

class Latch {
  public:
    BLOCK void set() {
        set_.store(true, std::memory_order_release);
    }
    BLOCK void wait() const {
        while (!is_set())
            std::this_thread::yield();
    }

  private:
    BLOCK bool is_set() const {
        return set_.load(std::memory_order_acquire);
    }
    std::atomic<bool> set_{false};
};
Latch latch;

BLOCK void hand_over(int &data) {
    data++;
    ready = true;
    while (!seen)
        std::this_thread::sleep_for(std::chrono::microseconds(10));
    data++;
}

BLOCK void receive(int &data) {
    while (!ready.load(std::memory_order_acquire)) {
    }
    data++;
    seen.store(true);
}

BLOCK void lead() {
    for (int i = 1; i <= ROUNDS; i++) {
        round_of_first = i;
        while (round_of_second.load() != i)
            std::this_thread::yield();
    }
}

BLOCK void follow() {
    auto wait_for = [](int i) {
        while (round_of_first < i)
            std::this_thread::yield();
    };
    for (int i = 1; i <= ROUNDS; i++) {
        wait_for(i);
        round_of_second++;
    }
}

BLOCK int read_message() {
    const int *text;
    while ((text = message.load(std::memory_order_acquire)) == nullptr)
        std::this_thread::yield();
    return *text;
}

BLOCK void write_message(const int *text) {
    message.store(text, std::memory_order_release);
}

} // namespace

int main() {
    int data = 0, text = 0;
    std::thread first([&] {
        hand_over(data);
        lead();
        text = 7;
        write_message(&text);
        latch.set();
    });
    std::thread second([&] {
        receive(data);
        follow();
        check(read_message() == 7);
        latch.wait();
    });
    first.join();
    second.join();
    check(data == 3);
    puts("ok");
    return 0;
}
