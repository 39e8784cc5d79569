/* What the event at hand takes over along its edges, and what that proves. */
#include "check/witness/witness_state.h"

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
