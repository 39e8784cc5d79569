/* The program's side of deferred accesses: which events are emitted, when, and with which
 * positions. A model of the protocol that docs/witness.md describes, straight from its words. */
#ifndef SERIATIM_REFERENCE_EMITTER_H
#define SERIATIM_REFERENCE_EMITTER_H

#include "reference/generate.h"

/* How the accesses were emitted, for tuning: what is rare is hardly tested. */
struct deferred_tally {
    uint64_t accesses, eager, deferred; /* the others were never emitted */
    uint64_t dead;                      /* how often an access was passed over since it was dead */
    uint64_t forgotten;                 /* reads, since a later one of another thread is enough */
    uint64_t blocks, boarded, left_out; /* blocks; begun late; never emitted */
};
extern struct deferred_tally deferred_tally;

/* An access that is kept in a cell. */
struct kept {
    bool there, emitted;
    uint64_t position, loc;
};

/* A variable: its last write, and by thread the last read since then. */
struct cell {
    uint32_t writer;
    struct kept write, *reads;
};

/* A block that is open, or seems to be. */
struct open_block {
    struct st_event begin;
    uint64_t position;
    bool emitted;
};

struct emitter {
    struct chance chance;
    unsigned skip;   /* percent of the dead accesses that are passed over */
    unsigned eager;  /* percent of the accesses that are emitted at once, without need */
    unsigned sparse; /* percent of the accesses that have a position of their own */
    unsigned known; /* percent of the accesses that are deferred since they depend on nothing new */
    unsigned
        forget; /* percent of the reads by others that are forgotten, as the reader knows them */
    unsigned board;  /* percent of the blocks that are not emitted when they begin */
    unsigned linger; /* percent of these whose end others learn late */
    unsigned early; /* percent of the accesses for which there is no room: emitted later, but before
                     * anybody needs them */

    uint32_t threads;
    struct cell *cells;
    uint32_t cell_count;
    uint64_t *positions; /* by thread: the present one */
    uint64_t *dead;      /* by thread: what is before this is dead */
    bool *started;       /* by thread: had an event that was not dropped */
    /* By thread, and another one: up to this position of the other one, the first depends on what
     * that did. */
    uint64_t **learned;
    struct open_blocks {
        struct open_block *list;
        size_t count, capacity;
        bool lingers; /* the last one has ended, and its thread has emitted nothing since */
    } * blocks;       /* by thread */

    struct st_event *events; /* all that were emitted; deferred ones say so */
    uint64_t *at, *origins;  /* and the events of the trace that they are */
    size_t emitted, event_capacity, at_capacity, origin_capacity;
};

/* For the events of a validated trace, numbered from 1; the location of each must be its number.
 * The chances of what the protocol leaves open come from the seed; blocks are boarded only if the
 * caller says so. */
void emitter_start(struct emitter *emitter, const struct st_event *events, size_t count,
                   uint64_t seed);
void emitter_take(struct emitter *emitter, const struct st_event *event);
/* The trace has ended: what lingers ends. */
void emitter_end(struct emitter *emitter);
void emitter_free(struct emitter *emitter);

#endif
