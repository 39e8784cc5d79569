// A pipeline: one thread makes orders, the next sets their prices, and both hand them on through
// guarded queues. An order belongs to one thread at a time. In the bug, the next order is looked at
// in one section, and taken in another.
//
// FLAGS -std=c++17
// SPEC atomic function Queue::push
// SPEC atomic function Queue::pop
// SPEC atomic function set_price
// SPEC atomic function collect
// EXPECT violated: Queue::pop
// EXPECT cut-by: Queue::push
// EXPECT on: orders
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <memory>
#include <mutex>
#include <queue>

struct Order {
    int number, items;
    double price, total;
};

static void be_slow(int slow) {
    if (slow) {
        step(4);
        step(7);
    }
}

class Queue {
  public:
    BLOCK void push(std::unique_ptr<Order> order) {
        std::lock_guard<std::mutex> hold(lock);
        orders.push(std::move(order));
    }

    BLOCK std::unique_ptr<Order> pop(int slow) {
        std::unique_lock<std::mutex> hold(lock);
        std::unique_ptr<Order> order;
        bool there = !orders.empty();
#ifndef FIXED
        hold.unlock();
        be_slow(slow);
        hold.lock();
#endif
        if (there && !orders.empty()) {
            order = std::move(orders.front());
            orders.pop();
        }
#ifdef FIXED
        hold.unlock();
        be_slow(slow);
#endif
        return order;
    }

  private:
    std::mutex lock;
    std::queue<std::unique_ptr<Order>> orders;
};

static Queue orders, priced;

static BLOCK void set_price(Order &order) {
    order.price = order.number * 1.5;
    order.total = order.price * order.items;
}

static BLOCK double collect(const Order &order) {
    return order.price + order.total;
}

THREAD(seller) {
    step(1);
    for (int i = 1; i <= 2; i++)
        orders.push(std::make_unique<Order>(Order{i, 2 * i, 0, 0}));
    step(2);
    step(5);
    orders.push(std::make_unique<Order>(Order{3, 6, 0, 0}));
    step(6);
    return NULL;
}

THREAD(pricer) {
    step(3);
    for (int i = 0; i < 3; i++) {
        std::unique_ptr<Order> order = orders.pop(i == 0);
        set_price(*order);
        priced.push(std::move(order));
    }
    step(8);
    return NULL;
}

THREAD(collector) {
    schedule_step_after(8);
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += collect(*priced.pop(0));
    check(sum > 0);
    return NULL;
}

int main() {
    pthread_t third;
    check(pthread_create(&third, NULL, collector, NULL) == 0);
    together(seller, pricer);
    check(pthread_join(third, NULL) == 0);
    puts("ok");
    return 0;
}
