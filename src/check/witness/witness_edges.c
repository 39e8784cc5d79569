/* What the event at hand takes over along its edges, and what that proves. */
#include "check/witness/witness_state.h"

#include "base/memory.h"

#include <stdlib.h>

/* Does the teller know blocks of t that it is in now? */
static void check_blocks(struct witness *w, uint32_t t, const struct st_teller *teller) {
    const struct st_blocks *blocks = &w->blocks[t];
    const struct st_knows *knows = st_blocks_live(blocks) ? st_known_find(teller->known, t) : NULL;
    uint32_t depth = knows ? st_blocks_known(blocks, knows->time) : 0;
    if (depth == 0)
        return;
    st_reserve(&w->cuts, &w->cut_capacity, w->cut_count + 1);
    w->cuts[w->cut_count++] = (struct cut){depth, teller->edge, knows->length, knows->how};
}

/* The running outermost block of the thread. */
static struct st_transaction running_block(const struct witness *w, uint32_t t) {
    const struct st_open_block *block = &w->blocks[t].items[0];
    return (struct st_transaction){.first = block->begin, .block = block->name};
}

/* The transaction of the event at hand. That of a begin, which a thread can start with, is about to
 * be opened. */
static struct st_transaction this_transaction(const struct witness *w, uint32_t t) {
    if (w->blocks[t].depth)
        return running_block(w, t);
    return (struct st_transaction){
        .first = w->number, .block = w->event->target, .unary = w->event->op != ST_BEGIN};
}

/* Does the edge close a cycle? If not, does anything come to reach more? */
static bool check_cycle(struct witness *w, uint32_t t, const struct st_teller *teller) {
    const struct st_blocks *blocks = &w->blocks[t];
    /* A transaction of one event starts at the time that it is about to get. */
    struct st_reach_edge edge = {.edge = teller->edge,
                                 .source = teller->time,
                                 .sink =
                                     blocks->depth ? blocks->items[0].time : w->threads[t].time + 1,
                                 .ends.to = this_transaction(w, t)};
    bool running = st_blocks_known(&w->blocks[teller->thread], teller->time) > 0;
    if (running) /* what has ended is forgotten */
        edge.ends.from = running_block(w, teller->thread);
    if (st_reach_closes(&w->reach, t, teller->thread, teller->time)) {
        st_reserve(&w->closing, &w->closing_capacity, w->closing_count + 1);
        w->closing[w->closing_count++] = edge;
        return false;
    }
    return st_reach_extend(&w->reach, &edge, running, w->live_from);
}

/* An event with many edges makes a set for each; without giving them back, the garbage of 256
 * threads that use one semaphore filled 300 megabytes before the next collection, not 15. */
void st_witness_know(struct witness *w, struct witness_thread *thread, struct st_known *known) {
    thread->latest = this_place(w);
    if (w->fresh_since == w->number)
        st_known_give(&w->knowledge, w->fresh);
    w->fresh = thread->known = known;
    w->fresh_since = w->number;
}

void st_witness_take(struct witness *w, uint32_t t, const struct st_teller *teller) {
    struct witness_thread *thread = &w->threads[t];
    struct heard *heard = &thread->heard[teller->thread % 16];
    if (heard->thread == teller->thread && heard->time >= teller->time)
        return; /* nothing new, so it proves nothing new either */
    *heard = (struct heard){teller->thread, teller->time};
    check_blocks(w, t, teller);
    bool news = w->serializable && check_cycle(w, t, teller);
    struct st_known *known =
        st_known_learn(&w->knowledge, thread->known, t, teller, w->blocks, thread->time + 1, &news);
    if (known != thread->known)
        st_witness_know(w, thread, known);
    if (news)
        tick(w, t);
    else
        refresh(w, teller->thread);
}

struct st_teller st_witness_teller(const struct witness *w, uint32_t t,
                                   const struct st_touch *touch, enum st_op op,
                                   enum st_edge_kind kind) {
    struct st_event from = {.thread = (uint32_t)touch->thread,
                            .target = op == ST_FORK ? t : w->event->target,
                            .loc = touch->loc,
                            .written = op,
                            .op = op};
    return (struct st_teller){
        .thread = (uint32_t)touch->thread,
        .time = touch->time,
        .known = touch->known,
        .edge = {.from = {touch->number, from}, .to = this_place(w), .kind = kind}};
}

void st_witness_take_touch(struct witness *w, uint32_t t, const struct st_touch *touch,
                           enum st_op op, enum st_edge_kind kind) {
    struct st_teller teller = st_witness_teller(w, t, touch, op, kind);
    st_witness_take(w, t, &teller);
}

/* ---- sends and receives ---- */

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
