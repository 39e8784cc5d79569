/* seriatim refine: iterative refinement of a specification, as the papers do it. */
#include "base/memory.h"
#include "base/output.h"
#include "cli/compare/engine_list.h"
#include "cli/compare/record_run.h"
#include "cli/compare/refine_tables.h"
#include "cli/compare/table_format.h"
#include "cli/doctor/scratch.h"
#include "cli/messages.h"
#include "spec/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {TABLE_FORMAT_WORDS, [TO_SPEC] = "spec", NULL};

struct values {
    struct common_values common;
    struct st_java_options java;
    const char *engines, *start, *output;
    uint64_t settle, rounds;
    unsigned layout, format, relation;
    bool repair;
};

struct refine {
    const struct values *values;
    struct engine_list engines;
    char *start;
    struct st_refinement refinement;
};

/* ---- what it starts with ---- */

/* Only who names blocks can refine. */
static int check_engines(const struct refine *refine, struct st_error *error) {
    for (size_t i = 0; i < refine->engines.count; i++) {
        const struct st_engine *engine = refine->engines.items[i];
        struct st_findings findings;
        st_findings_init(&findings, 1);
        engine->destroy(engine->create(&findings));
        bool names_blocks = findings.names_blocks;
        st_findings_free(&findings);
        if (!names_blocks)
            return st_fail(error, "refine", ST_AT_FILE, 0,
                           "%s names no blocks, so there is nothing to leave out", engine->name);
    }
    return 0;
}

static char *read_all(FILE *file) {
    struct st_text_buffer buffer;
    char bytes[4096];
    size_t got;
    st_text_buffer_open(&buffer);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        fwrite(bytes, 1, got, buffer.file);
    return st_text_buffer_close(&buffer);
}

/* The text of the specification, which must be well formed. */
static int read_start(struct refine *refine, struct st_error *error) {
    const char *path = refine->values->start;
    if (!path) {
        refine->start = st_strdup(st_refinement_usual_start);
        return 0;
    }
    if (strcmp(path, "-") == 0)
        return st_fail(error, "refine", ST_AT_FILE, 0, "--start cannot be standard input");
    struct st_spec *spec = st_spec_load(path, error);
    if (!spec)
        return -1;
    st_spec_free(spec);
    FILE *file = fopen(path, "r");
    if (!file)
        return st_fail(error, path, ST_AT_FILE, 0, "cannot open: %s", strerror(errno));
    refine->start = read_all(file);
    fclose(file);
    return 0;
}

/* ---- rounds ---- */

static size_t count_words(const char *const *words) {
    size_t count = 0;
    while (words[count])
        count++;
    return count;
}

/* A round over the traces, or over a new run of the program. */
static int do_round(struct refine *refine, const char *const *paths, const char *const *words,
                    struct st_error *error) {
    const struct values *values = refine->values;
    const char *run = scratch_path(SCRATCH_TRACE);
    struct st_trace_source source = {.command = "refine",
                                     .no_starts = true,
                                     .ended = *words ? NULL : warn_once_of_trace,
                                     .flags = (values->repair ? ST_TRACE_REPAIR : 0) |
                                              ST_TRACE_LIVES | ST_TRACE_PACKED};
    enum st_relation relation = (enum st_relation)values->relation;
    if (!*words)
        return st_refinement_advance(&refine->refinement, paths, count_words(paths), &source,
                                     relation, error);
    remove(run);
    if (record_run("refine", &values->java, words, run, error) < 0)
        return -1;
    return st_refinement_advance(&refine->refinement, &run, 1, &source, relation, error);
}

static int refine_all(struct refine *refine, const char *const *paths, const char *const *words,
                      struct st_error *error) {
    uint64_t round = 0;
    int result = *words ? scratch_make(error) : 0;
    while (result == 0 && !st_refinement_is_over(&refine->refinement) &&
           round < refine->values->rounds) {
        char line[64];
        snprintf(line, sizeof line, "round %" PRIu64, ++round);
        if (!refine->values->common.quiet)
            show_status_line(line);
        result = do_round(refine, paths, words, error);
    }
    show_status_line(NULL);
    scratch_remove();
    return result;
}

/* ---- output ---- */

static void write_table(const struct refine *refine, FILE *file) {
    struct st_sheet sheet =
        refine_table(&refine->refinement, (enum refine_layout)refine->values->layout);
    write_sheet(&sheet, (enum table_format)refine->values->format, file);
}

