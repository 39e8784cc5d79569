#include "session/trace_check.h"

#include "base/memory.h"
#include "check/races/race_edges.h"

#include <stdlib.h>

void st_trace_check_start(struct st_trace_check *check, const struct st_engine *const *engines,
                          size_t count, enum st_relation relation, size_t keep, bool first_only) {
    *check = (struct st_trace_check){.count = count, .relation = relation};
    check->runs = st_alloc(count, sizeof *check->runs);
    for (size_t i = 0; i < count; i++)
        st_engine_run_start(&check->runs[i], engines[i], keep, first_only);
}

void st_trace_check_free(struct st_trace_check *check) {
    for (size_t i = 0; i < check->count; i++)
        st_engine_run_free(&check->runs[i]);
    free(check->runs);
}

bool st_trace_check_stopped(const struct st_trace_check *check) {
    for (size_t i = 0; i < check->count; i++)
        if (!check->runs[i].stopped)
            return false;
    return true;
}

static void feed(struct st_trace_check *check, const struct st_trace *trace,
                 const struct st_event *events, size_t count, uint64_t first) {
    size_t ended_count;
    const struct st_variable_run *ended = st_trace_ended(trace, &ended_count);
    for (size_t i = 0; i < check->count; i++) {
        st_engine_run_forget(&check->runs[i], ended, ended_count);
        st_engine_run_feed(&check->runs[i], events, NULL, count, first);
        st_engine_run_note_memory(&check->runs[i]);
    }
}

static void finish(struct st_trace_check *check, uint64_t events) {
    for (size_t i = 0; i < check->count; i++) {
        struct st_engine_run *run = &check->runs[i];
        st_engine_run_finish(run, events);
        st_engine_run_note_memory(run);
        if (run->first_only) /* one event can violate several blocks, one inside the other */
            st_findings_keep_first(&run->findings);
        else
            st_findings_sort(&run->findings);
    }
}

int st_trace_check_read(struct st_trace_check *check, struct st_trace_input *input,
                        struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count = 0;
    while (!st_trace_check_stopped(check) &&
           (count = st_trace_input_next(input, &events, &first, error)) > 0) {
        st_relation_apply(check->relation, st_trace_channels(input->reading.trace), events,
                          (size_t)count);
        feed(check, input->reading.trace, events, (size_t)count, first);
    }
    st_reading_stop(&input->reading);
    if (count < 0)
        return -1;
    finish(check, st_trace_input_events(input));
    return 0;
}

struct race_batch {
    struct st_race_edges *edges;
    const struct st_variable_run *ended;
    size_t ended_count;
    const struct st_event *events;
    size_t count;
    uint64_t first;
};

static void feed_races(void *context) {
    const struct race_batch *batch = context;
    st_race_edges_forget(batch->edges, batch->ended, batch->ended_count);
    st_race_edges_feed(batch->edges, batch->events, batch->count, batch->first);
}

static const char *read_again(const struct st_trace_source *source, struct st_race_edges *edges) {
    struct st_reading reading;
    struct st_error error;
    struct st_event *events;
    struct race_batch batch = {.edges = edges};
    long count;
    bool room = true;
    unsigned flags =
        (source->flags & ST_TRACE_REPAIR) | ST_TRACE_AHEAD | ST_TRACE_LIVES | ST_TRACE_PACKED;
    if (st_reading_open(&reading, source->path, flags, source->progress, &error) < 0)
        return "the trace could not be read again";
    while (room && st_race_edges_waits(edges) &&
           (count = st_reading_next(&reading, &events, &batch.first, &error)) > 0) {
        batch.events = events;
        batch.count = (size_t)count;
        batch.ended = st_trace_ended(reading.trace, &batch.ended_count);
        room = st_try(feed_races, &batch);
    }
    st_reading_close(&reading);
    return room ? st_race_edges_gave_up(edges) : "there is not enough memory for it";
}

const char *st_trace_check_mark_races(struct st_trace_check *check,
                                      const struct st_trace_input *input) {
    struct st_race_edges *edges = st_race_edges_new();
    const char *why_not = NULL;
    for (size_t i = 0; i < check->count; i++)
        st_race_edges_add(edges, &check->runs[i].findings);
    if (st_race_edges_waits(edges) && st_trace_input_is_file(input))
        why_not = read_again(&input->source, edges);
    st_race_edges_free(edges);
    return why_not;
}

struct st_result *st_trace_check_results(struct st_trace_check *check,
                                         struct st_trace_input *input) {
    struct st_result *results = st_alloc(check->count, sizeof *results);
    st_trace_input_symbols(input);
    for (size_t i = 0; i < check->count; i++) {
        struct st_findings *findings = &check->runs[i].findings;
        if (input->tracker)
            st_findings_map_locations(findings, st_trace_input_location, input);
        results[i] = st_engine_run_result(&check->runs[i], findings);
    }
    return results;
}
