// Virtual functions, templates and overloads: each block has its own name. The constructors write
// the objects' hidden pointers before anyone else knows the objects, and nobody is cut by that.
//
// FLAGS -std=c++17
// SPEC atomic function zoo::*
// EXPECT violated: zoo::Dog::speak *feed*
// EXPECT cut-by: zoo::Cat::speak *feed*
// EXPECT runs: zoo::Cat::speak 0/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <memory>
#include <mutex>
#include <thread>

namespace zoo {

static std::mutex lock;
static int noise, food;

struct Animal {
    virtual ~Animal() = default;
    virtual void speak() = 0;
};

struct Cat : Animal {
    BLOCK void speak() override {
        std::lock_guard<std::mutex> guard(lock);
        noise++;
    }
};

struct Dog : Animal {
    BLOCK void speak() override {
        std::unique_lock<std::mutex> guard(lock);
        int before = noise;
#ifndef FIXED
        guard.unlock();
#endif
        step(1);
        step(4);
#ifndef FIXED
        guard.lock();
#endif
        noise = before + 2;
    }
};

template <typename Amount> BLOCK void feed(Amount amount, bool slow) {
    std::unique_lock<std::mutex> guard(lock);
    int before = food;
    if (slow) {
#ifndef FIXED
        guard.unlock();
#endif
        step(5);
        step(8);
#ifndef FIXED
        guard.lock();
#endif
    }
    food = before + static_cast<int>(amount);
}

} // namespace zoo

int main() {
    std::thread one([] {
        std::unique_ptr<zoo::Animal> dog = std::make_unique<zoo::Dog>();
        dog->speak();
        zoo::feed(2, true);
    });
    std::thread two([] {
        std::unique_ptr<zoo::Animal> cat = std::make_unique<zoo::Cat>();
        step(2);
        cat->speak();
        step(3);
        step(6);
        zoo::feed(1.5, false);
        step(7);
    });
    one.join();
    two.join();
    puts("ok");
    return 0;
}
