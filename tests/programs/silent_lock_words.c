// Four threads and locks that the program makes itself: a spinlock, a ticket lock, a mutex from a
// futex. However they meet, nobody is cut: trying, spinning and sleeping are no accesses, and what
// holds a lock is atomic. Two readers that take the same lock twice do not cut each other either.
//
// EXPECT none
#define _GNU_SOURCE
#include "schedule.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 300 };

static struct {
    atomic_int spin;
    int count;
} first;
static struct {
    atomic_ushort next, serving;
    int count;
} second;
static struct {
    atomic_int futex;
    int count, limit;
} third;

static void lock_spin(void) {
    while (atomic_exchange_explicit(&first.spin, 1, memory_order_acquire))
        while (atomic_load_explicit(&first.spin, memory_order_relaxed))
            sched_yield();
}

static void unlock_spin(void) {
    atomic_store_explicit(&first.spin, 0, memory_order_release);
}

static void lock_ticket(void) {
    unsigned short mine = atomic_fetch_add(&second.next, 1);
    while (atomic_load(&second.serving) != mine)
        sched_yield();
}

static void unlock_ticket(void) {
    unsigned short mine = atomic_load_explicit(&second.serving, memory_order_relaxed);
    atomic_store_explicit(&second.serving, mine + 1, memory_order_release);
}

static void lock_futex(void) {
    int unlocked = 0;
    if (atomic_compare_exchange_strong(&third.futex, &unlocked, 1))
        return;
    while (atomic_exchange(&third.futex, 2) != 0)
        syscall(SYS_futex, &third.futex, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock_futex(void) {
    if (atomic_exchange(&third.futex, 0) == 2)
        syscall(SYS_futex, &third.futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static BLOCK void count_first(void) {
    lock_spin();
    first.count++;
    unlock_spin();
}

static BLOCK void count_second(void) {
    lock_ticket();
    second.count++;
    unlock_ticket();
}

/* One lock in the other. */
static BLOCK void count_both(void) {
    lock_futex();
    third.count++;
    lock_spin();
    first.count++;
    unlock_spin();
    unlock_futex();
}

static BLOCK int look_twice(void) {
    lock_futex();
    int before = third.limit;
    unlock_futex();
    lock_futex();
    int after = third.limit;
    unlock_futex();
    return before == after;
}

static void *work(void *argument) {
    for (int i = 0; i < ROUNDS; i++) {
        count_first();
        count_second();
        count_both();
        check(look_twice());
    }
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check(first.count == 2 * THREADS * ROUNDS);
    check(second.count == THREADS * ROUNDS);
    check(third.count == THREADS * ROUNDS);
    puts("ok");
    return 0;
}
