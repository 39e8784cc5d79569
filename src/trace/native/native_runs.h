/* Runs: RUNS chunks, which say that an access of the EVNT chunk behind them stands for more of the
 * same kind, to the variables with the next numbers. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_RUNS_H
#define SERIATIM_TRACE_NATIVE_NATIVE_RUNS_H

#include "trace/native/native_columns.h"

#include <stdbool.h>

/* An access, by its place in its chunk, and how many more it stands for. */
struct native_run {
    uint32_t row, more;
};

/* The runs of one chunk, in its order; of the next chunk while `wait`. What was woven from its
 * columns waits in `woven` until it has become events. */
struct native_runs {
    struct native_run *list;
    size_t capacity;
    uint32_t rows;  /* of the chunk; 0 when there are no runs */
    uint32_t count; /* of runs */
    uint64_t more;  /* the sum */
    bool wait;

    uint32_t next;  /* the first run that has not begun */
    uint32_t begun; /* so many events of the first woven one were made */
    struct st_event woven[NATIVE_STRIP];
    uint32_t woven_count, woven_next, woven_row; /* row: of woven[0] */
};

/* Takes the payload of a chunk. NULL, or what is wrong with it. */
const char *native_runs_take(struct native_runs *runs, const unsigned char *payload, size_t size);

/* A chunk of so many rows is here. Are the runs that came before it its own, or are there none? */
bool native_runs_fit(struct native_runs *runs, uint32_t rows);

/* `count` rows were put into `woven`, which was empty. */
void native_runs_wove(struct native_runs *runs, uint32_t count);

/* Makes events of what is woven, as far as there is room: returns how many. `variables`: so many
 * have names. SIZE_MAX: a run is none of accesses to variables. */
size_t native_runs_expand(struct native_runs *runs, uint32_t variables, struct st_event *events,
                          size_t capacity);

static inline bool native_runs_left(const struct native_runs *runs) {
    return runs->woven_next < runs->woven_count;
}

#endif
