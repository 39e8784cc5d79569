#include "cli/judging.h"

#include "session/result_file.h"
#include "report/formats.h"

#include <string.h>

/* With suppressions or a baseline, so many violations are kept to be judged. */
enum { KEPT = 100000 };

bool judging_is_wanted(const struct judging_values *values) {
    return values->suppressions.count || values->baselines.count;
}

size_t judging_keeps(const struct judging_values *values, uint64_t limit) {
    return limit && limit < KEPT && judging_is_wanted(values) ? KEPT : limit;
}

static int add_baseline(struct st_baseline *baseline, const char *path, struct st_error *error) {
    struct st_input input;
    if (st_input_open(&input, path, error) < 0)
        return -1;
    int result = result_read_rest(&input, error);
    if (result == 0)
        result = st_baseline_add(baseline, input.name, st_input_bytes(&input),
                                 st_input_available(&input), error);
    st_input_close(&input);
    return result;
}

static size_t count_standard_inputs(const char *const *paths, size_t count) {
    size_t result = 0;
    for (size_t i = 0; i < count && paths[i]; i++)
        result += strcmp(paths[i], "-") == 0;
    return result;
}

static int check_inputs(const struct judging_values *values, const char *command,
                        const char *const *inputs, struct st_error *error) {
    size_t count = count_standard_inputs(inputs, SIZE_MAX) +
                   count_standard_inputs(values->suppressions.items, values->suppressions.count) +
                   count_standard_inputs(values->baselines.items, values->baselines.count);
    if (count <= 1)
        return 0;
    return st_fail(error, command, ST_AT_FILE, 0,
                   "standard input cannot be read for two purposes at once");
}

static int read_files(struct judging *judging, struct st_error *error) {
    const struct judging_values *values = judging->values;
    for (size_t i = 0; i < values->suppressions.count; i++)
        if (st_suppressions_load(&judging->suppressions, values->suppressions.items[i], error) < 0)
            return -1;
    for (size_t i = 0; i < values->baselines.count; i++)
        if (add_baseline(&judging->baseline, values->baselines.items[i], error) < 0)
            return -1;
    return 0;
}

int judging_open(struct judging *judging, const struct judging_values *values, const char *command,
                 const char *const *inputs, struct st_error *error) {
    *judging = (struct judging){.values = values};
    if (check_inputs(values, command, inputs, error) < 0)
        return -1;
    st_baseline_init(&judging->baseline);
    if (read_files(judging, error) == 0)
        return 0;
    judging_close(judging);
    return -1;
}

int judging_open_for_trace(struct judging *judging, const struct judging_values *values,
                           const char *command, const char *trace, const char *spec,
                           struct st_error *error) {
    /* That trace and specification are not the same is seen to when they are opened. */
    bool same = spec && strcmp(spec, trace) == 0;
    const char *const inputs[] = {trace, same ? NULL : spec, NULL};
    return judging_open(judging, values, command, inputs, error);
}

void judging_list_inputs(const struct judging_values *values, const char *trace, const char *spec,
                         const char *inputs[JUDGING_INPUTS]) {
    *inputs++ = trace;
    if (spec)
        *inputs++ = spec;
    for (size_t i = 0; i < values->suppressions.count; i++)
        *inputs++ = values->suppressions.items[i];
    *inputs = NULL;
}

void judging_close(struct judging *judging) {
    st_suppressions_free(&judging->suppressions);
    st_baseline_free(&judging->baseline);
}

struct st_judgement *judging_apply(const struct judging *judging, struct st_report *report,
                                   uint64_t limit) {
    const struct judging_values *values = judging->values;
    if (!judging_is_wanted(values))
        return NULL;
    return st_judge(report, values->suppressions.count ? &judging->suppressions : NULL,
                    values->baselines.count ? &judging->baseline : NULL, limit);
}

enum status report_status(const struct st_report *report) {
    if (st_report_found(report))
        return STATUS_FOUND;
    return st_report_undecided(report) ? STATUS_TROUBLE : STATUS_CLEAN;
}

void judging_write(const struct judging *judging, const struct st_report *report, unsigned format,
                   struct st_text_style style, FILE *file) {
    if (judging->values->print)
        st_report_suppressions(report, file);
    else
        st_report_formats[format].write(report, style, file);
}
