/* An access as `witness` keeps it: whose it was, the number of its event, and where it was.
 *
 * What happened before it, and at which local time of its thread it was, is in the history of the
 * thread (history.h), by that number. So an access takes 16 bytes, and whether it can still matter
 * is a comparison of two numbers. */
#ifndef SERIATIM_CHECK_WITNESS_LAST_ACCESS_H
#define SERIATIM_CHECK_WITNESS_LAST_ACCESS_H

#include "trace/event.h"

/* The engine gives up behind so many events, a trillion, and at a thread with a higher number. */
#ifndef ST_ACCESS_NUMBER_BITS
#define ST_ACCESS_NUMBER_BITS 40
#endif
#define ST_MOST_EVENTS ((UINT64_C(1) << ST_ACCESS_NUMBER_BITS) - 2)
#define ST_MOST_THREADS (UINT32_C(1) << 23)
#define ST_OUT_OF_NUMBERS "there are too many events or threads for this engine"

struct st_last_access {
    uint64_t when; /* the thread, and below it the number of the event; 0: none, nor is `what` */
    uint64_t what; /* the second half of the event, of which location and `atomic` have a meaning */
};

/* Accesses of the thread from that event on; UINT64_MAX: none. Compares with st_last_access.when.
 */
static inline uint64_t st_access_when(uint32_t thread, uint64_t number) {
    uint64_t most = ST_MOST_EVENTS + 1;
    return (uint64_t)thread << ST_ACCESS_NUMBER_BITS | (number < most ? number : most);
}

/* Negative: no single thread's (variable_state.h). */
static inline int64_t st_access_thread(const struct st_last_access *access) {
    return (int64_t)access->when >> ST_ACCESS_NUMBER_BITS;
}

static inline uint64_t st_access_number(const struct st_last_access *access) {
    return access->when & (ST_MOST_EVENTS + 1);
}

static inline struct st_last_access st_access_make(const struct st_event *event, uint32_t thread,
                                                   uint64_t number) {
    struct st_last_access access = {(uint64_t)thread << ST_ACCESS_NUMBER_BITS | number, 0};
    memcpy(&access.what, (const char *)event + sizeof *event - sizeof access.what,
           sizeof access.what);
    return access;
}

/* The event, but for its target, as an operation of that kind. */
static inline struct st_event st_access_event(const struct st_last_access *access, enum st_op op) {
    enum { ATOMIC = 54 }; /* the bit that struct st_event has there */
    struct st_event event = {.thread = (uint32_t)st_access_thread(access),
                             .loc = access->what & (ST_LOC_NAME | (ST_LOC_NAME - 1)),
                             .atomic = access->what >> ATOMIC & 1,
                             .written = op,
                             .op = op};
    return event;
}

/* From which event on a thread's accesses can still matter, by thread, as st_access_when. What is
 * older is dead for good. live[-1] is 0. Can the access still matter to thread t? */
static inline bool st_access_matters(const struct st_last_access *access, uint32_t t,
                                     const uint64_t *live) {
    int64_t thread = st_access_thread(access);
    return (thread != t) & (access->when >= live[thread]);
}

#endif
