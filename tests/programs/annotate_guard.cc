// The guard object of annotate.h: a block from its constructor to its destructor, also when an
// exception comes through. Of the three blocks only the last one is cut.
//
// FLAGS -std=c++17
// SPEC ignore function std::*
// SPEC ignore function *operator*
// EXPECT violated: whole
// EXPECT cut-by: Cell::add
// EXPECT on: cell
// EXPECT runs: thrown 0/1
// EXPECT runs: moved 0/1
// EXPECT runs: whole 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
// EXPECT-FIXED runs: whole 0/1
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <mutex>
#include <seriatim/annotate.h>
#include <thread>

struct Cell {
    BLOCK void add(int amount) {
        std::lock_guard<std::mutex> guard(lock);
        value += amount;
    }
    std::mutex lock;
    int value = 0;
};

static Cell cell;

static void pause_at(int number) {
    step(number);
    step(number + 3);
}

int main() {
    std::thread worker([] {
        try {
            seriatim::atomic_scope block("thrown");
            cell.add(1);
            throw 1;
        } catch (int) {
            pause_at(1);
            cell.add(1);
        }
        {
            SERIATIM_ATOMIC_SCOPE("moved");
            cell.add(1);
        }
        pause_at(5);
        {
            seriatim::atomic_scope block("whole");
#ifndef FIXED
            cell.add(1);
#endif
            pause_at(9);
            cell.add(1);
        }
    });
    std::thread disturber([] {
        for (int i = 0; i < 3; i++) {
            step(4 * i + 2);
            cell.add(10);
            step(4 * i + 3);
        }
    });
    worker.join();
    disturber.join();
    puts("ok");
    return 0;
}
