// A channel with a std::condition_variable_any, which has a mutex of its own: a thread that waits
// takes it, and lets go of the channel's only then. So critical sections of both reach from one part
// of a split block to the next. No data is cut, in this schedule or any other.
//
// FLAGS -std=c++17
// SPEC ignore function std::thread::*
// SPEC ignore function std::__invoke*
// SPEC ignore function *operator()*
// EXPECT none
#include "schedule.h"

#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

class Channel {
  public:
    bool send(int value) {
        std::unique_lock<std::mutex> hold(lock);
        while (values.size() == 2 && !closed)
            not_full.wait(hold);
        if (closed)
            return false;
        values.push(value);
        not_empty.notify_one();
        return true;
    }

    bool receive(int *value) {
        std::unique_lock<std::mutex> hold(lock);
        while (values.empty() && !closed)
            not_empty.wait(hold);
        if (values.empty())
            return false;
        *value = values.front();
        values.pop();
        not_full.notify_one();
        return true;
    }

    void close() {
        std::lock_guard<std::mutex> hold(lock);
        closed = true;
        not_empty.notify_all();
        not_full.notify_all();
    }

  private:
    std::mutex lock;
    std::condition_variable_any not_full, not_empty;
    std::queue<int> values;
    bool closed = false;
};

int main() {
    Channel channel;
    long sum = 0;
    std::thread receiver([&] {
        for (int value; channel.receive(&value);)
            sum += value;
    });
    std::thread sender([&] {
        for (int i = 0; i < 50; i++)
            channel.send(i);
        channel.close();
    });
    sender.join();
    receiver.join();
    check(sum == 49 * 50 / 2);
    puts("ok");
    return 0;
}
