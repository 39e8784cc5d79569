// A pool of threads takes tasks with a future, as many programs have it: a std::packaged_task that
// the queue and the caller share. Whether the pool is closed is asked before the task is queued, so
// a task can be accepted that nobody runs any more. (The last to give back the task destroys it.
// That is no cut.)
//
// EXPECT violated: Pool::submit
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

class Pool {
  public:
    Pool() : worker([this] { loop(); }) {
    }

    bool submit(int value) {
        auto task = std::make_shared<std::packaged_task<int()>>([value] { return value; });
#ifdef FIXED
        std::lock_guard<std::mutex> hold(lock);
        if (closed)
            return false;
        tasks.push([task] { (*task)(); });
        changed.notify_one();
#else
        bool too_late = is_closed(); // @gap
        if (too_late)
            return false;
        push([task] { (*task)(); });
#endif
        return true;
    }

    void close() {
        {
            std::lock_guard<std::mutex> hold(lock);
            closed = true;
            changed.notify_one();
        }
        worker.join();
    }

    size_t left() {
        std::lock_guard<std::mutex> hold(lock);
        return tasks.size();
    }

  private:
    bool is_closed() {
        std::lock_guard<std::mutex> hold(lock);
        return closed;
    }

    void push(std::function<void()> task) {
        std::lock_guard<std::mutex> hold(lock);
        tasks.push(std::move(task));
        changed.notify_one();
    }

    void loop() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> hold(lock);
                changed.wait(hold, [this] { return closed || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
        }
    }

    std::mutex lock;
    std::condition_variable changed;
    std::queue<std::function<void()>> tasks;
    bool closed = false;
    std::thread worker; // the last, as it uses all of them
};

int main() {
    Pool pool;
    auto submit_two = [&pool] {
        pool.submit(7);
        pool.submit(8);
    };
    std::thread client(submit_two);
    std::thread owner([&pool] { pool.close(); });
    client.join();
    owner.join();
    std::cout << pool.left() << " tasks were accepted and not run" << std::endl;
    return pool.left() != 0;
}
