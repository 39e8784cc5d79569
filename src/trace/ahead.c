#define _GNU_SOURCE /* sched_getaffinity */
#include "trace/ahead.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Waking the other thread costs a system call and more, so batches are handed over in groups. Both
 * sides may hold back GROUP - 1 batches, and the analysis has one in use: SLOTS must be larger than
 * that, or they would wait for each other. */
enum { SLOTS = 4, GROUP = 2 };
_Static_assert(SLOTS > 2 * (GROUP - 1) + 1, "both threads could wait");

/* Batch n lies in slots[n % SLOTS]. Invariant: released <= taken <= published <= filled, and
 * filled - released <= SLOTS. The reading thread fills, the analysis takes; `published` and
 * `released` are shared by both, under the lock. */
struct st_ahead {
    const struct st_format *format;
    void *reader;
    const struct st_input *input;
    const struct st_symbols *symbols;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t filled, published, taken, released;
    struct st_batch slots[SLOTS];
};

static void copy_values(struct st_batch *batch, const struct st_access_value *values) {
    if (!values)
        return;
    batch->has_values = true;
    st_reserve(&batch->values, &batch->value_capacity, ST_BATCH_EVENTS);
    memcpy(batch->values, values, (size_t)batch->count * sizeof *values);
}

void st_batch_read(struct st_batch *batch, const struct st_format *format, void *reader,
                   const struct st_input *input, const struct st_symbols *symbols) {
    batch->count = format->next(reader, batch->events, ST_BATCH_EVENTS, &batch->error);
    batch->threads = symbols->threads.count;
    batch->locks = symbols->locks.count;
    batch->consumed = input->consumed;
    batch->ended_count = 0;
    batch->has_values = false;
    if (batch->count <= 0)
        return;
    copy_values(batch, format->values ? format->values(reader) : NULL);
    if (!format->ended)
        return;
    const struct st_variable_run *ended = format->ended(reader, &batch->ended_count);
    st_reserve(&batch->ended, &batch->ended_capacity, batch->ended_count);
    if (batch->ended_count)
        memcpy(batch->ended, ended, batch->ended_count * sizeof *ended);
}

void st_batch_free(struct st_batch *batch) {
    free(batch->ended);
    free(batch->values);
}

static void unlock(void *lock) {
    pthread_mutex_unlock(lock);
}

/* Waits until *counter differs from value. Being cancelled here leaves the lock free. */
static void wait_for_change(struct st_ahead *ahead, const size_t *counter, size_t value) {
    pthread_mutex_lock(&ahead->lock);
    pthread_cleanup_push(unlock, &ahead->lock);
    while (*counter == value)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_cleanup_pop(1);
}

static void publish(struct st_ahead *ahead, size_t *counter, size_t value) {
    pthread_mutex_lock(&ahead->lock);
    *counter = value;
    pthread_mutex_unlock(&ahead->lock);
    pthread_cond_signal(&ahead->changed);
}

static void *read_ahead(void *context) {
    struct st_ahead *ahead = context;
    for (;;) {
        wait_for_change(ahead, &ahead->released, ahead->filled - SLOTS);
        struct st_batch *batch = &ahead->slots[ahead->filled++ % SLOTS];
        st_batch_read(batch, ahead->format, ahead->reader, ahead->input, ahead->symbols);
        /* After a batch that is not full, reading may block: publish what there is. */
        if (batch->count < ST_BATCH_EVENTS || ahead->filled % GROUP == 0)
            publish(ahead, &ahead->published, ahead->filled);
        if (batch->count <= 0)
            return NULL;
    }
}

/* On a single processor two threads would only take turns. */
static bool has_other_processor(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) < 0 || CPU_COUNT(&processors) > 1;
}

struct st_ahead *st_ahead_start(const struct st_format *format, void *reader,
                                const struct st_input *input, const struct st_symbols *symbols) {
    if (!has_other_processor())
        return NULL;
    struct st_ahead *ahead = st_alloc(1, sizeof *ahead);
    ahead->format = format;
    ahead->reader = reader;
    ahead->input = input;
    ahead->symbols = symbols;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (pthread_create(&ahead->thread, NULL, read_ahead, ahead) == 0)
        return ahead;
    free(ahead);
    return NULL;
}

struct st_batch *st_ahead_next(struct st_ahead *ahead) {
    if (ahead->taken % GROUP == 0)
        publish(ahead, &ahead->released, ahead->taken);
    wait_for_change(ahead, &ahead->published, ahead->taken);
    return &ahead->slots[ahead->taken++ % SLOTS];
}

void st_ahead_stop(struct st_ahead *ahead) {
    if (!ahead)
        return;
    /* The thread ends where it waits: for a free slot, or in read() of a pipe that may stay silent
     * for ever. Nothing is half done there. */
    pthread_cancel(ahead->thread);
    pthread_join(ahead->thread, NULL);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    for (size_t i = 0; i < SLOTS; i++)
        st_batch_free(&ahead->slots[i]);
    free(ahead);
}
