// std::condition_variable_any with a stop token: the condition holds when the wait ends, but the
// mailbox is unlocked before the letter is taken, and somebody else takes it. The twin takes it
// while it holds the lock. A third thread asks for a stop: the lists of the library, in which a wait
// says whom to wake then, are nobody's data.
//
// FLAGS -std=c++20
// EXPECT violated: receive
// EXPECT cut-by: clear
// EXPECT on: mailbox
// EXPECT line: receive @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

static struct {
    std::mutex lock;
    std::condition_variable_any filled;
    int letters = 1;
} mailbox;

static BLOCK int receive(std::stop_token stop) {
    std::unique_lock<std::mutex> hold(mailbox.lock);
    if (!mailbox.filled.wait(hold, stop, [] { return mailbox.letters > 0; })) // @out
        return 0;
#ifndef FIXED
    hold.unlock();
#endif
    step(1);
    step(4);
#ifndef FIXED
    hold.lock();
#endif
    return mailbox.letters--; // @in
}

static BLOCK void clear() {
    std::lock_guard<std::mutex> hold(mailbox.lock);
    mailbox.letters = 0; // @cut
}

int main() {
    std::stop_source source;
    std::thread reader([&source] { receive(source.get_token()); });
    std::thread cleaner([] {
        step(2);
        clear();
        step(3);
    });
    std::thread stopper([&source] {
        step(5);
        source.request_stop();
    });
    reader.join();
    cleaner.join();
    stopper.join();
    puts("ok");
    return 0;
}
