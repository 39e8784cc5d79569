// A log is opened anew while a line is on its way: the old descriptor is closed, another file gets
// its number, and the line ends up there.
//
// EXPECT violated: log_line
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_pipe[2], data_pipe[2];
static int log_fd, data_fd = -1, lines;

static void log_line(void) {
    pthread_mutex_lock(&lock);
    int fd = log_fd;
#ifndef FIXED
    pthread_mutex_unlock(&lock); // @gap
#endif
    ssize_t written = write(fd, "x", 1);
#ifndef FIXED
    pthread_mutex_lock(&lock);
#endif
    lines += written == 1;
    pthread_mutex_unlock(&lock);
}

static void reopen(void) {
    pthread_mutex_lock(&lock);
    close(log_fd);
    data_fd = dup(data_pipe[1]);
    log_fd = dup(log_pipe[1]);
    lines = 0;
    pthread_mutex_unlock(&lock);
}

static void *logger(void *argument) {
    log_line();
    return argument;
}

static void *rotator(void *argument) {
    reopen();
    return argument;
}

int main(void) {
    pthread_t a, b;
    char byte;
    if (pipe(log_pipe) || pipe(data_pipe))
        return 2;
    log_fd = dup(log_pipe[1]);
    pthread_create(&a, NULL, logger, NULL);
    pthread_create(&b, NULL, rotator, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    close(data_pipe[1]);
    close(data_fd);
    ssize_t got = read(data_pipe[0], &byte, 1);
    puts(got == 0 ? "the data is clean" : "a line of the log is in the data");
    return got != 0;
}
