// Objects travel through a queue of unique pointers under a mutex and a condition variable, and
// belong to one thread at a time. Functions that were not named are split where they wait, also if
// they do so deep inside of the library. The specification only takes out what a std::thread runs.
// Threads take turns, so that one gets the memory that the other has just freed.
//
// FLAGS -std=c++17
// SPEC ignore function std::thread::*
// SPEC ignore function std::__invoke*
// SPEC ignore function *operator()*
// EXPECT none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

enum { MESSAGES = 30 };

struct Message {
    int number;
    std::string text;
};

class Queue {
  public:
    void send(std::unique_ptr<Message> message) {
        std::lock_guard<std::mutex> guard(lock);
        messages.push(std::move(message));
        arrived.notify_one();
    }

    std::unique_ptr<Message> receive() {
        std::unique_lock<std::mutex> guard(lock);
        arrived.wait(guard, [this] { return !messages.empty(); });
        std::unique_ptr<Message> message = std::move(messages.front());
        messages.pop();
        return message;
    }

  private:
    std::mutex lock;
    std::condition_variable arrived;
    std::queue<std::unique_ptr<Message>> messages;
};

static Queue queue;

static void send_number(int number) {
    auto message = std::make_unique<Message>();
    message->number = number;
    message->text =
        "a text that is too long to live inside of the string: " + std::to_string(number);
    queue.send(std::move(message));
}

static void receive_number(int number) {
    std::unique_ptr<Message> message = queue.receive();
    check(message->number == number);
    message->text += "!";
}

int main() {
    std::thread sender([] {
        for (int i = 0; i < MESSAGES; i++) {
            step(2 * i + 1);
            send_number(i);
        }
    });
    std::thread receiver([] {
        for (int i = 0; i < MESSAGES; i++) {
            step(2 * i + 2);
            receive_number(i);
        }
    });
    sender.join();
    receiver.join();
    puts("ok");
    return 0;
}
