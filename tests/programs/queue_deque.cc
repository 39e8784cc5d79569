// A board of jobs: a std::deque of structs with vectors, of at most three jobs. Workers move a job
// out, and work on it without the lock. In the bug, a job is posted in another section than the one
// that looked whether there is room.
//
// FLAGS -std=c++17
// SPEC atomic function post
// SPEC atomic function fetch
// SPEC atomic function work
// EXPECT violated: post
// EXPECT cut-by: fetch
// EXPECT on: board
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <deque>
#include <mutex>
#include <vector>

struct Job {
    int kind;
    std::vector<int> data;
};

static struct {
    std::mutex lock;
    std::deque<Job> jobs;
    long total;
} board;

static void be_slow(int slow) {
    if (slow) {
        step(3);
        step(6);
    }
}

static BLOCK bool post(int number, int slow) {
    Job job{number % 3, {number, number + 1, number + 2}};
    std::unique_lock<std::mutex> hold(board.lock);
    bool room = board.jobs.size() < 3;
#ifndef FIXED
    hold.unlock();
    be_slow(slow);
    hold.lock();
#endif
    if (room)
        board.jobs.push_back(std::move(job));
#ifdef FIXED
    hold.unlock();
    be_slow(slow);
#endif
    return room;
}

static BLOCK bool fetch(Job &job) {
    std::lock_guard<std::mutex> hold(board.lock);
    if (board.jobs.empty())
        return false;
    job = std::move(board.jobs.front());
    board.jobs.pop_front();
    return true;
}

static BLOCK void work(Job &job) {
    long sum = 0;
    for (int &number : job.data) {
        number *= 2;
        sum += number;
    }
    std::lock_guard<std::mutex> hold(board.lock);
    board.total += sum;
}

THREAD(poster) {
    step(1);
    post(1, 0);
    post(2, 1);
    step(7);
    return NULL;
}

THREAD(worker) {
    Job job;
    step(2);
    step(4);
    while (fetch(job))
        work(job);
    step(5);
    step(8);
    while (fetch(job))
        work(job);
    return NULL;
}

int main() {
    together(poster, worker);
    puts("ok");
    return 0;
}
