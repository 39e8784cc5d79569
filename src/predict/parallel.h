/* The same work for many things at once. */
#ifndef SERIATIM_PREDICT_PARALLEL_H
#define SERIATIM_PREDICT_PARALLEL_H

#include <stddef.h>

/* Calls work(context, i) once for each i below count, from `jobs` threads (0 counts as 1), and
 * returns when all are done. Which thread gets which i, and when, is open: what `work` does for
 * one i must not depend on the others. */
void st_parallel(unsigned jobs, size_t count, void (*work)(void *context, size_t index),
                 void *context);

#endif
