/* A trace whose events come in their order: variables get the next numbers as they appear, so that
 * those which turned out to be several have none, and accesses to neighbours are runs. */
#ifndef SERIATIM_TRACE_LATE_PLACED_OUTPUT_H
#define SERIATIM_TRACE_LATE_PLACED_OUTPUT_H

#include "trace/format.h"

enum { ST_PLACED_BATCH = 4096 };

/* All zero before it is opened, but for the channel. */
struct st_placed_output {
    void *writer;
    struct st_symbols *symbols;
    struct st_names variables; /* as they were numbered before */
    uint32_t *numbers;         /* by that number: 1 + the new one */
    size_t capacity;
    struct st_event events[ST_PLACED_BATCH];
    uint32_t runs[ST_PLACED_BATCH];
    size_t count;
    uint64_t all;     /* events that were put */
    uint32_t channel; /* of threads that have no event but a mark */
};

/* Names are those of the symbols, in which variables are renamed. */
void st_placed_open(struct st_placed_output *output, FILE *file, const char *name,
                    struct st_symbols *symbols);
void st_placed_close(struct st_placed_output *output);

int st_placed_put(struct st_placed_output *output, const struct st_event *event,
                  struct st_error *error);

/* Hands what was put to the writer. */
int st_placed_flush(struct st_placed_output *output, struct st_error *error);

#endif
