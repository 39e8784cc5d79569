// Two threads that only read, each under two locks that it takes and releases one after the other.
// No schedule can make them see anything else. The order in which they took the locks cuts both
// ways, and that is all that there is to report, for those who ask for it.
//
// EXPECT none
// EXPECT runs: sum 0/2
// EXPECT-LOCKS violated: sum
// EXPECT-LOCKS cut-by: sum
// EXPECT-LOCKS on: left
// EXPECT-LOCKS on: right
// EXPECT-LOCKS runs: sum 1/2
#include "schedule.h"

struct part {
    pthread_mutex_t lock;
    int value;
};

static struct part left = {PTHREAD_MUTEX_INITIALIZER, 1};
static struct part right = {PTHREAD_MUTEX_INITIALIZER, 2};

static int get(struct part *part) {
    pthread_mutex_lock(&part->lock);
    int value = part->value;
    pthread_mutex_unlock(&part->lock);
    return value;
}

static BLOCK int sum(int slow) {
    int first = get(&left);
    if (slow) {
        step(1);
        step(4);
    }
    return first + get(&right);
}

THREAD(slow) {
    check(sum(1) == 3);
    return NULL;
}

THREAD(fast) {
    step(2);
    check(sum(0) == 3);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
    puts("ok");
    return 0;
}
