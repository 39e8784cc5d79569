// A queue with a lock per operation, as std::queue suggests it: look at the front, then pop. Two
// workers look at the same front, and two items are popped.
//
// EXPECT violated: take_job
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

class Queue {
  public:
    int front() {
        std::lock_guard<std::mutex> guard(mutex);
        return items.empty() ? 0 : items.front();
    }
    void pop() {
        std::lock_guard<std::mutex> guard(mutex);
        if (!items.empty())
            items.pop_front();
    }
    int take() {
        std::lock_guard<std::mutex> guard(mutex);
        if (items.empty())
            return 0;
        int item = items.front();
        items.pop_front();
        return item;
    }

  private:
    std::mutex mutex;
    std::deque<int> items{1, 2, 4, 8};
};

static Queue queue;
static std::atomic<int> sum{0};

static int take_job() {
#ifdef FIXED
    return queue.take();
#else
    int job = queue.front(); // @gap
    queue.pop();
    return job;
#endif
}

static void work() {
    int mine = 0; // a turn of the loop that also added to the sum would not be atomic
    for (int i = 0; i < 2; i++)
        mine += take_job();
    sum += mine;
}

int main() {
    std::thread one(work);
    std::thread two(work);
    one.join();
    two.join();
    std::cout << sum << std::endl;
    return sum != 15;
}
