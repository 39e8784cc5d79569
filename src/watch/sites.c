#include "watch/sites.h"

/* A call is three numbers in a pair: addresses have 48 bits, so the caller's halves go on top. */
enum { ADDRESS_BITS = 48, HALF = 16 };
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)

void st_sites_free(struct st_sites *sites) {
    st_pairs_free(&sites->calls);
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
    uint32_t known = st_pairs_find(&sites->calls, pair.a, pair.b);
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

uint32_t st_sites_held(struct st_sites *sites, struct st_held held) {
    return st_pairs_number(&sites->locks, held.lock, held.rest);
}

struct st_held st_held(const struct st_sites *sites, uint32_t held) {
    struct st_pair pair = sites->locks.list[held - 1];
    return (struct st_held){(uint32_t)pair.a, (uint32_t)pair.b};
}

struct st_site st_site(const struct st_sites *sites, uint32_t number) {
    struct st_pair site = sites->sites.list[number];
    return (struct st_site){site.a, (uint32_t)site.b, (uint32_t)(site.b >> 32)};
}
