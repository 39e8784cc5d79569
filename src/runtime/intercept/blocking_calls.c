/* Calls that wait in the kernel for something outside of the program: in controlled runs others go
 * on meanwhile. If they waited for descriptors or a connection, and something came, that is a
 * receive from a channel of its own, to which nobody sends: it orders nothing, but says that the
 * thread waited. */
#define _GNU_SOURCE
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

/* Also when the thread is cancelled there. */
static void come_inside(const bool *outside) {
    if (*outside)
        rt_come_inside();
}

static uint64_t deadline_in(int milliseconds) {
    return milliseconds < 0 ? RT_FOREVER
                            : rt_deadline_after((uint64_t)milliseconds * UINT64_C(1000000));
}

static uint64_t deadline_of(const struct timespec *time) {
    return time ? rt_deadline_after((uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec)
                : RT_FOREVER;
}

/* Did the wait end by a signal? Then that is the result. */
static bool was_interrupted(enum rt_woken woken) {
    if (woken == RT_INTERRUPTED)
        errno = EINTR;
    return woken == RT_INTERRUPTED;
}

/* Passes the result of a call on. Who only looks, without waiting, or waited in vain, did not wait
 * for anything: with no descriptors, that is how programs sleep. */
static int waited(bool waits, int result, uintptr_t caller) {
    static char outside;
    if (waits && result > 0)
        RT_EMIT(rt_receive(&outside, ST_CHANNEL_OUTSIDE, caller));
    return result;
}

/* The call with another mask of signals, unless it is NULL: a handler that runs because of that is
 * the result. */
#define WITH_MASK(mask, call)                                                                      \
    uint64_t bits = 0;                                                                             \
    if (mask)                                                                                      \
        __builtin_memcpy(&bits, mask, sizeof bits);                                                \
    int result = -1;                                                                               \
    if (!(mask) || !rt_swap_signal_mask(&bits))                                                    \
        result = call;                                                                             \
    else                                                                                           \
        errno = EINTR;                                                                             \
    if (mask)                                                                                      \
        rt_set_signal_mask(bits);                                                                  \
    return waited(waits, result, RT_CALLER)

/* ---- poll and select ---- */

RT_REAL(int, poll, struct pollfd *, nfds_t, int)
RT_REAL(int, __poll_chk, struct pollfd *, nfds_t, int, size_t)
RT_REAL(int, ppoll, struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)
RT_REAL(int, select, int, fd_set *, fd_set *, fd_set *, struct timeval *)
RT_REAL(int, pselect, int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *)

static int nothing_there(struct pollfd *descriptors, nfds_t count) {
    for (nfds_t i = 0; i < count; i++)
        descriptors[i].revents = 0;
    return 0;
}

/* Waits, and looks then, without waiting again. */
static int poll_in_turn(struct pollfd *descriptors, nfds_t count, uint64_t deadline, bool looks,
                        uintptr_t caller) {
    if (looks) {
        if (!rt_look_at_descriptors(descriptors, count, caller))
            return nothing_there(descriptors, count);
    } else if (count == 0)
        return was_interrupted(rt_sleep_until(deadline, caller)) ? -1 : 0;
    else if (was_interrupted(rt_wait_for(descriptors, count, deadline, caller)))
        return -1;
    return real_poll()(descriptors, count, 0);
}

RT_EXPORT int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
    int result = !rt_takes_turns() ? real_poll()(descriptors, count, timeout)
                                   : poll_in_turn(descriptors, count, deadline_in(timeout),
                                                  timeout == 0, RT_CALLER);
    return waited(timeout != 0, result, RT_CALLER);
}

RT_EXPORT int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t room);
RT_EXPORT int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t room) {
    int result = !rt_takes_turns() ? real___poll_chk()(descriptors, count, timeout, room)
                                   : poll_in_turn(descriptors, count, deadline_in(timeout),
                                                  timeout == 0, RT_CALLER);
    return waited(timeout != 0, result, RT_CALLER);
}

RT_EXPORT int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
                    const sigset_t *mask) {
    bool looks = timeout && !timeout->tv_sec && !timeout->tv_nsec, waits = !looks;
    if (!rt_takes_turns())
        return waited(waits, real_ppoll()(descriptors, count, timeout, mask), RT_CALLER);
    WITH_MASK(mask, poll_in_turn(descriptors, count, deadline_of(timeout), looks, RT_CALLER));
}

