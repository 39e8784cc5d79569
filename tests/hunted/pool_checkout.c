// A pool of connections: "is there a free one?" and "give me a free one" are two operations. The
// last connection goes to somebody else in between.
//
// EXPECT violated: checkout
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

struct connection {
    int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection connections[1];
static struct connection *idle[1] = {&connections[0]};
static int idle_count = 1;

#ifndef FIXED
static int has_idle(void) {
    pthread_mutex_lock(&lock);
    int result = idle_count > 0;
    pthread_mutex_unlock(&lock);
    return result;
}
#endif

static struct connection *take_idle(void) {
    pthread_mutex_lock(&lock);
    struct connection *connection = idle_count > 0 ? idle[--idle_count] : NULL;
    pthread_mutex_unlock(&lock);
    return connection;
}

static struct connection *checkout(void) {
#ifdef FIXED
    struct connection *connection = take_idle();
    if (!connection)
        return NULL;
#else
    if (!has_idle())
        return NULL;
    struct connection *connection = take_idle(); // @gap-before
#endif
    connection->uses++;
    return connection;
}

static void *request(void *argument) {
    checkout();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, request, NULL);
    pthread_create(&b, NULL, request, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("used %d times\n", connections[0].uses);
    return 0;
}
