#define _GNU_SOURCE
#include "watch/processes/broker.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* What we want of all of them, in memory that all of them share. */
struct st_broker_shared {
    _Atomic bool closing, interrupted, stopped;
    _Atomic uint32_t asked;
};

/* ---- messages ---- */

/* With a descriptor, unless that is -1. */
static bool send_with(int socket, const void *bytes, size_t count, int fd) {
    union {
        struct cmsghdr header; /* for its alignment */
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count;
}

/* How many bytes came: 0 at the end, below 0 when nothing is there. */
static ssize_t receive_with(int socket, void *bytes, size_t size, int *fd, int flags) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t count;
    do
        count = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(header), sizeof *fd);
    return count;
}

static bool send_news(const struct st_other_process *other, enum st_news news, bool failed) {
    struct st_broker_message message = {
        .news = news, .pid = other->pid, .forked = other->forked, .failed = failed};
    memcpy(message.program, other->program, sizeof message.program);
    return send_with(other->results, &message, sizeof message, -1);
}

/* ---- who asks ---- */

/* False: it has ended. */
static bool read_program(struct st_other_process *other) {
    char link[32], path[4096] = "";
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)other->pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    size_t skip =
        strlen(path) >= sizeof other->program ? strlen(path) - sizeof other->program + 1 : 0;
    snprintf(other->program, sizeof other->program, "%s", *path ? path + skip : "a program");
    return length > 0;
}

/* False: it is not one of ours, or gone. */
static bool read_request(struct st_other_process *other) {
    struct st_stream_request request;
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct timeval patience = {.tv_sec = 2};
    int nothing = -1;
    setsockopt(other->connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (receive_with(other->connection, &request, sizeof request, &nothing, 0) !=
            (ssize_t)sizeof request ||
        request.magic != ST_STREAM_MAGIC || request.version != ST_STREAM_VERSION ||
        getsockopt(other->connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
        return false;
    other->pid = peer.pid;
    other->forked = request.wish == ST_STREAM_FORKED;
    read_program(other);
    return true;
}

void st_other_answer(struct st_other_process *other, struct st_granted granted) {
    struct st_stream_answer answer = {.magic = ST_STREAM_MAGIC, .granted = granted.head != NULL};
    if (granted.head)
        atomic_store(&granted.head->attached, (uint32_t)other->pid);
    send_with(other->connection, &answer, sizeof answer, granted.head ? granted.fd : -1);
    close(other->connection);
    other->connection = -1;
}

static void refuse(struct st_other_process *other) {
    st_other_answer(other, (struct st_granted){.fd = -1});
}

/* ---- the broker ---- */

/* A watcher, while it is at work. */
struct watcher {
    pid_t process;
    struct st_other_process other;
};

struct desk {
    const struct st_following *following;
    struct st_granted first;
    struct st_broker_shared *shared;
    pid_t process, parent; /* the broker's, and that of who started all */
    int listener, control, children;
    bool first_taken;
    struct watcher *watchers;
    size_t count, capacity;
    struct pending *pending;
    size_t pending_count, pending_capacity;
    pid_t *scanned; /* all processes below our parent; those that have ended are negative */
    size_t scanned_count, scanned_capacity, scan_position;
    bool scan_differs;  /* from the one before it */
    char **executables; /* of processes that were watched */
    size_t executable_count, executable_capacity;
};

/* ---- processes that were forked and have one thread ---- */

/* A process that runs the executable of one that was watched. It has not asked for a stream. */
struct pending {
    pid_t pid;
    bool known, seen; /* our parent knows of it; it is still there */
    char program[ST_PROGRAM_NAME];
};

/* Its copies can ask for streams, if they make threads. */
static void note_executable(struct desk *desk, const char *program) {
    for (size_t i = 0; i < desk->executable_count; i++)
        if (strcmp(desk->executables[i], program) == 0)
            return;
    st_reserve(&desk->executables, &desk->executable_capacity, desk->executable_count + 1);
    desk->executables[desk->executable_count++] = st_strdup(program);
}

static bool is_known(const struct desk *desk, const char *program) {
    for (size_t i = 0; i < desk->executable_count; i++)
        if (strcmp(desk->executables[i], program) == 0)
            return true;
    return false;
}

static void note_pending(struct desk *desk, const struct st_other_process *other) {
    for (size_t i = 0; i < desk->pending_count; i++)
        if (desk->pending[i].pid == other->pid) {
            desk->pending[i].seen = true;
            return;
        }
    st_reserve(&desk->pending, &desk->pending_capacity, desk->pending_count + 1);
    struct pending *pending = &desk->pending[desk->pending_count++];
    *pending = (struct pending){.pid = other->pid, .seen = true};
    memcpy(pending->program, other->program, sizeof pending->program);
}

static void look_below(struct desk *desk, pid_t parent);

static void note_scanned(struct desk *desk, pid_t child) {
    size_t at = desk->scan_position++;
    st_reserve(&desk->scanned, &desk->scanned_capacity, at + 1);
    desk->scan_differs |= at >= desk->scanned_count || desk->scanned[at] != child;
    desk->scanned[at] = child;
}

static void look_at_child(struct desk *desk, pid_t child) {
    struct st_other_process other = {.pid = child};
    if (child == desk->process)
        return;
    bool runs = read_program(&other);
    note_scanned(desk, runs ? child : -child);
    if (is_known(desk, other.program))
        note_pending(desk, &other);
    look_below(desk, child);
}

/* The children of one thread. */
static void look_at_children(struct desk *desk, pid_t parent, const char *thread) {
    char path[300];
    long child;
    snprintf(path, sizeof path, "/proc/%ld/task/%s/children", (long)parent, thread);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%ld", &child) == 1)
        look_at_child(desk, (pid_t)child);
    if (file)
        fclose(file);
}

static void look_below(struct desk *desk, pid_t parent) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)parent);
    DIR *threads = opendir(path);
    const struct dirent *entry;
    while (threads && (entry = readdir(threads)))
        if (entry->d_name[0] != '.')
            look_at_children(desk, parent, entry->d_name);
    if (threads)
        closedir(threads);
}

