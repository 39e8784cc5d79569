// A pool that runs std::functions with data of their own. In the bug, a worker looks whether there
// is a task in one section, and takes it in the next.
//
// FLAGS -std=c++17
// SPEC atomic function Pool::submit
// SPEC atomic function Pool::next
// SPEC atomic function work
// EXPECT violated: Pool::next
// EXPECT cut-by: Pool::next
// EXPECT on: pool
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <vector>

static void be_slow(int slow) {
    if (slow) {
        step(4);
        step(7);
    }
}

class Pool {
  public:
    BLOCK void submit(std::function<void()> task) {
        std::lock_guard<std::mutex> hold(lock);
        tasks.push(std::move(task));
    }

    BLOCK bool next(std::function<void()> &task, int slow) {
        std::unique_lock<std::mutex> hold(lock);
        bool there = !tasks.empty();
#ifndef FIXED
        hold.unlock();
        be_slow(slow);
        hold.lock();
#endif
        if (there) {
            task = std::move(tasks.front());
            tasks.pop();
        }
#ifdef FIXED
        hold.unlock();
        be_slow(slow);
#endif
        return there;
    }

  private:
    std::mutex lock;
    std::queue<std::function<void()>> tasks;
};

static Pool pool;
static long results[4];

static BLOCK void work(int number, std::vector<int> &data) {
    for (int &value : data) {
        value++;
        results[number] += value;
    }
}

static void submit(int number) {
    auto data = std::make_shared<std::vector<int>>(5, number);
    pool.submit([number, data] { work(number, *data); });
}

THREAD(first) {
    std::function<void()> task;
    step(1);
    for (int i = 0; i < 4; i++)
        submit(i);
    step(2);
    step(5);
    if (pool.next(task, 0))
        task();
    step(6);
    return NULL;
}

THREAD(second) {
    std::function<void()> task;
    step(3);
    for (int i = 0; i < 3; i++)
        if (pool.next(task, i == 0))
            task();
    return NULL;
}

int main() {
    together(first, second);
    puts("ok");
    return 0;
}
