#include "finding/shares.h"

#include "base/memory.h"

#include <stdlib.h>

/* Blocks without a name are UINT32_MAX, which becomes 0. */
static size_t number_of(uint32_t name) {
    return (uint32_t)(name + 1);
}

void st_shares_free(struct st_shares *shares) {
    free(shares->names);
    free(shares->older);
    free(shares->first);
}

size_t st_shares_memory(const struct st_shares *shares) {
    return shares->name_capacity * sizeof *shares->names +
           shares->older_capacity * sizeof *shares->older +
           shares->first_capacity * sizeof *shares->first;
}

/* Out of the list of the names that have as many. */
static void unlink_name(struct st_shares *shares, size_t number) {
    struct st_share *share = &shares->names[number];
    if (share->previous)
        shares->names[share->previous - 1].next = share->next;
    else
        shares->first[share->kept] = share->next;
    if (share->next)
        shares->names[share->next - 1].previous = share->previous;
}

static void link_name(struct st_shares *shares, size_t number) {
    struct st_share *share = &shares->names[number];
    st_reserve(&shares->first, &shares->first_capacity, share->kept + 1);
    share->previous = 0;
    share->next = shares->first[share->kept];
    if (share->next)
        shares->names[share->next - 1].previous = number + 1;
    shares->first[share->kept] = number + 1;
}

/* Names that have nothing are in no list. */
static void set_kept(struct st_shares *shares, size_t number, size_t kept) {
    struct st_share *share = &shares->names[number];
    if (share->kept)
        unlink_name(shares, number);
    share->kept = kept;
    if (kept)
        link_name(shares, number);
}

void st_shares_add(struct st_shares *shares, uint32_t name, size_t place) {
    size_t number = number_of(name);
    st_reserve(&shares->names, &shares->name_capacity, number + 1);
    st_reserve(&shares->older, &shares->older_capacity, place + 1);
    struct st_share *share = &shares->names[number];
    shares->older[place] = share->newest;
    share->newest = place + 1;
    set_kept(shares, number, share->kept + 1);
    if (share->kept > shares->most)
        shares->most = share->kept;
}

size_t st_shares_kept(const struct st_shares *shares, uint32_t name) {
    size_t number = number_of(name);
    return number < shares->name_capacity ? shares->names[number].kept : 0;
}

bool st_shares_yield(const struct st_shares *shares, uint32_t name) {
    return shares->most >= st_shares_kept(shares, name) + 2;
}

size_t st_shares_take(struct st_shares *shares) {
    size_t number = shares->first[shares->most] - 1;
    struct st_share *share = &shares->names[number];
    size_t place = share->newest - 1;
    share->newest = shares->older[place];
    set_kept(shares, number, share->kept - 1);
    /* The name that gave way has one fewer, so the largest count falls by one at most. */
    if (!shares->first[shares->most])
        shares->most--;
    return place;
}
