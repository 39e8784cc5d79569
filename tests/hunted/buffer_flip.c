// Two buffers take turns: one is filled while the other is drained. A writer asks which one is to
// be filled, and writes into it when it has been drained already.
//
// EXPECT violated: append
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct buffer {
    int bytes[8];
    int used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer buffers[2];
static int active, drained;

#ifndef FIXED
static int active_buffer(void) {
    pthread_mutex_lock(&lock);
    int which = active;
    pthread_mutex_unlock(&lock);
    return which;
}
#endif

static void append(int byte) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    struct buffer *buffer = &buffers[active];
#else
    struct buffer *buffer = &buffers[active_buffer()]; // @gap
    pthread_mutex_lock(&lock);
#endif
    buffer->bytes[buffer->used++] = byte;
    pthread_mutex_unlock(&lock);
}

static void flip_and_drain(void) {
    pthread_mutex_lock(&lock);
    struct buffer *full = &buffers[active];
    active = !active;
    drained += full->used;
    full->used = 0;
    pthread_mutex_unlock(&lock);
}

static void *writer(void *argument) {
    append('a');
    append('b');
    return argument;
}

static void *drainer(void *argument) {
    flip_and_drain();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, drainer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    flip_and_drain();
    printf("%d bytes\n", drained);
    return drained != 2;
}
