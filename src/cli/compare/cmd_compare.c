/* seriatim compare: what each engine says of each trace and what it costs, as a table. */
#include "base/memory.h"
#include "base/output.h"
#include "cli/cluster/name_list.h"
#include "cli/cluster/ranks.h"
#include "cli/compare/compare_tables.h"
#include "cli/compare/engine_list.h"
#include "cli/compare/forecast_tables.h"
#include "cli/compare/online_tables.h"
#include "cli/compare/program_list.h"
#include "cli/compare/record_run.h"
#include "cli/compare/table_format.h"
#include "cli/doctor/scratch.h"
#include "cli/messages.h"
#include "session/compare/dealt_grid.h"

#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {TABLE_FORMAT_WORDS, NULL};

struct values {
    struct common_values common;
    struct st_java_options java;
    const char *engines, *base, *spec, *output, *programs, *native, *resume;
    double timeout;
    uint64_t runs;
    unsigned layout, format, relation;
    bool repair, online;
};

struct compare {
    const struct values *values;
    struct engine_list engines;
    const char *base;
    struct program_list programs;
    struct st_grid grid;
    struct st_online online;
    struct st_forecast forecast;
    size_t left; /* so many traces were not looked at, since somebody stopped it */
};

/* ---- tables ---- */

/* Values of --table: those of engines (enum compare_layout), that of all predictors, figures, and
 * the tables of single predictors. */
enum { PREDICTIONS = LAYOUT_COUNT, FIGURES, TABLES = FIGURES + FIGURE_COUNT };

static const char *layout_choice(size_t index) {
    return index < LAYOUT_COUNT   ? compare_layout_words[index]
           : index == PREDICTIONS ? "predictions"
           : index < TABLES       ? forecast_figure_words[index - FIGURES]
                                  : st_forecast_table_name(index - TABLES);
}

static bool forecasts(const struct values *values) {
    return values->layout >= PREDICTIONS;
}

static bool draws_figure(const struct values *values) {
    return values->layout >= FIGURES && values->layout < TABLES;
}

/* ---- engines ---- */

static bool is_chosen(const struct compare *compare, const char *name) {
    for (size_t i = 0; i < compare->engines.count; i++)
        if (strcmp(compare->engines.items[i]->name, name) == 0)
            return true;
    return false;
}

/* As in the papers, speed is measured against Velodrome, if it is there. */
static int choose_base(struct compare *compare, struct st_error *error) {
    const char *base = compare->values->base;
    if (base && !is_chosen(compare, base))
        return st_fail(error, "compare", ST_AT_FILE, 0, "--base %s is not among --engines", base);
    compare->base = base                              ? base
                    : is_chosen(compare, "velodrome") ? "velodrome"
                                                      : compare->engines.items[0]->name;
    return 0;
}

/* Engines, or predictors. */
static int choose_all(struct compare *compare, struct st_error *error) {
    const struct values *values = compare->values;
    if (values->layout == PREDICTIONS)
        return st_forecast_choose(&compare->forecast, values->engines, error);
    if (forecasts(values)) {
        st_forecast_choose_table(&compare->forecast,
                                 draws_figure(values) ? "segments" : layout_choice(values->layout));
        return 0;
    }
    if (choose_engines(&compare->engines, "compare", "engines", values->engines, error) < 0)
        return -1;
    return choose_base(compare, error);
}

/* ---- traces ---- */

static void show_cells(void *context, size_t done, size_t all) {
    const struct compare *compare = context;
    char line[80];
    if (compare->values->common.quiet)
        return;
    snprintf(line, sizeof line, "%zu of %zu engines and traces", done, all);
    show_status_line(line);
}

static struct st_grid_traces traces_of(struct compare *compare, const char *const *names,
                                       const char *const *paths, size_t count) {
    const struct values *values = compare->values;
    return (struct st_grid_traces){.names = names,
                                   .paths = paths,
                                   .count = count,
                                   .source = {.command = "compare",
                                              .spec = values->spec,
                                              .no_starts = true,
                                              .ended = paths == names ? warn_once_of_trace : NULL,
                                              .flags = (values->repair ? ST_TRACE_REPAIR : 0) |
                                                       ST_TRACE_AHEAD | ST_TRACE_LIVES |
                                                       ST_TRACE_PACKED},
                                   .relation = (enum st_relation)values->relation,
                                   .stopped = ranks_crew() ? ranks_is_stopped : NULL,
                                   .show = show_cells,
                                   .context = compare};
}

