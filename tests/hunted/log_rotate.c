// A log is closed and opened again when it is rotated. Whoever writes in between finds it closed,
// and believes that logging is switched off: the line is missing from both files.
//
// EXPECT violated: rotate
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open = true;
static int file_number, lines;

static void close_log(void) {
#ifndef FIXED
    pthread_mutex_lock(&lock);
#endif
    is_open = false;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void open_log(int number) {
#ifndef FIXED
    pthread_mutex_lock(&lock);
#endif
    file_number = number;
    is_open = true;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void rotate(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    close_log(); // @gap
    open_log(2);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void write_line(void) {
    pthread_mutex_lock(&lock);
    if (is_open)
        lines++;
    pthread_mutex_unlock(&lock);
}

static void *rotator(void *argument) {
    rotate();
    return argument;
}

static void *client(void *argument) {
    write_line();
    write_line();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, rotator, NULL);
    pthread_create(&b, NULL, client, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d lines\n", lines);
    return lines != 2;
}
