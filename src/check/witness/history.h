/* The past states of a thread, for deferred accesses.
 *
 * An access to memory that no other thread has used is emitted only when another thread comes to
 * the same memory. All that counts of it is the local time of its thread, and what happened before
 * that, at its position: a number that grows along the thread's events.
 *
 * It keeps the moments that can still matter: those whose time is alive, and the last one. */
#ifndef SERIATIM_CHECK_WITNESS_HISTORY_H
#define SERIATIM_CHECK_WITNESS_HISTORY_H

#include "check/witness/open_before.h"

/* The state of a thread from a position on, until the next moment. */
struct st_moment {
    uint64_t position;
    uint64_t number; /* of the event that made it so */
    struct st_open_before *before;
    st_time time;
};

/* Invariant: positions, numbers and times do not fall from one moment to the next. */
struct st_history {
    struct st_moment *items; /* from `start` on; what is before is forgotten */
    size_t start, count, capacity;
    size_t thin_at; /* the count at which equivalent neighbours are merged */
    uint64_t last;  /* the position of the thread's last event */
};

void st_history_free(struct st_history *history);
size_t st_history_memory(const struct st_history *history);

void st_history_add(struct st_history *history, const struct st_moment *moment);

/* Forgets the moments before the local time live_from, but for the last one. */
void st_history_forget(struct st_history *history, st_time live_from);

/* The moment that the position belongs to; NULL: it is forgotten. */
const struct st_moment *st_history_find(const struct st_history *history, uint64_t position);

/* The oldest and the newest moment; NULL: there is none. */
static inline struct st_moment *st_history_first(const struct st_history *history) {
    return history->count ? &history->items[history->start] : NULL;
}
static inline struct st_moment *st_history_latest(const struct st_history *history) {
    return history->count ? &history->items[history->start + history->count - 1] : NULL;
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
