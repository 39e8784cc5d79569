/* What comes through the kernel: pipes and sockets between threads, descriptors that are polled,
 * children, and connections. In a controlled run each comes back at a point of the schedule. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2], pair[2], event, timer, listener;
static unsigned got[8];
static unsigned trace; /* racy, so that the order of threads shows */

static void mark(unsigned who) {
    trace = trace * 31 + who;
}

static void *reads_a_pipe(void *argument) {
    char byte;
    while (read(ends[0], &byte, 1) == 1 && byte != '.') {
        got[0]++;
        mark(1);
    }
    return argument;
}

static void *answers(void *argument) {
    char byte;
    while (recv(pair[1], &byte, 1, 0) == 1 && byte != '.') {
        got[1]++;
        mark(2);
        send(pair[1], &byte, 1, 0);
    }
    return argument;
}

static void *polls(void *argument) {
    struct pollfd two[2] = {{.fd = event, .events = POLLIN}, {.fd = timer, .events = POLLIN}};
    for (int seen = 0; seen != 3;) {
        uint64_t value;
        if (poll(two, 2, -1) < 1)
            abort();
        for (int i = 0; i < 2; i++)
            if (two[i].revents && read(two[i].fd, &value, sizeof value) == sizeof value) {
                seen |= 1 << i;
                got[2 + i]++;
                mark(3 + (unsigned)i);
            }
    }
    return argument;
}

static void *accepts(void *argument) {
    struct epoll_event one = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &one);
    if (epoll_wait(epoll, &one, 1, -1) != 1)
        abort();
    int peer = accept(listener, NULL, NULL);
    char text[4] = "";
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(peer, &reads);
    if (select(peer + 1, &reads, NULL, NULL, NULL) == 1 && read(peer, text, 3) == 3)
        got[4] = !strcmp(text, "abc");
    mark(5);
    close(peer);
    close(epoll);
    return argument;
}

static void connects(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    getsockname(listener, (struct sockaddr *)&address, &size);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, size) == 0 && write(fd, "abc", 3) == 3)
        mark(6);
    close(fd);
}

#ifdef CHILDREN
static void *waits(void *argument) {
    int status, fds[2];
    pid_t child;
    char byte = 0;
    if (pipe(fds) < 0 || (child = fork()) < 0)
        abort();
    if (child == 0) {
        usleep(3000);
        if (write(fds[1], "x", 1) != 1)
            _exit(1);
        usleep(3000);
        _exit(7);
    }
    if (read(fds[0], &byte, 1) == 1 && byte == 'x')
        got[5]++;
    mark(7);
    if (waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7)
        got[6]++;
    mark(8);
    got[7] += system("exit 3") >> 8 == 3;
    mark(9);
    return argument;
}
#endif

static void write_all(void) {
    uint64_t one = 1;
    struct itimerspec soon = {.it_value = {.tv_sec = 3600}};
    timerfd_settime(timer, 0, &soon, NULL);
    for (int i = 0; i < 3; i++) {
        char byte = 'a';
        if (write(ends[1], "x", 1) != 1 || send(pair[0], "y", 1, 0) != 1 ||
            recv(pair[0], &byte, 1, 0) != 1 || byte != 'y')
            abort();
        mark(10);
    }
    if (write(event, &one, sizeof one) != sizeof one || write(ends[1], ".", 1) != 1 ||
        send(pair[0], ".", 1, 0) != 1)
        abort();
}

int main(void) {
    void *(*const routines[])(void *) = {
        reads_a_pipe, answers, polls, accepts,
#ifdef CHILDREN
        waits,        waits,
#endif
    };
    enum { COUNT = sizeof routines / sizeof *routines };
    pthread_t threads[COUNT];
    if (pipe(ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        abort();
    event = eventfd(0, 0);
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    listen(listener, 1);
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    write_all();
    connects();
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++)
        printf("%u ", got[i]);
    printf("%08x\n", trace);
    return 0;
}
