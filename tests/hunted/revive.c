// Whoever finds an object with references takes another one. Between the two steps, the last
// reference may go, and the object is closed: then it comes to life again, and is closed twice.
//
// EXPECT violated: get
// EXPECT maybe: put
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 1, closed;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK()
#define UNLOCK()
#endif

static int get(void) {
    LOCK();
    int there = atomic_load(&references) > 0; // @gap
    if (there)
        atomic_fetch_add(&references, 1);
    UNLOCK();
    return there;
}

static void put(void) {
    LOCK();
    if (atomic_fetch_sub(&references, 1) == 1)
        atomic_fetch_add(&closed, 1);
    UNLOCK();
}

static void *user(void *argument) {
    if (get())
        put();
    return argument;
}

static void *owner(void *argument) {
    put();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return closed != 1;
}
