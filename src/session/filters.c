#include "session/filters.h"

#include "report/source_root.h"

#include <stdlib.h>
#include <string.h>

/* How many violations are kept in full, of all kinds together. */
enum { KEPT = 20000 };

/* How many blocks of a prediction are kept with suppressions or a baseline. */
enum { KEPT_PREDICTED = 100000 };

bool st_filters_wanted(const struct st_filter_files *files) {
    return files->suppressions.count || files->baselines.count;
}

size_t st_filters_keep(uint64_t limit) {
    return limit > KEPT ? limit : KEPT;
}

size_t st_filters_keep_predicted(const struct st_filter_files *files, uint64_t limit) {
    return limit && limit < KEPT_PREDICTED && st_filters_wanted(files) ? KEPT_PREDICTED : limit;
}

static int add_baseline(struct st_baseline *baseline, const char *path, struct st_error *error) {
    struct st_input input;
    if (st_input_open(&input, path, error) < 0)
        return -1;
    struct st_loaded *loaded = st_result_read(&input, error);
    int result = loaded ? 0 : -1;
    if (loaded)
        st_baseline_add(baseline, input.name, st_loaded_report(loaded));
    st_loaded_free(loaded);
    st_input_close(&input);
    return result;
}

static size_t count_standard_inputs(const char *const *paths, size_t count) {
    size_t result = 0;
    for (size_t i = 0; i < count && paths[i]; i++)
        result += strcmp(paths[i], "-") == 0;
    return result;
}

static int check_inputs(const struct st_filter_files *files, const char *command,
                        const char *const *inputs, struct st_error *error) {
    size_t count = count_standard_inputs(inputs, SIZE_MAX) +
                   count_standard_inputs(files->suppressions.items, files->suppressions.count) +
                   count_standard_inputs(files->baselines.items, files->baselines.count);
    if (count <= 1)
        return 0;
    return st_fail(error, command, ST_AT_FILE, 0,
                   "standard input cannot be read for two purposes at once");
}

static int read_files(struct st_filters *filters, struct st_error *error) {
    const struct st_filter_files *files = filters->files;
    for (size_t i = 0; i < files->suppressions.count; i++)
        if (st_suppressions_load(&filters->suppressions, files->suppressions.items[i], error) < 0)
            return -1;
    for (size_t i = 0; i < files->baselines.count; i++)
        if (add_baseline(&filters->baseline, files->baselines.items[i], error) < 0)
            return -1;
    return 0;
}

int st_filters_open(struct st_filters *filters, const struct st_filter_files *files,
                    const char *command, const char *const *inputs, struct st_error *error) {
    *filters = (struct st_filters){.files = files};
    if (check_inputs(files, command, inputs, error) < 0)
        return -1;
    st_baseline_init(&filters->baseline);
    filters->root = st_source_root(files->root);
    if (read_files(filters, error) == 0)
        return 0;
    st_filters_close(filters);
    return -1;
}

int st_filters_open_for_trace(struct st_filters *filters, const struct st_filter_files *files,
                              const char *command, const char *trace, const char *spec,
                              struct st_error *error) {
    /* That trace and specification differ is checked when they are opened. */
    bool same = spec && strcmp(spec, trace) == 0;
    const char *const inputs[] = {trace, same ? NULL : spec, NULL};
    return st_filters_open(filters, files, command, inputs, error);
}

void st_filters_list_inputs(const struct st_filter_files *files, const char *trace,
                            const char *spec, const char *inputs[ST_FILTER_INPUTS]) {
    *inputs++ = trace;
    if (spec)
        *inputs++ = spec;
    for (size_t i = 0; i < files->suppressions.count; i++)
        *inputs++ = files->suppressions.items[i];
    *inputs = NULL;
}

void st_filters_close(struct st_filters *filters) {
    st_suppressions_free(&filters->suppressions);
    st_baseline_free(&filters->baseline);
    free(filters->root);
}

struct st_triaged *st_filters_apply(const struct st_filters *filters, struct st_report *report,
                                    uint64_t limit) {
    const struct st_filter_files *files = filters->files;
    report->root = filters->root;
    return st_triage_findings(report, files->suppressions.count ? &filters->suppressions : NULL,
                              files->baselines.count ? &filters->baseline : NULL, limit);
}

/* The longest result that is read. Nobody would look at a longer one. */
#define LARGEST_RESULT (UINT64_C(1) << 29)

enum { MORE = 1 << 20 };

/* Some devices and pipes never end; what is no JSON is not read to its end. */
static bool starts_like_json(const struct st_input *input) {
    const char *text = st_input_bytes(input);
    size_t at = 0, length = st_input_available(input);
    while (at < length && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    return at == length || text[at] == '{';
}

int st_result_text(struct st_input *input, struct st_error *error) {
    while (!input->at_end && starts_like_json(input)) {
        if (st_input_fill(input, st_input_available(input) + MORE, error) < 0)
            return -1;
        if (st_input_available(input) > LARGEST_RESULT)
            return st_fail(error, input->name, ST_AT_FILE, 0, "is too large for a result");
    }
    return 0;
}

struct st_loaded *st_result_read(struct st_input *input, struct st_error *error) {
    if (st_result_text(input, error) < 0)
        return NULL;
    return st_report_load(input->name, st_input_bytes(input), st_input_available(input), error);
}

int st_add_saved_run(struct st_merged_runs *runs, const char *path, struct st_error *error) {
    struct st_input input;
    if (st_input_open(&input, path, error) < 0)
        return -1;
    int result = st_result_text(&input, error);
    if (result == 0)
        result = st_merged_runs_add(runs, input.name, st_input_bytes(&input),
                                    st_input_available(&input), error);
    st_input_close(&input);
    return result;
}
