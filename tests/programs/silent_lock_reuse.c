// A mutex is destroyed and its memory freed; another mutex comes to lie at the same address. They
// are different locks: nothing is released to the second that was acquired from the first.
//
// EXPECT none
#include "schedule.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIZE = 4000 };

static atomic_int opened, closed;
static atomic_uintptr_t address[2];

static BLOCK void session(void) {
    atomic_store(&opened, 1);
    step(1);
    step(6);
    check(atomic_load(&closed) == 1);
}

static BLOCK void use_lock(int who) {
    pthread_mutex_t *lock = malloc(SIZE);
    atomic_store(&address[who], (uintptr_t)lock);
    pthread_mutex_init(lock, NULL);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    pthread_mutex_destroy(lock);
    free(lock);
}

THREAD(holder) {
    session();
    return NULL;
}

THREAD(user) {
    step(2);
    check(atomic_load(&opened) == 1);
    use_lock(0);
    step(3);
    return NULL;
}

THREAD(other_user) {
    step(4);
    use_lock(1);
    atomic_store(&closed, 1);
    step(5);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    mallopt(M_ARENA_MAX, 1);
    check(pthread_create(&threads[0], NULL, holder, NULL) == 0);
    check(pthread_create(&threads[1], NULL, user, NULL) == 0);
    check(pthread_create(&threads[2], NULL, other_user, NULL) == 0);
    for (int i = 0; i < 3; i++)
        check(pthread_join(threads[i], NULL) == 0);
    fprintf(stderr, "same address: %s\n", address[0] == address[1] ? "yes" : "no");
    puts("ok");
    return 0;
}
