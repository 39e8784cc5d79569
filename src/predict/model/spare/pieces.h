/* Units in pieces: each access by itself, with the critical sections around it.
 *
 * A search for a path (predict/commit/path_search.h) asks of the units that it passes only which
 * accesses they have, under which locks, in which thread and period, and which units of a thread
 * come before which. A path that enters a unit can leave it by any of its accesses. So each piece
 * begins and ends with its unit: then any piece of a unit comes before any other one, as
 * st_unit_before goes, as well as before all pieces of the thread's later units. And pieces that
 * are alike are one unit from the begin of the first to the end of the last, which has a way to
 * whatever comes after the first of them, and from whatever comes before the last. So a path leads
 * from piece to piece if, and only if, one leads from unit to unit.
 *
 * What is unlike in pieces is much less than what is unlike in units: a server that handles each
 * request in a block of its own uses the same few million words in ever other combinations.
 *
 * A read is left out if its unit writes the variable under the same locks, too: what meets the
 * read meets that write, at the same node.
 *
 * What pieces cannot show is their own nodes. These are asked for only of transactions that are
 * judged, and so those are there as a whole. */
#ifndef SERIATIM_PREDICT_MODEL_SPARE_PIECES_H
#define SERIATIM_PREDICT_MODEL_SPARE_PIECES_H

#include "predict/model/model.h"

/* Room for cutting a unit. Starts as all zero. */
struct st_cutter {
    size_t *ends; /* by token: for an acquire its release, or the number of tokens */
    size_t end_capacity;
    size_t *open; /* acquires whose sections are open, in their order */
    size_t open_count, open_capacity;
    uint32_t *from_before; /* locks held since before the unit */
    size_t from_before_count, from_before_capacity;
    uint32_t *sets; /* by token: the locks held there */
    size_t set_capacity;
    uint64_t *writes; /* variables, and in the lower half under which locks; ascending */
    size_t write_count, write_capacity;
    struct st_seen_token *tokens; /* of a piece */
    size_t token_capacity;
};

void st_cutter_free(struct st_cutter *cutter);

typedef void st_take_piece(void *context, const struct st_token *what,
                           const struct st_locked_tokens *piece);

/* By locks: gives each piece of the unit, and `what` it is, an access or an acquire. It matters
 * whether a critical section is within the unit, so each section is a piece, too, and pieces have
 * the acquires and releases around them. */
void st_cut_unit(struct st_cutter *cutter, struct st_model *model,
                 const struct st_locked_tokens *unit, st_take_piece *take, void *context);

typedef void st_take_access(void *context, const struct st_seen_token *access, uint32_t lockset);

/* By data, only accesses are pieces (piece_table.h): gives them, and the locks that are held there.
 */
void st_cut_into_accesses(struct st_cutter *cutter, struct st_model *model,
                          const struct st_locked_tokens *unit, st_take_access *take, void *context);

#endif
