// Frames are drawn into memory of their own, and shown by storing a shared pointer under a mutex.
// Who looks takes a copy of the pointer, and reads the frame without the mutex. In the bug, the
// frame and its number change in two sections.
//
// FLAGS -std=c++17
// SPEC atomic function show
// SPEC atomic function look
// EXPECT violated: show
// EXPECT cut-by: look
// EXPECT on: screen
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <memory>
#include <mutex>

struct Frame {
    int number, pixels[4];
};

static struct {
    std::mutex lock;
    std::shared_ptr<const Frame> front;
    int number;
} screen;

static void be_slow(int slow) {
    if (slow) {
        step(3);
        step(6);
    }
}

static BLOCK void show(int number, int slow) {
    auto frame = std::make_shared<Frame>();
    frame->number = number;
    for (int &pixel : frame->pixels)
        pixel = number;
    std::unique_lock<std::mutex> hold(screen.lock);
    screen.front = frame;
#ifndef FIXED
    hold.unlock();
    be_slow(slow);
    hold.lock();
#endif
    screen.number = number;
#ifdef FIXED
    hold.unlock();
    be_slow(slow);
#endif
}

static BLOCK bool look() {
    std::shared_ptr<const Frame> frame;
    int number;
    {
        std::lock_guard<std::mutex> hold(screen.lock);
        frame = screen.front;
        number = screen.number;
    }
    return frame && frame->pixels[0] == frame->number && frame->number == number;
}

THREAD(painter) {
    step(1);
    show(1, 0);
    show(2, 1);
    show(3, 0);
    step(7);
    return NULL;
}

THREAD(viewer) {
    step(2);
    step(4);
    bool same = look();
    step(5);
    step(8);
    same |= look();
    check(same);
    return NULL;
}

int main() {
    together(painter, viewer);
    puts("ok");
    return 0;
}
