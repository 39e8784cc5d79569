// A block posts a request and waits for the answer: whoever answers comes in between. A function
// that nobody named would be split where it waits, so the specification names it. The twin is
// atomic: it only posts, and the caller waits.
//
// SPEC atomic function ask
// SPEC atomic function answer
// EXPECT violated: ask
// EXPECT cut-by: answer
// EXPECT line: ask @post @cut @wait
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <semaphore.h>

static sem_t requests, answers;
static int question, reply;

static BLOCK void ask(int number) {
    question = number;
    sem_post(&requests); // @post
#ifndef FIXED
    sem_wait(&answers); // @wait
#endif
}

static BLOCK void answer(void) {
    reply = 2 * question;
    sem_post(&answers); // @cut
}

THREAD(client) {
    ask(21);
#ifdef FIXED
    sem_wait(&answers);
#endif
    check(reply == 42);
    return NULL;
}

THREAD(server) {
    sem_wait(&requests); // @cut
    answer();
    return NULL;
}

int main(void) {
    check(sem_init(&requests, 0, 0) == 0 && sem_init(&answers, 0, 0) == 0);
    together(client, server);
    sem_destroy(&requests);
    sem_destroy(&answers);
    puts("ok");
    return 0;
}
