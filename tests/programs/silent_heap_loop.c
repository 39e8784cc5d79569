// An object is freed, and long after that another one comes from the same line of the program: it
// may have the number of the first one by then, but what was known of that must not lead out of
// session() and back into it:
//
//     session: open = 1  ->  user: reads it, uses an object, frees it
//     other user: uses an object from the same line, closed = 1  ->  session: reads it
//
// EXPECT none
#include "schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 4000, LOTS = 20000 };

static long table[LOTS];

/* So much to tell that what was freed before it can be forgotten. */
static BLOCK void fill(void) {
    for (int i = 0; i < LOTS; i++)
        table[i] = i;
}

static atomic_int opened, closed;

static BLOCK void session(void) {
    atomic_store(&opened, 1);
    step(1);
    step(6);
    check(atomic_load(&closed) == 1);
}

static BLOCK void use_object(void) {
    int *object = malloc(SIZE);
    for (int i = 0; i < SIZE / (int)sizeof *object; i++)
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
    use_object();
    step(3);
    return NULL;
}

THREAD(other_user) {
    step(4);
    fill();
    use_object();
    atomic_store(&closed, 1);
    step(5);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    check(pthread_create(&threads[0], NULL, holder, NULL) == 0);
    check(pthread_create(&threads[1], NULL, user, NULL) == 0);
    check(pthread_create(&threads[2], NULL, other_user, NULL) == 0);
    for (int i = 0; i < 3; i++)
        check(pthread_join(threads[i], NULL) == 0);
    puts("ok");
    return 0;
}
