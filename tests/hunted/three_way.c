// A new price is announced while a replica copies it and a shop publishes the replica: by the time
// that the announcement looks up the old price, it is the new one. It takes three threads, each
// with other data.
//
// EXPECT violated: announce
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct cell {
    pthread_mutex_t lock;
    int value;
};

static struct cell price = {PTHREAD_MUTEX_INITIALIZER, 20};
static struct cell replica = {PTHREAD_MUTEX_INITIALIZER, 20};
static struct cell published = {PTHREAD_MUTEX_INITIALIZER, 20};
static int announced_old;

static void announce(int new_price) {
#ifdef FIXED
    pthread_mutex_lock(&price.lock);
    pthread_mutex_lock(&published.lock);
    price.value = new_price;
    announced_old = published.value;
    pthread_mutex_unlock(&published.lock);
    pthread_mutex_unlock(&price.lock);
#else
    pthread_mutex_lock(&price.lock);
    price.value = new_price;
    pthread_mutex_unlock(&price.lock); // @gap
    pthread_mutex_lock(&published.lock);
    announced_old = published.value;
    pthread_mutex_unlock(&published.lock);
#endif
}

static void copy(struct cell *from, struct cell *to) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    to->value = from->value;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *owner(void *argument) {
    announce(25);
    return argument;
}

static void *replicator(void *argument) {
    copy(&price, &replica);
    return argument;
}

static void *shop(void *argument) {
    copy(&replica, &published);
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, replicator, NULL);
    pthread_create(&threads[2], NULL, shop, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    puts(announced_old == 20 ? "from 20 to 25" : "from 25 to 25");
    return announced_old != 20;
}
