/* What oneTBB does, once each: what it prints does not depend on the schedule. */
#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

using range = tbb::blocked_range<int>;

static std::atomic<long> total;
static std::mutex lock;
static long locked;

static void add_locked(const range &part) {
    std::lock_guard<std::mutex> guard(lock);
    for (int i = part.begin(); i != part.end(); i++)
        locked += i;
}

static long sum(const range &part, long so_far) {
    for (int i = part.begin(); i != part.end(); i++)
        so_far += i;
    return so_far;
}

int main() {
    tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena arena(3);
    arena.execute([] {
        tbb::parallel_for(0, 20, [](int i) { total += i; });
        tbb::parallel_for(range(0, 20, 1), [](const range &part) { add_locked(part); });
    });
    long reduced = tbb::parallel_reduce(
        range(0, 40, 2), 0L, [](const range &part, long so_far) { return sum(part, so_far); },
        std::plus<long>());
    tbb::task_group group;
    for (int i = 0; i < 5; i++)
        group.run([] { total += 100; });
    group.wait();
    std::printf("%ld %ld %ld\n", total.load(), locked, reduced);
}
