// A robust mutex: a thread ends while it holds it, and the next one gets it from the kernel. The
// bug looks at the stock and changes it in two critical sections, the twin in one. What the thread
// that ended did was done under the mutex, too. (The stock is atomic for ThreadSanitizer, which
// does not know of such mutexes.)
//
// EXPECT violated: reserve
// EXPECT cut-by: sell
// EXPECT on: stock
// EXPECT line: reserve @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <errno.h>
#include <stdatomic.h>

static struct {
    pthread_mutex_t lock;
    atomic_int left;
} stock = {.left = 3};

static BLOCK void lock(void) {
    int result = pthread_mutex_lock(&stock.lock); // @in
    check(result == 0 || result == EOWNERDEAD);
    if (result)
        check(pthread_mutex_consistent(&stock.lock) == 0);
}

static BLOCK void reserve(void) {
    lock();
    int left = stock.left; // @out
#ifndef FIXED
    pthread_mutex_unlock(&stock.lock); // @out
#endif
    step(3);
    step(6);
#ifndef FIXED
    lock();
#endif
    stock.left = left - 1; // @in
    pthread_mutex_unlock(&stock.lock);
}

static BLOCK void sell(void) {
    lock();
    stock.left--; // @cut
}

THREAD(early_seller) {
    step(1);
    sell();
    return NULL;
}

THREAD(buyer) {
    step(2);
    reserve();
    return NULL;
}

THREAD(seller) {
    step(4);
    sell();
    step(5);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t first;
    check(pthread_mutexattr_init(&attributes) == 0);
    check(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    check(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    check(pthread_mutex_init(&stock.lock, &attributes) == 0);
    check(pthread_create(&first, NULL, early_seller, NULL) == 0);
    together(buyer, seller);
    check(pthread_join(first, NULL) == 0);
    lock();
#ifdef FIXED
    check(stock.left == 0);
#endif
    puts("ok");
    return 0;
}
