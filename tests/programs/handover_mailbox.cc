// A mailbox for one letter, with a std::mutex and two conditions. In the bug, the reader looks at the
// letter and empties the box in two sections.
//
// SPEC atomic function send
// SPEC atomic function receive
// EXPECT violated: receive
// EXPECT cut-by: send
// EXPECT on: box
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <condition_variable>
#include <mutex>

#ifdef FIXED
enum { WHEN_READ = 3 };
#else
enum { WHEN_READ = 4 };
#endif

static struct {
    std::mutex lock;
    std::condition_variable changed;
    int letters, last;
} box;

static BLOCK void send(int letter) {
    std::unique_lock<std::mutex> hold(box.lock);
    box.letters++;
    box.last = letter;
    box.changed.notify_one();
}

static BLOCK int receive(int slow) {
    std::unique_lock<std::mutex> hold(box.lock);
    box.changed.wait(hold, [] { return box.letters > 0; });
    int letter = box.last, letters = box.letters;
#ifndef FIXED
    hold.unlock();
    if (slow) {
        step(3);
        step(6);
    }
    hold.lock();
#endif
    (void)slow;
    box.letters = letters - 1;
    return letter;
}

THREAD(sender) {
    send(1);
    step(1);
    step(WHEN_READ);
    send(2);
    step(WHEN_READ + 1);
    return NULL;
}

THREAD(receiver) {
    step(2); /* the first letter is there: a block that is named is not split where it waits */
    int letter = receive(1);
    return letter ? nullptr : nullptr;
}

int main(void) {
    together(sender, receiver);
    puts("ok");
    return 0;
}
