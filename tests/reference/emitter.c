#include "reference/emitter.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct deferred_tally deferred_tally;

/* ---- emitting ---- */

static void add(struct emitter *emitter, const struct st_event *event, uint64_t position) {
    st_reserve(&emitter->events, &emitter->event_capacity, emitter->emitted + 1);
    st_reserve(&emitter->at, &emitter->at_capacity, emitter->emitted + 1);
    st_reserve(&emitter->origins, &emitter->origin_capacity, emitter->emitted + 1);
    emitter->events[emitter->emitted] = *event;
    emitter->at[emitter->emitted] = position;
    emitter->origins[emitter->emitted++] = event->loc;
}

static uint64_t next_position(struct emitter *emitter, uint32_t thread) {
    return emitter->positions[thread] += 1 + chance_below(&emitter->chance, 2);
}

/* The blocks that the thread has open and that began by then, as far as they are not emitted. */
static void emit_blocks(struct emitter *emitter, uint32_t thread, uint64_t position) {
    struct open_blocks *blocks = &emitter->blocks[thread];
    for (size_t i = 0; i < blocks->count; i++) {
        struct open_block *block = &blocks->list[i];
        if (block->emitted || block->position > position)
            continue;
        add(emitter, &block->begin, block->position);
        block->emitted = true;
        deferred_tally.boarded++;
    }
}

/* The thread does something that shows that its last block has ended. */
static void end_lingering(struct emitter *emitter, uint32_t thread) {
    struct open_blocks *blocks = &emitter->blocks[thread];
    if (!blocks->lingers)
        return;
    const struct open_block *block = &blocks->list[--blocks->count];
    blocks->lingers = false;
    deferred_tally.left_out += !block->emitted;
    if (!block->emitted)
        return;
    struct st_event end = block->begin;
    end.op = end.written = ST_END;
    add(emitter, &end, next_position(emitter, thread));
}

static void emit_now(struct emitter *emitter, const struct st_event *event) {
    end_lingering(emitter, event->thread);
    emit_blocks(emitter, event->thread, UINT64_MAX);
    add(emitter, event, next_position(emitter, event->thread));
    emitter->started[event->thread] |= event->op != ST_DROPPED;
}

static void emit_deferred(struct emitter *emitter, uint32_t thread, enum st_op op,
                          uint32_t variable, struct kept *kept) {
    if (!kept->there || kept->emitted)
        return;
    emit_blocks(emitter, thread, kept->position);
    struct st_event event = {.thread = thread,
                             .target = variable,
                             .loc = kept->loc,
                             .written = op == ST_DEFERRED_READ ? ST_READ : ST_WRITE,
                             .op = op};
    add(emitter, &event, kept->position);
    kept->emitted = true;
    deferred_tally.deferred++;
}

/* Is there an access that counts? One that is dead need not. */
static bool counts(struct emitter *emitter, uint32_t thread, const struct kept *kept) {
    if (!kept->there)
        return false;
    bool dead =
        kept->position < emitter->dead[thread] && chance_percent(&emitter->chance, emitter->skip);
    deferred_tally.dead += dead;
    return !dead;
}

/* ---- accesses ---- */

/* The thread depends on the last write, and no read of it since then shows that already. */
static bool depends_on_write(struct emitter *emitter, const struct cell *cell, uint32_t t) {
    return cell->writer != t && !cell->reads[t].there &&
           counts(emitter, cell->writer, &cell->write);
}

/* Thread t depends on something that the thread of this access did then or later. */
static bool has_learned(struct emitter *emitter, uint32_t t, uint32_t of, const struct kept *kept) {
    return kept->position <= emitter->learned[t][of];
}

/* So it makes no difference whether it depends on this access. */
static bool is_known(struct emitter *emitter, uint32_t t, uint32_t of, const struct kept *kept) {
    return has_learned(emitter, t, of, kept) && chance_percent(&emitter->chance, emitter->known);
}

/* An access of the thread that depends on the last write is emitted, and so was the write. */
static void learn(struct emitter *emitter, const struct cell *cell, uint32_t t) {
    uint64_t *learned = &emitter->learned[t][cell->writer];
    if (cell->write.position > *learned)
        *learned = cell->write.position;
}

