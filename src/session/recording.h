/* Writes what a watched program does to a trace in the native format.
 *
 *     st_recording_init(&recording, &watch, &hooks);
 *     struct st_translation translation = st_recording_translation(&recording);
 *     ... start the program with it, or attach to it ...
 *     st_watch_follow(&watch, ...);      calls st_recording_save each second
 *     st_recording_close(&recording);
 *     st_recording_free(&recording);
 */
#ifndef SERIATIM_SESSION_RECORDING_H
#define SERIATIM_SESSION_RECORDING_H

#include "trace/late/late_events.h"
#include "trace/validate.h"
#include "watch/describe.h"
#include "watch/watch.h"

#include <stdio.h>

struct st_recording_hooks {
    char *(*choose_path)(void *context); /* when the first events come; released with free() */
    /* Nothing more will be written, and `error` says why. The program goes on. Or NULL. */
    void (*gave_up)(void *context, const struct st_error *error);
    void *context;
};

struct st_recording {
    struct st_watch *watch;
    struct st_recording_hooks hooks;
    enum st_stream_rule rule; /* which accesses may be left out */
    bool values;              /* of accesses are written with them */
    uint64_t most_events;     /* the rest is left out; 0: all are written */
    struct st_describer *describer;
    struct st_validator *validator;
    char *path;
    FILE *file; /* NULL: nothing came, or it could not be opened */
    void *writer;
    bool defers; /* accesses: the file is put in order at the end */
    struct st_late_events late;
    struct st_variable_run *ended; /* lives, since the last batch */
    size_t ended_count, ended_capacity;
    uint64_t since_ends; /* events, since ends were last written */
    uint64_t events;     /* written, */
    uint64_t more;       /* and so many more that they stand for */
    uint64_t placed;     /* in the trace, if accesses were deferred */
    bool failed, cut;    /* cut: at most_events */
};

/* The watch must outlive it, and need not be started yet. */
void st_recording_init(struct st_recording *recording, struct st_watch *watch,
                       enum st_stream_rule rule, const struct st_recording_hooks *hooks);
void st_recording_free(struct st_recording *recording);

struct st_translation st_recording_translation(struct st_recording *recording);

/* What was written so far can be read from then on. */
void st_recording_save(void *recording);

/* When the program has ended: a program that did nothing gets a trace without events. Returns the
 * size of the file in bytes. */
uint64_t st_recording_close(struct st_recording *recording);

#endif
