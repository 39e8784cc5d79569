#include "trace/late/placed_output.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_placed_open(struct st_placed_output *output, FILE *file, const char *name,
                    struct st_symbols *symbols) {
    symbols->late = symbols->reuses = false;
    output->symbols = symbols;
    output->variables = symbols->variables;
    output->numbers = st_alloc((size_t)symbols->variables.count + 1, sizeof *output->numbers);
    st_names_init(&symbols->variables);
    output->writer = st_native_writer.open(file, name, symbols);
}

void st_placed_close(struct st_placed_output *output) {
    st_native_writer.close(output->writer);
    st_names_free(&output->variables);
    free(output->numbers);
}

int st_placed_flush(struct st_placed_output *output, struct st_error *error) {
    size_t count = output->count;
    output->count = 0;
    st_native_writer_runs(output->writer, output->runs);
    if (st_native_writer.write(output->writer, output->events, count, error) < 0)
        return -1;
    st_names_drop(&output->symbols->variables, st_native_writer_named(output->writer));
    return 0;
}

static uint32_t number_of(struct st_placed_output *output, uint32_t variable) {
    uint32_t *number = &output->numbers[variable];
    if (!*number) {
        const char *name = st_name(&output->variables, variable);
        *number = 1 + st_names_append(&output->symbols->variables, name, strlen(name));
    }
    return *number - 1;
}

static bool is_plain(const struct st_event *event) {
    return event->written <= ST_WRITE && !event->atomic && !event->joined && !event->fresh;
}

/* Is it the same access as the last one, to the next variable? Then they are one run. */
static bool extends(const struct st_placed_output *output, const struct st_event *event) {
    if (!output->count || !is_plain(event))
        return false;
    const struct st_event *last = &output->events[output->count - 1];
    uint32_t more = output->runs[output->count - 1];
    return more < ST_LONGEST_RUN && is_plain(last) && last->thread == event->thread &&
           last->written == event->written && last->loc == event->loc &&
           last->target + more + 1 == event->target;
}

int st_placed_put(struct st_placed_output *output, const struct st_event *event,
                  struct st_error *error) {
    struct st_event renumbered = *event;
    output->all++;
    if (event->written <= ST_WRITE)
        renumbered.target = number_of(output, event->target);
    if (extends(output, &renumbered)) {
        output->runs[output->count - 1]++;
        return 0;
    }
    output->events[output->count] = renumbered;
    output->runs[output->count++] = 0;
    return output->count == ST_PLACED_BATCH ? st_placed_flush(output, error) : 0;
}
