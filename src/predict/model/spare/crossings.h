/* From which positions of a thread another thread can be entered, and where.
 *
 * A path that has come to a unit can go on, by the order of the thread, from every piece that ends
 * later. So all there is to know of a path's way so far is, for each group of units
 * (piece_table.h), the first position that it has come to; and where it can go from there, say a
 * few pairs of pieces that meet: an earlier begin of the second is only worth something if the
 * first must then end earlier. Of each two groups only these pairs are kept, however many pieces
 * there are. */
#ifndef SERIATIM_PREDICT_MODEL_SPARE_CROSSINGS_H
#define SERIATIM_PREDICT_MODEL_SPARE_CROSSINGS_H

#include "base/map64.h"
#include "predict/model/spare/piece_table.h"

/* From a piece of one group to one of another that it meets, as positions. */
struct st_crossing {
    uint64_t end, begin;     /* of the first, and of the second */
    uint32_t leaves, enters; /* those pieces */
};

/* Between two groups. Invariant, once all are made: `end` and `begin` both ascend. */
struct st_crossing_list {
    uint32_t from, to; /* groups */
    struct st_crossing *items;
    size_t count, capacity;
    size_t sorted; /* so many are in order, the others came later */
};

struct st_crossings {
    struct st_crossing_list *lists; /* by the groups that they lead from */
    size_t list_count, list_capacity;
    size_t *first;           /* by group: its first list; after the last, how many there are */
    struct st_map64 numbers; /* of lists, by their groups. While they are made */
    uint32_t *order;         /* all groups: those of a chain are next to each other, in its order */
    uint32_t *latest; /* the last period of the group at this place, and of those of its chain
                       * before it */
};

/* Those of a finished table. Variables from `first_signal` on are left by writes only: a signal is
 * given before it is taken. */
void st_crossings_make(struct st_crossings *crossings, const struct st_piece_table *table,
                       const struct st_periods *periods, uint32_t first_signal);
void st_crossings_free(struct st_crossings *crossings);

/* The groups that can run at the same time as that one. `near` has room for all; returns how many
 * there are. */
size_t st_crossings_near(const struct st_crossings *crossings, const struct st_piece_table *table,
                         const struct st_periods *periods, const struct st_piece_group *group,
                         uint32_t *near);

/* The crossing with the earliest begin of those that can be taken from that position. NULL: there
 * are none. */
const struct st_crossing *st_crossing_from(const struct st_crossing_list *list, uint64_t position);

#endif
