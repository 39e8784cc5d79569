// Memory is freed by one thread and allocated by another: a new object at the old address. If it
// were the same variable, a path would lead out of session() and back into it:
//
//     session: open = 1  ->  user: reads it, uses an object, frees it
//     other user: uses an object at the same address, closed = 1  ->  session: reads it
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

static BLOCK void use_object(int who) {
    int *object = malloc(SIZE);
    atomic_store(&address[who], (uintptr_t)object);
    for (int i = 0; i < 8; i++)
        object[i] = i;
    free(object);
}

THREAD(holder) {
    session();
    return NULL;
}

THREAD(user) {
    step(2);
    check(atomic_load(&opened) == 1);
    use_object(0);
    step(3);
    return NULL;
}

THREAD(other_user) {
    step(4);
    use_object(1);
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
