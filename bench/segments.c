/* bench-segments: what segments and the static check are worth on a trace, a line for each search.
 *
 *     bench-segments TIMEOUT DPOR-TIMEOUT TRACE
 *
 * The default search gets TIMEOUT seconds a block; dynamic partial-order reduction on the whole
 * trace gets DPOR-TIMEOUT, and is left out when that is 0. Prints JSON, an object a line. Unlike
 * `seriatim predict --table` it does not wait for searches that hardly ever end. */
#include "base/memory.h"
#include "predict/tas/tas.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void measure(const struct st_tas_graph *graph, const char *name, struct st_tas_setup setup) {
    struct st_prediction prediction;
    struct st_tas_counts table;
    setup.jobs = 1;
    setup.limit = 1;
    st_prediction_init(&prediction);
    st_tas_run(graph, &setup, &prediction, &table);
    st_prediction_free(&prediction);
    printf("{\"search\": \"%s\", \"blocks\": %" PRIu64 ", \"static_proofs\": %" PRIu64
           ", \"violations\": %" PRIu64 ", \"timeouts\": %" PRIu64 ", \"steps\": %" PRIu64
           ", \"segment\": %.1f, \"seconds\": %.3f}\n",
           name, table.blocks, table.static_proofs, table.violations, table.timeouts,
           table.interleavings, table.segment_size, table.seconds);
}

int main(int argc, char **argv) {
    struct st_error error;
    struct st_event *events = NULL, *batch;
    size_t event_count = 0, capacity = 0;
    char text[sizeof error + 64];
    long count;
    if (argc != 4) {
        fputs("usage: bench-segments TIMEOUT DPOR-TIMEOUT TRACE\n", stderr);
        return 2;
    }
    double timeout = strtod(argv[1], NULL), dpor = strtod(argv[2], NULL);
    struct st_trace *trace = st_trace_open(argv[3], 0, &error);
    while (trace && (count = st_trace_next(trace, &batch, &error)) > 0) {
        st_reserve(&events, &capacity, event_count + (size_t)count);
        memcpy(events + event_count, batch, (size_t)count * sizeof *events);
        event_count += (size_t)count;
    }
    if (!trace || count < 0) {
        st_error_text(&error, text, sizeof text);
        fprintf(stderr, "bench-segments: %s\n", text);
        return 2;
    }
    struct st_tas_graph *graph = st_tas_graph_new(events, event_count);
    measure(
        graph, "chains",
        (struct st_tas_setup){.search = ST_TAS_CHAINS, .static_check = true, .timeout = timeout});
    if (dpor > 0)
        measure(graph, "dpor, whole trace",
                (struct st_tas_setup){.search = ST_TAS_DPOR, .whole_trace = true, .timeout = dpor});
    st_tas_graph_free(graph);
    free(events);
    st_trace_close(trace);
    return 0;
}