/* With predictors instead of engines. */
static int forecast_at(struct compare *compare, const struct st_grid_traces *traces,
                       struct st_error *error) {
    int result = 0;
    for (size_t i = 0; result == 0 && i < traces->count; i++) {
        struct st_trace_source source = traces->source;
        source.path = traces->paths[i];
        source.flags &= ~(unsigned)(ST_TRACE_LIVES | ST_TRACE_PACKED);
        source.flags |= ST_TRACE_VALUES;
        source.again = true;
        if (!compare->values->common.quiet)
            show_status_line(traces->names[i]);
        result =
            st_forecast_add(&compare->forecast, traces->names[i], &source, traces->relation, error);
    }
    show_status_line(NULL);
    return result;
}

static int add_traces_at(struct compare *compare, const char *const *names,
                         const char *const *paths, size_t count, struct st_error *error) {
    struct st_grid_traces traces = traces_of(compare, names, paths, count);
    if (forecasts(compare->values))
        return forecast_at(compare, &traces, error);
    struct st_crew *alone = ranks_crew() ? NULL : st_crew_alone();
    int result = st_grid_deal(&compare->grid, alone ? alone : ranks_crew(), &traces, error);
    st_crew_leave(alone, 0);
    show_status_line(NULL);
    compare->left += traces.left;
    return result;
}

static int add_traces(struct compare *compare, const char *const *words, struct st_error *error) {
    struct name_list list;
    int result = name_list_read(&list, "compare", words, error);
    for (size_t i = 0; result == 0 && i < list.count; i++)
        if (strcmp(list.names[i], "-") == 0)
            result =
                st_fail(error, "compare", ST_AT_FILE, 0,
                        "each engine reads the trace for itself, so it cannot be standard input");
    const char *const *names = (const char *const *)list.names;
    if (result == 0)
        result = add_traces_at(compare, names, names, list.count, error);
    name_list_free(&list);
    return result;
}

/* "./bank", or "./bank, run 2" of several. */
static char *name_run(const struct compare *compare, const char *program, uint64_t run) {
    struct st_text_buffer buffer;
    fputs(program, st_text_buffer_open(&buffer));
    if (compare->values->runs > 1)
        fprintf(buffer.file, ", run %llu", (unsigned long long)run);
    return st_text_buffer_close(&buffer);
}

static int add_run(struct compare *compare, const struct listed_program *program, uint64_t run,
                   struct st_error *error) {
    const char *path = scratch_path(SCRATCH_TRACE);
    char *name = name_run(compare, program->name, run);
    remove(path);
    int result = record_run("compare", &compare->values->java, program_words(program), path, error);
    if (result == 0)
        result = add_traces_at(compare, (const char *const *)&name, &path, 1, error);
    free(name);
    return result;
}

static int add_runs(struct compare *compare, struct st_error *error) {
    int result = scratch_make(error);
    for (size_t i = 0; result == 0 && i < compare->programs.count; i++)
        for (uint64_t run = 1; result == 0 && !compare->left && run <= compare->values->runs; run++)
            result = add_run(compare, &compare->programs.items[i], run, error);
    scratch_remove();
    return result;
}

/* ---- programs while they run ---- */

static int add_online(struct compare *compare, struct st_error *error) {
    const struct values *values = compare->values;
    int result = 0;
    for (size_t i = 0; result == 0 && i < compare->programs.count; i++) {
        const struct listed_program *listed = &compare->programs.items[i];
        const struct st_online_program program = {.name = listed->name,
                                                  .words = program_words(listed),
                                                  .native = program_native(listed),
                                                  .java = &values->java,
                                                  .spec = values->spec,
                                                  .relation = (enum st_relation)values->relation,
                                                  .runs = values->runs,
                                                  .timeout = values->timeout};
        if (!values->common.quiet)
            show_status_line(listed->name);
        result = st_online_add(&compare->online, &program, error);
    }
    show_status_line(NULL);
    return result;
}

/* ---- output ---- */

static void warn_of_disagreement(const struct compare *compare) {
    for (size_t i = 0; i < compare->grid.row_count; i++)
        if (st_grid_disagrees(&compare->grid, &compare->grid.rows[i]))
            warn("%s: the engines disagree about the verdict, so one of them is wrong; please "
                 "report it together with the trace",
                 compare->grid.rows[i].name);
}

static void write_json(const struct compare *compare, FILE *file) {
    struct comparison comparison = {.grid = &compare->grid, .base = compare->base};
    if (forecasts(compare->values))
        forecast_json(&compare->forecast, file);
    else if (compare->values->online)
        online_json(&compare->online, file);
    else
        compare_json(&comparison, file);
}

