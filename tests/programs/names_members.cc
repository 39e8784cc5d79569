// Objects from new, make_unique and a vector are named by class and member, or by element.
//
// EXPECT violated: raise push again
// EXPECT on: Account->balance_
// EXPECT on: int[2] long[2]
// EXPECT on: @two
// EXPECT on: @one
// EXPECT on: @list
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Account {
  public:
    BLOCK long get() {
        std::lock_guard<std::mutex> guard(lock_);
        return balance_;
    }
    BLOCK void set(long value) {
        std::lock_guard<std::mutex> guard(lock_);
        balance_ = value;
    }

  private:
    std::mutex lock_;
    long balance_ = 0;
};

static std::mutex all;
static std::unique_ptr<Account> one;
static Account *two;
static std::vector<long> list;

#ifdef FIXED
#define WHOLE std::lock_guard<std::mutex> whole(all)
#else
#define WHOLE (void)0
#endif

BLOCK void raise() {
    WHOLE;
    long value = two->get();
    step(1);
    step(4);
    two->set(value + 1);
}

BLOCK long first() {
#ifndef FIXED
    std::lock_guard<std::mutex> guard(all);
#endif
    return list[2];
}

BLOCK void second(long value) {
#ifndef FIXED
    std::lock_guard<std::mutex> guard(all);
#endif
    list[2] = value;
}

BLOCK void push() {
    WHOLE;
    long value = first();
    step(5);
    step(8);
    second(value + 1);
}

BLOCK void again() {
    WHOLE;
    long value = one->get();
    step(9);
    step(12);
    one->set(value + 1);
}

BLOCK void between(int which) {
    WHOLE;
    if (which == 0)
        two->set(5);
    else if (which == 1)
        second(5);
    else
        one->set(5);
}

int main() {
    one = std::make_unique<Account>(); // @one
    two = new Account;                 // @two
    list.resize(8);                    // @list
    std::thread thread([] {
        raise();
        push();
        again();
    });
    for (int i = 0; i < 3; i++) {
        step(4 * i + 2);
        between(i);
        step(4 * i + 3);
    }
    thread.join();
    puts("ok");
}
