// Initialisation by hand, the question and the act in two critical sections; pthread_once in the
// twin, where the second thread comes while the first is still at it.
//
// EXPECT violated: get_limit
// EXPECT cut-by: get_limit
// EXPECT on: config
// EXPECT line: get_limit @out @in
// EXPECT runs: get_limit 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int ready, limit;
} config = {.lock = PTHREAD_MUTEX_INITIALIZER};

#ifdef FIXED
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    step(1);
    step(4);
    config.limit++;
}
#endif

static BLOCK int get_limit(int slow) {
#ifdef FIXED
    (void)slow;
    pthread_once(&once, load);
    return config.limit;
#else
    pthread_mutex_lock(&config.lock);
    int ready = config.ready;           // @out
    pthread_mutex_unlock(&config.lock); // @out
    if (slow) {
        step(1);
        step(4);
    }
    pthread_mutex_lock(&config.lock); // @in
    if (!ready) {
        config.ready = 1; // @in
        config.limit++;
    }
    int limit = config.limit;
    pthread_mutex_unlock(&config.lock);
    return limit;
#endif
}

THREAD(slow) {
    get_limit(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    get_limit(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(config.limit == 1);
#else
    check(config.limit == 2);
#endif
    puts("ok");
    return 0;
}
