/* Two threads wait in a library without instrumentation until the first one lets them go on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void quiet_open(int way);
void quiet_pass(int way);

static int way;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int passed;

static void *worker(void *argument) {
    quiet_pass(way);
    pthread_mutex_lock(&mutex);
    passed++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(int count, char **words) {
    pthread_t threads[2];
    way = count > 1 ? atoi(words[1]) : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    quiet_open(way);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d passed\n", passed);
    return 0;
}
