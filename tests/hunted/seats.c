// The number of free seats is atomic, but it is tested and decremented in two steps: three clients
// book two seats.
//
// EXPECT violated: book
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static atomic_int free_seats = 2;
static atomic_int tickets;

static bool book(void) {
    bool booked = false;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    if (atomic_load(&free_seats) > 0) {
        booked = true; // @gap
        atomic_fetch_sub(&free_seats, 1);
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return booked;
}

static void *client(void *argument) {
    if (book())
        atomic_fetch_add(&tickets, 1);
    return argument;
}

int main(void) {
    pthread_t clients[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&clients[i], NULL, client, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(clients[i], NULL);
    printf("%d tickets, %d seats left\n", tickets, free_seats);
    return free_seats < 0;
}
