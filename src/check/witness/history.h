/* The past states of a thread.
 *
 * Of an access only the number of its event is kept (last_access.h). All else that counts of it is
 * the local time of its thread at that event, and what happened before that. The same holds for
 * deferred accesses (witness.h), but they are known by their position: a number that grows along
 * the thread's events.
 *
 * It keeps the moments that can still matter: those whose time is alive, and the last one. */
#ifndef SERIATIM_CHECK_WITNESS_HISTORY_H
#define SERIATIM_CHECK_WITNESS_HISTORY_H

#include "check/witness/open_before.h"

/* The state of a thread from an event on, until the next moment. */
struct st_moment {
    uint64_t position; /* of the event; 0 unless the caller gives positions */
    uint64_t number;   /* of the event */
    struct st_open_before *before;
    st_time time;
};

/* Invariant: numbers grow from one moment to the next, and positions and times do not fall. */
struct st_history {
    struct st_moment *items; /* from `start` on; what is before is forgotten */
    size_t start, count, capacity;
    size_t thin_at; /* the count at which equivalent neighbours are merged */
    uint64_t last;  /* the position of the thread's last event */
};

void st_history_free(struct st_history *history);
size_t st_history_memory(const struct st_history *history);

/* In place of the newest moment if that is of the same event. True: there are so many by now that
 * they should be thinned. */
bool st_history_add(struct st_history *history, const struct st_moment *moment, st_time live_from);

/* Forgets the moments before the local time live_from, but for the last one. */
void st_history_forget(struct st_history *history, st_time live_from);

/* The moment that the position belongs to; NULL: it is forgotten. */
const struct st_moment *st_history_find(const struct st_history *history, uint64_t position);

/* The moment that this event of the thread belongs to, or the oldest one if that is forgotten.
 * There must be some. */
const struct st_moment *st_history_at(const struct st_history *history, uint64_t number);

/* The event from which on the local time is `time` or a later one; UINT64_MAX: none yet. */
uint64_t st_history_since(const struct st_history *history, st_time time);

/* The oldest and the newest moment; NULL: there is none. */
static inline struct st_moment *st_history_first(const struct st_history *history) {
    return history->count ? &history->items[history->start] : NULL;
}
static inline struct st_moment *st_history_latest(const struct st_history *history) {
    return history->count ? &history->items[history->start + history->count - 1] : NULL;
}

/* The same as st_history_add if all moments before are dead, at local times before live_from; else
 * false. Most blocks are short and nobody depends on them, and then this is so. */
static inline bool st_history_restart(struct st_history *history, const struct st_moment *moment,
                                      st_time live_from) {
    if (!history->count || st_history_latest(history)->time >= live_from)
        return false;
    history->start = 0;
    history->count = 1;
    history->items[0] = *moment;
    return true;
}

/* Forgets the newest moment: what belongs to it then belongs to the one before. The only one stays.
 */
void st_history_undo(struct st_history *history);

/* Merges neighbours that `alike` finds equivalent: the older one stays. */
void st_history_thin(struct st_history *history,
                     bool (*alike)(void *context, const struct st_moment *older,
                                   const struct st_moment *newer),
                     void *context);

#endif
