// oneTBB: loops, reductions, groups of tasks, arenas and a flow graph, called again and again from
// a serial program, which reads and writes in between what they have written. Tasks that throw end
// before whoever waits for them goes on, too.
//
// FLAGS -ltbb
// EXPECT none
#include "schedule.h"
#include <stdexcept>
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

enum { SIZE = 200 };
static int table[SIZE];
static long rounds;

static BLOCK void touch(int i) {
    table[i]++;
}

static BLOCK void fill() {
    rounds++;
    tbb::parallel_for(0, (int)SIZE, [](int i) { touch(i); });
    rounds++;
    tbb::parallel_for(tbb::blocked_range<int>(0, SIZE, 7), [](const tbb::blocked_range<int> &part) {
        for (int i = part.begin(); i != part.end(); ++i)
            touch(SIZE - 1 - i);
    });
}

static BLOCK long total() {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(0, SIZE, 5), 0L,
        [](const tbb::blocked_range<int> &part, long sum) {
            for (int i = part.begin(); i != part.end(); ++i)
                sum += table[i];
            return sum;
        },
        [](long left, long right) { return left + right; });
}

static BLOCK void in_group() {
    tbb::task_group group;
    for (int i = 0; i < 10; i++)
        group.run([i, &group] {
            touch(i);
            group.run([i] { touch(SIZE - 1 - i); });
        });
    group.wait();
    check(table[0] == table[SIZE - 1]);
}

static BLOCK void in_arena() {
    tbb::task_arena arena(2);
    tbb::task_group group;
    arena.execute([&group] {
        fill();
        group.run([] { touch(0); });
    });
    arena.execute([&group] { group.wait(); });
    touch(SIZE - 1);
}

static BLOCK long in_graph() {
    long sum = 0;
    tbb::flow::graph graph;
    tbb::flow::function_node<int, long> square(graph, tbb::flow::unlimited,
                                               [](int x) { return (long)x * x; });
    tbb::flow::function_node<long, long> add(graph, tbb::flow::serial,
                                             [&sum](long x) { return sum += x; });
    tbb::flow::make_edge(square, add);
    for (int i = 0; i < 20; i++)
        square.try_put(i);
    graph.wait_for_all();
    return sum;
}

static BLOCK void that_fails() {
    try {
        tbb::parallel_for(0, (int)SIZE, [](int i) {
            if (i == SIZE / 2)
                throw std::runtime_error("half of it is enough");
        });
        check(false);
    } catch (const std::runtime_error &) {
        rounds += 2;
    }
}

int main() {
    tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
    for (int round = 1; round <= 3; round++) {
        fill();
        in_arena();
        check(total() == round * (4 * SIZE + 2) + 20 * (round - 1));
        in_group();
        check(in_graph() == 2470);
        that_fails();
    }
    check(rounds == 3 * 6);
    puts("ok");
    return 0;
}
