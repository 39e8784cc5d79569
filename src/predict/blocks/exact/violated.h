/* Which transactions are violated in a part of a schedule that has no equivalent serial one. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_VIOLATED_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_VIOLATED_H

#include "predict/blocks/exact/schedule.h"

#define ST_NO_MOVE SIZE_MAX

/* How the search reached a unit. */
struct st_part_hop {
    uint32_t from;         /* place */
    size_t leaves, enters; /* moves; ST_NO_MOVE: by order */
};

/* A part of a schedule. Places are indices of its items. */
struct st_part {
    const struct st_group *group;
    const struct st_move *moves;
    size_t count;
    uint32_t *items;  /* ascending */
    uint32_t *places; /* of moves */
    size_t item_count;
    size_t *firsts;           /* by place: the first move */
    size_t *owns;             /* by move: the next one of the same item */
    size_t *nexts;            /* by move: the next one of the same variable or lock */
    struct st_part_hop *hops; /* by place */
    bool *reached;
    uint32_t *queue;
};

void st_part_init(struct st_part *part, const struct st_group *group, const struct st_move *moves,
                  size_t count);
void st_part_free(struct st_part *part);

/* Must the item at this place come before some other item by one of its moves, and after it by a
 * later one? `back` becomes the last hop of the chain. */
bool st_part_is_violated(struct st_part *part, uint32_t self, struct st_part_hop *back);

/* Does some unit of the whole group write one of the part's variables without reading it first? If
 * none does, no write can be hidden, and what is wrong with a part is wrong with the whole. */
bool st_part_has_blind_writes(const struct st_part *part);

/* A violated unit: what a finding needs. */
struct st_violated {
    uint32_t unit;
    struct st_place *events;
    size_t event_count;
    struct st_edge *path;
    size_t path_length;
    uint64_t *witness;
    size_t witness_length;
};

/* Fills in all but the unit. The schedule contains the part. */
void st_violated_fill(struct st_violated *found, const struct st_part *part, uint32_t self,
                      struct st_part_hop back, const struct st_schedule *schedule);
void st_violated_free(struct st_violated *found);

/* Fills in what is known about the block. */
void st_violated_explain(const struct st_violated *found, struct st_predicted_block *block);

#endif
