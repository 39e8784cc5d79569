// Locks taken by trylock. In the twin a trylock fails, and its thread then tells the block about it
// through an atomic flag: only if the failure counted as an acquire would the block seem cut.
//
// EXPECT violated: publish
// EXPECT cut-by: peek
// EXPECT on: page
// EXPECT line: publish @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <errno.h>
#include <stdatomic.h>

static struct {
    pthread_mutex_t lock;
    int head, body;
} page = {.lock = PTHREAD_MUTEX_INITIALIZER};

#ifdef FIXED
static atomic_int busy;
#endif

static BLOCK void publish(void) {
    check(pthread_mutex_trylock(&page.lock) == 0);
    page.head = 1;                    // @out
    pthread_mutex_unlock(&page.lock); // @out
#ifdef FIXED
    check(pthread_mutex_trylock(&page.lock) == 0);
#endif
    step(1);
    step(4);
#ifdef FIXED
    check(atomic_load(&busy) == 1);
#else
    check(pthread_mutex_trylock(&page.lock) == 0); // @in
#endif
    page.body = 1; // @in
    pthread_mutex_unlock(&page.lock);
}

static BLOCK void peek(void) {
#ifdef FIXED
    check(pthread_mutex_trylock(&page.lock) == EBUSY);
    atomic_store(&busy, 1);
#else
    check(pthread_mutex_trylock(&page.lock) == 0); // @cut
    check(page.head != page.body);                 // @cut
    pthread_mutex_unlock(&page.lock);              // @cut
#endif
}

THREAD(author) {
    publish();
    return NULL;
}

THREAD(reader) {
    step(2);
    peek();
    step(3);
    return NULL;
}

int main(void) {
    together(author, reader);
    puts("ok");
    return 0;
}
