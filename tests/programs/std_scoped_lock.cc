// std::scoped_lock over two mutexes: the audit takes both at once, the transfer one after the
// other.
//
// FLAGS -std=c++17
// SPEC atomic function Bank::*
// EXPECT violated: Bank::transfer
// EXPECT cut-by: Bank::audit
// EXPECT line: Bank::transfer @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    long balance = 100;
};

struct Bank {
    Account checking, savings;

    BLOCK void transfer(long amount) {
#ifdef FIXED
        std::scoped_lock both(checking.lock, savings.lock);
        checking.balance -= amount;
        step(1);
        step(4);
        savings.balance += amount;
#else
        {
            std::scoped_lock guard(checking.lock);
            checking.balance -= amount; // @out
        }                               // @out
        step(1);
        step(4);
        std::scoped_lock guard(savings.lock); // @in
        savings.balance += amount;            // @in
#endif
    }

    BLOCK long audit() {
        std::scoped_lock both(checking.lock, savings.lock);
        return checking.balance + savings.balance;
    }
};

static Bank bank;

int main() {
    long total = 0;
    std::thread teller([] { bank.transfer(10); });
    std::thread auditor([&total] {
        step(2);
        total = bank.audit();
        step(3);
    });
    teller.join();
    auditor.join();
#ifdef FIXED
    check(total == 200);
#else
    check(total == 190);
#endif
    puts("ok");
    return 0;
}
