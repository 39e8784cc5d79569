// Tasks of oneTBB count votes: the number is read and written in two critical sections.
//
// FLAGS -ltbb
// EXPECT violated: count_vote
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <cstdio>
#include <mutex>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

static const int voters = 4;
static std::mutex lock;
static int votes;

#ifdef FIXED
static void count_vote() {
    std::lock_guard<std::mutex> guard(lock);
    votes = votes + 1;
}
#else
static int look() {
    std::lock_guard<std::mutex> guard(lock);
    return votes;
}

static void enter(int number) {
    std::lock_guard<std::mutex> guard(lock);
    votes = number;
}

static void count_vote() {
    int found = look();
    enter(found + 1); // @gap-before
}
#endif

int main() {
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    tbb::parallel_for(tbb::blocked_range<int>(0, voters, 1),
                      [](const tbb::blocked_range<int> &part) {
                          for (int i = part.begin(); i != part.end(); i++)
                              count_vote();
                      });
    std::printf("%d of %d votes\n", votes, voters);
    return votes != voters;
}
