/* Buffers that the kernel reads and writes for the program.
 *
 * What is written to a file is read from memory, and emitted before: whoever gets the data at the
 * other end may change the buffer before the call returns here. What is read from a file is written
 * to memory, and emitted after, as many bytes as came. No event says that data from a pipe or a
 * socket comes after whoever sent it. */
#define _GNU_SOURCE
#include "runtime/control/outside/outside.h"
#include "runtime/core/access.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t came(ssize_t count, const void *buffer, uintptr_t caller) {
    if (count > 0)
        RT_EMIT(rt_write_range((uintptr_t)buffer, (size_t)count, caller));
    return count;
}

static void goes(const void *buffer, size_t size, uintptr_t caller) {
    RT_EMIT(rt_read_range((uintptr_t)buffer, size, caller));
}

/* In controlled runs somebody may wait for it. */
static ssize_t went(ssize_t count) {
    rt_written();
    return count;
}

static ssize_t parts_came(ssize_t count, const struct iovec *parts, size_t n, uintptr_t caller) {
    if (count > 0 && rt_enter()) {
        size_t left = (size_t)count;
        for (size_t i = 0; i < n && left; i++) {
            size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
            rt_write_range((uintptr_t)parts[i].iov_base, size, caller);
            left -= size;
        }
        rt_leave();
    }
    return count;
}

static void parts_go(const struct iovec *parts, size_t n, uintptr_t caller) {
    if (rt_enter()) {
        for (size_t i = 0; i < n; i++)
            rt_read_range((uintptr_t)parts[i].iov_base, parts[i].iov_len, caller);
        rt_leave();
    }
}

#define IN(name, parameters, arguments, ...)                                                       \
    RT_REAL(ssize_t, name, __VA_ARGS__)                                                            \
    RT_EXPORT ssize_t name parameters;                                                             \
    RT_EXPORT ssize_t name parameters {                                                            \
        if (!rt_wait_for_one(fd, POLLIN, RT_CALLER))                                               \
            return -1;                                                                             \
        return came(real_##name() arguments, buffer, RT_CALLER);                                   \
    }

#define OUT(name, parameters, arguments, ...)                                                      \
    RT_REAL(ssize_t, name, __VA_ARGS__)                                                            \
    RT_EXPORT ssize_t name parameters;                                                             \
    RT_EXPORT ssize_t name parameters {                                                            \
        if (!rt_wait_for_one(fd, POLLOUT, RT_CALLER))                                              \
            return -1;                                                                             \
        goes(buffer, size, RT_CALLER);                                                             \
        return went(real_##name() arguments);                                                      \
    }

IN(read, (int fd, void *buffer, size_t size), (fd, buffer, size), int, void *, size_t)
IN(pread, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at), int, void *,
   size_t, off_t)
IN(pread64, (int fd, void *buffer, size_t size, off64_t at), (fd, buffer, size, at), int, void *,
   size_t, off64_t)
IN(__read_chk, (int fd, void *buffer, size_t size, size_t room), (fd, buffer, size, room), int,
   void *, size_t, size_t)
IN(__pread_chk, (int fd, void *buffer, size_t size, off_t at, size_t room),
   (fd, buffer, size, at, room), int, void *, size_t, off_t, size_t)
IN(__pread64_chk, (int fd, void *buffer, size_t size, off64_t at, size_t room),
   (fd, buffer, size, at, room), int, void *, size_t, off64_t, size_t)

OUT(write, (int fd, const void *buffer, size_t size), (fd, buffer, size), int, const void *, size_t)
OUT(pwrite, (int fd, const void *buffer, size_t size, off_t at), (fd, buffer, size, at), int,
    const void *, size_t, off_t)
OUT(pwrite64, (int fd, const void *buffer, size_t size, off64_t at), (fd, buffer, size, at), int,
    const void *, size_t, off64_t)
OUT(send, (int fd, const void *buffer, size_t size, int flags), (fd, buffer, size, flags), int,
    const void *, size_t, int)
OUT(sendto,
    (int fd, const void *buffer, size_t size, int flags, const struct sockaddr *to,
     socklen_t bytes),
    (fd, buffer, size, flags, to, bytes), int, const void *, size_t, int, const struct sockaddr *,
    socklen_t)

/* false: errno says why not. */
static bool may_receive(int fd, int flags, uintptr_t caller) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (!(flags & MSG_DONTWAIT))
        return rt_wait_for_one(fd, POLLIN, caller);
    if (!rt_controlled || rt_look_at_descriptors(&one, 1, caller))
        return true;
    errno = EAGAIN;
    return false;
}

