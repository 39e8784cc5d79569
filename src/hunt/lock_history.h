/* Which locks threads held at the points of a log, as far as points show it. */
#ifndef SERIATIM_HUNT_LOCK_HISTORY_H
#define SERIATIM_HUNT_LOCK_HISTORY_H

#include "stream/control.h"

#include <stdbool.h>

struct st_lock_history;

struct st_lock_history *st_lock_history_new(const struct st_control_log *log);
void st_lock_history_free(struct st_lock_history *history);

/* Does a lock keep what happened at the point `other` from happening between the points `first` and
 * `later` of another thread? It does if that thread holds it all the time, and the other one held
 * it, too, not both for reading. */
bool st_locks_exclude(const struct st_lock_history *history, uint32_t first, uint32_t later,
                      uint32_t other);

/* Has a thread released all locks by the point `later` that it held at `point`? */
bool st_locks_are_released(const struct st_lock_history *history, uint32_t point, uint32_t later);

#endif
