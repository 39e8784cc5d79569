// Replies come through promises. What a reply holds is made before the promise is kept, and read
// after its future was waited for, without a lock. In the bug, what was served is counted in two
// sections.
//
// FLAGS -std=c++17
// SPEC atomic function count
// SPEC atomic function read
// SPEC atomic function open_requests
// EXPECT violated: count
// EXPECT cut-by: open_requests
// EXPECT on: served
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <future>
#include <mutex>
#include <string>

struct Reply {
    std::string text;
    int code;
};

static struct {
    std::mutex lock;
    int requests, replies;
} served;

static std::promise<Reply> promises[2];

static void be_slow(int slow) {
    if (slow) {
        step(2);
        step(5);
    }
}

static BLOCK void count(int slow) {
    std::unique_lock<std::mutex> hold(served.lock);
    served.requests++;
#ifndef FIXED
    hold.unlock();
    be_slow(slow);
    hold.lock();
#endif
    served.replies++;
#ifdef FIXED
    hold.unlock();
    be_slow(slow);
#endif
}

static BLOCK int open_requests() {
    std::lock_guard<std::mutex> hold(served.lock);
    return served.requests - served.replies;
}

static BLOCK int read(const Reply &reply) {
    return reply.code + (int)reply.text.size();
}

THREAD(server) {
    step(1);
    for (int i = 0; i < 2; i++) {
        count(i == 0);
        promises[i].set_value({"a text that is too long to live inside of the string", i});
    }
    step(6);
    return NULL;
}

THREAD(client) {
    step(3);
    int sum = open_requests();
    step(4);
    step(7);
    for (auto &promise : promises)
        sum += read(promise.get_future().get());
    return sum ? nullptr : nullptr;
}

int main() {
    together(server, client);
    puts("ok");
    return 0;
}