/* Thread t comes after all that the other one has done, by a fork or a join. */
static void learn_all(struct emitter *emitter, uint32_t t, uint32_t other) {
    uint64_t *to = emitter->learned[t], *from = emitter->learned[other];
    for (uint32_t u = 0; u < emitter->threads; u++)
        if (from[u] > to[u])
            to[u] = from[u];
    to[other] = emitter->positions[other];
}

/* Thread t has read what others have: who writes next depends on those reads by that of t. */
static void forget_known_reads(struct emitter *emitter, struct cell *cell, uint32_t t) {
    for (uint32_t u = 0; u < emitter->threads; u++)
        if (u != t && cell->reads[u].there && has_learned(emitter, t, u, &cell->reads[u]) &&
            chance_percent(&emitter->chance, emitter->forget)) {
            cell->reads[u].there = false;
            deferred_tally.forgotten++;
        }
}

static struct kept kept_access(struct emitter *emitter, const struct st_event *event, bool eager) {
    deferred_tally.accesses++;
    deferred_tally.eager += eager;
    if (eager)
        emit_now(emitter, event);
    else
        emitter->positions[event->thread] += chance_percent(&emitter->chance, emitter->sparse);
    return (struct kept){true, eager, emitter->positions[event->thread], event->loc};
}

/* The first event of a thread is always emitted at once: it comes after the fork. */
static bool is_eager(struct emitter *emitter, uint32_t t) {
    return !emitter->started[t] || chance_percent(&emitter->chance, emitter->eager);
}

static void on_read(struct emitter *emitter, const struct st_event *event) {
    struct cell *cell = &emitter->cells[event->target];
    uint32_t t = event->thread;
    bool depends =
        depends_on_write(emitter, cell, t) && !is_known(emitter, t, cell->writer, &cell->write);
    bool eager = depends || is_eager(emitter, t);
    if (eager) /* the write comes first, also when it is the thread's own */
        emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
    if (depends)
        learn(emitter, cell, t);
    cell->reads[t] = kept_access(emitter, event, eager);
    forget_known_reads(emitter, cell, t);
}

static void on_write(struct emitter *emitter, const struct st_event *event) {
    struct cell *cell = &emitter->cells[event->target];
    uint32_t t = event->thread;
    bool depends =
        depends_on_write(emitter, cell, t) && !is_known(emitter, t, cell->writer, &cell->write);
    if (depends) {
        emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
        learn(emitter, cell, t);
    }
    for (uint32_t u = 0; u < emitter->threads; u++) {
        if (u == t || !counts(emitter, u, &cell->reads[u]) ||
            is_known(emitter, t, u, &cell->reads[u]))
            continue;
        emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
        emit_deferred(emitter, u, ST_DEFERRED_READ, event->target, &cell->reads[u]);
        depends = true;
    }
    cell->writer = t;
    cell->write = kept_access(emitter, event, depends || is_eager(emitter, t));
    memset(cell->reads, 0, emitter->threads * sizeof *cell->reads);
}

/* There is no more room for what a cell has: first the write, then the reads. */
static void emit_some_early(struct emitter *emitter) {
    if (!emitter->cell_count)
        return;
    uint32_t x = chance_below(&emitter->chance, emitter->cell_count);
    struct cell *cell = &emitter->cells[x];
    emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, x, &cell->write);
    for (uint32_t u = 0; u < emitter->threads; u++)
        emit_deferred(emitter, u, ST_DEFERRED_READ, x, &cell->reads[u]);
}

static void on_begin(struct emitter *emitter, const struct st_event *event) {
    struct open_blocks *blocks = &emitter->blocks[event->thread];
    bool board = emitter->started[event->thread] && !blocks->lingers &&
                 chance_percent(&emitter->chance, emitter->board);
    if (!board)
        emit_now(emitter, event);
    st_reserve(&blocks->list, &blocks->capacity, blocks->count + 1);
    uint64_t position =
        board ? next_position(emitter, event->thread) : emitter->positions[event->thread];
    blocks->list[blocks->count++] = (struct open_block){*event, position, !board};
    deferred_tally.blocks++;
}

/* What is left of a block of which nothing was emitted is forgotten; perhaps others take it for
 * open for a while. */
