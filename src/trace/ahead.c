#include "trace/ahead.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* The reader fills one, the analysis holds one, two make up for their different pace. */
enum { SLOTS = 4 };

/* Batch n lies in slots[n % SLOTS]. The semaphores count the slots that may be filled and those
 * that may be taken, so no slot is ever in two hands. */
struct st_ahead {
    const struct st_format *format;
    void *reader;
    const struct st_input *input;
    const struct st_symbols *symbols;
    pthread_t thread;
    sem_t to_fill, to_take;
    size_t taken; /* batches that were handed out */
    struct st_batch slots[SLOTS];
};

void st_batch_read(struct st_batch *batch, const struct st_format *format, void *reader,
                   const struct st_input *input, const struct st_symbols *symbols) {
    batch->count = format->next(reader, batch->events, ST_BATCH, &batch->error);
    batch->threads = symbols->threads.count;
    batch->locks = symbols->locks.count;
    batch->consumed = input->consumed;
}

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) < 0 && errno == EINTR)
        continue;
}

static void *read_ahead(void *context) {
    struct st_ahead *ahead = context;
    struct st_batch *batch;
    size_t filled = 0;
    do {
        wait_for(&ahead->to_fill);
        batch = &ahead->slots[filled++ % SLOTS];
        st_batch_read(batch, ahead->format, ahead->reader, ahead->input, ahead->symbols);
        sem_post(&ahead->to_take);
    } while (batch->count > 0);
    return NULL;
}

struct st_ahead *st_ahead_start(const struct st_format *format, void *reader,
                                const struct st_input *input, const struct st_symbols *symbols) {
    struct st_ahead *ahead = st_alloc(1, sizeof *ahead);
    ahead->format = format;
    ahead->reader = reader;
    ahead->input = input;
    ahead->symbols = symbols;
    sem_init(&ahead->to_fill, 0, SLOTS);
    sem_init(&ahead->to_take, 0, 0);
    if (pthread_create(&ahead->thread, NULL, read_ahead, ahead) == 0)
        return ahead;
    sem_destroy(&ahead->to_fill);
    sem_destroy(&ahead->to_take);
    free(ahead);
    return NULL;
}

struct st_batch *st_ahead_next(struct st_ahead *ahead) {
    if (ahead->taken)
        sem_post(&ahead->to_fill);
    wait_for(&ahead->to_take);
    return &ahead->slots[ahead->taken++ % SLOTS];
}

void st_ahead_stop(struct st_ahead *ahead) {
    if (!ahead)
        return;
    /* It acts where the thread waits: for a free slot, or in read() for a pipe that may never say
     * another word. Nowhere else does it leave things half done. */
    pthread_cancel(ahead->thread);
    pthread_join(ahead->thread, NULL);
    sem_destroy(&ahead->to_fill);
    sem_destroy(&ahead->to_take);
    free(ahead);
}
