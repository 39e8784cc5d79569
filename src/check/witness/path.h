/* The way out of a block and back, made shorter. */
#ifndef SERIATIM_CHECK_WITNESS_PATH_H
#define SERIATIM_CHECK_WITNESS_PATH_H

#include "finding/finding.h"

/* Leaves out what a direct dependence between events of the path spares. Returns its length. The
 * numbers of variables were given to others after event `forgotten_at` at the latest (0: never), so
 * two accesses are known to be of one variable only if the first comes after that. */
size_t st_path_shorten(struct st_edge *path, size_t length, uint64_t forgotten_at);

#endif
