// A recursive spin lock of the program's own, annotated for ThreadSanitizer. What happens inside of
// it is not the program's data: who spins cuts nobody, and the lock is one like any other. get()
// and set() take it one after the other, which is not atomic.
//
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>
#include <unistd.h>

void __tsan_mutex_create(void *address, unsigned flags);
void __tsan_mutex_destroy(void *address, unsigned flags);
void __tsan_mutex_pre_lock(void *address, unsigned flags);
void __tsan_mutex_post_lock(void *address, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *address, unsigned flags);
void __tsan_mutex_post_unlock(void *address, unsigned flags);
enum { REENTRANT = 1 << 1, TRY = 1 << 4, FAILED = 1 << 5 };

struct spin {
    atomic_int owner; // a thread, or 0
    int depth;
};
static struct {
    struct spin lock;
    long balance;
} account;

static BLOCK int try_once(struct spin *spin) {
    int nobody = 0, self = schedule_thread();
    if (atomic_load(&spin->owner) != self &&
        !atomic_compare_exchange_strong(&spin->owner, &nobody, self))
        return 0;
    spin->depth++;
    return 1;
}

static BLOCK int spin_trylock(struct spin *spin) {
    __tsan_mutex_pre_lock(spin, REENTRANT | TRY);
    int taken = try_once(spin);
    __tsan_mutex_post_lock(spin, REENTRANT | TRY | (taken ? 0 : FAILED), 0);
    return taken;
}

static BLOCK void spin_lock(struct spin *spin) {
    __tsan_mutex_pre_lock(spin, REENTRANT);
    while (!try_once(spin))
        usleep(100);
    __tsan_mutex_post_lock(spin, REENTRANT, 0);
}

static BLOCK void spin_unlock(struct spin *spin) {
    __tsan_mutex_pre_unlock(spin, 0);
    if (--spin->depth == 0)
        atomic_store(&spin->owner, 0);
    __tsan_mutex_post_unlock(spin, 0);
}

static BLOCK long get(void) {
    spin_lock(&account.lock);
    long value = account.balance;
    spin_unlock(&account.lock);
    return value;
}

static BLOCK void set(long value) {
    spin_lock(&account.lock);
    account.balance = value;
    spin_unlock(&account.lock);
}

static BLOCK void deposit(long amount, int pass, int resume) {
#ifdef FIXED
    spin_lock(&account.lock); // get() and set() take it again
#endif
    long value = get();
    step(pass);
    step(resume);
    set(value + amount);
#ifdef FIXED
    spin_unlock(&account.lock);
#endif
}

THREAD(one) {
    deposit(10, 1, 4);
    step(5);
    return NULL;
}

THREAD(two) {
    step(2);
    if (spin_trylock(&account.lock))
        spin_unlock(&account.lock);
    deposit(20, 3, 6);
    return NULL;
}

int main(void) {
    __tsan_mutex_create(&account.lock, REENTRANT);
    together(one, two);
#ifdef FIXED
    check(get() == 30);
#else
    check(get() == 20);
#endif
    __tsan_mutex_destroy(&account.lock, 0);
    puts("ok");
    return 0;
}