static void send_pending(struct desk *desk, const struct pending *pending, enum st_news news) {
    struct st_other_process other = {.pid = pending->pid, .results = desk->control};
    memcpy(other.program, pending->program, sizeof other.program);
    send_news(&other, news, false);
}

/* Whoever is left below the program, which has ended, is below our parent: it adopts orphans. True
 * if the scan shows what the one before it showed. */
static bool scan(struct desk *desk) {
    desk->scan_position = 0;
    desk->scan_differs = false;
    look_below(desk, desk->parent);
    bool same = !desk->scan_differs && desk->scan_position == desk->scanned_count;
    desk->scanned_count = desk->scan_position;
    return same;
}

/* If a process ends during a scan, its children move to our parent, whose children we may have
 * listed already: a daemon that forks twice could be missed. The next scan shows that one has
 * ended, so only two equal ones show everybody. A program that starts others all the time must not
 * keep us here for ever. */
static void scan_until_settled(struct desk *desk) {
    scan(desk);
    for (int turn = 0; turn < 100 && !scan(desk); turn++)
        ;
}

static void find_pending(struct desk *desk) {
    size_t kept = 0;
    for (size_t i = 0; i < desk->pending_count; i++)
        desk->pending[i].seen = false;
    scan_until_settled(desk);
    for (size_t i = 0; i < desk->pending_count; i++) {
        struct pending *pending = &desk->pending[i];
        if (pending->seen && !pending->known)
            send_pending(desk, pending, ST_NEWS_PENDING);
        if (!pending->seen && pending->known)
            send_pending(desk, pending, ST_NEWS_END);
        pending->known = true;
        if (pending->seen)
            desk->pending[kept++] = *pending;
    }
    desk->pending_count = kept;
}

/* ---- watchers ---- */

