/* The events of a long run that count for any analysis, with their numbers.
 *
 * Left out is what no answer can depend on:
 *  - accesses to variables that only one thread uses, or that nobody writes: such a read sees its
 *    couple in every schedule, such an access is in no conflict, and units have none of them
 *    (predict/model/model.h);
 *  - with st_model_options.ends_only, accesses to inner variables: see below;
 *  - begins and ends of blocks inside so many others that nobody judges them;
 *  - if only data counts, blocks inside others of which nothing else is kept: they are atomic, and
 *    only counted. (By locks, one may be what makes a critical section span several units.)
 * A schedule without them becomes one with them: each is put directly before the next event of its
 * thread that is there. And the other way round.
 *
 * An access to an inner variable is put directly behind the one to the first variable of its row,
 * and then sees what that sees, as it did in the trace. So whatever is proven without inner
 * variables holds with them. The other way round is not shown: a schedule that cuts a block by way
 * of three variables of one row may have no counterpart. If values are known, an inner variable can
 * have another value than the first one, so all of them are kept.
 *
 * What a thread does directly after a release, an acquire or a receive is kept even so, because
 * what follows directly makes a condition wait, or a reader-writer lock. So are atomic operations,
 * which consist of events that follow each other. */
#ifndef SERIATIM_PREDICT_EXCERPT_H
#define SERIATIM_PREDICT_EXCERPT_H

#include "predict/model/model.h"

struct st_excerpt {
    bool is_used;
    unsigned depths;  /* blocks inside fewer others than this keep their marks; 0 counts as 1 */
    size_t memory;    /* bytes that it may take; 0: any amount */
    bool keeps_inner; /* accesses to inner variables (model.h) are there, too */
    struct st_event *events;
    uint64_t *numbers;
    size_t count, event_capacity, number_capacity;
    uint64_t last_kept; /* 0: nothing is missing. Otherwise the last event before memory ran out */
    struct st_name_counts *empty; /* by depth: blocks that are not there, because they did nothing
                                   * that counts */
    size_t empty_capacity;
    struct st_excerpt_thread *threads;
    size_t thread_capacity;
};

/* Is a run of so many events better kept as an excerpt, if there is room for so many bytes? One
 * that is short enough is kept whole, so that schedules show everything that happens in them. */
bool st_excerpt_pays(uint64_t events, size_t room);

/* How many events of an excerpt can be searched in so many bytes, besides the excerpt itself? */
size_t st_excerpt_searchable(const struct st_excerpt *excerpt, size_t room);

/* The next events of the run; the model knows its variables. */
void st_excerpt_feed(struct st_excerpt *excerpt, const struct st_model *model,
                     const struct st_event *events, size_t count, uint64_t first);

/* Keeps no more than can be searched in so many bytes, since something else needs the memory. False
 * if it is that small already. */
bool st_excerpt_shrink(struct st_excerpt *excerpt, size_t room);

/* There are no more. */
void st_excerpt_finish(struct st_excerpt *excerpt);
void st_excerpt_free(struct st_excerpt *excerpt);

#endif
