/* The event model: what one line of a trace means to everyone downstream of the readers.
 *
 * Names are numbers here. Each kind of name (thread, variable, lock, block, location, channel) has
 * its own dense numbering from 0 in order of first appearance; struct st_symbols turns them back.
 *
 * A channel carries order and nothing else: each send happens before each later receive of the
 * same channel, but neither sends nor receives order each other. That is what all other
 * synchronisation is made of: docs/trace-format.md says how. */
#ifndef SERIATIM_TRACE_EVENT_H
#define SERIATIM_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum st_op {
    ST_READ,    /* target: variable */
    ST_WRITE,   /* target: variable */
    ST_ACQUIRE, /* target: lock */
    ST_RELEASE, /* target: lock */
    ST_FORK,    /* target: thread */
    ST_JOIN,    /* target: thread */
    ST_BEGIN,   /* target: block name, or ST_NO_NAME */
    ST_END,     /* target: block name as written, or ST_NO_NAME; it has no meaning */
    ST_SEND,    /* target: channel */
    ST_RECEIVE, /* target: channel */
    ST_OP_COUNT,
    /* What `op` becomes if the event must have no effect; `written` keeps the operation. All but
     * the dropped are still events of their thread: its fork happens before them, and they happen
     * before its join. */
    ST_NESTED = ST_OP_COUNT, /* re-entrant acquire, or the release that matches one */
    ST_UNMARKED,             /* begin or end of what the specification says is no block */
    ST_LOCKING,              /* on a lock, where locks make no order (trace/relation.h) */
    ST_DROPPED,              /* malformed, dropped by --repair: as if it were not there */
    /* An access that its thread made before events of the thread that came earlier in the stream.
     * Never in traces: only `run` defers accesses, and only witness takes them
     * (check/witness/witness.h). */
    ST_DEFERRED_READ,
    ST_DEFERRED_WRITE,
    /* Likewise only in `run`: variable `target` was a part of variable `loc` until now, so every
     * access to that was an access to it. */
    ST_SPLIT,
    /* Only inside of engines: variable `target` is forgotten here (check/engine.h). */
    ST_FORGET,
};

#define ST_NO_NAME UINT32_MAX

/* A location is a number as it stands in the trace, or (ST_LOC_NAME set) a location name. */
#define ST_LOC_NAME (UINT64_C(1) << 47)
#define ST_LOC_NUMBER_LIMIT ST_LOC_NAME

/* 16 bytes, so that a batch streams through the cache. Its number in the trace is implied by its
 * place: a batch starts at a known event number, and every event counts, dropped ones too. */
struct st_event {
    uint32_t thread;
    uint32_t target;
    uint64_t loc : 48;
    uint64_t written : 5; /* enum st_op as the trace has it */
    uint64_t fresh : 1;   /* a read or write, not atomic, of memory that its thread has allocated
                             since it last released anything (watch/memory/fresh.h); a begin,
                             only in `run`: the program counts how often it is executed */
    uint64_t atomic : 1;  /* a read or write by an atomic operation, which is no data race; a begin:
                             of what a thread starts with (ST_START_OF, ST_TURN_OF in symbols.h);
                             an acquire: by a call that would not have waited */
    uint64_t joined : 1;  /* atomic: by the same operation as the event before it in its thread;
                             a begin: the same call as the block of its depth that ended last */
    uint64_t op : 8;      /* enum st_op that counts; equal to `written` below ST_OP_COUNT */
};

_Static_assert(ST_FORGET < 1 << 5, "every operation fits into `written`");
_Static_assert(sizeof(struct st_event) == 16, "events are streamed in large arrays");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bit fields start at the lowest bit");

/* An event whose operation counts as it was written. It is put together in two numbers: gcc 12
 * would store the last fields one by one, which doubles the time of a loop that makes events, and
 * join the first two in a vector register. */
static inline struct st_event st_event_make(uint32_t thread, uint32_t target, uint64_t loc,
                                            uint64_t op) {
    uint64_t image[] = {thread | (uint64_t)target << 32, loc | op << 48 | op << 56};
    struct st_event event;
    memcpy(&event, image, sizeof event);
    return event;
}

/* Variables whose numbers follow each other. */
struct st_variable_run {
    uint32_t first, count;
};

/* "read", "write", ... as in messages, and "r", "w", ... as in STD text. */
const char *st_op_word(enum st_op op);
const char *st_op_std(enum st_op op);

#endif