static _Noreturn void become_watcher(struct desk *desk, struct st_other_process *other) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != desk->process)
        _exit(1);
    close(desk->listener);
    close(desk->children);
    other->fd = (int)syscall(SYS_pidfd_open, other->pid, 0);
    desk->following->watch(desk->following->context, other);
    fflush(NULL);
    _exit(0);
}

static bool add_watcher(struct desk *desk, struct st_other_process *other) {
    st_reserve(&desk->watchers, &desk->capacity, desk->count + 1);
    if (!send_news(other, ST_NEWS_BEGIN, false))
        return false;
    pid_t process = fork();
    if (process == 0)
        become_watcher(desk, other);
    if (process < 0) {
        send_news(other, ST_NEWS_END, true);
        return false;
    }
    desk->watchers[desk->count++] = (struct watcher){process, *other};
    return true;
}

static void serve(struct desk *desk, struct st_other_process *other) {
    if (atomic_load(&desk->shared->stopped) || !read_request(other)) {
        refuse(other);
        return;
    }
    note_executable(desk, other->program);
    if (!desk->first_taken) {
        desk->first_taken = true;
        send_news(other, ST_NEWS_FIRST, false);
        st_other_answer(other, desk->first);
        return;
    }
    if (!desk->following->all)
        send_news(other, ST_NEWS_REFUSED, false);
    if (!desk->following->all || !add_watcher(desk, other))
        refuse(other);
    else
        close(other->connection); /* the watcher has it */
}

/* False when nobody is waiting. */
static bool serve_next(struct desk *desk) {
    struct st_other_process other = {.fd = -1, .shared = desk->shared, .results = desk->control};
    other.connection = accept4(desk->listener, NULL, NULL, SOCK_CLOEXEC);
    if (other.connection < 0)
        return false;
    serve(desk, &other);
    return true;
}

static void collect_watchers(struct desk *desk) {
    struct signalfd_siginfo info;
    int status;
    pid_t process;
    while (read(desk->children, &info, sizeof info) > 0)
        ;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < desk->count; i++) {
            if (desk->watchers[i].process != process)
                continue;
            send_news(&desk->watchers[i].other, ST_NEWS_END, status != 0);
            desk->watchers[i] = desk->watchers[--desk->count];
            break;
        }
}

static bool may_end(struct desk *desk) {
    bool waits = desk->following->all && !atomic_load(&desk->shared->interrupted) &&
                 !atomic_load(&desk->shared->stopped);
    if (desk->count)
        return false;
    if (waits)
        find_pending(desk);
    return !(waits && desk->pending_count) && !serve_next(desk) && !desk->count;
}

