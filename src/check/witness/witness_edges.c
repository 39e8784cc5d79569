/* What happens before the current event through its edges, and what that proves. */
#include "check/witness/witness_state.h"

#include "base/memory.h"

#include <stdlib.h>

/* Do blocks of t that it is in now happen before the predecessor? */
static void check_blocks(struct witness *w, uint32_t t, const struct st_predecessor *predecessor) {
    const struct st_open_blocks *blocks = &w->blocks[t];
    struct st_before own;
    if (!st_blocks_live(blocks) || !st_open_before_find(predecessor->before, t, &own))
        return;
    uint32_t depth = st_blocks_begun(blocks, own.time);
    if (depth == 0)
        return;
    st_reserve(&w->proofs, &w->proof_capacity, w->proof_count + 1);
    w->proofs[w->proof_count++] = (struct proof){depth, predecessor->edge, own.length, own.path};
}

/* The running transaction of the thread. */
static struct st_transaction running_block(const struct witness *w, uint32_t t) {
    const struct st_open_block *block = &w->blocks[t].items[st_blocks_first(&w->blocks[t])];
    return (struct st_transaction){.first = block->begin, .block = block->name};
}

/* The transaction of the current event. That of a begin, which a thread can start with, is about to
 * be opened. */
static struct st_transaction this_transaction(const struct witness *w, uint32_t t) {
    if (st_blocks_running(&w->blocks[t]))
        return running_block(w, t);
    bool begins = w->event->op == ST_BEGIN && !w->event->atomic;
    return (struct st_transaction){.first = w->number, .block = w->event->target, .unary = !begins};
}

/* Does the edge close a cycle? If not, does some running block reach more through it? */
static bool check_cycle(struct witness *w, uint32_t t, const struct st_predecessor *predecessor) {
    const struct st_open_blocks *blocks = &w->blocks[t];
    /* A transaction of one event starts at the time that it is about to get. */
    struct st_frontier_edge edge = {.edge = predecessor->edge,
                                    .source = predecessor->time,
                                    .sink = st_blocks_running(blocks)
                                                ? blocks->items[st_blocks_first(blocks)].time
                                                : w->threads[t].time + 1,
                                    .ends.to = this_transaction(w, t)};
    const struct st_open_blocks *theirs = &w->blocks[predecessor->thread];
    bool running = st_blocks_begun(theirs, predecessor->time) > st_blocks_first(theirs);
    if (running) /* what has ended is not kept */
        edge.ends.from = running_block(w, predecessor->thread);
    if (st_frontiers_closes(&w->frontiers, t, predecessor->thread, predecessor->time)) {
        st_reserve(&w->closing, &w->closing_capacity, w->closing_count + 1);
        w->closing[w->closing_count++] = edge;
        return false;
    }
    return st_frontiers_extend(&w->frontiers, &edge, running, w->live_from);
}

/* An event with many edges makes a set for each. Giving all but the last back at once keeps the
 * garbage of 256 threads that use one semaphore at 15 megabytes before a collection, instead of
 * 300. */
void st_witness_set_before(struct witness *w, uint32_t t, struct st_open_before *before) {
    if (w->fresh_since == w->number)
        st_open_before_give(&w->pool, w->fresh);
    w->fresh = w->threads[t].before = before;
    w->fresh_since = w->number;
    remember(w, t);
}

void st_witness_join(struct witness *w, uint32_t t, const struct st_predecessor *predecessor) {
    struct witness_thread *thread = &w->threads[t];
    struct joined *joined = &thread->joined[predecessor->thread % 16];
    if (joined->thread == predecessor->thread && joined->time >= predecessor->time)
        return; /* nothing new, so it proves nothing new either */
    *joined = (struct joined){predecessor->thread, predecessor->time};
    check_blocks(w, t, predecessor);
    bool grew = w->serializable && check_cycle(w, t, predecessor);
    struct st_open_before *before = st_open_before_join(&w->pool, thread->before, t, predecessor,
                                                        w->blocks, thread->time + 1, &grew);
    if (before != thread->before)
        st_witness_set_before(w, t, before);
    if (grew)
        tick(w, t);
    else
        refresh(w, predecessor->thread);
}

