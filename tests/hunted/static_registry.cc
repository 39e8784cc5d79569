// A registry is made by whoever needs it first. Its next number is read and moved on in two
// critical sections, so that two types get the same one. Who makes the registry does so for all,
// and is not cut by those who use it then.
//
// EXPECT violated: add_type
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <thread>

struct Registry {
    std::mutex mutex;
    int next = 0;
};

static Registry &registry() {
    static Registry instance;
    return instance;
}

static int numbers[2];

static void add_type(int type) {
    Registry &types = registry();
    std::lock_guard<std::mutex> guard(types.mutex);
    int number = types.next;
#ifndef FIXED
    types.mutex.unlock(); // @gap
    types.mutex.lock();
#endif
    types.next = number + 1;
    numbers[type] = number;
}

static void load_plugin(int type) {
    add_type(type);
}

int main() {
    std::thread one(load_plugin, 0);
    std::thread two(load_plugin, 1);
    one.join();
    two.join();
    bool distinct = numbers[0] != numbers[1];
    std::cout << (distinct ? "distinct" : "the same number twice") << std::endl;
    return !distinct;
}
