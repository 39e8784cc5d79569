/* seriatim doctor: says what this machine lacks to watch programs, and how to get it. */
#include "base/json.h"
#include "cli/doctor/checkup.h"
#include "cli/doctor/scratch.h"
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"

struct values {
    struct common_values common;
    unsigned format;
    const char *output;
};

static const char *const state_words[] = {
    [CHECKUP_OK] = "ok", [CHECKUP_NOTE] = "note", [CHECKUP_PROBLEM] = "problem"};
static const char *const state_colors[] = {
    [CHECKUP_OK] = "\033[32m", [CHECKUP_NOTE] = "\033[33m", [CHECKUP_PROBLEM] = "\033[1;31m"};

static void write_item(const struct checkup_item *item, bool color, FILE *file) {
    fprintf(file, "%s%-7s%s  %-22s  %s%s%s\n", color ? state_colors[item->state] : "",
            state_words[item->state], color ? "\033[0m" : "", item->name, item->detail,
            *item->advice ? "; " : "", item->advice);
}

static void write_text(const struct checkup *checkup, const struct values *values,
                       const struct st_output *output) {
    bool color = use_color(values->common.color, output->fd);
    for (size_t i = 0; i < checkup->count && !values->common.quiet; i++)
        write_item(&checkup->items[i], color, output->file);
    if (checkup_is_good(checkup))
        fprintf(output->file, "ready: programs built with %s can be watched\n", checkup->builders);
    else
        fprintf(output->file,
                "not ready: programs cannot be watched until the problems%s are "
                "solved\n",
                values->common.quiet ? "" : " above");
}

static void write_json(const struct checkup *checkup, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_key(&json, "schema");
    st_json_string(&json, "seriatim-doctor/1");
    st_json_key(&json, "version");
    st_json_string(&json, SERIATIM_VERSION);
    st_json_key(&json, "ready");
    st_json_bool(&json, checkup_is_good(checkup));
    st_json_key(&json, "checks");
    st_json_array(&json);
    for (size_t i = 0; i < checkup->count; i++) {
        const struct checkup_item *item = &checkup->items[i];
        st_json_flat_object(&json);
        st_json_key(&json, "name");
        st_json_string(&json, item->name);
        st_json_key(&json, "state");
        st_json_string(&json, state_words[item->state]);
        st_json_key(&json, "detail");
        st_json_string(&json, item->detail);
        st_json_key(&json, "advice");
        if (*item->advice)
            st_json_string(&json, item->advice);
        else
            st_json_null(&json);
        st_json_object_end(&json);
    }
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct checkup checkup;
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, values->output, operands, &error) < 0)
        return complain(&error);
    checkup_run(&checkup);
    if (values->format == FORMAT_JSON)
        write_json(&checkup, output.file);
    else
        write_text(&checkup, values, &output);
    bool good = checkup_is_good(&checkup);
    checkup_free(&checkup);
    if (st_output_finish(&output, &error) < 0)
        return complain(&error);
    return good ? STATUS_CLEAN : STATUS_FOUND;
}

static const struct st_option options[] = {
    FORMAT_OPTION(struct values),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "say what this machine lacks to watch programs",
    .description =
        "Checks the compilers, the runtime library, the debug information and the limits\n"
        "of this machine. Builds small programs, runs them, and says how to solve each\n"
        "problem.\n\n"
        "Exit status: 0 if programs can be built with at least one compiler and watched,\n"
        "1 otherwise, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run,
};
