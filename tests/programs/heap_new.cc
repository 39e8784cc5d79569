// Objects made by new, new[] and by a container: shared, and named after the place that made them.
// In the twin each thread has its own.
//
// FLAGS -std=c++17
// SPEC atomic function work
// RACY the order is kept by the schedule alone, so that only the objects decide
// EXPECT violated: work
// EXPECT cut-by: disturb
// EXPECT on: @new @array
// EXPECT runs: work 3/3
// TWIN -DFIXED
// EXPECT-FIXED none
// EXPECT-FIXED runs: work 0/3
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <thread>
#include <vector>

struct Objects {
    Objects() {
        one = new int(1);     // @new
        many = new int[10](); // @array
        numbers.resize(10);
    }
    ~Objects() {
        delete one;
        delete[] many;
    }
    Objects(const Objects &) = delete;
    int *operator[](int i) {
        return i == 0 ? one : i == 1 ? &many[7] : &numbers[7];
    }
    int *one, *many;
    std::vector<int> numbers;
};

static BLOCK void work(int *object, int number) {
    *object += 1;
    step(number);
    step(number + 3);
    *object += 1;
}

static BLOCK void disturb(int *object) {
    *object = 7;
}

int main() {
    Objects mine;
#ifdef FIXED
    Objects theirs;
#else
    Objects &theirs = mine;
#endif
    std::thread worker([&mine] {
        for (int i = 0; i < 3; i++)
            work(mine[i], 4 * i + 1);
    });
    std::thread disturber([&theirs] {
        for (int i = 0; i < 3; i++) {
            step(4 * i + 2);
            disturb(theirs[i]);
            step(4 * i + 3);
        }
    });
    worker.join();
    disturber.join();
    puts("ok");
    return 0;
}
