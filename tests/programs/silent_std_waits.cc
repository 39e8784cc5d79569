// Functions that hand something over and wait for the answer, with everything that C++20 has for
// that. Each is cut by the other thread, on purpose: a wait ends one step and begins another, be it
// that the thread had to sleep or not. What the library does inside, in tables of waiting threads
// and words of its own, is nobody's access.
//
// FLAGS -std=c++20
// EXPECT none
#include "schedule.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>

static int question, answer;

static std::atomic<int> asked{0}, answered{0};
static std::atomic<long> asked_long{0}, answered_long{0};
static std::atomic_flag asked_flag, answered_flag;
static std::latch asked_latch(1), answered_latch(1);
static std::counting_semaphore<4> asked_semaphore(0), answered_semaphore(0);
static std::binary_semaphore asked_binary(0), answered_binary(0);
static std::barrier<> both(2);

// Waits for an answer that is there already: the step makes sure.
static BLOCK int ask_with_atomic() {
    question = 1;
    asked = 1;
    asked.notify_one();
    step(2);
    answered.wait(0);
    return answer;
}

// A long is no futex: the library waits at a word of its own.
static BLOCK int ask_with_long() {
    question = 2;
    asked_long = 1;
    asked_long.notify_all();
    answered_long.wait(0);
    return answer;
}

static BLOCK int ask_with_flag() {
    question = 3;
    asked_flag.test_and_set();
    asked_flag.notify_one();
    answered_flag.wait(false);
    return answer;
}

static BLOCK int ask_with_latch() {
    question = 4;
    asked_latch.count_down();
    answered_latch.wait();
    return answer;
}

static BLOCK int ask_with_semaphore() {
    question = 5;
    asked_semaphore.release();
    answered_semaphore.acquire();
    return answer;
}

static BLOCK int ask_with_binary_semaphore() {
    question = 6;
    asked_binary.release();
    answered_binary.acquire();
    return answer;
}

static BLOCK int ask_with_barrier() {
    question = 7;
    both.arrive_and_wait();
    both.arrive_and_wait();
    int first = answer;
    question = 8;
    both.wait(both.arrive());
    both.arrive_and_wait();
    return first + answer;
}

static void answer_all() {
    asked.wait(0);
    answer = question;
    answered = 1;
    answered.notify_one();
    step(1);
    asked_long.wait(0);
    answer = question;
    answered_long = 1;
    answered_long.notify_one();
    asked_flag.wait(false);
    answer = question;
    answered_flag.test_and_set();
    answered_flag.notify_one();
    asked_latch.wait();
    answer = question;
    answered_latch.count_down();
    asked_semaphore.acquire();
    answer = question;
    answered_semaphore.release();
    asked_binary.acquire();
    answer = question;
    answered_binary.release();
    for (int i = 0; i < 2; i++) {
        both.arrive_and_wait();
        answer = question;
        both.arrive_and_wait();
    }
}

int main() {
    std::thread other(answer_all);
    int sum = ask_with_atomic();
    sum += ask_with_long();
    sum += ask_with_flag();
    sum += ask_with_latch();
    sum += ask_with_semaphore();
    sum += ask_with_binary_semaphore();
    sum += ask_with_barrier();
    other.join();
    check(sum == 36);
    puts("ok");
    return 0;
}
