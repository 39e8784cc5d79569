// Two cells are exchanged with both locks held, the first operand's first. a and b, and b and a, at
// the same time: nobody gets the second lock.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

struct Cell {
    std::mutex mutex;
    int value;
    explicit Cell(int initial) : value(initial) {
    }
};

static Cell left(1), right(2);

static void exchange(Cell &a, Cell &b) {
#ifdef FIXED
    std::scoped_lock both(a.mutex, b.mutex);
#else
    std::lock_guard<std::mutex> first(a.mutex); // @gap
    std::lock_guard<std::mutex> second(b.mutex);
#endif
    std::swap(a.value, b.value);
}

int main() {
    std::thread one([] { exchange(left, right); });
    std::thread two([] { exchange(right, left); });
    one.join();
    two.join();
    std::cout << left.value << " " << right.value << std::endl;
    return left.value != 1;
}
