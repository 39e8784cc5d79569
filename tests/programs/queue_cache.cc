// A cache under a std::shared_mutex; its entries are made once and then only read, without the
// mutex. In the bug, an entry is looked up in one section, and made and stored in the next, so that
// what another thread has dropped in between comes back.
//
// FLAGS -std=c++17
// SPEC atomic function get
// SPEC atomic function drop
// SPEC atomic function length
// EXPECT violated: get
// EXPECT cut-by: drop
// EXPECT on: cache
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

struct Entry {
    std::string name;
    int length;
};

static struct {
    std::shared_mutex lock;
    std::shared_ptr<const Entry> entries[4];
    int misses;
} cache;

static BLOCK void drop(int key) {
    std::unique_lock<std::shared_mutex> hold(cache.lock);
    cache.entries[key] = nullptr;
}

static std::shared_ptr<const Entry> make(int key) {
    auto entry = std::make_shared<Entry>();
    entry->name = "an entry with a name that is long, and the number " + std::to_string(key);
    entry->length = (int)entry->name.size();
    return entry;
}

static void be_slow(int slow) {
    if (slow) {
        step(2);
        step(5);
    }
}

static BLOCK std::shared_ptr<const Entry> get(int key, int slow) {
#ifndef FIXED
    {
        std::shared_lock<std::shared_mutex> hold(cache.lock);
        if (cache.entries[key])
            return cache.entries[key];
    }
    be_slow(slow);
#endif
    std::unique_lock<std::shared_mutex> hold(cache.lock);
#ifdef FIXED
    if (cache.entries[key])
        return cache.entries[key];
#endif
    std::shared_ptr<const Entry> entry = make(key);
    cache.entries[key] = entry;
    cache.misses++;
#ifdef FIXED
    hold.unlock();
    be_slow(slow);
#endif
    return entry;
}

static BLOCK int length(const Entry &entry) {
    return entry.length + (int)entry.name.size();
}

THREAD(first) {
    step(1);
    int sum = length(*get(1, 1));
    sum += length(*get(2, 0));
    step(6);
    return sum ? nullptr : nullptr;
}

THREAD(second) {
    step(3);
    drop(1);
    int sum = length(*get(3, 0));
    step(4);
    step(7);
    sum += length(*get(1, 0));
    return sum ? nullptr : nullptr;
}

int main() {
    together(first, second);
    puts("ok");
    return 0;
}
