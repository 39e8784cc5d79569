// Shared pointers count by atomics inside of the library's headers. The blocks here change the
// counter once each; what they point to is only read.
//
// FLAGS -std=c++17
// SPEC atomic function take
// SPEC atomic function drop
// SPEC atomic function look
// EXPECT none
#include "schedule.h"

#include <memory>
#include <thread>
#include <vector>

using Pointer = std::shared_ptr<const std::vector<int>>;

static BLOCK Pointer take(const Pointer &pointer) {
    return pointer;
}

static BLOCK void drop(Pointer &pointer) {
    pointer.reset();
}

static BLOCK int look(const Pointer &pointer) {
    return pointer->front() + pointer->back();
}

static void use(Pointer pointer) {
    for (int i = 0; i < 20; i++) {
        Pointer mine = take(pointer);
        check(look(mine) == 4);
        drop(mine);
    }
}

int main() {
    Pointer pointer = std::make_shared<const std::vector<int>>(std::vector<int>{1, 2, 3});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(use, pointer);
    drop(pointer);
    for (std::thread &thread : threads)
        thread.join();
    puts("ok");
    return 0;
}