static void on_end(struct emitter *emitter, const struct st_event *event) {
    struct open_blocks *blocks = &emitter->blocks[event->thread];
    end_lingering(emitter, event->thread);
    if (blocks->list[blocks->count - 1].emitted) {
        emit_now(emitter, event);
        blocks->count--;
    } else if (chance_percent(&emitter->chance, emitter->linger)) {
        blocks->lingers = true;
    } else {
        blocks->count--;
        deferred_tally.left_out++;
    }
}

/* The thread has ended before it is joined, and has left what it was in. */
static void end_thread(struct emitter *emitter, uint32_t thread) {
    struct open_blocks *blocks = &emitter->blocks[thread];
    end_lingering(emitter, thread);
    while (blocks->count && !blocks->list[blocks->count - 1].emitted)
        blocks->count--;
}

static void on_other(struct emitter *emitter, const struct st_event *event) {
    if (event->op == ST_JOIN)
        end_thread(emitter, event->target);
    emit_now(emitter, event);
    if (event->op == ST_FORK)
        learn_all(emitter, event->target, event->thread);
    else if (event->op == ST_JOIN && emitter->started[event->target]) /* else it has no event */
        learn_all(emitter, event->thread, event->target);
}

/* ---- all of it ---- */

static void measure(struct emitter *emitter, const struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct st_event *event = &events[i];
        bool child = event->written == ST_FORK || event->written == ST_JOIN;
        assert(event->loc == i + 1);
        if (event->thread >= emitter->threads)
            emitter->threads = event->thread + 1;
        if (child && event->target >= emitter->threads)
            emitter->threads = event->target + 1;
        if (event->written <= ST_WRITE && event->target >= emitter->cell_count)
            emitter->cell_count = event->target + 1;
    }
}

void emitter_start(struct emitter *emitter, const struct st_event *events, size_t count,
                   uint64_t seed) {
    static const unsigned shares[] = {0, 50, 100, 100}, few[] = {0, 0, 10, 40};
    *emitter = (struct emitter){.chance = {seed}};
    measure(emitter, events, count);
    emitter->skip = shares[chance_below(&emitter->chance, 4)];
    emitter->eager = few[chance_below(&emitter->chance, 4)];
    emitter->sparse = few[chance_below(&emitter->chance, 4)];
    emitter->known = shares[chance_below(&emitter->chance, 4)];
    emitter->forget = shares[chance_below(&emitter->chance, 4)];
    emitter->positions = st_alloc(emitter->threads, sizeof *emitter->positions);
    emitter->dead = st_alloc(emitter->threads, sizeof *emitter->dead);
    emitter->started = st_alloc(emitter->threads, sizeof *emitter->started);
    emitter->blocks = st_alloc(emitter->threads, sizeof *emitter->blocks);
    emitter->learned = st_alloc(emitter->threads, sizeof *emitter->learned);
    for (uint32_t t = 0; t < emitter->threads; t++)
        emitter->learned[t] = st_alloc(emitter->threads, sizeof *emitter->learned[t]);
    emitter->cells = st_alloc(emitter->cell_count, sizeof *emitter->cells);
    for (uint32_t x = 0; x < emitter->cell_count; x++)
        emitter->cells[x].reads = st_alloc(emitter->threads, sizeof(struct kept));
}

void emitter_take(struct emitter *emitter, const struct st_event *event) {
    if (event->op == ST_READ)
        on_read(emitter, event);
    else if (event->op == ST_WRITE)
        on_write(emitter, event);
    else if (event->op == ST_BEGIN && emitter->board)
        on_begin(emitter, event);
    else if (event->op == ST_END && emitter->board)
        on_end(emitter, event);
    else
        on_other(emitter, event);
    if (chance_percent(&emitter->chance, emitter->early))
        emit_some_early(emitter);
}

void emitter_end(struct emitter *emitter) {
    for (uint32_t t = 0; t < emitter->threads; t++)
        end_lingering(emitter, t);
}

void emitter_free(struct emitter *emitter) {
    for (uint32_t x = 0; x < emitter->cell_count; x++)
        free(emitter->cells[x].reads);
    free(emitter->cells);
    for (uint32_t t = 0; t < emitter->threads; t++) {
        free(emitter->learned[t]);
        free(emitter->blocks[t].list);
    }
    free(emitter->learned);
    free(emitter->blocks);
    free(emitter->positions);
    free(emitter->dead);
    free(emitter->started);
    free(emitter->events);
    free(emitter->at);
    free(emitter->origins);
}
