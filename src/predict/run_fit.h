/* How much of a run fits into memory. If the analyses have used up what they may, the run ends for
 * them where they are, and the blocks that begin later are counted. */
#ifndef SERIATIM_PREDICT_RUN_FIT_H
#define SERIATIM_PREDICT_RUN_FIT_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>

/* Events of a run, and their numbers: numbers[i], or first + i if that is NULL. */
struct st_event_batch {
    const struct st_event *events;
    const uint64_t *numbers;
    uint64_t first;
    size_t count;
};

static inline uint64_t st_batch_number(const struct st_event_batch *batch, size_t index) {
    return batch->numbers ? batch->numbers[index] : batch->first + index;
}

struct st_run_fit {
    size_t memory;        /* bytes that the process may use; 0: any amount */
    uint64_t last_judged; /* 0: the run is judged as a whole. Otherwise to this event: there was
                           * no memory for more */
    /* Outermost blocks that begin after it, by name + 1; 0: without one. */
    uint64_t *unjudged_by_name;
    size_t unjudged_names;
    uint64_t looked;  /* the event at which somebody last looked how much memory there is */
    uint32_t *depths; /* by thread: open blocks, in the last pass */
    size_t depth_capacity;
};

void st_run_fit_free(struct st_run_fit *fit);

/* How many events of the batch are judged. In the last pass, the blocks of the rest are counted. */
size_t st_run_fit_count(struct st_run_fit *fit, const struct st_event_batch *batch, bool last_pass);

/* They were taken in. Is the memory used up, if it takes so many more bytes to judge them? */
bool st_run_fit_is_full(struct st_run_fit *fit, uint64_t last, size_t judging);

/* The run ends here for all that follows, later passes included. A later pass, which keeps other
 * things, may end it earlier. */
static inline void st_run_fit_end_at(struct st_run_fit *fit, uint64_t last) {
    fit->last_judged = last;
}

/* The pass is over. */
void st_run_fit_end_pass(struct st_run_fit *fit);

/* The last pass comes once more, for other blocks. */
void st_run_fit_restart(struct st_run_fit *fit);

/* What is left, apart from so many bytes that are spoken for. 0: any amount. */
size_t st_run_fit_room(const struct st_run_fit *fit, size_t spoken_for);

#endif
