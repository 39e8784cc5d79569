// Each worker fills in a part, and counts down a latch for all of them; who waits for it adds the
// parts up, without a lock. In the bug, what was done is counted in two sections.
//
// FLAGS -std=c++20
// SPEC atomic function fill
// SPEC atomic function count
// SPEC atomic function gather
// SPEC atomic function average
// EXPECT violated: count
// EXPECT cut-by: average
// EXPECT on: done
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <latch>
#include <mutex>

struct Part {
    long sum;
    int count;
};

static Part parts[2];
static std::latch ready(2);
static struct {
    std::mutex lock;
    long sum;
    int count;
} done;

static BLOCK void fill(Part &part) {
    for (int i = 0; i < 5; i++) {
        part.sum += i;
        part.count++;
    }
}

static void be_slow(int slow) {
    if (slow) {
        step(2);
        step(5);
    }
}

static BLOCK void count(const Part &part, int slow) {
    std::unique_lock<std::mutex> hold(done.lock);
    done.sum += part.sum;
#ifndef FIXED
    hold.unlock();
    be_slow(slow);
    hold.lock();
#endif
    done.count += part.count;
#ifdef FIXED
    hold.unlock();
    be_slow(slow);
#endif
}

static BLOCK long average() {
    std::lock_guard<std::mutex> hold(done.lock);
    return done.sum / (done.count + 1);
}

static BLOCK long gather() {
    long sum = 0;
    for (const Part &part : parts)
        sum += part.sum + part.count;
    return sum;
}

THREAD(worker) {
    step(1);
    fill(parts[0]);
    count(parts[0], 1);
    ready.count_down();
    step(6);
    return NULL;
}

THREAD(waiter) {
    step(3);
    fill(parts[1]);
    long result = average();
    ready.count_down();
    step(4);
    step(7);
    ready.wait();
    result += gather();
    return result ? nullptr : nullptr;
}

int main() {
    together(worker, waiter);
    puts("ok");
    return 0;
}
