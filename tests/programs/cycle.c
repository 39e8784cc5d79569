// Two blocks, each of which sees one half of the other's work and misses the other half. Neither is
// cut by itself (nobody comes back to a block that he has seen), yet no serial order explains both.
//
// SPEC atomic function open_account
// SPEC atomic function open_branch
// EXPECT cycle: open_account open_branch
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct list {
    pthread_mutex_t lock;
    int length;
} accounts = {.lock = PTHREAD_MUTEX_INITIALIZER}, branches = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;

static BLOCK void grow(struct list *list) {
    pthread_mutex_lock(&list->lock);
    list->length++;
    pthread_mutex_unlock(&list->lock);
}

static BLOCK int length(struct list *list) {
    pthread_mutex_lock(&list->lock);
    int length = list->length;
    pthread_mutex_unlock(&list->lock);
    return length;
}

static BLOCK int open_account(void) {
#ifdef FIXED
    pthread_mutex_lock(&all);
#endif
    grow(&accounts);
    step(1);
    step(4);
    int seen = length(&branches);
#ifdef FIXED
    pthread_mutex_unlock(&all);
#endif
    step(5);
    return seen;
}

static BLOCK int open_branch(void) {
#ifdef FIXED
    pthread_mutex_lock(&all);
#endif
    grow(&branches);
    step(3);
    step(6);
    int seen = length(&accounts);
#ifdef FIXED
    pthread_mutex_unlock(&all);
#endif
    return seen;
}

static int seen[2];

THREAD(clerk) {
    seen[0] = open_account();
    return NULL;
}

THREAD(manager) {
    step(2);
    seen[1] = open_branch();
    return NULL;
}

int main(void) {
    together(clerk, manager);
#ifdef FIXED
    check(seen[0] + seen[1] == 1);
#else
    check(seen[0] + seen[1] == 2);
#endif
    check(pthread_mutex_trylock(&all) == 0);
    puts("ok");
    return 0;
}