enum { SELECTED = FD_SETSIZE };

/* The descriptors of the sets, for poll; returns how many. */
static size_t descriptors_of(int count, const fd_set *reads, const fd_set *writes,
                             const fd_set *others, struct pollfd *to) {
    size_t used = 0;
    for (int fd = 0; fd < count && fd < SELECTED; fd++) {
        short events = 0;
        if (reads && FD_ISSET(fd, reads))
            events |= POLLIN;
        if (writes && FD_ISSET(fd, writes))
            events |= POLLOUT;
        if (others && FD_ISSET(fd, others))
            events |= POLLPRI;
        if (events)
            to[used++] = (struct pollfd){.fd = fd, .events = events};
    }
    return used;
}

/* Waits, after which select() need not. false: a signal has come. */
static bool wait_to_select(int count, const fd_set *reads, const fd_set *writes,
                           const fd_set *others, uint64_t deadline, uintptr_t caller) {
    struct pollfd descriptors[SELECTED];
    size_t used = descriptors_of(count, reads, writes, others, descriptors);
    return !was_interrupted(used ? rt_wait_for(descriptors, used, deadline, caller)
                                 : rt_sleep_until(deadline, caller));
}

static void clear_set(fd_set *set) {
    if (set)
        FD_ZERO(set);
}

/* false: nothing is there. */
static bool look_to_select(int count, fd_set *reads, fd_set *writes, fd_set *others,
                           uintptr_t caller) {
    struct pollfd descriptors[SELECTED];
    size_t used = descriptors_of(count, reads, writes, others, descriptors);
    if (rt_look_at_descriptors(descriptors, used, caller))
        return true;
    clear_set(reads);
    clear_set(writes);
    clear_set(others);
    return false;
}

static int select_in_turn(int count, fd_set *reads, fd_set *writes, fd_set *others,
                          uint64_t deadline, uintptr_t caller) {
    struct timeval none = {0};
    if (!wait_to_select(count, reads, writes, others, deadline, caller))
        return -1;
    return real_select()(count, reads, writes, others, &none);
}

RT_EXPORT int select(int count, fd_set *restrict reads, fd_set *restrict writes,
                     fd_set *restrict others, struct timeval *restrict timeout) {
    bool looks = timeout && !timeout->tv_sec && !timeout->tv_usec; /* which the call changes */
    if (!rt_takes_turns())
        return waited(!looks, real_select()(count, reads, writes, others, timeout), RT_CALLER);
    struct timeval none = {0};
    if (looks) {
        if (!look_to_select(count, reads, writes, others, RT_CALLER))
            return 0;
    } else {
        uint64_t deadline = timeout ? rt_deadline_after((uint64_t)timeout->tv_sec * SECOND +
                                                        (uint64_t)timeout->tv_usec * 1000)
                                    : RT_FOREVER;
        if (!wait_to_select(count, reads, writes, others, deadline, RT_CALLER))
            return -1;
    }
    return waited(!looks, real_select()(count, reads, writes, others, &none), RT_CALLER);
}

RT_EXPORT int pselect(int count, fd_set *restrict reads, fd_set *restrict writes,
                      fd_set *restrict others, const struct timespec *restrict timeout,
                      const sigset_t *restrict mask) {
    bool waits = !timeout || timeout->tv_sec || timeout->tv_nsec;
    if (!rt_takes_turns())
        return waited(waits, real_pselect()(count, reads, writes, others, timeout, mask),
                      RT_CALLER);
    uint64_t deadline = deadline_of(timeout);
    WITH_MASK(mask, select_in_turn(count, reads, writes, others, deadline, RT_CALLER));
}

/* ---- epoll ---- */

RT_REAL(int, epoll_wait, int, struct epoll_event *, int, int)
RT_REAL(int, epoll_pwait, int, struct epoll_event *, int, int, const sigset_t *)

