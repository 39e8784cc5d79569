// Locks that several threads can hold, and semaphores, made from one atomic word each: readers are
// counted by compare-and-swap or by addition, a writer sets the word to -1 or sets a bit; a
// semaphore is counted down and up, as a lock and as a signal. However the threads meet, nobody is
// cut: coming in, leaving and trying are no accesses.
//
// EXPECT none
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 100, WRITER = 1 << 16, SEATS = 2 };

static struct {
    atomic_int word;
    int value;
} swapped, added;
static atomic_int seats = SEATS, inside, items;
static struct {
    atomic_int word;
    int count;
} single = {1, 0};

static void read_lock_swapped(void) {
    for (;;) {
        int readers = atomic_load_explicit(&swapped.word, memory_order_relaxed);
        if (readers >= 0 && atomic_compare_exchange_weak(&swapped.word, &readers, readers + 1))
            return;
        sched_yield();
    }
}

static void write_lock_swapped(void) {
    int nobody = 0;
    while (!atomic_compare_exchange_weak(&swapped.word, &nobody, -1)) {
        nobody = 0;
        sched_yield();
    }
}

static void read_lock_added(void) {
    while (atomic_fetch_add(&added.word, 1) >= WRITER) {
        atomic_fetch_sub(&added.word, 1);
        while (atomic_load(&added.word) >= WRITER)
            sched_yield();
    }
}

static void write_lock_added(void) {
    for (;;) {
        int nobody = 0;
        if (atomic_compare_exchange_strong(&added.word, &nobody, WRITER))
            return;
        while (atomic_load(&added.word) != 0)
            sched_yield();
    }
}

static void down(atomic_int *semaphore) {
    for (;;) {
        int left = atomic_load(semaphore);
        if (left > 0 && atomic_compare_exchange_weak(semaphore, &left, left - 1))
            return;
        sched_yield();
    }
}

static void up(atomic_int *semaphore) {
    atomic_fetch_add(semaphore, 1);
}

static BLOCK int read_both(void) {
    read_lock_swapped();
    read_lock_added();
    int sum = swapped.value - added.value;
    atomic_fetch_sub(&added.word, 1);
    atomic_fetch_sub(&swapped.word, 1);
    return sum;
}

static BLOCK void write_both(void) {
    write_lock_swapped();
    write_lock_added();
    swapped.value++;
    added.value++;
    atomic_fetch_sub(&added.word, WRITER);
    atomic_store(&swapped.word, 0);
}

static BLOCK void sit(void) {
    down(&seats);
    atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    up(&seats);
}

static BLOCK void count(void) {
    down(&single.word);
    single.count++;
    up(&single.word);
}

/* A signal: one thread gives, others take. */
static BLOCK void give_all(void) {
    for (int i = 0; i < THREADS * ROUNDS; i++)
        up(&items);
}

static BLOCK void take_some(void) {
    for (int i = 0; i < ROUNDS; i++)
        down(&items);
}

static void *work(void *argument) {
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 8 == 0)
            write_both();
        check(read_both() == 0);
        sit();
        count();
    }
    take_some();
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, work, NULL) == 0);
    give_all();
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check(single.count == THREADS * ROUNDS && atomic_load(&seats) == SEATS);
    puts("ok");
    return 0;
}
