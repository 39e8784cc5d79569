/* Pieces of units, as they are kept if only data counts (pieces.h): each is one access under some
 * locks, from the begin of the first unit that has it to the end of the last one.
 *
 * Of units that do nothing alike, pieces are the better part of what is kept, so a piece takes 40
 * bytes. As units with a shape, and trees to meet others in, they took 330.
 *
 * Units of one thread that begin in one period and end in one are a *group*. What can run at the
 * same time is the same for all of a group, so pieces know only that. */
#ifndef SERIATIM_PREDICT_MODEL_SPARE_PIECE_TABLE_H
#define SERIATIM_PREDICT_MODEL_SPARE_PIECE_TABLE_H

#include "base/number_table.h"
#include "predict/model/periods.h"

struct st_piece {
    uint32_t variable, lockset;
    uint32_t group : 31;
    uint32_t writes : 1;
    uint32_t loc;        /* of the first such access: its number in st_model.unit_spots.locs */
    uint64_t number;     /* its event */
    uint64_t begin, end; /* of the first and of the last unit */
};

struct st_piece_group {
    uint32_t thread, first_period, last_period;
};

/* Starts as all zero. Invariant: no two pieces are alike in variable, lockset, group and kind.
 * Once it is finished, pieces are sorted by variable, lockset and group. */
struct st_piece_table {
    struct st_piece *items;
    size_t count, capacity;
    struct st_number_table numbers;
    struct st_piece_group *groups;
    size_t group_count, group_capacity;
    struct st_number_table group_numbers;
    uint32_t *first; /* by variable: the first of its pieces, plus 1, or 0. Finished tables only */
    size_t variable_count;
};

void st_pieces_free(struct st_piece_table *table);

/* The group's number, new or known. */
uint32_t st_piece_group_of(struct st_piece_table *table, const struct st_piece_group *like);

/* Adds a piece, or lets one that is like it last to the end of this one. Returns the piece if it
 * was added: its `loc` is for the caller to fill in. Otherwise NULL. */
struct st_piece *st_pieces_add(struct st_piece_table *table, const struct st_piece *piece);

/* There are no more. Variables are below `variable_count`. */
void st_pieces_finish(struct st_piece_table *table, size_t variable_count);

/* Those of a variable, in a finished table: items[first .. end). */
struct st_piece_range {
    size_t first, end;
};
struct st_piece_range st_pieces_of(const struct st_piece_table *table, uint32_t variable);

/* Can units of the groups run at the same time? */
bool st_groups_concurrent(const struct st_piece_group *left, const struct st_piece_group *right,
                          const struct st_periods *periods);

#endif
