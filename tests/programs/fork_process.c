// A thread forks in the middle of another one's block. The child has that one thread, does some
// work of its own and ends; the parent waits for it, goes on, and is checked as if nothing was.
//
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: update @out @cut @in
// EXPECT runs: look 0/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <sys/wait.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int left, right;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static BLOCK void update(void) {
    pthread_mutex_lock(&state.lock);
    state.left++; // @out
#ifndef FIXED
    pthread_mutex_unlock(&state.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&state.lock); // @in
#endif
    state.right++; // @in
    pthread_mutex_unlock(&state.lock);
}

static BLOCK void look(void) {
    pthread_mutex_lock(&state.lock);            // @cut
    check(state.left == 1 && state.right <= 1); // @cut
    pthread_mutex_unlock(&state.lock);          // @cut
}

static BLOCK int child_work(void) {
    int sum = 0;
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&other);
        sum += i;
        pthread_mutex_unlock(&other);
    }
    return sum;
}

THREAD(updater) {
    update();
    return NULL;
}

THREAD(forker) {
    int status;
    schedule_step(2);
    pid_t child = fork();
    check(child >= 0);
    if (child == 0)
        _exit(child_work() == 499500 ? 7 : 8);
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    look();
    step(3);
    return NULL;
}

int main(void) {
    together(updater, forker);
    puts("ok");
    return 0;
}
