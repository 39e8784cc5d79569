// What the specification ignores is no block: a function that is cut all the time by design, and
// everything that begins in a certain file. The function around it is not spared.
//
// SPEC ignore function poll_*
// EXPECT violated: serve
// EXPECT cut-by: request
// EXPECT on: inbox
// TWIN -DFIXED
// SPEC-FIXED ignore file *spec_ignore.c
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int requests;
} inbox = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK int pending(void) {
    pthread_mutex_lock(&inbox.lock);
    int requests = inbox.requests;
    pthread_mutex_unlock(&inbox.lock);
    return requests;
}

static BLOCK int poll_inbox(void) {
    if (pending())
        return 1;
    step(1);
    step(4);
    return pending();
}

static BLOCK void serve(void) {
    check(poll_inbox() == 1);
}

static BLOCK void request(void) {
    pthread_mutex_lock(&inbox.lock);
    inbox.requests++;
    pthread_mutex_unlock(&inbox.lock);
}

THREAD(server) {
    serve();
    return NULL;
}

THREAD(client) {
    step(2);
    request();
    step(3);
    return NULL;
}

int main(void) {
    together(server, client);
    puts("ok");
    return 0;
}
