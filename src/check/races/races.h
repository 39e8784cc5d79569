/* Which accesses race: they are of one variable and different threads, at least one writes, not
 * both are atomic, and no synchronisation orders them.
 *
 * Synchronisation is program order, release to later acquire of a lock, fork to child, child to
 * join (also if the child did nothing: then fork to join), send to later receive of a channel, and
 * atomic write to later atomic read of a variable; and what follows from those. That is less than
 * happens-before as the engines have it, where a conflict orders, too: the order of accesses that
 * race is an accident of the run, and in a recorded trace it may even differ from that of the run.
 *
 * The clocks are those of FastTrack (Flanagan and Freund, PLDI 2009): a variable keeps the local
 * time of its last write and of the reads since, not a whole clock for each. FastTrack promises the
 * first race of a variable. This is exact for every access: does it race with an earlier one? For
 * that, accesses that race are kept side by side, until one comes that synchronisation orders after
 * them. */
#ifndef SERIATIM_CHECK_RACES_RACES_H
#define SERIATIM_CHECK_RACES_RACES_H

#include "check/clock.h"
#include "finding/finding.h"

struct st_races;

/* Called for each access that races with an earlier one, with the two of them. There may be more
 * that it races with. */
typedef void st_on_race(void *context, const struct st_place *from, const struct st_place *to);

/* on_race may be NULL: then only what is ordered is known, and variables need no memory. */
struct st_races *st_races_new(st_on_race *on_race, void *context);
void st_races_free(struct st_races *races);

/* Events in trace order, validated; the first has that number. */
void st_races_feed(struct st_races *races, const struct st_event *events, size_t count,
                   uint64_t first);

/* This number stands for another variable from now on. */
void st_races_forget(struct st_races *races, uint32_t variable);

/* Why later events were not looked at, or NULL: a clock has overflowed (check/clock.h), or clocks
 * would need more than ST_RACES_CLOCK_BYTES. At worst they grow with the square of the number of
 * threads that live at the same time: when each learns of all others in another order. */
const char *st_races_gave_up(const struct st_races *races);
#ifndef ST_RACES_CLOCK_BYTES
#define ST_RACES_CLOCK_BYTES ((size_t)512 << 20)
#endif

/* A local time of a thread, which keeps its meaning when the thread is gone. An access is made at
 * the moment that its thread has before the access is fed. Synchronisation orders it before the
 * events of another thread once that one knows the moment. */
struct st_race_moment {
    uint32_t slot;
    st_time time;
};
struct st_race_moment st_races_now(struct st_races *races, uint32_t thread);
bool st_races_knows(const struct st_races *races, uint32_t thread, struct st_race_moment moment);

/* Bytes of analysis state now: constant for each variable, and a clock for each thread, lock,
 * channel and atomic variable, which share what they have in common; more only for variables with
 * accesses side by side. */
size_t st_races_memory(const struct st_races *races);

#endif
