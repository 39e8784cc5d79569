// Pages that were full of data and locks are mapped anew, thousands of times: what was in them is
// gone, and forgetting it costs only as much as was touched since the last time. What comes to lie
// there in the end is found, under the name of the last mapping.
//
// FLAGS -D_GNU_SOURCE
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: @map
// EXPECT runs: deposit 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SIZE = 8 << 20, TIMES = 3000, STRIDE = 64 };

struct account {
    pthread_mutex_t lock;
    long balance;
};

static char *area;
static struct account *account;

static void map_anew(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (area ? MAP_FIXED : 0);
    char *got = mmap(area, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0); // @map
    check(got != MAP_FAILED && (!area || got == area));
    area = got;
}

static void touch(size_t offset) {
    atomic_fetch_add((_Atomic long *)(void *)(area + offset), 1);
}

/* Atomic accesses are seen, even if one thread makes them all. */
static BLOCK void fill(void) {
    for (size_t i = 0; i < SIZE; i += STRIDE)
        touch(i);
}

static BLOCK void open_account(void) {
    account = (struct account *)(void *)(area + SIZE / 2);
    check(pthread_mutex_init(&account->lock, NULL) == 0);
    pthread_mutex_lock(&account->lock);
    account->balance = 0;
    pthread_mutex_unlock(&account->lock);
}

static BLOCK void deposit(long amount, int pass, int resume) {
    pthread_mutex_lock(&account->lock);
    long balance = account->balance;
#ifndef FIXED
    pthread_mutex_unlock(&account->lock);
#endif
    step(pass);
    step(resume);
#ifndef FIXED
    pthread_mutex_lock(&account->lock);
#endif
    account->balance = balance + amount;
    pthread_mutex_unlock(&account->lock);
}

THREAD(one) {
    deposit(10, 1, 4);
    step(5);
    return NULL;
}

THREAD(two) {
    step(2);
    deposit(20, 3, 6);
    return NULL;
}

int main(void) {
    map_anew();
    fill();
    for (size_t i = 0; i < TIMES; i++) {
        map_anew();
        touch(i * 4096 % SIZE);
        if (i % 1000 == 0)
            open_account();
    }
    map_anew();
    open_account();
    together(one, two);
#ifdef FIXED
    check(account->balance == 30);
#else
    check(account->balance == 20);
#endif
    puts("ok");
    return 0;
}