static _Noreturn void be_broker(struct desk *desk, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    if (getppid() != parent)
        _exit(0);
    desk->process = getpid();
    desk->parent = parent;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    desk->children = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    struct pollfd wait[] = {{.fd = desk->listener, .events = POLLIN},
                            {.fd = desk->children, .events = POLLIN},
                            {.fd = desk->control, .events = POLLIN}}; /* a byte: look again */
    for (;;) {
        char bytes[16];
        bool asked = atomic_load(&desk->shared->closing) && !desk->count;
        poll(wait, sizeof wait / sizeof *wait, asked && desk->pending_count ? 50 : -1);
        while (recv(desk->control, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            ;
        while (serve_next(desk))
            ;
        collect_watchers(desk);
        if (atomic_load(&desk->shared->closing) && may_end(desk))
            _exit(0);
    }
}

/* ---- from outside ---- */

static int fail_to_listen(struct st_error *error) {
    return st_fail(error, NULL, ST_AT_FILE, 0, "cannot listen for processes of the program: %s",
                   strerror(errno));
}

/* An abstract name that nobody can guess. */
static int listen_at(char place[64]) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint64_t secret[2];
    if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret)
        return -1;
    int length =
        snprintf(place, 64, "%cseriatim-%ld-%016llx%016llx", ST_STREAM_RENDEZVOUS, (long)getpid(),
                 (unsigned long long)secret[0], (unsigned long long)secret[1]);
    memcpy(address.sun_path + 1, place + 1, (size_t)length - 1);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int st_broker_start(struct st_broker *broker, struct st_granted first,
                    const struct st_following *following, struct st_error *error) {
    struct desk desk = {.following = following, .first = first};
    int pair[2];
    desk.shared =
        mmap(NULL, sizeof *desk.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (desk.shared == MAP_FAILED || (desk.listener = listen_at(broker->place)) < 0)
        return fail_to_listen(error);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        close(desk.listener);
        return fail_to_listen(error);
    }
    pid_t us = getpid();
    sigset_t all, before; /* what comes from a terminal is not for the broker */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fflush(NULL);
    broker->shared = desk.shared;
    broker->control = pair[0];
    broker->process = fork();
    if (broker->process == 0) {
        close(pair[0]);
        desk.control = pair[1];
        be_broker(&desk, us);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    close(desk.listener);
    return broker->process < 0 ? fail_to_listen(error) : 0;
}

struct st_broker_message st_broker_hear(struct st_broker *broker, int *fd) {
    struct st_broker_message message = {.news = ST_NEWS_OVER};
    *fd = -1;
    if (broker->process <= 0)
        return message;
    ssize_t count = receive_with(broker->control, &message, sizeof message, fd, MSG_DONTWAIT);
    message.program[sizeof message.program - 1] = '\0';
    if (count == (ssize_t)sizeof message)
        return message;
    bool over = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    return (struct st_broker_message){.news = over ? ST_NEWS_OVER : ST_NEWS_NONE};
}

/* So that the broker looks. */
static void nudge(struct st_broker *broker) {
    if (broker->process > 0)
        send(broker->control, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void st_broker_close(struct st_broker *broker) {
    if (broker->process > 0 && !atomic_exchange(&broker->shared->closing, true))
        nudge(broker);
}

void st_broker_interrupt(struct st_broker *broker) {
    if (broker->process > 0)
        atomic_store(&broker->shared->interrupted, true);
}

void st_broker_stop(struct st_broker *broker) {
    if (broker->process > 0)
        atomic_store(&broker->shared->stopped, true);
}

void st_broker_ask(struct st_broker *broker) {
    if (broker->process > 0)
        atomic_fetch_add(&broker->shared->asked, 1);
}

void st_broker_join(struct st_broker *broker) {
    if (broker->process <= 0)
        return;
    waitpid(broker->process, NULL, 0);
    close(broker->control);
    munmap(broker->shared, sizeof *broker->shared);
    *broker = (struct st_broker){0};
}

void st_broker_free(struct st_broker *broker) {
    if (broker->process > 0)
        kill(broker->process, SIGKILL); /* and its watchers with it */
    st_broker_join(broker);
}

/* ---- for watchers ---- */

void st_other_send(const struct st_other_process *other, const uint64_t value[4], int fd) {
    struct st_broker_message message = {
        .news = ST_NEWS_RESULT, .pid = other->pid, .forked = other->forked};
    memcpy(message.program, other->program, sizeof message.program);
    memcpy(message.value, value, sizeof message.value);
    send_with(other->results, &message, sizeof message, fd);
}

bool st_other_wait(const struct st_other_process *other, long nanoseconds) {
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    struct pollfd wait = {.fd = other->fd, .events = POLLIN};
    bool ended = ppoll(&wait, 1, &time, NULL) > 0 && wait.revents & POLLIN;
    return other->fd >= 0 ? ended : kill(other->pid, 0) < 0 && errno == ESRCH;
}

bool st_other_interrupted(const struct st_other_process *other) {
    return atomic_load(&other->shared->interrupted);
}

bool st_other_stopped(const struct st_other_process *other) {
    return atomic_load(&other->shared->stopped);
}

uint32_t st_other_asked(const struct st_other_process *other) {
    return atomic_load(&other->shared->asked);
}