struct st_predecessor st_witness_predecessor(const struct witness *w, uint32_t t,
                                             const struct st_last_access *access, enum st_op op,
                                             enum st_edge_kind kind) {
    const struct st_history *history = &w->histories[st_access_thread(access)];
    const struct st_moment *moment = st_history_at(history, st_access_number(access));
    struct st_event from = st_access_event(access, op);
    from.target = op == ST_FORK ? t : w->event->target;
    return (struct st_predecessor){
        .thread = from.thread,
        .time = moment->time,
        .before = moment->before,
        .edge = {.from = {st_access_number(access), from}, .to = this_place(w), .kind = kind}};
}

void st_witness_join_access(struct witness *w, uint32_t t, const struct st_last_access *access,
                            enum st_op op, enum st_edge_kind kind) {
    struct st_predecessor predecessor = st_witness_predecessor(w, t, access, op, kind);
    st_witness_join(w, t, &predecessor);
}

/* ---- sends and receives ---- */

void st_witness_send(struct witness *w, const struct st_event *event) {
    struct st_variable_state *channel = st_states_channel(&w->states, event->target);
    uint32_t t = event->thread;
    uint64_t ticked = w->threads[t].ticked;
    struct st_last_access send = this_access(w, t);
    channel->slot[ST_WRITE].what = 1; /* somebody has sent; it is no access */
    if (!st_access_matters(&channel->slot[ST_READ], t, w->live))
        channel->slot[ST_READ] = send;
    else if (!st_has_fresh_read(channel, t, ticked))
        st_states_read(&w->states, channel, &send, ticked);
}

static int by_age(const void *a, const void *b) {
    const struct st_last_access *one = *(const struct st_last_access *const *)a;
    const struct st_last_access *other = *(const struct st_last_access *const *)b;
    return st_access_number(one) > st_access_number(other)
               ? -1
               : st_access_number(one) < st_access_number(other);
}

/* The item by which the sender, at the time of the send or later, happens before t; then all that
 * happens before the send does, too. Items about blocks that have ended do not count: they are
 * dropped sooner or later, and the path that is found must not depend on when. */
static bool find_sender(const struct witness *w, uint32_t t, const struct st_predecessor *send,
                        struct st_before *item) {
    return st_open_before_find(w->threads[t].before, send->thread, item) &&
           item->time >= send->time && st_blocks_begun(&w->blocks[send->thread], item->time) > 0;
}

static void shorten_path(struct witness *w, uint32_t t, const struct st_predecessor *send) {
    struct witness_thread *thread = &w->threads[t];
    struct st_open_before *before =
        st_open_before_shorten(&w->pool, thread->before, w->fresh_since == w->number, send);
    if (before != thread->before)
        st_witness_set_before(w, t, before);
}

static void edge_from_send(struct witness *w, uint32_t t, const struct st_last_access *access) {
    if (!st_access_matters(access, t, w->live))
        return;
    struct st_predecessor send = st_witness_predecessor(w, t, access, ST_SEND, ST_EDGE_SYNC);
    struct st_before item;
    if (!find_sender(w, t, &send, &item))
        st_witness_join(w, t, &send);
    else if (st_before_is_longer(&item, send.time, w->blocks))
        shorten_path(w, t, &send);
}

/* A receive comes after the sends of all threads, and the next one comes after all of them again,
 * so many bring nothing new. Most happens before the youngest: with it first, only a third of them
 * has anything to add where 64 threads post a semaphore in blocks, and the time falls to a third.
 */
static void receive_several(struct witness *w, uint32_t t, const struct st_readers *sends) {
    size_t count = 0;
    st_reserve(&w->sends, &w->send_capacity, sends->count);
    for (uint32_t i = 0; i < sends->count; i++)
        if (st_access_matters(&sends->items[i], t, w->live))
            w->sends[count++] = &sends->items[i];
    qsort(w->sends, count, sizeof *w->sends, by_age);
    for (size_t i = 0; i < count; i++)
        edge_from_send(w, t, w->sends[i]);
}

void st_witness_receive(struct witness *w, const struct st_event *event) {
    struct st_variable_state *channel = st_states_channel(&w->states, event->target);
    st_states_receive(&w->states, channel);
    if (st_has_several_readers(channel))
        receive_several(w, event->thread, st_several_readers(channel));
    else
        edge_from_send(w, event->thread, &channel->slot[ST_READ]);
    if (!channel->slot[ST_WRITE].what) /* see st_witness_send */
        w->threads[event->thread].outside = w->number;
    conclude(w, event->thread);
}
