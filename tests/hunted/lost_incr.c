// A cache whose items have locks: `incr` gets the value under the lock, adds, and puts it back
// under the lock again. The increment of another client in between is lost.
//
// EXPECT violated: incr
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct item {
    pthread_mutex_t lock;
    char key[8];
    unsigned long value;
};

static struct item items[2] = {{PTHREAD_MUTEX_INITIALIZER, "hits", 0},
                               {PTHREAD_MUTEX_INITIALIZER, "misses", 0}};

static struct item *find(const char *key) {
    for (int i = 0; i < 2; i++)
        if (strcmp(items[i].key, key) == 0)
            return &items[i];
    return NULL;
}

static unsigned long item_get(struct item *item) {
    pthread_mutex_lock(&item->lock);
    unsigned long value = item->value;
    pthread_mutex_unlock(&item->lock);
    return value;
}

#ifndef FIXED
static void item_put(struct item *item, unsigned long value) {
    pthread_mutex_lock(&item->lock);
    item->value = value;
    pthread_mutex_unlock(&item->lock);
}
#endif

static void incr(const char *key, unsigned long by) {
    struct item *item = find(key);
#ifdef FIXED
    pthread_mutex_lock(&item->lock);
    item->value += by;
    pthread_mutex_unlock(&item->lock);
#else
    unsigned long value = item_get(item); // @gap
    item_put(item, value + by);
#endif
}

static void *client(void *key) {
    incr("hits", 1);
    incr(key, 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, client, "misses");
    pthread_create(&b, NULL, client, "hits");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unsigned long hits = item_get(&items[0]), misses = item_get(&items[1]);
    printf("%lu hits, %lu misses\n", hits, misses);
    return hits != 3 || misses != 1;
}
