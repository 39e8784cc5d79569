// Objects that count their users by an atomic counter; the last one out frees the object. Each
// function changes the counter once, so none can be cut, in any order of events.
//
// EXPECT none
#include "schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int users;
    int value;
};

static BLOCK struct object *make(int value) {
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->users, 1);
    object->value = value;
    return object;
}

static BLOCK void retain(struct object *object) {
    atomic_fetch_add_explicit(&object->users, 1, memory_order_relaxed);
}

static BLOCK void release(struct object *object) {
    if (atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel) == 1) {
        object->value = 0;
        free(object);
    }
}

static BLOCK int look(struct object *object) {
    return object->value;
}

static void *user(void *argument) {
    struct object *object = argument;
    for (int i = 0; i < 20; i++) {
        retain(object);
        check(look(object) == 5);
        release(object);
    }
    release(object);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    struct object *object = make(5);
    for (int i = 0; i < 4; i++) {
        retain(object);
        check(pthread_create(&threads[i], NULL, user, object) == 0);
    }
    release(object);
    for (int i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
    puts("ok");
    return 0;
}
