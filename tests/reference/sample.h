/* A sample: a trace small enough for brute force, with the names x1, l1, c1, T1, ... */
#ifndef SERIATIM_REFERENCE_SAMPLE_H
#define SERIATIM_REFERENCE_SAMPLE_H

#include "base/error.h"
#include "trace/relation.h"
#include "trace/values.h"

#include <stdio.h>

/* Sets of events are single words, so there are at most 64. The other limits only bound small
 * tables; sample_check asserts all of them. */
enum {
    SAMPLE_EVENTS = 64,
    SAMPLE_THREADS = 64,
    SAMPLE_VARIABLES = 40,
    SAMPLE_LOCKS = 16,
    SAMPLE_BLOCKS = 16,
    SAMPLE_CHANNELS = 8
};

/* Event number n is events[n - 1]. */
struct sample {
    size_t count;
    bool repair; /* malformed events are dropped, as --repair does, instead of being an error */
    enum st_relation relation; /* that it is checked by; ST_LOCKS unless it is ST_DATA */
    uint32_t lock_channels;    /* bit c: channel c belongs to a lock */
    uint32_t team_channels;    /* bit c: it is one of a team (trace/channels.h) */
    struct st_event events[SAMPLE_EVENTS];
    struct st_value_numbers values[SAMPLE_EVENTS];
};

/* Appends an event; `loc` becomes its number. */
void sample_add(struct sample *sample, uint32_t thread, enum st_op op, uint32_t target);

/* Numbers threads, variables, locks, channels and block names densely in order of first appearance,
 * as the readers do, sets each location to the event's number and forgets what validation marked.
 */
void sample_renumber(struct sample *sample);

/* Is the event on a lock, be it through a channel? */
bool sample_is_on_lock(const struct sample *sample, const struct st_event *event);

/* The events as an engine gets them, by the relation of the sample. */
void sample_feed(const struct sample *sample, struct st_event events[SAMPLE_EVENTS]);

/* Validates and marks re-entrant acquires and their releases, and with `repair` the events that
 * are dropped. 0, or -1 with an error. */
int sample_check(struct sample *sample, struct st_error *error);

/* The sample without the events in the set (bit i: events[i]), renumbered. The result may be the
 * sample itself. */
void sample_without(const struct sample *sample, uint64_t gone, struct sample *result);

/* "T1|r(x1)|4" for an event, and the sample as a whole in STD text. */
void sample_print_event(FILE *file, const struct st_event *event);
void sample_print(FILE *file, const struct sample *sample);

/* The names that sample_print uses, as symbols. Shared and never freed. */
const struct st_symbols *sample_symbols(void);

#endif