/* A descriptor of epoll can be waited for itself. */
static int epoll_in_turn(int epoll, struct epoll_event *events, int most, int timeout,
                         uintptr_t caller) {
    struct pollfd one = {.fd = epoll, .events = POLLIN};
    uint64_t deadline = deadline_in(timeout);
    if (timeout == 0 && !rt_look_at_descriptors(&one, 1, caller))
        return 0;
    for (;;) {
        enum rt_woken woken = timeout ? rt_wait_for(&one, 1, deadline, caller) : RT_TIMED_OUT;
        if (was_interrupted(woken))
            return -1;
        int count = real_epoll_wait()(epoll, events, most, 0);
        if (count || woken == RT_TIMED_OUT)
            return count;
    }
}

RT_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
    int result = !rt_takes_turns() ? real_epoll_wait()(epoll, events, most, timeout)
                                   : epoll_in_turn(epoll, events, most, timeout, RT_CALLER);
    return waited(timeout != 0, result, RT_CALLER);
}

RT_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int most, int timeout,
                          const sigset_t *mask) {
    bool waits = timeout != 0;
    if (!rt_takes_turns())
        return waited(waits, real_epoll_pwait()(epoll, events, most, timeout, mask), RT_CALLER);
    WITH_MASK(mask, epoll_in_turn(epoll, events, most, timeout, RT_CALLER));
}

/* ---- sockets ---- */

RT_REAL(int, accept, int, struct sockaddr *, socklen_t *)
RT_REAL(int, accept4, int, struct sockaddr *, socklen_t *, int)
RT_REAL(int, listen, int, int)
RT_REAL(int, connect, int, const struct sockaddr *, socklen_t)

/* Connections that this process has made and not accepted yet. If it accepts more than those,
 * others have come. */
static atomic_long own_connections;

static int accepted(int result) {
    if (result >= 0 && rt_controlled && atomic_fetch_sub(&own_connections, 1) <= 0)
        rt_other_has_connected();
    return result;
}

RT_EXPORT int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict bytes) {
    if (!rt_wait_for_one(fd, POLLIN, RT_CALLER))
        return -1;
    return waited(true, accepted(real_accept()(fd, from, bytes)), RT_CALLER);
}

RT_EXPORT int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict bytes,
                      int flags) {
    if (!rt_wait_for_one(fd, POLLIN, RT_CALLER))
        return -1;
    return waited(true, accepted(real_accept4()(fd, from, bytes, flags)), RT_CALLER);
}

RT_EXPORT int listen(int fd, int backlog) {
    if (rt_controlled)
        rt_others_may_connect();
    return real_listen()(fd, backlog);
}

static int connect_outside(int fd, const struct sockaddr *to, socklen_t bytes, uintptr_t caller) {
    __attribute__((cleanup(come_inside), unused)) bool outside = rt_go_outside(caller);
    return real_connect()(fd, to, bytes);
}

/* Without waiting, if that can be: then the thread is parked until the connection stands. -1 with
 * EAGAIN in errno: it has to wait in the kernel. */
static int connect_in_turn(int fd, const struct sockaddr *to, socklen_t bytes, uintptr_t caller) {
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    int flags = fcntl(fd, F_GETFL), error = 0;
    socklen_t size = sizeof error;
    if (flags < 0 || flags & O_NONBLOCK)
        return real_connect()(fd, to, bytes);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    int result = real_connect()(fd, to, bytes);
    if (result < 0 && errno == EINPROGRESS) {
        while (rt_wait_for(&one, 1, RT_FOREVER, caller) == RT_INTERRUPTED)
            ;
        result = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (result == 0 && error) {
            errno = error;
            result = -1;
        }
    }
    error = errno;
    fcntl(fd, F_SETFL, flags);
    errno = error;
    return result;
}

RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t bytes) {
    if (!rt_takes_turns())
        return real_connect()(fd, to, bytes);
    rt_point(ST_POINT_IO, NULL, 0, RT_CALLER);
    atomic_fetch_add(&own_connections, 1);
    rt_will_write_slow();
    int result = connect_in_turn(fd, to, bytes, RT_CALLER);
    if (result < 0 && errno == EAGAIN)
        result = connect_outside(fd, to, bytes, RT_CALLER);
    if (result < 0 && errno != EINPROGRESS)
        atomic_fetch_sub(&own_connections, 1);
    rt_written();
    return result;
}
