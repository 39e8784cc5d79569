// Semaphores as signals: a function asks and waits for the answer, and another one hands items
// over through a buffer with free places (made with 2) and full ones (made with 0). Both wait for
// others on purpose, so they are split there, and nothing is cut.
//
// EXPECT none
// EXPECT runs: ask 0/1
// EXPECT runs: produce 0/1
// EXPECT runs: consume 0/1
// EXPECT-LOCKS none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <semaphore.h>

enum { ITEMS = 6, PLACES = 2 };

static sem_t requests, answers, places, items;
static int question, reply, buffer[PLACES], sum;

static BLOCK void ask(int number) {
    question = number;
    sem_post(&requests);
    sem_wait(&answers);
    check(reply == 2 * number);
}

static BLOCK void produce(void) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&places);
        buffer[i % PLACES] = i;
        sem_post(&items);
    }
}

static BLOCK void consume(void) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
        sum += buffer[i % PLACES];
        sem_post(&places);
    }
}

THREAD(client) {
    ask(21);
    produce();
    return NULL;
}

THREAD(server) {
    sem_wait(&requests);
    reply = 2 * question;
    sem_post(&answers);
    consume();
    return NULL;
}

int main(void) {
    check(sem_init(&requests, 0, 0) == 0 && sem_init(&answers, 0, 0) == 0);
    check(sem_init(&places, 0, PLACES) == 0 && sem_init(&items, 0, 0) == 0);
    together(client, server);
    check(sum == ITEMS * (ITEMS - 1) / 2);
    puts("ok");
    return 0;
}
