/* A server without a network: connections come and go, 10,000 for each unit of scale, and at most
 * LONGEST_QUEUE wait for a worker. Requests have 64 to 575 bytes; an answer is the request
 * backwards, byte by byte. */
#include "../kernels/kernel.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST_QUEUE = 64 };

struct connection {
    struct connection *next;
    size_t length;
    char *request, *answer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static struct connection *queue;
static int waiting;
static bool closing;
static long served, bytes;

static struct connection *take(void) {
    pthread_mutex_lock(&lock);
    while (!queue && !closing)
        pthread_cond_wait(&more, &lock);
    struct connection *connection = queue;
    if (connection) {
        queue = connection->next;
        waiting--;
        pthread_cond_signal(&room);
    }
    pthread_mutex_unlock(&lock);
    return connection;
}

__attribute__((noinline)) static void answer(struct connection *connection) {
    size_t length = connection->length;
    connection->answer = malloc(2 * length);
    for (size_t i = 0; i < length; i++)
        connection->answer[i] = connection->request[length - 1 - i];
    pthread_mutex_lock(&lock);
    served++;
    bytes += (long)length;
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void finish(struct connection *connection) {
    free(connection->request);
    free(connection->answer);
    free(connection);
}

static void *serve(void *number) {
    for (struct connection *connection; (connection = take());) {
        answer(connection);
        finish(connection);
    }
    return number;
}

__attribute__((noinline)) static void connect_client(long i) {
    struct connection *connection = malloc(sizeof *connection);
    connection->length = 64 + (size_t)(i * 7919 % 512);
    connection->request = malloc(connection->length);
    memset(connection->request, 'a' + (int)(i % 26), connection->length);
    pthread_mutex_lock(&lock);
    while (waiting == LONGEST_QUEUE)
        pthread_cond_wait(&room, &lock);
    waiting++;
    connection->next = queue;
    queue = connection;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void *connect_all(void *count) {
    for (long i = 0; i < *(long *)count; i++)
        connect_client(i);
    pthread_mutex_lock(&lock);
    closing = true;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t clients;
    long count = 10000 * scale(argc, argv);
    if (pthread_create(&clients, NULL, connect_all, &count))
        abort();
    run_threads(serve);
    pthread_join(clients, NULL);
    printf("%ld %ld\n", served, bytes);
    return 0;
}