/* The specification goes with a table for people, too. */
static void write_result(const struct refine *refine, FILE *file) {
    const struct st_refinement *refinement = &refine->refinement;
    enum table_format format = (enum table_format)refine->values->format;
    if (format == TO_JSON)
        refine_json(refinement, file);
    else if (format == TO_SVG)
        refine_svg(refinement, (enum refine_layout)refine->values->layout, file);
    else if (format != TO_SPEC)
        write_table(refine, file);
    if (format == TO_TEXT)
        fputc('\n', file);
    if (format == TO_TEXT || format == TO_SPEC)
        st_refinement_write_spec(refinement, &refinement->refiners[0], file);
}

static enum status refine_and_write(struct refine *refine, const char *const *paths,
                                    const char *const *words) {
    struct st_error error;
    struct st_output output;
    if (st_output_open(&output, refine->values->output, paths, &error) < 0)
        return complain(&error);
    if (refine_all(refine, paths, words, &error) < 0) {
        st_output_abandon(&output);
        return complain(&error);
    }
    write_result(refine, output.file);
    if (!st_refinement_is_over(&refine->refinement))
        warn("not over after %" PRIu64 " round%s: --rounds allows more", refine->values->rounds,
             plural(refine->values->rounds));
    return st_output_finish(&output, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

/* ---- the command ---- */

static int check_values(const struct values *values, const char *const *paths,
                        const char *const *words, struct st_error *error) {
    if (*words && *paths)
        return st_fail(error, "refine", ST_AT_FILE, 0,
                       "it refines with traces or with a program, not with both");
    if (*paths && st_java_options_given(&values->java))
        return st_fail(error, "refine", ST_AT_FILE, 0,
                       "what to watch of a Java program (--include) needs a program behind '--'");
    for (const char *const *path = paths; *path; path++)
        if (strcmp(*path, "-") == 0)
            return st_fail(error, "refine", ST_AT_FILE, 0,
                           "each round reads the trace again, so it cannot be standard input");
    if (!values->rounds)
        return st_fail(error, "refine", ST_AT_FILE, 0, "--rounds must not be 0");
    return 0;
}

static enum status run(const void *command_values, const char *const *operands) {
    const char *const *words = operands + count_words(operands) + 1;
    struct refine refine = {.values = command_values};
    const struct values *values = refine.values;
    struct st_error error;
    if (check_values(values, operands, words, &error) < 0 ||
        choose_engines(&refine.engines, "refine", "engine", values->engines, &error) < 0 ||
        check_engines(&refine, &error) < 0 || read_start(&refine, &error) < 0)
        return complain(&error);
    uint64_t usual = *words ? 3 : 1;
    st_refinement_init(&refine.refinement, refine.engines.items, refine.engines.count, refine.start,
                       values->settle ? values->settle : usual);
    enum status status = refine_and_write(&refine, operands, words);
    st_refinement_free(&refine.refinement);
    free(refine.start);
    return status;
}

static void more_help(FILE *file) {
    describe_engines(false, file);
}

static const struct st_option options[] = {
    {.name = "engine",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, engines),
     .value = "LIST",
     .initial = "regiontrack",
     .help = "the engine to refine with, or several with commas between them, side by side"},
    {.name = "start",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, start),
     .value = "FILE",
     .help = "the specification to start with; without it, all blocks but main and what threads "
             "start with"},
    {.name = "settle",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, settle),
     .value = "N",
     .initial = "0",
     .help = "end after N rounds without a new name; 0: 1 for traces, 3 for a program"},
    {.name = "rounds",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, rounds),
     .value = "N",
     .initial = "1000",
     .help = "at most N rounds"},
    {.name = "table",
     .kind = ST_CHOICE,
     .offset = offsetof(struct values, layout),
     .value = "TABLE",
     .initial = "summary",
     .choices = refine_layout_words,
     .help = "what the table shows"},
    JAVA_OPTIONS(struct values),
    TABLE_OPTIONS(struct values, formats),
};

const struct command cmd_refine = {
    .name = "refine",
    .operands = "TRACE...",
    .summary = "refine a specification round by round, as the papers do",
    .description =
        "Checks traces by a specification, takes the names that are reported out of it, and\n"
        "so on, until nothing new is reported. Writes what each round reported, and the\n"
        "specification that is left. Instead of traces, a program can follow behind '--',\n"
        "which is run and recorded anew for each round. 'seriatim infer' gets to the same\n"
        "specification in one pass.\n\n"
        "Exit status: 0 if the result was written, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .program_may_follow = true,
    .program_usage = "[OPTIONS] -- PROGRAM [ARGUMENT...]",
    .more_help = more_help,
    .run = run,
};
