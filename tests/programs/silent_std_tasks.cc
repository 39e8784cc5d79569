// Tasks, their results and how they are stopped: std::async, std::promise, std::packaged_task,
// std::shared_future, std::jthread with a stop_token, std::condition_variable_any, and a small pool
// of threads. A function that starts a task and waits for its result is no atomic step.
//
// FLAGS -std=c++20
// EXPECT none
#include "schedule.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

static int input, output;

static BLOCK void square() {
    output = input * input;
}

static BLOCK int ask_async() {
    input = 1;
    std::future<void> done = std::async(std::launch::async, square);
    done.get();
    return output;
}

static BLOCK int ask_deferred() {
    input = 2;
    std::future<void> done = std::async(std::launch::deferred, square);
    done.wait();
    return output;
}

static BLOCK int ask_for_promise(std::promise<void> &question, std::future<int> &answer) {
    input = 3;
    question.set_value();
    int result = answer.get();
    return result + output;
}

static BLOCK int ask_for_shared(std::promise<void> &question, std::shared_future<int> answer) {
    input = 4;
    question.set_value();
    answer.wait();
    return answer.get() + output;
}

static BLOCK int ask_task() {
    input = 5;
    std::packaged_task<int()> task([] {
        square();
        return output;
    });
    std::future<int> answer = task.get_future();
    std::thread worker(std::move(task));
    int result = answer.get();
    output = 0;
    worker.join();
    return result;
}

// Woken by whoever stops it.
static BLOCK int ask_to_stop() {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool waits = false;
    input = 6;
    std::jthread worker([&](std::stop_token stop) {
        std::unique_lock lock(mutex);
        waits = true;
        changed.notify_all();
        changed.wait(lock, stop, [] { return false; });
        output = input;
    });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waits; });
    }
    worker.request_stop();
    worker.join();
    return output;
}

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<std::function<void()>> work;
static int done;

static void work_off() {
    for (;;) {
        std::function<void()> job;
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [] { return !work.empty(); });
            job = work.front();
            work.pop_front();
        }
        if (!job)
            return;
        job();
        std::lock_guard lock(mutex);
        done++;
        changed.notify_all();
    }
}

static BLOCK void hand_over(std::function<void()> job) {
    std::lock_guard lock(mutex);
    work.push_back(job);
    changed.notify_all();
}

static BLOCK int ask_pool() {
    input = 7;
    hand_over(square);
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return done == 1; });
    return output;
}

int main() {
    int sum = ask_async() + ask_deferred();
    std::promise<void> question, second;
    std::promise<int> answer, again;
    std::future<int> answered = answer.get_future();
    std::shared_future<int> shared = again.get_future().share();
    std::thread other([&] {
        question.get_future().get();
        square();
        answer.set_value(output);
        second.get_future().get();
        square();
        again.set_value(output);
    });
    sum += ask_for_promise(question, answered) + ask_for_shared(second, shared);
    other.join();
    sum += ask_task() + ask_to_stop();
    std::thread worker(work_off);
    sum += ask_pool();
    hand_over(nullptr);
    worker.join();
    check(sum == 1 + 4 + 18 + 32 + 25 + 6 + 49);
    puts("ok");
    return 0;
}
