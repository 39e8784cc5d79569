/* seriatim check: runs one engine, or all of them, over a trace and reports what they found. */
#include "base/memory.h"
#include "check/engine.h"
#include "check/races/race_edges.h"
#include "cli/checking.h"
#include "cli/trace_input.h"
#include "report/formats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* An engine at work. */
struct run {
    const struct st_engine *engine;
    void *state;
    struct st_findings findings;
    double seconds;
    size_t peak_bytes;
    bool stopped; /* --first: it has found something and gets no more events */
};

struct check {
    const struct check_values *values;
    const char *path;
    struct trace_input input;
    struct st_output output;
    struct judging judging;
    struct run *runs;
    size_t run_count;
};

static size_t engine_count(void) {
    size_t count = 0;
    while (st_engines[count])
        count++;
    return count;
}

static const char *engine_choice(size_t index) {
    size_t count = engine_count();
    return index < count ? st_engines[index]->name : index == count ? "all" : NULL;
}

static void start_runs(struct check *check) {
    size_t count = engine_count();
    bool all = check->values->engine == count;
    check->run_count = all ? count : 1;
    check->runs = st_alloc(check->run_count, sizeof *check->runs);
    for (size_t i = 0; i < check->run_count; i++) {
        struct run *run = &check->runs[i];
        run->engine = st_engines[all ? i : check->values->engine];
        st_findings_init(&run->findings,
                         judging_keeps(&check->values->judging, check->values->limit));
        run->state = run->engine->create(&run->findings);
    }
}

static void free_runs(struct check *check) {
    for (size_t i = 0; i < check->run_count; i++) {
        check->runs[i].engine->destroy(check->runs[i].state);
        st_findings_free(&check->runs[i].findings);
    }
    free(check->runs);
}

/* Of this thread: the one that reads ahead is not the engine's. */
static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool has_found(const struct run *run) {
    return run->findings.first_bad_event || run->findings.kept;
}

/* Event by event, so that nothing behind the first finding is seen. */
static void feed_until_found(struct run *run, const struct st_event *events, size_t count,
                             uint64_t first) {
    for (size_t i = 0; i < count && !run->stopped; i++) {
        run->engine->feed(run->state, &events[i], 1, first + i);
        run->stopped = has_found(run);
    }
}

static void note_memory(struct run *run) {
    size_t bytes = run->engine->memory(run->state);
    if (bytes > run->peak_bytes)
        run->peak_bytes = bytes;
}

static void feed(struct check *check, const struct st_event *events, size_t count, uint64_t first) {
    for (size_t i = 0; i < check->run_count; i++) {
        struct run *run = &check->runs[i];
        double start = processor_time();
        if (check->values->first)
            feed_until_found(run, events, count, first);
        else
            run->engine->feed(run->state, events, count, first);
        run->seconds += processor_time() - start;
        note_memory(run);
    }
}

static bool all_stopped(const struct check *check) {
    for (size_t i = 0; i < check->run_count; i++)
        if (!check->runs[i].stopped)
            return false;
    return true;
}

static void finish(struct check *check) {
    uint64_t events = st_trace_facts(check->input.reading.trace)->events;
    for (size_t i = 0; i < check->run_count; i++) {
        struct run *run = &check->runs[i];
        if (run->stopped)
            continue;
        double start = processor_time();
        run->engine->finish(run->state, events);
        run->seconds += processor_time() - start;
        note_memory(run);
    }
}

static int analyse(struct check *check, struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count = 0;
    while (!all_stopped(check) &&
           (count = trace_input_next(&check->input, &events, &first, error)) > 0)
        feed(check, events, (size_t)count, first);
    if (count >= 0)
        finish(check);
    reading_end(&check->input.reading, count >= 0);
    return count < 0 ? -1 : 0;
}

static struct st_result *collect_results(struct check *check) {
    struct st_result *results = st_alloc(check->run_count, sizeof *results);
    for (size_t i = 0; i < check->run_count; i++) {
        struct run *run = &check->runs[i];
        if (check->values->first) /* one event can cut several blocks, one inside the other */
            st_findings_keep_first(&run->findings);
        else
            st_findings_sort(&run->findings);
        results[i] = (struct st_result){.engine = run->engine->name,
                                        .findings = &run->findings,
                                        .seconds = run->seconds,
                                        .peak_bytes = run->peak_bytes};
    }
    return results;
}

/* ---- data races ---- */

