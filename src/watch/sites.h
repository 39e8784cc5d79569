/* Where something happened: a place in the code, the calls that led there and the locks held.
 *
 * All of them are numbers: equal calls, sets of locks and sites have equal ones. 0 is no call, no
 * lock. Recursion makes a new stack with every call: beyond ST_MOST_CALLS of them, a new one is
 * known without what led to it. */
#ifndef SERIATIM_WATCH_SITES_H
#define SERIATIM_WATCH_SITES_H

#include "watch/pairs.h"

enum { ST_MOST_CALLS = 1 << 16 };

/* All zero is empty. */
struct st_sites {
    struct st_pairs calls, locks, sites;
};

struct st_call {
    uint64_t function, called_from; /* return addresses; see ST_STREAM_ENTER */
    uint32_t caller;                /* the call around it, or 0 */
};

struct st_held {
    uint32_t lock; /* number */
    uint32_t rest; /* those acquired before it, or 0 */
};

struct st_site {
    uint64_t pc;
    uint32_t call, held;
};

void st_sites_free(struct st_sites *sites);

uint32_t st_sites_call(struct st_sites *sites, struct st_call call);
uint32_t st_sites_held(struct st_sites *sites, struct st_held held);

/* What was called and held, in one number; 0: nothing. */
typedef uint64_t st_context;
static inline st_context st_context_of(uint32_t call, uint32_t held) {
    return (st_context)held << 32 | call;
}

/* Sites are numbered from 0. */
static inline uint32_t st_sites_number(struct st_sites *sites, uint64_t pc, st_context context) {
    return st_pairs_number(&sites->sites, pc, context) - 1;
}
static inline uint32_t st_sites_count(const struct st_sites *sites) {
    return (uint32_t)sites->sites.count;
}

struct st_site st_site(const struct st_sites *sites, uint32_t number);
struct st_call st_call(const struct st_sites *sites, uint32_t call);
struct st_held st_held(const struct st_sites *sites, uint32_t held);

#endif
