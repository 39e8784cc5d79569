// A reader-writer lock made of two atomics: a reader looks for a writer and counts itself, a writer
// looks for readers and announces itself. Both can be in.
//
// EXPECT violated: look|change
// EXPECT maybe: begin_read begin_write
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static atomic_int left = 5, right = 5;
static int torn;

#ifdef FIXED
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static bool begin_read(void) {
    return pthread_rwlock_tryrdlock(&lock) == 0;
}

static bool begin_write(void) {
    return pthread_rwlock_trywrlock(&lock) == 0;
}

static void end_read(void) {
    pthread_rwlock_unlock(&lock);
}

static void end_write(void) {
    pthread_rwlock_unlock(&lock);
}
#else
static atomic_int readers;
static atomic_bool writing;

static bool begin_read(void) {
    if (atomic_load(&writing))
        return false;
    atomic_fetch_add(&readers, 1); // @gap-before
    return true;
}

static bool begin_write(void) {
    if (atomic_load(&readers) != 0)
        return false;
    atomic_store(&writing, true);
    return true;
}

static void end_read(void) {
    atomic_fetch_sub(&readers, 1);
}

static void end_write(void) {
    atomic_store(&writing, false);
}
#endif

static bool look(int *l, int *r) {
    if (!begin_read())
        return false;
    *l = atomic_load(&left);
    *r = atomic_load(&right);
    end_read();
    return true;
}

static void change(int by) {
    if (!begin_write())
        return;
    atomic_fetch_sub(&left, by); // @gap
    atomic_fetch_add(&right, by);
    end_write();
}

static void *reader(void *argument) {
    int l, r;
    if (look(&l, &r) && l + r != 10)
        torn = 1;
    return argument;
}

static void *writer(void *argument) {
    change(3);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(torn ? "torn" : "whole");
    return torn;
}
