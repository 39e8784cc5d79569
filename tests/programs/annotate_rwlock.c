// A read-write lock of the program's own with dynamic annotations (AnnotateRWLock*), which
// Valgrind's tools know, too.
//
// EXPECT violated: total
// EXPECT cut-by: transfer
// EXPECT on: accounts
// EXPECT line: total @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <unistd.h>

void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long write);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long write);

#define LOCK(call, write)                                                                          \
    do {                                                                                           \
        call;                                                                                      \
        AnnotateRWLockAcquired(__FILE__, __LINE__, &accounts, write);                              \
    } while (0)
#define UNLOCK(call, write)                                                                        \
    do {                                                                                           \
        AnnotateRWLockReleased(__FILE__, __LINE__, &accounts, write);                              \
        call;                                                                                      \
    } while (0)

static struct {
    int word; // how many readers there are, or -1 for a writer
    long one, two;
} accounts = {.one = 50, .two = 50};

// The lock itself is not instrumented. With no_sanitize, clang leaves atomics as they are.
#ifdef __clang__
#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))
#else
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
#endif

static HIDDEN void wait_and_change(int *word, int wanted, int change) {
    int seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while ((wanted < 0 ? seen < 0 : seen != wanted) ||
           !__atomic_compare_exchange_n(word, &seen, seen + change, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
        usleep(100);
        seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    }
}

static HIDDEN void change(int *word, int by) {
    __atomic_fetch_add(word, by, __ATOMIC_SEQ_CST);
}

#define READ_LOCK() LOCK(wait_and_change(&accounts.word, -1, 1), 0)
#define WRITE_LOCK() LOCK(wait_and_change(&accounts.word, 0, -1), 1)
#define READ_UNLOCK() UNLOCK(change(&accounts.word, -1), 0)
#define WRITE_UNLOCK() UNLOCK(change(&accounts.word, 1), 1)

static BLOCK long total(int pass, int resume) {
    READ_LOCK();             // @out
    long sum = accounts.one; // @out
#ifndef FIXED
    READ_UNLOCK(); // @out
#endif
    step(pass);
    step(resume);
#ifndef FIXED
    READ_LOCK(); // @in
#endif
    sum += accounts.two; // @in
    READ_UNLOCK();
    return sum;
}

static BLOCK void transfer(void) {
    WRITE_LOCK();       // @cut
    accounts.one -= 10; // @cut
    accounts.two += 10; // @cut
    WRITE_UNLOCK();     // @cut
}

THREAD(reader) {
    long sum = total(1, 6);
#ifdef FIXED
    check(sum == 100);
#else
    check(sum == 110);
#endif
    return NULL;
}

// Another reader meanwhile: readers do not cut each other.
THREAD(other) {
    step(2);
    total(3, 4);
    transfer();
    step(5);
    return NULL;
}

int main(void) {
    AnnotateRWLockCreate(__FILE__, __LINE__, &accounts);
    transfer();
    accounts.one = accounts.two = 50;
    together(reader, other);
    AnnotateRWLockDestroy(__FILE__, __LINE__, &accounts);
    puts("ok");
    return 0;
}
