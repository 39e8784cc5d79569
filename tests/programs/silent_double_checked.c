// Double-checked initialisation done right: one thread initialises, and eight others find the flag
// set. Nothing that they do in their blocks comes between two accesses of another one.
//
// EXPECT none
#include "schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { READERS = 8 };

struct config {
    int size;
    char name[8];
};

static _Atomic(struct config *) shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static BLOCK struct config *make_config(void) {
    struct config *config = malloc(sizeof *config);
    config->size = 3;
    config->name[0] = 'a';
    return config;
}

static BLOCK struct config *get_config(void) {
    struct config *config = atomic_load_explicit(&shared, memory_order_acquire);
    if (!config) {
        pthread_mutex_lock(&lock);
        config = atomic_load_explicit(&shared, memory_order_relaxed);
        if (!config) {
            config = make_config();
            atomic_store_explicit(&shared, config, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return config;
}

static BLOCK int read_config(void) {
    struct config *config = get_config();
    return config->size + config->name[0] + get_config()->size;
}

THREAD(first) {
    check(get_config()->size == 3);
    step(1);
    return NULL;
}

THREAD(reader) {
    check(read_config() == 'a' + 6);
    return NULL;
}

int main(void) {
    pthread_t threads[READERS + 1];
    check(pthread_create(&threads[READERS], NULL, first, NULL) == 0);
    step(2);
    for (int i = 0; i < READERS; i++)
        check(pthread_create(&threads[i], NULL, reader, NULL) == 0);
    for (int i = 0; i <= READERS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    free(shared);
    puts("ok");
    return 0;
}
