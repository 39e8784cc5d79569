// A thread tests a pointer and uses it, each under the lock, and another one takes the message away
// in between. Everything is in the functions that the threads start with.
//
// EXPECT violated: thread?function?printer
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *message = "ready";
static size_t printed;

static void *printer(void *argument) {
    pthread_mutex_lock(&lock);
    int there = message != NULL;
#ifndef FIXED
    pthread_mutex_unlock(&lock); // @gap
    pthread_mutex_lock(&lock);
#endif
    if (there)
        printed = strlen(message);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *clearer(void *argument) {
    pthread_mutex_lock(&lock);
    message = NULL;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, printer, NULL);
    pthread_create(&b, NULL, clearer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(printed == 0 || printed == 5 ? "ok" : "wrong");
    return 0;
}