static struct st_sheet lay_out(const struct compare *compare) {
    bool raw = compare->values->format == TO_CSV;
    if (draws_figure(compare->values))
        return forecast_figure_table(&compare->forecast,
                                     (enum forecast_figure)(compare->values->layout - FIGURES));
    if (forecasts(compare->values))
        return forecast_table(&compare->forecast, raw);
    enum compare_layout layout = (enum compare_layout)compare->values->layout;
    struct comparison comparison = {.grid = &compare->grid, .base = compare->base, .raw = raw};
    if (!compare->values->online)
        return compare_table(&comparison, layout);
    return layout == LAYOUT_OVERHEAD ? online_overhead(&compare->online, raw)
                                     : online_cells(&compare->online, raw);
}

static void write_result(const struct compare *compare, FILE *file) {
    const struct values *values = compare->values;
    if (values->format == TO_JSON) {
        write_json(compare, file);
        return;
    }
    if (values->format == TO_SVG) {
        forecast_figure_svg(&compare->forecast, (enum forecast_figure)(values->layout - FIGURES),
                            file);
        return;
    }
    struct st_sheet table = lay_out(compare);
    write_sheet(&table, (enum table_format)values->format, file);
}

static int do_all(struct compare *compare, const char *const *paths, struct st_error *error) {
    return compare->values->online   ? add_online(compare, error)
           : compare->programs.count ? add_runs(compare, error)
                                     : add_traces(compare, paths, error);
}

static enum status compare_all(struct compare *compare, const char *const *paths) {
    struct st_error error;
    struct st_output output;
    if (st_output_open(&output, compare->values->output, paths, &error) < 0)
        return complain(&error);
    if (do_all(compare, paths, &error) < 0) {
        st_output_abandon(&output);
        return complain(&error);
    }
    write_result(compare, output.file);
    warn_of_disagreement(compare);
    if (st_output_finish(&output, &error) < 0)
        return complain(&error);
    if (compare->left)
        warn("stopped: %zu trace%s not compared", compare->left,
             compare->left == 1 ? " was" : "s were");
    return compare->left ? STATUS_TROUBLE : STATUS_CLEAN;
}

/* ---- the command ---- */

/* What goes with --online, and what does not. */
static int check_online(const struct values *values, bool programs, struct st_error *error) {
    bool of_programs = values->layout == LAYOUT_OVERHEAD || values->layout == LAYOUT_CELLS;
    if (values->online && !programs)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "--online needs a program behind '--', or --programs");
    if (values->online && !of_programs)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "--online has the tables overhead and cells, not %s",
                       layout_choice(values->layout));
    if (!values->online && values->layout == LAYOUT_OVERHEAD)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "--table overhead is about running programs: it needs --online");
    if (!values->online && values->native)
        return st_fail(error, "compare", ST_AT_FILE, 0, "--native needs --online");
    return 0;
}

/* A table of one predictor has no choice of engines, and only figures can be drawn. */
static int check_table(const struct values *values, struct st_error *error) {
    if (ranks_crew() && (values->online || forecasts(values)))
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "several ranks compare engines on traces, and neither run programs nor "
                       "predict: start it without mpirun");
    if (values->layout > PREDICTIONS && strcmp(values->engines, "all") != 0)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "--table %s has its own engine; leave --engines out",
                       layout_choice(values->layout));
    if (forecasts(values) && values->base)
        return st_fail(error, "compare", ST_AT_FILE, 0, "--base means nothing to --table %s",
                       layout_choice(values->layout));
    if (values->format == TO_SVG && !draws_figure(values))
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "--format svg is for the tables %s, %s and %s", forecast_figure_words[0],
                       forecast_figure_words[1], forecast_figure_words[2]);
    return 0;
}

static int check_values(const struct values *values, const char *const *paths,
                        const char *const *words, struct st_error *error) {
    if ((*words != NULL) + (*paths != NULL) + (values->programs != NULL) != 1)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "it compares on traces, on a program behind '--', or on --programs: one of "
                       "the three");
    if (values->programs && values->native)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "with --programs, a line 'native:' stands for --native");
    if (check_online(values, *words || values->programs, error) < 0 ||
        check_table(values, error) < 0)
        return -1;
    if (values->spec && strcmp(values->spec, "-") == 0)
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "--spec is read for each engine, so it cannot be standard input");
    if (values->runs == 0 || values->runs > 10000)
        return st_fail(error, "compare", ST_AT_FILE, 0, "--runs must be 1 to 10000");
    if (*paths && values->runs > 1)
        return st_fail(error, "compare", ST_AT_FILE, 0, "--runs needs a program behind '--'");
    if (*paths && st_java_options_given(&values->java))
        return st_fail(error, "compare", ST_AT_FILE, 0,
                       "what to watch of a Java program (--include) needs a program behind '--'");
    return 0;
}

