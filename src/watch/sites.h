/* Where something happened: a place in the code, the calls that led there and the locks held.
 *
 * All of them are numbers: equal calls, sets of locks and sites have equal ones. 0 is no call, no
 * lock. Recursion makes a new stack with every call: beyond ST_MOST_CALLS of them, a new one is
 * known without what led to it.
 *
 * A site is a place and the calls that led there. The locks held there are no part of it: a program
 * with a lock for each of its objects would have a site for each of them at each place, in a table
 * that no cache holds, and each access is looked up there. So a location has both numbers in it. */
#ifndef SERIATIM_WATCH_SITES_H
#define SERIATIM_WATCH_SITES_H

#include "base/hash_table.h"
#include "trace/event.h"
#include "trace/symbols.h"

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

/* The number of the pair if it is known and where it belongs; otherwise 0. */
static inline uint32_t st_pairs_at_once(const struct st_pairs *pairs, uint64_t a, uint64_t b) {
    if (__builtin_expect(pairs->table.slot_count == 0, 0))
        return 0;
    const uint64_t *slot = st_hash_slot(&pairs->table, 2, st_pair_hash(a, b));
    return slot[0] == a && slot[1] == b ? (uint32_t)slot[2] : 0;
}

/* The number of the pair, new or known. */
static inline uint32_t st_pairs_number(struct st_pairs *pairs, uint64_t a, uint64_t b) {
    uint32_t known = st_pairs_at_once(pairs, a, b);
    return __builtin_expect(known != 0, 1) ? known
                                           : st_pairs_number_slow(pairs, (struct st_pair){a, b});
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
    uint32_t call;
};

void st_sites_free(struct st_sites *sites);

uint32_t st_sites_call(struct st_sites *sites, struct st_call call);
uint32_t st_sites_acquire(struct st_sites *sites, struct st_acquire acquire);
uint32_t st_sites_held(struct st_sites *sites, struct st_held held);

/* Sites are numbered from 0. As soon as there are ST_MOST_SITES, a new one is known without the
 * calls that led there; should code have more places than that, without the place as well. */
enum { ST_SITE_BITS = 24, ST_MOST_SITES = 1 << 23 };
uint32_t st_sites_number_slow(struct st_sites *sites, struct st_site site);
static inline uint32_t st_sites_number(struct st_sites *sites, uint64_t pc, uint32_t call) {
    uint32_t known = st_pairs_at_once(&sites->sites, pc, call);
    return __builtin_expect(known != 0, 1)
               ? known - 1
               : st_sites_number_slow(sites, (struct st_site){pc, call});
}
static inline uint32_t st_sites_count(const struct st_sites *sites) {
    return (uint32_t)sites->sites.count;
}

struct st_site st_site(const struct st_sites *sites, uint32_t number);
struct st_call st_call(const struct st_sites *sites, uint32_t call);
struct st_acquire st_acquire(const struct st_sites *sites, uint32_t acquire);
struct st_held st_held(const struct st_sites *sites, uint32_t held);

/* ---- locations ---- */

/* The location of an event at the site, with that set of locks or ST_HELD_UNKNOWN. A set whose
 * number does not fit is unknown. */
enum { ST_SET_BITS = 47 - ST_SITE_BITS, ST_SET_UNKNOWN = (1 << ST_SET_BITS) - 1 };
static inline uint64_t st_location_of(uint32_t site, uint32_t held) {
    uint64_t set = __builtin_expect(held < ST_SET_UNKNOWN, 1) ? held : ST_SET_UNKNOWN;
    return ST_LOC_NAME | set << ST_SITE_BITS | site;
}

/* What st_location_of made the location from; `number` is UINT32_MAX if it made it from no site. */
struct st_site_at {
    uint32_t number, held;
};
static inline struct st_site_at st_site_at(const struct st_sites *sites, uint64_t loc) {
    uint32_t number = loc & ((UINT32_C(1) << ST_SITE_BITS) - 1);
    uint32_t set = (loc & ~ST_LOC_NAME) >> ST_SITE_BITS;
    if (!(loc & ST_LOC_NAME) || number >= st_sites_count(sites))
        return (struct st_site_at){UINT32_MAX, 0};
    return (struct st_site_at){number, set == ST_SET_UNKNOWN ? ST_HELD_UNKNOWN : set};
}

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
