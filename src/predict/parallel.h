/* Work that consists of many independent pieces, on several threads. */
#ifndef SERIATIM_PREDICT_PARALLEL_H
#define SERIATIM_PREDICT_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

struct st_total_time;

/* Calls work(context, worker, index) for each index below `count`, on up to `jobs` threads (0
 * counts as 1). Workers are numbered from 0 and do one piece at a time, so that each can have
 * something of its own. Pieces are started in ascending order. Returns when all are done. */
void st_parallel(unsigned jobs, size_t count,
                 void (*work)(void *context, unsigned worker, size_t index), void *context);

/* The same, but no piece is started once the time is up: false if some were not. */
bool st_parallel_until(const struct st_total_time *total, unsigned jobs, size_t count,
                       void (*work)(void *context, unsigned worker, size_t index), void *context);

#endif
