// std::condition_variable with a predicate, and condition_variable_any: the waits cut the block
// that was said to be atomic. The twin waits first.
//
// FLAGS -std=c++17
// SPEC atomic function take
// SPEC atomic function put
// EXPECT violated: take
// EXPECT cut-by: put
// EXPECT on: slot
// EXPECT runs: take 2/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <condition_variable>
#include <mutex>
#include <thread>

static struct {
    std::mutex lock;
    std::condition_variable filled;
    std::condition_variable_any filled_again;
    int items = 0;
} slot;

static BLOCK void await(std::unique_lock<std::mutex> &lock, int items) {
    if (items == 1)
        slot.filled.wait(lock, [] { return slot.items == 1; });
    else
        slot.filled_again.wait(lock, [] { return slot.items == 2; });
}

static BLOCK int take(std::unique_lock<std::mutex> &lock, int items) {
#ifdef FIXED
    (void)lock;
    (void)items;
#else
    await(lock, items);
#endif
    return slot.items;
}

static BLOCK void put() {
    std::lock_guard<std::mutex> guard(slot.lock);
    slot.items++;
    slot.filled.notify_one();
    slot.filled_again.notify_all();
}

static void consume(int items) {
    std::unique_lock<std::mutex> lock(slot.lock);
    schedule_step(2 * items - 1);
#ifdef FIXED
    await(lock, items);
#endif
    check(take(lock, items) == items);
}

int main() {
    std::thread consumer([] {
        consume(1);
        consume(2);
    });
    std::thread producer([] {
        schedule_step(2);
        put();
        schedule_step(4);
        put();
    });
    consumer.join();
    producer.join();
    puts("ok");
    return 0;
}
