// Recursive locks that say who holds them, in the ways in which threads say who they are: what
// pthread_self and thrd_current return, and variables of the thread's own. One thread holds each
// lock while the other one asks whether it is its own, and then waits for it.
//
// EXPECT none
#include "schedule.h"

#include <stdatomic.h>
#include <threads.h>

enum { NOBODY = -1 };

static struct account {
    pthread_mutex_t mutex;
    int depth, balance;
} by_number, by_address, by_thread, by_c_thread, by_function;

static atomic_int number = NOBODY;
static _Atomic(char *) address;
static _Atomic pthread_t thread;
static _Atomic thrd_t c_thread;
static _Atomic pthread_t holder;

static _Thread_local int me;
static _Thread_local char mine;

static void enter(struct account *account) {
    pthread_mutex_lock(&account->mutex);
    account->depth = 1;
}

static void leave(struct account *account) {
    pthread_mutex_unlock(&account->mutex);
}

/* ---- who it is ---- */

static void lock_by_number(void) {
    if (atomic_load(&number) == me) {
        by_number.depth++;
        return;
    }
    enter(&by_number);
    atomic_store(&number, me);
}

static void unlock_by_number(void) {
    if (--by_number.depth)
        return;
    atomic_store(&number, NOBODY);
    leave(&by_number);
}

static void lock_by_address(void) {
    if (atomic_load(&address) != &mine) {
        enter(&by_address);
        atomic_store(&address, &mine);
        return;
    }
    by_address.depth++;
}

static void unlock_by_address(void) {
    if (--by_address.depth)
        return;
    atomic_store(&address, NULL);
    leave(&by_address);
}

static void lock_by_thread(void) {
    if (pthread_equal(atomic_load(&thread), pthread_self())) {
        by_thread.depth++;
        return;
    }
    enter(&by_thread);
    atomic_store(&thread, pthread_self());
}

static void unlock_by_thread(void) {
    if (--by_thread.depth)
        return;
    atomic_store(&thread, 0);
    leave(&by_thread);
}

static void lock_by_c_thread(void) {
    thrd_t self = thrd_current();
    if (thrd_equal(atomic_load(&c_thread), self)) {
        by_c_thread.depth++;
        return;
    }
    enter(&by_c_thread);
    atomic_store(&c_thread, self);
}

static void unlock_by_c_thread(void) {
    if (--by_c_thread.depth)
        return;
    atomic_store(&c_thread, 0);
    leave(&by_c_thread);
}

static BLOCK int is_mine(void) {
    return atomic_load_explicit(&holder, memory_order_relaxed) == pthread_self();
}

static void lock_by_function(void) {
    if (is_mine()) {
        by_function.depth++;
        return;
    }
    enter(&by_function);
    atomic_store_explicit(&holder, pthread_self(), memory_order_relaxed);
}

static void unlock_by_function(void) {
    check(is_mine());
    if (--by_function.depth)
        return;
    atomic_store_explicit(&holder, 0, memory_order_relaxed);
    leave(&by_function);
}

/* ---- what it does ---- */

static struct lock {
    struct account *account;
    void (*take)(void);
    void (*give)(void);
} const locks[] = {
    {&by_number, lock_by_number, unlock_by_number},
    {&by_address, lock_by_address, unlock_by_address},
    {&by_thread, lock_by_thread, unlock_by_thread},
    {&by_c_thread, lock_by_c_thread, unlock_by_c_thread},
    {&by_function, lock_by_function, unlock_by_function},
};
enum { LOCKS = sizeof locks / sizeof *locks };

static BLOCK int balance(const struct lock *lock) {
    lock->take();
    int balance = lock->account->balance;
    lock->give();
    return balance;
}

static BLOCK void set(const struct lock *lock, int balance) {
    lock->take();
    lock->account->balance = balance;
    lock->give();
}

/* `slow`: a step that does not come, but gives the other thread a moment to ask for the lock. */
static BLOCK void deposit(const struct lock *lock, int slow) {
    lock->take();
    int old = balance(lock);
    if (slow)
        schedule_step_or_go_on(slow);
    set(lock, old + 1);
    lock->give();
}

THREAD(slow_teller) {
    me = schedule_thread();
    for (int i = 0; i < LOCKS; i++) {
        step(4 * i + 1);
        deposit(&locks[i], 4 * i + 4);
    }
    return NULL;
}

THREAD(fast_teller) {
    me = schedule_thread();
    for (int i = 0; i < LOCKS; i++) {
        step(4 * i + 2);
        deposit(&locks[i], 0);
        step(4 * i + 3);
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < LOCKS; i++)
        check(pthread_mutex_init(&locks[i].account->mutex, NULL) == 0);
    me = schedule_thread();
    set(&locks[0], 0); /* numbers might be of another kind, if none had ever been taken back */
    together(slow_teller, fast_teller);
    for (int i = 0; i < LOCKS; i++)
        check(balance(&locks[i]) == 2);
    puts("ok");
    return 0;
}
