// Messages are made by one thread, handed over through a locked queue, changed and freed by
// another: each belongs to one thread at a time, and no block is cut.
//
// EXPECT none
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 40 };

struct message {
    struct message *next;
    int number;
    char text[24];
};

static struct {
    pthread_mutex_t lock;
    struct message *first;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void send(int number) {
    struct message *message = malloc(sizeof *message);
    message->number = number;
    memset(message->text, 'a' + number % 26, sizeof message->text);
    pthread_mutex_lock(&queue.lock);
    message->next = queue.first;
    queue.first = message;
    pthread_mutex_unlock(&queue.lock);
}

static BLOCK struct message *receive(void) {
    pthread_mutex_lock(&queue.lock);
    struct message *message = queue.first;
    if (message)
        queue.first = message->next;
    pthread_mutex_unlock(&queue.lock);
    return message;
}

static BLOCK void consume(struct message *message) {
    check(message->text[23] == 'a' + message->number % 26);
    message->number = -1;
    free(message);
}

THREAD(sender) {
    for (int i = 0; i < MESSAGES; i++)
        send(i);
    return NULL;
}

THREAD(receiver) {
    for (int received = 0; received < MESSAGES;) {
        struct message *message = receive();
        if (message) {
            consume(message);
            received++;
        }
    }
    return NULL;
}

int main(void) {
    together(sender, receiver);
    puts("ok");
    return 0;
}
