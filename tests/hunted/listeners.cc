// Listeners are called without the lock, from a copy of the list, so that they may do what they
// like. One that has unsubscribed in between is called nevertheless.
//
// EXPECT violated: notify
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <algorithm>
#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

struct Listener {
    std::atomic<bool> alive{true};
    std::atomic<int> calls_too_late{0};
    void on_event() {
        if (!alive)
            calls_too_late++;
    }
};

static std::mutex mutex;
static Listener first, second;
static std::vector<Listener *> listeners{&first, &second};

static void notify() {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex);
    for (Listener *listener : listeners)
        listener->on_event();
#else
    std::vector<Listener *> copy;
    {
        std::lock_guard<std::mutex> guard(mutex);
        copy = listeners;
    }
    for (Listener *listener : copy) // @gap-before
        listener->on_event();
#endif
}

static void unsubscribe(Listener *listener) {
    std::lock_guard<std::mutex> guard(mutex);
    listeners.erase(std::find(listeners.begin(), listeners.end(), listener));
    listener->alive = false;
}

int main() {
    std::thread source([] { notify(); });
    std::thread user([] { unsubscribe(&second); });
    source.join();
    user.join();
    std::cout << second.calls_too_late << " calls came too late" << std::endl;
    return second.calls_too_late != 0;
}
