// Double-checked locking that publishes the table before it is filled: who sees the pointer without
// the lock uses an empty table.
//
// EXPECT violated: get_table
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

struct Table {
    std::atomic<int> size{0};
    void fill() {
        size = 100;
    }
};

static std::mutex mutex;
static std::atomic<Table *> table{nullptr};
static std::atomic<int> empty_tables{0};

static Table *get_table() {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex);
    if (!table) {
        Table *fresh = new Table;
        fresh->fill();
        table = fresh;
    }
#else
    if (!table.load()) {
        std::lock_guard<std::mutex> guard(mutex);
        if (!table.load()) {
            table = new Table; // @gap
            table.load()->fill();
        }
    }
#endif
    return table;
}

static void look_up() {
    if (get_table()->size == 0)
        empty_tables++;
}

int main() {
    std::thread one(look_up);
    std::thread two(look_up);
    one.join();
    two.join();
    std::cout << empty_tables << " saw an empty table" << std::endl;
    delete table.load();
    return empty_tables != 0;
}
