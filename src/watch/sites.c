#include "watch/sites.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- pairs ---- */

enum { WIDTH = 2, FIRST_SLOTS = 256 };

void st_pairs_free(struct st_pairs *pairs) {
    st_hash_free(&pairs->table, WIDTH);
    free(pairs->list);
    *pairs = (struct st_pairs){0};
}

static uint64_t hash_of(const uint64_t *key) {
    return st_pair_hash(key[0], key[1]);
}

static uint64_t *find_slot(const struct st_pairs *pairs, struct st_pair pair) {
    const uint64_t key[WIDTH] = {pair.a, pair.b};
    return st_hash_find(&pairs->table, WIDTH, key, hash_of(key), NULL, NULL);
}

/* The number of the pair, or 0 if it has none. */
static uint32_t find_pair(const struct st_pairs *pairs, struct st_pair pair) {
    return pairs->table.slot_count ? (uint32_t)find_slot(pairs, pair)[WIDTH] : 0;
}

uint32_t st_pairs_number_slow(struct st_pairs *pairs, struct st_pair pair) {
    uint32_t known = find_pair(pairs, pair);
    if (known)
        return known;
    if (st_hash_is_full(&pairs->table))
        st_hash_grow(&pairs->table, WIDTH, FIRST_SLOTS, hash_of);
    const uint64_t key[WIDTH] = {pair.a, pair.b};
    st_hash_enter(&pairs->table, WIDTH, find_slot(pairs, pair), key, (uint32_t)pairs->count);
    st_reserve(&pairs->list, &pairs->capacity, pairs->count + 1);
    pairs->list[pairs->count++] = pair;
    return (uint32_t)pairs->count;
}

/* ---- sites ---- */

/* A call is three numbers in a pair: addresses have 48 bits, so the caller's halves go on top. */
enum { ADDRESS_BITS = 48, HALF = 16 };
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)

void st_sites_free(struct st_sites *sites) {
    st_pairs_free(&sites->calls);
    st_pairs_free(&sites->acquires);
    st_pairs_free(&sites->locks);
    st_pairs_free(&sites->sites);
}

static struct st_pair pair_of(struct st_call call) {
    uint64_t low = call.caller & 0xffff, high = call.caller >> HALF;
    return (struct st_pair){(call.function & ADDRESS_MASK) | low << ADDRESS_BITS,
                            (call.called_from & ADDRESS_MASK) | high << ADDRESS_BITS};
}

uint32_t st_sites_call(struct st_sites *sites, struct st_call call) {
    struct st_pair pair = pair_of(call);
    if (sites->calls.count < ST_MOST_CALLS)
        return st_pairs_number(&sites->calls, pair.a, pair.b);
    uint32_t known = find_pair(&sites->calls, pair);
    if (known)
        return known;
    call.caller = 0; /* of these there are as many as there are calls in the code */
    pair = pair_of(call);
    return st_pairs_number(&sites->calls, pair.a, pair.b);
}

struct st_call st_call(const struct st_sites *sites, uint32_t call) {
    struct st_pair pair = sites->calls.list[call - 1];
    return (struct st_call){
        .function = pair.a & ADDRESS_MASK,
        .called_from = pair.b & ADDRESS_MASK,
        .caller = (uint32_t)(pair.a >> ADDRESS_BITS | pair.b >> ADDRESS_BITS << HALF),
    };
}

uint32_t st_sites_acquire(struct st_sites *sites, struct st_acquire acquire) {
    return st_pairs_number(&sites->acquires, acquire.pc, acquire.call);
}

struct st_acquire st_acquire(const struct st_sites *sites, uint32_t acquire) {
    struct st_pair pair = sites->acquires.list[acquire - 1];
    return (struct st_acquire){pair.a, (uint32_t)pair.b};
}

uint32_t st_sites_held(struct st_sites *sites, struct st_held held) {
    return st_pairs_number(&sites->locks, (uint64_t)held.lock << 32 | held.rest, held.acquired);
}

struct st_held st_held(const struct st_sites *sites, uint32_t held) {
    struct st_pair pair = sites->locks.list[held - 1];
    return (struct st_held){(uint32_t)(pair.a >> 32), (uint32_t)pair.a, (uint32_t)pair.b};
}

uint32_t st_sites_number_slow(struct st_sites *sites, struct st_site site) {
    struct st_pairs *pairs = &sites->sites;
    if (pairs->count >= ST_MOST_SITES && !find_pair(pairs, (struct st_pair){site.pc, site.call})) {
        site.call = 0;
        if (pairs->count > ST_MOST_SITES + ST_MOST_SITES / 2)
            site.pc = 0;
    }
    return st_pairs_number(pairs, site.pc, site.call) - 1;
}

struct st_site st_site(const struct st_sites *sites, uint32_t number) {
    struct st_pair site = sites->sites.list[number];
    return (struct st_site){site.a, (uint32_t)site.b};
}

/* ---- earlier epochs ---- */

void st_past_keep(struct st_past *past) {
    past->ring = st_alloc(ST_PAST_CONTEXTS, sizeof *past->ring);
}

void st_past_free(struct st_past *past) {
    free(past->ring);
    *past = (struct st_past){0};
}

struct st_past_context st_past_find(const struct st_past *past, uint64_t epoch) {
    size_t end = past->count, oldest = end > ST_PAST_CONTEXTS ? end - ST_PAST_CONTEXTS : 0, at;
    st_lower_bound(at, oldest, end, past->ring[at % ST_PAST_CONTEXTS].epoch <= epoch);
    return at == oldest ? (struct st_past_context){0} : past->ring[(at - 1) % ST_PAST_CONTEXTS];
}
