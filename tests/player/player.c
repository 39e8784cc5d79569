/* See player.h. */
#include "player.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t mutexes[MUTEXES];
static pthread_t threads[MOST_THREADS];

/* Functions whose names begin so are no blocks. */
void __player_play(int thread);

NOINLINE static void f0(int thread) {
    __player_play(thread);
}
NOINLINE static void f1(int thread) {
    __player_play(thread);
}
NOINLINE static void f2(int thread) {
    __player_play(thread);
}
NOINLINE static void f3(int thread) {
    __player_play(thread);
}

static void *start(void *number) {
    __player_play((int)(intptr_t)number);
    return NULL;
}

static void __player_enter(int function, int thread) {
    switch (function) {
    case 0:
        f0(thread);
        break;
    case 1:
        f1(thread);
        break;
    case 2:
        f2(thread);
        break;
    default:
        f3(thread);
    }
}

static void __player_read(volatile char *memory, int size) {
    switch (size) {
    case 1:
        (void)*memory;
        break;
    case 2:
        (void)*(volatile uint16_t *)memory;
        break;
    case 4:
        (void)*(volatile uint32_t *)memory;
        break;
    default:
        (void)*(volatile uint64_t *)memory;
    }
}

static void __player_write(volatile char *memory, int size) {
    switch (size) {
    case 1:
        *memory = 1;
        break;
    case 2:
        *(volatile uint16_t *)memory = 1;
        break;
    case 4:
        *(volatile uint32_t *)memory = 1;
        break;
    default:
        *(volatile uint64_t *)memory = 1;
    }
}

static void __player_renew(int region) {
    free(script_region(region));
    script_set_region(region, malloc(REGION_BYTES));
}

static void __player_begin(int thread) {
    if (pthread_create(&threads[thread], NULL, start, (void *)(intptr_t)thread))
        abort();
}

/* All that is not a call is done here and in functions that begin so. */
static inline __attribute__((always_inline)) void perform(struct operation operation) {
    char *memory = operation.kind >= READ && operation.kind <= LOAD
                       ? script_region(operation.a) + operation.b
                       : NULL;
    switch (operation.kind) {
    case READ:
        __player_read(memory, operation.c);
        break;
    case WRITE:
        __player_write(memory, operation.c);
        break;
    case SET:
        memset(memory, 0, (size_t)operation.c);
        break;
    case COPY:
        memmove(memory, script_region(operation.a), (size_t)operation.c);
        break;
    case ADD:
        __atomic_fetch_add((uint32_t *)(void *)memory, 1, __ATOMIC_SEQ_CST);
        break;
    case LOAD:
        __atomic_load_n((uint32_t *)(void *)memory, __ATOMIC_SEQ_CST);
        break;
    case LOCK:
        pthread_mutex_lock(&mutexes[operation.a]);
        break;
    case UNLOCK:
        pthread_mutex_unlock(&mutexes[operation.a]);
        break;
    case RENEW:
        __player_renew(operation.a);
        break;
    default:
        __player_begin(operation.a);
    }
}

void __player_play(int thread) {
    for (;;) {
        struct operation operation = script_next(thread);
        if (operation.kind == LEAVE || operation.kind == OVER)
            return;
        if (operation.kind == ENTER)
            __player_enter(operation.a, thread);
        else
            perform(operation);
    }
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 3;
    script_read(argv[1]);
    for (int i = 0; i < MUTEXES; i++)
        pthread_mutex_init(&mutexes[i], NULL);
    for (int i = 1; i < REGIONS; i++)
        script_set_region(i, malloc(REGION_BYTES));
    __player_play(0);
    for (int i = 1; i < script_threads(); i++)
        if (threads[i])
            pthread_join(threads[i], NULL);
    return 0;
}
