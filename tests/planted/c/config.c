#include "planted.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long config;

static pthread_rwlock_t ports = PTHREAD_RWLOCK_INITIALIZER;
static int first_port = 80, last_port = 90;

enum { ITEMS = 3 };
static struct {
    pthread_mutex_t lock;
    long value;
} items[ITEMS] = {
    {PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 2}, {PTHREAD_MUTEX_INITIALIZER, 3}};

// CAUSE get_config @peeked @loaded
BLOCK long get_config(void) {
    long seen = __atomic_load_n(&config, __ATOMIC_RELAXED); // @peeked
    gap(CONFIG);
    pthread_mutex_lock(&lock); // @loaded
    __atomic_store_n(&config, seen + 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return seen;
}

BLOCK void load_config(void) {
    pthread_mutex_lock(&lock);
    __atomic_store_n(&config, 5, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

// CAUSE update_ports @reading @writing
BLOCK void update_ports(void) {
    pthread_rwlock_rdlock(&ports); // @reading
    int first = first_port;
    int last = last_port;
    pthread_rwlock_unlock(&ports);
    gap(PORTS);
    pthread_rwlock_wrlock(&ports); // @writing
    last_port = last + 1;
    first_port = first + 1;
    pthread_rwlock_unlock(&ports);
}

BLOCK void set_ports(int port) {
    pthread_rwlock_wrlock(&ports);
    first_port = port;
    last_port = port + 10;
    pthread_rwlock_unlock(&ports);
}

// CAUSE total_of_items @item @item
BLOCK long total_of_items(void) {
    long total = 0;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&items[i].lock); // @item
        total += items[i].value;
        pthread_mutex_unlock(&items[i].lock);
        if (i == 0)
            gap(TOTAL);
    }
    return total;
}

BLOCK void change_items(void) {
    for (int i = 0; i < ITEMS; i++)
        pthread_mutex_lock(&items[i].lock);
    for (int i = 0; i < ITEMS; i++)
        items[i].value++;
    for (int i = ITEMS; i-- > 0;)
        pthread_mutex_unlock(&items[i].lock);
}
