// A semaphore is used as a lock, but it was made with room for two.
//
// EXPECT violated: draw_number
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static sem_t gate;
static atomic_int next_number = 1;

static int draw_number(void) {
    sem_wait(&gate);
    int number = atomic_load(&next_number); // @gap
    atomic_store(&next_number, number + 1);
    sem_post(&gate);
    return number;
}

static void *customer(void *number) {
    *(int *)number = draw_number();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int numbers[3];
#ifdef FIXED
    sem_init(&gate, 0, 1);
#else
    sem_init(&gate, 0, 2);
#endif
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, customer, &numbers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int sum = numbers[0] + numbers[1] + numbers[2];
    puts(sum == 6 ? "each has a number" : "two have the same number");
    return sum != 6;
}
