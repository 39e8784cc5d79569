// Three philosophers, each of whom takes the left fork and then the right one. It takes all three
// to get stuck.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

enum { SEATS = 3 };

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
static int meals[SEATS];

static void eat(int seat) {
    int first = seat, second = (seat + 1) % SEATS;
#ifdef FIXED
    if (second < first) {
        first = second;
        second = seat;
    }
#endif
    pthread_mutex_lock(&forks[first]); // @gaps
    pthread_mutex_lock(&forks[second]);
    meals[seat]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
}

static void *philosopher(void *seat) {
    for (int i = 0; i < 2; i++)
        eat(*(int *)seat);
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    int seats[SEATS] = {0, 1, 2};
    for (int i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, philosopher, &seats[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    printf("%d meals\n", meals[0] + meals[1] + meals[2]);
    return 0;
}
