// A driver counts requests that are in progress, so that it stops when the last one is done. A
// request looks whether the driver is stopping, and counts itself when it has stopped already.
//
// EXPECT violated: request_begin
// EXPECT harm: assert
// TWIN -DFIXED
// EXPECT-FIXED none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stopping, stopped;
static atomic_int in_progress = 1;

static void enter(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void) {
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static bool request_begin(void) {
    enter();
    bool accepted = !atomic_load(&stopping); // @gap
    if (accepted)
        atomic_fetch_add(&in_progress, 1);
    leave();
    return accepted;
}

static void request_serve(void) {
    assert(!atomic_load(&stopped));
}

static void request_end(void) {
    enter();
    if (atomic_fetch_sub(&in_progress, 1) == 1)
        atomic_store(&stopped, true);
    leave();
}

static void driver_stop(void) {
    enter();
    atomic_store(&stopping, true);
    if (atomic_fetch_sub(&in_progress, 1) == 1)
        atomic_store(&stopped, true);
    leave();
}

static void *client(void *argument) {
    if (request_begin()) {
        request_serve();
        request_end();
    }
    return argument;
}

static void *stopper(void *argument) {
    driver_stop();
    return argument;
}

int main(void) {
    pthread_t a, b;
    (void)lock;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, stopper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(stopped ? "stopped" : "still running");
    return 0;
}
