// A channel with a std::condition_variable_any, which has a mutex of its own: a thread that waits
// takes it, and lets go of the channel's only then. So critical sections of both reach from one
// part of a split block to the next. No data is cut, in this schedule or any other.
//
// FLAGS -std=c++17
// EXPECT none
#include "schedule.h"

#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Channel {
  public:
    bool send(int value) {
        std::unique_lock<std::mutex> hold(lock);
        not_full.wait(hold, [&] { return values.size() < 2 || closed; });
        if (closed)
            return false;
        values.push(value);
        not_empty.notify_one();
        return true;
    }

    bool receive(int *value) {
        std::unique_lock<std::mutex> hold(lock);
        not_empty.wait(hold, [&] { return !values.empty() || closed; });
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
    long sums[2] = {};
    std::vector<std::thread> senders, receivers;
    for (int i = 0; i < 2; i++) {
        receivers.emplace_back([&channel, &sum = sums[i]] {
            for (int value; channel.receive(&value);)
                sum += value;
        });
        senders.emplace_back([&] {
            for (int value = 0; value < 50; value++)
                channel.send(value);
        });
    }
    for (std::thread &sender : senders)
        sender.join();
    channel.close();
    for (std::thread &receiver : receivers)
        receiver.join();
    check(sums[0] + sums[1] == 49 * 50);
    puts("ok");
    return 0;
}
