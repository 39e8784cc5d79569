#include "predict/model/spots.h"

#include "base/memory.h"

#include <stdlib.h>

void st_spots_init(struct st_spots *spots) {
    *spots = (struct st_spots){0};
    st_map64_init(&spots->locs);
}

void st_spots_free(struct st_spots *spots) {
    st_free_table(spots->bytes, spots->capacity, 1);
    st_map64_free(&spots->locs);
}

static void put(struct st_spots *spots, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        spots->bytes[spots->count++] = (unsigned char)(value | 0x80);
    spots->bytes[spots->count++] = (unsigned char)value;
}

size_t st_spots_add(struct st_spots *spots, const struct st_seen_token *tokens, size_t count) {
    enum { MOST_BYTES = 10 + 5 }; /* of a number and a location */
    size_t list = spots->count;
    uint64_t last = 0;
    st_reserve_table(&spots->bytes, &spots->capacity, list + count * MOST_BYTES);
    for (size_t i = 0; i < count; i++) {
        put(spots, tokens[i].number - last);
        put(spots, st_map64_number(&spots->locs, tokens[i].loc));
        last = tokens[i].number;
    }
    return list;
}

static uint64_t get(const unsigned char **at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

struct st_spot st_spot_of(const struct st_spots *spots, size_t list, uint32_t token) {
    const unsigned char *at = spots->bytes + list;
    uint64_t number = get(&at), loc = get(&at);
    for (uint32_t i = 0; i < token; i++) {
        number += get(&at);
        loc = get(&at);
    }
    return (struct st_spot){number, spots->locs.ids[loc]};
}
