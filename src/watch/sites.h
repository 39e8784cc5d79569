/* Where something happened: a place in the code, the calls that led there and the locks held.
 *
 * All of them are numbers: equal calls, sets of locks and sites have equal ones. 0 is no call, no
 * lock. Recursion makes a new stack with every call: beyond ST_MOST_CALLS of them, a new one is
 * known without what led to it. */
#ifndef SERIATIM_WATCH_SITES_H
#define SERIATIM_WATCH_SITES_H

#include "base/hash_table.h"

/* ---- pairs of numbers as numbers ---- */

struct st_pair {
    uint64_t a, b;
};

/* Each distinct pair gets the next number, starting from 1. Invariant: pair number n is list[n -
 * 1]. All zero is empty. */
struct st_pairs {
    struct st_hash_table table;
    struct st_pair *list;
    size_t count, capacity;
};

void st_pairs_free(struct st_pairs *pairs);
uint32_t st_pairs_number_slow(struct st_pairs *pairs, struct st_pair pair);

/* Every bit of both counts, the highest too: pairs may differ in nothing else. */
static inline uint64_t st_pair_hash(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

/* The number of the pair, new or known. */
static inline uint32_t st_pairs_number(struct st_pairs *pairs, uint64_t a, uint64_t b) {
    if (__builtin_expect(pairs->table.slot_count != 0, 1)) {
        const uint64_t *slot = st_hash_slot(&pairs->table, 2, st_pair_hash(a, b));
        if (__builtin_expect(slot[0] == a && slot[1] == b && slot[2], 1))
            return (uint32_t)slot[2];
    }
    return st_pairs_number_slow(pairs, (struct st_pair){a, b});
}

/* ---- sites ---- */

enum { ST_MOST_CALLS = 1 << 16 };

/* All zero is empty. */
struct st_sites {
    struct st_pairs calls, acquires, locks, sites;
};

struct st_call {
    uint64_t function, called_from; /* return addresses; see ST_STREAM_ENTER */
    uint32_t caller;                /* the call around it, or 0 */
};

/* Where a lock was acquired. */
struct st_acquire {
    uint64_t pc;
    uint32_t call;
};

struct st_held {
    uint32_t lock;     /* number, as in struct st_held_row */
    uint32_t rest;     /* those acquired before it, or 0 */
    uint32_t acquired; /* number of an acquire, or 0 */
};

struct st_site {
    uint64_t pc;
    uint32_t call, held;
};

void st_sites_free(struct st_sites *sites);

uint32_t st_sites_call(struct st_sites *sites, struct st_call call);
uint32_t st_sites_acquire(struct st_sites *sites, struct st_acquire acquire);
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
struct st_acquire st_acquire(const struct st_sites *sites, uint32_t acquire);
struct st_held st_held(const struct st_sites *sites, uint32_t held);

/* ---- what a thread called and held in earlier epochs, for deferred accesses ---- */

/* From an epoch on; numbers of the sites. */
struct st_past_context {
    uint64_t epoch;
    uint32_t call, held;
};

/* The last ones; what is older is forgotten. All zero: none are kept. */
enum { ST_PAST_CONTEXTS = 1024 };
struct st_past {
    struct st_past_context *ring;
    size_t count; /* of all that were added */
};

void st_past_keep(struct st_past *past);
void st_past_free(struct st_past *past);

static inline void st_past_add(struct st_past *past, struct st_past_context context) {
    if (past->ring)
        past->ring[past->count++ % ST_PAST_CONTEXTS] = context;
}

/* The context in that epoch; all zero when it is forgotten. */
struct st_past_context st_past_find(const struct st_past *past, uint64_t epoch);

#endif
