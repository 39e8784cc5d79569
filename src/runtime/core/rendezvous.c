/* Asking the watcher for a stream: stream/stream.h says how. */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/core/system_call.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

/* Functions of the C library that read and write are interposed, so these are system calls. */

static struct sockaddr_un place = {.sun_family = AF_UNIX};
static size_t place_length; /* 0: nobody was ever asked */

static bool remember(const char *text) {
    size_t length = 0;
    if (!text || *text != ST_STREAM_RENDEZVOUS)
        return false;
    while (text[1 + length] && length < sizeof place.sun_path - 1) {
        place.sun_path[1 + length] = text[1 + length]; /* the first byte is 0: an abstract name */
        length++;
    }
    if (!length || text[1 + length])
        return false;
    place_length = offsetof(struct sockaddr_un, sun_path) + 1 + length;
    return true;
}

static long receive(int fd, struct msghdr *message) {
    long result;
    do
        result = rt_system_call(SYS_recvmsg, fd, (long)message, MSG_CMSG_CLOEXEC, 0, 0, 0);
    while (result == -EINTR);
    return result;
}

/* The descriptor in the answer, or -1. */
static int read_answer(int fd) {
    struct st_stream_answer answer = {0};
    union {
        struct cmsghdr header; /* for its alignment */
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec part = {&answer, sizeof answer};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (receive(fd, &message) != (long)sizeof answer || answer.magic != ST_STREAM_MAGIC ||
        !answer.granted)
        return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        return -1;
    return *(int *)(void *)CMSG_DATA(header);
}

static int ask(enum st_stream_wish wish) {
    struct st_stream_request request = {ST_STREAM_MAGIC, ST_STREAM_VERSION, wish};
    int stream = -1;
    long fd = rt_system_call(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return -1;
    if (rt_system_call(SYS_connect, fd, (long)&place, (long)place_length, 0, 0, 0) == 0 &&
        rt_system_call(SYS_sendto, fd, (long)&request, sizeof request, MSG_NOSIGNAL, 0, 0) ==
            (long)sizeof request)
        stream = read_answer((int)fd);
    rt_system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    return stream;
}

int rt_ask_for_stream(const char *text) {
    return remember(text) ? ask(ST_STREAM_BEGUN) : -1;
}

int rt_ask_again(void) {
    return place_length ? ask(ST_STREAM_FORKED) : -1;
}
