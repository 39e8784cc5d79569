/* Asking the watcher for a stream, for the agent in Java: stream/stream.h says how. Java has no
 * sockets of this kind, and none by which descriptors come. */
#define _GNU_SOURCE
#include "stream/stream.h"

#include <errno.h>
#include <jni.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The address of "@NAME"; its length, or 0. */
static socklen_t address_of(const char *text, struct sockaddr_un *address) {
    size_t length = strlen(text);
    if (length < 2 || *text != ST_STREAM_RENDEZVOUS || length > sizeof address->sun_path)
        return 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path + 1, text + 1, length - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
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
    ssize_t count;
    do
        count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    struct cmsghdr *header = count == (ssize_t)sizeof answer ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || answer.magic != ST_STREAM_MAGIC || !answer.granted ||
        header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        return -1;
    int stream;
    memcpy(&stream, CMSG_DATA(header), sizeof stream);
    return stream;
}

static int ask(const char *place) {
    struct st_stream_request request = {ST_STREAM_MAGIC, ST_STREAM_VERSION, ST_STREAM_BEGUN};
    struct sockaddr_un address;
    socklen_t length = address_of(place, &address);
    int stream = -1, fd = length ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&address, length) == 0 &&
        send(fd, &request, sizeof request, MSG_NOSIGNAL) == (ssize_t)sizeof request)
        stream = read_answer(fd);
    close(fd);
    return stream;
}

JNIEXPORT jint JNICALL Java_seriatim_agent_Rendezvous_askWatcher(JNIEnv *env, jclass class,
                                                                 jstring place);
JNIEXPORT jint JNICALL Java_seriatim_agent_Rendezvous_askWatcher(JNIEnv *env, jclass class,
                                                                 jstring place) {
    (void)class;
    const char *text = (*env)->GetStringUTFChars(env, place, NULL);
    if (!text)
        return -1;
    int stream = ask(text);
    (*env)->ReleaseStringUTFChars(env, place, text);
    return stream;
}

JNIEXPORT void JNICALL Java_seriatim_agent_Rendezvous_closeDescriptor(JNIEnv *env, jclass class,
                                                                      jint fd);
JNIEXPORT void JNICALL Java_seriatim_agent_Rendezvous_closeDescriptor(JNIEnv *env, jclass class,
                                                                      jint fd) {
    (void)env;
    (void)class;
    close(fd);
}
