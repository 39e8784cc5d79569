// A cache like memcached: each item belongs to a lock, and `incr` gets the item under that lock,
// computes, and puts it back under the lock again. Another client's `incr` in between is lost.
//
// EXPECT violated: incr
// EXPECT cut-by: incr
// EXPECT on: value
// EXPECT line: incr @out @cut @in
// EXPECT runs: incr 1/2
// EXPECT runs: item_get 0/2
// EXPECT runs: item_put 0/2
// EXPECT-LOCKS violated: incr
// EXPECT-LOCKS runs: incr 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

enum { LOCKS = 4 };

struct item {
    char key[8];
    unsigned long value;
};

static pthread_mutex_t item_locks[LOCKS];
static struct item items[LOCKS];

static unsigned hash(const char *key) {
    unsigned sum = 0;
    while (*key)
        sum = sum * 31 + (unsigned char)*key++;
    return sum % LOCKS;
}

static BLOCK unsigned long item_get(const char *key) {
    unsigned slot = hash(key);
    pthread_mutex_lock(&item_locks[slot]);
    check(strcmp(items[slot].key, key) == 0);
    unsigned long value = items[slot].value; // @out
    pthread_mutex_unlock(&item_locks[slot]);
    return value;
}

static BLOCK void item_put(const char *key, unsigned long value) {
    unsigned slot = hash(key);
    pthread_mutex_lock(&item_locks[slot]);
    items[slot].value = value; // @cut @in
    pthread_mutex_unlock(&item_locks[slot]);
}

static BLOCK unsigned long incr(const char *key, unsigned long by, int slow) {
#ifdef FIXED
    unsigned slot = hash(key);
    pthread_mutex_lock(&item_locks[slot]);
    unsigned long value = items[slot].value + by;
    if (slow) {
        step(1);
        step(4);
    }
    items[slot].value = value;
    pthread_mutex_unlock(&item_locks[slot]);
#else
    unsigned long value = item_get(key) + by;
    if (slow) {
        step(1);
        step(4);
    }
    item_put(key, value);
#endif
    return value;
}

THREAD(slow_client) {
    incr("hits", 1, 1);
    return NULL;
}

THREAD(fast_client) {
    step(2);
    incr("hits", 1, 0);
    step(3);
    return NULL;
}

int main(void) {
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&item_locks[i], NULL);
    strcpy(items[hash("hits")].key, "hits");
    together(slow_client, fast_client);
#ifdef FIXED
    check(item_get("hits") == 2);
    item_put("hits", 0);
#else
    check(items[hash("hits")].value == 1);
#endif
    puts("ok");
    return 0;
}
