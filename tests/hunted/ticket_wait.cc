// A ticket lock of C++20, whose threads wait with std::atomic::wait. The ticket is drawn by a load
// and a store, so that two threads have the same.
//
// FLAGS -std=c++20
// EXPECT violated: TicketLock::lock
// EXPECT maybe: deposit
// EXPECT harm: status 1
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <iostream>
#include <thread>

class TicketLock {
  public:
    void lock() {
#ifdef FIXED
        int ticket = next++;
#else
        int ticket = next; // @gap
        next = ticket + 1;
#endif
        int now;
        while ((now = serving) != ticket)
            serving.wait(now);
    }
    void unlock() {
        serving++;
        serving.notify_all();
    }

  private:
    std::atomic<int> next{0}, serving{0};
};

static TicketLock lock;
static int balance;

static void deposit(int amount) {
    lock.lock();
    balance += amount;
    lock.unlock();
}

static void client() {
    deposit(10);
}

int main() {
    std::thread one(client);
    std::thread two(client);
    std::thread three(client);
    one.join();
    two.join();
    three.join();
    std::cout << balance << std::endl;
    return balance != 30;
}
