// Each thread takes a copy of a shared pointer, and lets go of it in the same block, while another
// does the same in between. The count goes up and down, and nobody acts on it.
//
// FLAGS -std=c++17
// EXPECT none
#include "schedule.h"

#include <memory>
#include <thread>

static const std::shared_ptr<int> shared = std::make_shared<int>(7);

static BLOCK int slow() {
    std::shared_ptr<int> copy = shared;
    step(1);
    step(4);
    return *copy;
}

static BLOCK int fast() {
    std::shared_ptr<int> copy = shared;
    std::weak_ptr<int> weak = copy;
    return *copy;
}

int main() {
    int first = 0, second = 0;
    std::thread one([&first] { first = slow(); });
    std::thread other([&second] {
        step(2);
        second = fast();
        step(3);
    });
    one.join();
    other.join();
    check(first == 7 && second == 7);
    puts("ok");
    return 0;
}
