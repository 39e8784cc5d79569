/* Sends and receives. A receive comes after the sends of all threads that were before it. */
#include "check/witness/witness_state.h"

#include "base/memory.h"

#include <stdlib.h>

void st_witness_send(struct witness *w, const struct st_event *event) {
    struct st_variable_shadow *channel = st_shadow_channel(&w->shadow, event->target);
    uint32_t t = event->thread;
    uint64_t ticked = w->threads[t].ticked;
    struct st_touch send = this_touch(w, t);
    if (!st_touch_matters(&channel->slot[ST_READ], (int32_t)t, w->live_from))
        channel->slot[ST_READ] = send;
    else if (!st_shadow_has_read(channel, t, ticked))
        st_shadow_read(&w->shadow, channel, &send, ticked, w->live_from);
}

static int by_age(const void *a, const void *b) {
    const struct st_touch *one = *(const struct st_touch *const *)a;
    const struct st_touch *other = *(const struct st_touch *const *)b;
    return one->number > other->number ? -1 : one->number < other->number;
}

/* How t knows the sender at the time of the send, or later; then it knows all that the send knows.
 * What is known of blocks that have ended does not count: it is forgotten sooner or later, and
 * which way a thing became known must not depend on when. */
static const struct st_knows *find_sender(const struct witness *w, uint32_t t,
                                          const struct st_touch *send) {
    const struct st_knows *knows = st_known_find(w->threads[t].known, (uint32_t)send->thread);
    bool known = knows && knows->time >= send->time &&
                 st_blocks_known(&w->blocks[send->thread], knows->time) > 0;
    return known ? knows : NULL;
}

static void shorten_way(struct witness *w, uint32_t t, const struct st_touch *send) {
    struct witness_thread *thread = &w->threads[t];
    struct st_teller teller = st_witness_teller(w, t, send, ST_SEND, ST_EDGE_SYNC);
    if (w->fresh_since != w->number)
        st_witness_know(w, thread, st_known_copy(&w->knowledge, thread->known));
    st_known_shorten(&w->knowledge, thread->known, &teller);
}

static void edge_from_send(struct witness *w, uint32_t t, const struct st_touch *send) {
    if (!st_touch_matters(send, (int32_t)t, w->live_from))
        return;
    const struct st_knows *knows = find_sender(w, t, send);
    if (!knows)
        st_witness_take_touch(w, t, send, ST_SEND, ST_EDGE_SYNC);
    else if (st_known_longer(knows, send->time, w->blocks))
        shorten_way(w, t, send);
}

/* A receive comes after the sends of all threads, and the next one comes after all of them again,
 * so many bring nothing new. The youngest knows most: with it first, a third of them is left to
 * learn from where 64 threads post a semaphore in blocks, and the time falls to a third. */
static void receive_several(struct witness *w, uint32_t t, const struct st_readers *sends) {
    size_t count = 0;
    st_reserve(&w->sends, &w->send_capacity, sends->count);
    for (uint32_t i = 0; i < sends->count; i++)
        if (st_touch_matters(&sends->items[i], (int32_t)t, w->live_from))
            w->sends[count++] = &sends->items[i];
    qsort(w->sends, count, sizeof *w->sends, by_age);
    for (size_t i = 0; i < count; i++)
        edge_from_send(w, t, w->sends[i]);
}

void st_witness_receive(struct witness *w, const struct st_event *event) {
    struct st_variable_shadow *channel = st_shadow_channel(&w->shadow, event->target);
    st_shadow_receive(&w->shadow, channel, w->live_from);
    if (st_shadow_several(channel))
        receive_several(w, event->thread, channel->readers);
    else
        edge_from_send(w, event->thread, &channel->slot[ST_READ]);
    conclude(w, event->thread);
}
