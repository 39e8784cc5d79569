// std::mutex and std::lock_guard: a stack whose operations are locked, and a caller that looks at
// the top and then takes it off. The names are those of C++.
//
// FLAGS -std=c++17
// SPEC atomic function shop::*
// EXPECT violated: shop::Till::take_top
// EXPECT cut-by: shop::Till::push
// EXPECT on: till
// EXPECT line: shop::Till::take_top @top @pop
// EXPECT runs: shop::Till::push 0/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <mutex>
#include <thread>

namespace shop {

class Till {
  public:
    BLOCK void push(int item) {
        std::lock_guard<std::mutex> guard(lock); // @cut
        items[count++] = item;
    }

    BLOCK int top() {
        std::lock_guard<std::mutex> guard(lock); // @top
        return items[count - 1];
    }

    BLOCK void pop() {
        std::lock_guard<std::mutex> guard(lock); // @pop
        count--;
    }

    BLOCK int take_top() {
#ifdef FIXED
        std::lock_guard<std::mutex> guard(lock);
        int item = items[count - 1];
        step(1);
        step(4);
        count--;
#else
        int item = top(); // @top
        step(1);
        step(4);
        pop(); // @pop
#endif
        return item;
    }

    std::mutex lock;
    int items[8] = {};
    int count = 0;
};

} // namespace shop

static shop::Till till;

int main() {
    till.push(1);
    std::thread taker([] { check(till.take_top() == 1); });
    std::thread pusher([] {
        schedule_step(2);
        till.push(2);
        step(3);
    });
    taker.join();
    pusher.join();
#ifdef FIXED
    check(till.count == 1 && till.items[0] == 2);
#else
    check(till.count == 1 && till.items[0] == 1);
#endif
    puts("ok");
    return 0;
}
