// Threads that run member functions, lambdas and bound arguments. What a std::thread is made of has
// functions around ours that run as long as the thread: the specification takes those out.
//
// FLAGS -std=c++17
// SPEC ignore function std::*
// SPEC ignore function *operator()*
// SPEC ignore function Worker::run
// EXPECT violated: Worker::work
// EXPECT cut-by: Worker::disturb
// EXPECT on: worker
// EXPECT runs: Worker::work 2/2
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <functional>
#include <mutex>
#include <thread>

class Worker {
  public:
    void run(int times) {
        for (int i = 0; i < times; i++)
            work(4 * i + 1);
    }

    BLOCK void work(int number) {
        add();
        step(number);
        step(number + 3);
#ifndef FIXED
        add();
#endif
    }

    BLOCK void disturb(int &calls) {
        add();
        calls++;
    }

    BLOCK void add() {
        std::lock_guard<std::mutex> guard(lock);
        value++;
    }

    std::mutex lock;
    int value = 0;
};

static Worker worker;

int main() {
    int calls = 0;
    std::thread one(&Worker::run, &worker, 2);
    std::thread two(
        [](int &calls) {
            for (int i = 0; i < 2; i++) {
                step(4 * i + 2);
                worker.disturb(calls);
                step(4 * i + 3);
            }
        },
        std::ref(calls));
    one.join();
    two.join();
    check(calls == 2);
    puts("ok");
    return 0;
}