static int list_programs(struct compare *compare, const char *const *words,
                         struct st_error *error) {
    const struct values *values = compare->values;
    if (values->programs)
        return program_list_read(&compare->programs, "compare", values->programs, error);
    if (*words)
        program_list_add(&compare->programs, words, values->native);
    return 0;
}

static enum status run(const void *command_values, const char *const *operands) {
    const char *const *words = operands;
    while (*words)
        words++;
    words++;
    struct compare compare = {.values = command_values};
    struct st_error error;
    st_forecast_init(&compare.forecast, compare.values->timeout);
    if (check_values(compare.values, operands, words, &error) < 0 ||
        choose_all(&compare, &error) < 0 || list_programs(&compare, words, &error) < 0) {
        st_forecast_free(&compare.forecast);
        program_list_free(&compare.programs);
        return complain(&error);
    }
    st_grid_init(&compare.grid, compare.engines.items, compare.engines.count,
                 compare.values->timeout);
    st_online_init(&compare.online, compare.engines.items, compare.engines.count);
    if (st_crew_is_worker(ranks_crew())) {
        struct st_grid_traces traces = traces_of(&compare, NULL, NULL, 0);
        st_grid_serve(&compare.grid, ranks_crew(), &traces);
    }
    enum status status = STATUS_TROUBLE;
    if (ranks_resume(compare.values->resume, NULL, &error) < 0) {
        complain(&error);
    } else {
        if (ranks_crew())
            ranks_catch_stops();
        status = compare_all(&compare, operands);
    }
    st_grid_free(&compare.grid);
    st_online_free(&compare.online);
    st_forecast_free(&compare.forecast);
    program_list_free(&compare.programs);
    return status;
}

static void more_help(FILE *file) {
    describe_engines(true, file);
    fprintf(file, "  %-20s %s\n", "all",
            "witness, velodrome, aerodrome, regiontrack, doublechecker");
    fprintf(file, "  %-20s %s\n", "published", "those that are as published, with their errors");
    fputs("engines for the table predictions, with flags such as reduction:online:\n", file);
    for (size_t i = 0; st_predictors[i]; i++)
        fprintf(file, "  %-20s %s\n", st_predictors[i]->name, st_predictors[i]->summary);
}

static const struct st_option options[] = {
    {.name = "engines",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, engines),
     .value = "LIST",
     .initial = "all",
     .help = "the engines to compare, with commas between them"},
    {.name = "table",
     .kind = ST_CHOICE,
     .offset = offsetof(struct values, layout),
     .value = "TABLE",
     .initial = "cells",
     .choice = layout_choice,
     .help = "what the table shows"},
    {.name = "timeout",
     .kind = ST_SECONDS,
     .offset = offsetof(struct values, timeout),
     .value = "S",
     .initial = "0",
     .help = "give up an engine on a trace after S seconds of processor time, and with --online a "
             "run after S seconds (TO in the table); 0: never"},
    {.name = "base",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, base),
     .value = "ENGINE",
     .help = "the engine against which speed-up is measured",
     .note = "velodrome, if it is among the engines, or the first"},
    {.name = "runs",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, runs),
     .value = "N",
     .initial = "1",
     .help = "of a program: how often to run it"},
    {.name = "online",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, online),
     .help = "of a program: let each engine check it while it runs, and show what that costs"},
    {.name = "native",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, native),
     .value = "COMMAND",
     .help = "with --online: what to run for the costs of the program by itself",
     .note = "the program, which is instrumented but not watched then"},
    {.name = "programs",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, programs),
     .value = "FILE",
     .help = "compare on the programs in FILE, each on a line of its own as NAME: COMMAND"},
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, spec),
     .value = "FILE",
     .help = "a specification that says which blocks should be atomic; without it, all should"},
    JAVA_OPTIONS(struct values),
    RESUME_OPTION(struct values),
    TABLE_OPTIONS(struct values, formats),
};

const struct command cmd_compare = {
    .name = "compare",
    .operands = "TRACE...",
    .summary = "compare engines on traces, as a table like those of the papers",
    .description =
        "Runs each engine on each trace, one at a time, and writes a table: verdicts, first\n"
        "bad events, violations, what an engine missed or reported falsely compared with\n"
        "RegionTrack, processor time, speed-up and peak memory. Instead of traces, a program\n"
        "can follow behind '--', which is run and recorded first. @FILE stands for the traces\n"
        "that FILE names, one a line.\n\n"
        "Exit status: 0 if the table was written, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 0,
    .most_operands = SIZE_MAX,
    .program_may_follow = true,
    .in_crew = true,
    .program_usage = "[OPTIONS] -- PROGRAM [ARGUMENT...]",
    .more_help = more_help,
    .run = run,
};
