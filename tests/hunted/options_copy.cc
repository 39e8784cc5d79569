// Read, copy, update: options are a constant object, and whoever changes one makes a copy and
// publishes it. Two writers start from the same version, and one change is gone.
//
// EXPECT violated: set_option
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

struct Options {
    int width = 0;
    int height = 0;
};

static std::mutex mutex;
static std::shared_ptr<const Options> current = std::make_shared<Options>();

#ifndef FIXED
static std::shared_ptr<const Options> snapshot() {
    std::lock_guard<std::mutex> guard(mutex);
    return current;
}

static void publish(std::shared_ptr<const Options> options) {
    std::lock_guard<std::mutex> guard(mutex);
    current = options;
}
#endif

static void set_option(int Options::*option, int value) {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex);
    auto next = std::make_shared<Options>(*current);
    next.get()->*option = value;
    current = next;
#else
    auto next = std::make_shared<Options>(*snapshot()); // @gap
    next.get()->*option = value;
    publish(next);
#endif
}

int main() {
    std::thread one([] { set_option(&Options::width, 80); });
    std::thread two([] { set_option(&Options::height, 24); });
    one.join();
    two.join();
    std::cout << current->width << " x " << current->height << std::endl;
    return current->width != 80 || current->height != 24;
}
