// Each operation of this stack is atomic. Somebody pops two values that were pushed together, and
// gets one of each pair.
//
// EXPECT violated: push_pair|pop_pair
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[16] = {5, -5}, depth = 2;
static int mixed;

static void push_locked(int value) {
    values[depth++] = value;
}

static int pop_locked(void) {
    return depth ? values[--depth] : 0;
}

#ifdef FIXED
static void push_pair(int value) {
    pthread_mutex_lock(&lock);
    push_locked(value);
    push_locked(-value);
    pthread_mutex_unlock(&lock);
}

static int pop_pair(void) {
    pthread_mutex_lock(&lock);
    int sum = pop_locked();
    sum += pop_locked();
    pthread_mutex_unlock(&lock);
    return sum;
}
#else
static void push(int value) {
    pthread_mutex_lock(&lock);
    push_locked(value);
    pthread_mutex_unlock(&lock);
}

static int pop(void) {
    pthread_mutex_lock(&lock);
    int value = pop_locked();
    pthread_mutex_unlock(&lock);
    return value;
}

static void push_pair(int value) {
    push(value); // @gap
    push(-value);
}

static int pop_pair(void) {
    int sum = pop();
    return sum + pop();
}
#endif

static void *pusher(void *argument) {
    push_pair(7);
    return argument;
}

static void *popper(void *argument) {
    if (pop_pair() != 0)
        mixed = 1;
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, pusher, NULL);
    pthread_create(&b, NULL, popper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(mixed ? "a pair was split" : "all pairs are whole");
    return mixed;
}
