// A std::queue of unique pointers, and two consumers. What a message holds is made before it is
// sent, and changed and freed after it was received, all without the lock: it belongs to one thread
// at a time. In the bug, a consumer looks whether there is a message in one section, and takes it
// in the next.
//
// FLAGS -std=c++17
// SPEC atomic function send
// SPEC atomic function receive
// SPEC atomic function answer
// EXPECT violated: receive
// EXPECT cut-by: receive
// EXPECT on: mail
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <memory>
#include <mutex>
#include <queue>
#include <string>

struct Message {
    int number;
    std::string text;
};

static struct {
    std::mutex lock;
    std::queue<std::unique_ptr<Message>> messages;
} mail;

static BLOCK void send(int number) {
    auto message = std::make_unique<Message>();
    message->number = number;
    message->text = "a text that is too long to live inside of the string";
    std::lock_guard<std::mutex> hold(mail.lock);
    mail.messages.push(std::move(message));
}

static void be_slow(int slow) {
    if (slow) {
        step(4);
        step(7);
    }
}

static BLOCK std::unique_ptr<Message> receive(int slow) {
    std::unique_ptr<Message> message;
    std::unique_lock<std::mutex> hold(mail.lock);
    bool there = !mail.messages.empty();
#ifndef FIXED
    hold.unlock();
    be_slow(slow);
    hold.lock();
#endif
    if (there) {
        message = std::move(mail.messages.front());
        mail.messages.pop();
    }
#ifdef FIXED
    hold.unlock();
    be_slow(slow);
#endif
    return message;
}

static BLOCK void answer(std::unique_ptr<Message> message) {
    message->number++;
    message->text += "!";
}

THREAD(first) {
    step(1);
    send(1);
    send(2);
    step(2);
    step(5);
    answer(receive(0));
    step(6);
    return NULL;
}

THREAD(second) {
    step(3);
    answer(receive(1));
    send(3);
    answer(receive(0));
    return NULL;
}

int main() {
    together(first, second);
    puts("ok");
    return 0;
}