/* What goes wrong now has no consequence but that nothing is known of races. */
static void look_again(const struct check *check, struct st_race_edges *edges) {
    struct reading reading;
    struct st_error error;
    struct st_event *events;
    uint64_t first;
    long count;
    if (reading_open(&reading, check->path,
                     (check->values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_AHEAD,
                     check->values->common.quiet, &error) < 0)
        return;
    while (st_race_edges_waits(edges) &&
           (count = reading_next(&reading, &events, &first, &error)) > 0)
        st_race_edges_feed(edges, events, (size_t)count, first);
    reading_close(&reading);
}

/* Marks the conflicts in findings that are data races. It takes a second look at the trace, so it
 * is only done when there is such a conflict. */
static void mark_races(struct check *check) {
    struct st_race_edges *edges = st_race_edges_new();
    for (size_t i = 0; i < check->run_count; i++)
        st_race_edges_add(edges, &check->runs[i].findings);
    if (st_race_edges_waits(edges) && trace_input_is_file(&check->input))
        look_again(check, edges);
    st_race_edges_free(edges);
}

/* ---- the report ---- */

/* Returns the exit status. */
static enum status write_report(struct check *check, const struct st_result *results) {
    struct trace_input *input = &check->input;
    const struct st_trace *trace = input->reading.trace;
    struct st_facts facts = trace_input_facts(input);
    struct st_context_details contexts = {.symbols = &input->symbols};
    struct st_details details = {st_context_details_lookup, &contexts};
    struct st_report report = {.trace = check->path,
                               .details = input->replay ? &details : NULL,
                               .built = trace_input_recorded(input),
                               .symbols = &input->symbols,
                               .facts = &facts,
                               .repairs = st_trace_repairs(trace),
                               .cut = st_trace_cut(trace),
                               .stopped = all_stopped(check),
                               .compare = check->values->engine == engine_count(),
                               .results = results,
                               .result_count = check->run_count};
    struct st_text_style style = text_style(&check->values->common, check->output.fd);
    trace_input_words(input);
    for (size_t i = 0; i < check->run_count && input->replay; i++)
        st_findings_map_locations(&check->runs[i].findings, trace_input_word, input);
    struct st_judgement *judgement = judging_apply(&check->judging, &report, check->values->limit);
    enum status status = report_status(&report);
    report.has_status = true;
    report.status = status;
    judging_write(&check->judging, &report, check->values->format, style, check->output.file);
    st_judgement_free(judgement);
    st_context_details_free(&contexts);
    return status;
}

static void warn_of_giving_up(const struct check *check, const struct st_result *results) {
    for (size_t i = 0; i < check->run_count; i++)
        if (results[i].findings->gave_up)
            warn("%s: %s", results[i].engine, results[i].findings->gave_up);
}

static enum status check_and_report(struct check *check) {
    struct st_error error;
    if (analyse(check, &error) < 0) {
        st_output_abandon(&check->output);
        return complain(&error);
    }
    if (!all_stopped(check))
        trace_input_warn_of_no_blocks(&check->input);
    struct st_result *results = collect_results(check);
    mark_races(check);
    enum status status = write_report(check, results);
    warn_of_giving_up(check, results);
    free(results);
    return st_output_finish(&check->output, &error) < 0 ? complain(&error) : status;
}

static int open_trace(struct check *check, struct st_error *error) {
    const struct check_values *values = check->values;
    return trace_input_open(&check->input, "check", check->path, values->spec,
                            (values->repair ? ST_TRACE_REPAIR : 0) |
                                (values->first ? 0 : ST_TRACE_AHEAD),
                            false, values->common.quiet, error);
}

static int open_judging(struct check *check, struct st_error *error) {
    const struct check_values *values = check->values;
    if (values->first && judging_is_wanted(&values->judging))
        return st_fail(
            error, "check", ST_AT_FILE, 0,
            "--first stops at a finding before it is known whether that is new; leave it "
            "out with --suppressions and --baseline");
    return judging_open_for_trace(&check->judging, &values->judging, "check", check->path,
                                  values->spec, error);
}

static enum status check_trace(struct check *check) {
    struct st_error error;
    const char *inputs[JUDGING_INPUTS];
    judging_list_inputs(&check->values->judging, check->path, check->values->spec, inputs);
    if (st_output_open(&check->output, check->values->output, inputs, &error) < 0)
        return complain(&error);
    start_runs(check);
    enum status status = check_and_report(check);
    free_runs(check);
    return status;
}

enum status check_path(const struct check_values *values, const char *path) {
    struct check check = {.values = values, .path = path};
    struct st_error error;
    if (open_judging(&check, &error) < 0)
        return complain(&error);
    enum status status;
    if (open_trace(&check, &error) < 0) {
        status = complain(&error);
    } else {
        status = check_trace(&check);
        trace_input_close(&check.input);
    }
    judging_close(&check.judging);
    return status;
}

static enum status run(const void *values, const char *const *operands) {
    return check_path(values, operands[0]);
}

static void more_help(FILE *file) {
    fputs("engines:\n", file);
    for (size_t i = 0; st_engines[i]; i++)
        fprintf(file, "  %-14s %s\n", st_engines[i]->name, st_engines[i]->summary);
    fprintf(file, "  %-14s %s\n", "all", "each of them, side by side");
}

static const struct st_option options[] = {
    {.name = "engine",
     .kind = ST_CHOICE,
     .offset = offsetof(struct check_values, engine),
     .value = "ENGINE",
     .initial = "witness",
     .choice = engine_choice,
     .help = "which analysis to run"},
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct check_values, spec),
     .value = "FILE",
     .help = "which blocks are meant to be atomic; without it, all are"},
    LIMIT_OPTION(struct check_values),
    {.name = "first",
     .kind = ST_FLAG,
     .offset = offsetof(struct check_values, first),
     .help = "stop reading at the first finding and report only that"},
    REPAIR_OPTION(struct check_values),
    JUDGING_OPTIONS(struct check_values, judging),
    REPORT_FORMAT_OPTION(struct check_values, "text"),
    OUTPUT_OPTION(struct check_values),
    COMMON_OPTIONS,
};

const struct command cmd_check = {
    .name = "check",
    .operands = "TRACE",
    .summary = "say whether a trace is serializable and which blocks were cut",
    .description =
        "Says whether a trace is serializable, from which event on it is not, and which\n"
        "blocks were not atomic. TRACE is a file in STD text or in the native format,\n"
        "or - for standard input.\n\n"
        "Exit status: 0 nothing new found, 1 found, 2 trouble.\n",
    .options = options,
    .values_size = sizeof(struct check_values),
    .least_operands = 1,
    .most_operands = 1,
    .more_help = more_help,
    .run = run,
};