/* With MSG_TRUNC the result is how many bytes there were, not how many came. */
#define RECEIVE(name, parameters, arguments, ...)                                                  \
    RT_REAL(ssize_t, name, __VA_ARGS__)                                                            \
    RT_EXPORT ssize_t name parameters;                                                             \
    RT_EXPORT ssize_t name parameters {                                                            \
        if (!may_receive(fd, flags, RT_CALLER))                                                    \
            return -1;                                                                             \
        ssize_t count = real_##name() arguments;                                                   \
        came(count > (ssize_t)size ? (ssize_t)size : count, buffer, RT_CALLER);                    \
        return count;                                                                              \
    }

RECEIVE(recv, (int fd, void *buffer, size_t size, int flags), (fd, buffer, size, flags), int,
        void *, size_t, int)
RECEIVE(__recv_chk, (int fd, void *buffer, size_t size, size_t room, int flags),
        (fd, buffer, size, room, flags), int, void *, size_t, size_t, int)
RECEIVE(recvfrom,
        (int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *bytes),
        (fd, buffer, size, flags, from, bytes), int, void *, size_t, int, struct sockaddr *,
        socklen_t *)
RECEIVE(__recvfrom_chk,
        (int fd, void *buffer, size_t size, size_t room, int flags, struct sockaddr *from,
         socklen_t *bytes),
        (fd, buffer, size, room, flags, from, bytes), int, void *, size_t, size_t, int,
        struct sockaddr *, socklen_t *)

RT_REAL(ssize_t, readv, int, const struct iovec *, int)
RT_REAL(ssize_t, writev, int, const struct iovec *, int)
RT_REAL(ssize_t, recvmsg, int, struct msghdr *, int)
RT_REAL(ssize_t, sendmsg, int, const struct msghdr *, int)

RT_EXPORT ssize_t readv(int fd, const struct iovec *parts, int n) {
    if (!rt_wait_for_one(fd, POLLIN, RT_CALLER))
        return -1;
    return parts_came(real_readv()(fd, parts, n), parts, (size_t)n, RT_CALLER);
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *parts, int n) {
    if (!rt_wait_for_one(fd, POLLOUT, RT_CALLER))
        return -1;
    if (n > 0)
        parts_go(parts, (size_t)n, RT_CALLER);
    return went(real_writev()(fd, parts, n));
}

RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
    if (!may_receive(fd, flags, RT_CALLER))
        return -1;
    return parts_came(real_recvmsg()(fd, message, flags), message->msg_iov, message->msg_iovlen,
                      RT_CALLER);
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    if (!(flags & MSG_DONTWAIT) && !rt_wait_for_one(fd, POLLOUT, RT_CALLER))
        return -1;
    parts_go(message->msg_iov, message->msg_iovlen, RT_CALLER);
    return went(real_sendmsg()(fd, message, flags));
}

/* ---- opening ---- */

static mode_t mode_of(int flags, va_list more) {
    bool creates = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    return creates ? va_arg(more, mode_t) : 0;
}

#define OPEN(name, parameters, arguments, ...)                                                     \
    RT_REAL(int, name, __VA_ARGS__, ...)                                                           \
    RT_EXPORT int name parameters;                                                                 \
    RT_EXPORT int name parameters {                                                                \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, more);                                                        \
        va_end(more);                                                                              \
        rt_opens(path);                                                                            \
        return real_##name() arguments;                                                            \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode), const char *, int)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), const char *, int)
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), int,
     const char *, int)
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), int,
     const char *, int)

RT_REAL(int, __open_2, const char *, int)
RT_EXPORT int __open_2(const char *path, int flags);
RT_EXPORT int __open_2(const char *path, int flags) {
    rt_opens(path);
    return real___open_2()(path, flags);
}
