// Two tasks of a oneTBB task group sell the same seat: each looks for it and takes it under the
// lock, but the lock is given back in between. The tasks are handed to the scheduler and waited for;
// nothing in there is a block.
//
// FLAGS -ltbb
// EXPECT violated: sell
// EXPECT cut-by: sell
// EXPECT on: hall
// EXPECT line: sell @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"
#include <mutex>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

static struct {
    std::mutex lock;
    int free = 1;
} hall;
#ifdef FIXED
static std::mutex all;
#endif

static BLOCK int look() {
    hall.lock.lock();
    int found = hall.free; // @out
    hall.lock.unlock();    // @out
    return found;
}

static BLOCK void take() {
    hall.lock.lock(); // @in
    hall.free--;      // @in
    hall.lock.unlock();
}

static BLOCK void sell(int first) {
    if (!first)
        step(2);
#ifdef FIXED
    all.lock();
#endif
    int found = look(); // @out
    if (first) {
        step(1);
        step(4);
    }
    if (found > 0)
        take(); // @in
#ifdef FIXED
    all.unlock();
#endif
    if (!first)
        step(3);
}

int main() {
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    tbb::task_group group;
    group.run([] { sell(1); });
    group.run([] { sell(0); });
    group.wait();
#ifdef FIXED
    check(hall.free == 0);
#else
    check(hall.free == -1);
#endif
    puts("ok");
    return 0;
}
