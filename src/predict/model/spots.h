/* Where the tokens of units were seen, in a few bytes each. A run has as many of them as it has
 * different events, and only those of the few units that are reported are looked at. */
#ifndef SERIATIM_PREDICT_MODEL_SPOTS_H
#define SERIATIM_PREDICT_MODEL_SPOTS_H

#include "base/map64.h"
#include "predict/model/unit_tokens.h"

/* Where a token was seen. */
struct st_spot {
    uint64_t number, loc;
};

/* Invariant: each list is, for each of its tokens, the distance from the number of the token before
 * it (from 0 for the first one), and the number that its location has in `locs`, both in groups of
 * seven bits, the lowest first, of which all but the last have the eighth bit. */
struct st_spots {
    unsigned char *bytes;
    size_t count, capacity;
    struct st_map64 locs;
};

void st_spots_init(struct st_spots *spots);
void st_spots_free(struct st_spots *spots);

/* Keeps those of some tokens, whose numbers ascend. Returns where the list begins. */
size_t st_spots_add(struct st_spots *spots, const struct st_seen_token *tokens, size_t count);

/* The spot of a token in the list that begins there. Reads all before it. */
struct st_spot st_spot_of(const struct st_spots *spots, size_t list, uint32_t token);

#endif
