// Initialisation by hand in two critical sections, and by std::call_once in the twin, where the
// second thread comes while the first is still at it.
//
// FLAGS -std=c++17
// SPEC atomic function get_table
// EXPECT violated: get_table
// EXPECT cut-by: get_table
// EXPECT on: table
// EXPECT runs: get_table 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <mutex>
#include <thread>

static struct {
    std::mutex lock;
    std::once_flag once;
    bool ready = false;
    int fills = 0;
} table;

static BLOCK int get_table(bool slow) {
#ifdef FIXED
    (void)slow;
    std::call_once(table.once, [] {
        step(1);
        step(4);
        table.fills++;
    });
#else
    table.lock.lock();
    bool ready = table.ready;
    table.lock.unlock();
    if (slow) {
        step(1);
        step(4);
    }
    std::lock_guard<std::mutex> guard(table.lock);
    if (!ready) {
        table.ready = true;
        table.fills++;
    }
#endif
    return table.fills;
}

int main() {
    std::thread slow([] { get_table(true); });
    std::thread fast([] {
        step(2);
        get_table(false);
        step(3);
    });
    slow.join();
    fast.join();
#ifdef FIXED
    check(table.fills == 1);
#else
    check(table.fills == 2);
#endif
    puts("ok");
    return 0;
}
