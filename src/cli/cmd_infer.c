/* seriatim infer: which blocks were never cut, over one or more traces, as a specification.
 *
 * One pass over each trace is enough. Whether a block was cut does not depend on which other blocks
 * there are, so an engine that finds all of them at every depth gives at once what papers get by
 * checking the same trace again and again, each time without the blocks refuted so far. */
#include "base/memory.h"
#include "check/engine.h"
#include "cli/shared.h"
#include "session/inference.h"

#include <stdlib.h>

struct values {
    struct common_values common;
    bool repair;
    unsigned format;
    const char *output;
};

static int analyse(struct reading *reading, struct st_findings *findings, struct st_error *error) {
    const struct st_engine *engine = st_engine_find("witness"); /* knows every depth */
    void *state = engine->create(findings);
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = reading_next(reading, &events, &first, error)) > 0)
        engine->feed(state, events, (size_t)count, first);
    if (count == 0)
        engine->finish(state, st_trace_facts(reading->trace)->events);
    engine->destroy(state);
    reading_end(reading, count == 0);
    if (count == 0 && findings->gave_up)
        return st_fail(error, st_trace_name(reading->trace), ST_AT_FILE, 0, "%s",
                       findings->gave_up);
    return (int)count;
}

static int add_trace(struct tally *tally, const char *path, const struct values *values,
                     struct st_error *error) {
    struct reading reading;
    struct st_findings findings;
    if (reading_open(&reading, path, (values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_AHEAD,
                     values->common.quiet, error) < 0)
        return -1;
    st_findings_init(&findings, 0);
    findings.limit_each = 1; /* an example */
    int result = analyse(&reading, &findings, error);
    if (result == 0)
        tally_add(tally, path, reading.trace, &findings);
    st_findings_free(&findings);
    reading_close(&reading);
    return result;
}

static int infer(struct tally *tally, const struct values *values, const char *const *paths,
                 struct st_output *output, struct st_error *error) {
    for (; *paths; paths++) {
        if (add_trace(tally, *paths, values, error) < 0) {
            st_output_abandon(output);
            return -1;
        }
    }
    if (values->format == FORMAT_JSON)
        tally_write_json(tally, output->file);
    else
        tally_write_spec(tally, output->file);
    return st_output_finish(output, error);
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, values->output, operands, &error) < 0)
        return complain(&error);
    struct tally tally;
    tally_init(&tally);
    int result = infer(&tally, values, operands, &output, &error);
    tally_free(&tally);
    return result < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    REPAIR_OPTION(struct values),
    FORMAT_OPTION(struct values),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_infer = {
    .name = "infer",
    .operands = "TRACE...",
    .summary = "write a specification of the blocks that were never cut",
    .description =
        "Reads one or more traces and writes an atomicity specification for check --spec:\n"
        "the blocks that were never cut, with how often they ran. Those that were cut\n"
        "follow as comments, the most rarely cut first, each with an example.\n\n"
        "Exit status: 0 done, be there cut blocks or not, 2 trouble.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .run = run,
};
