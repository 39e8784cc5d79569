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
    [HEALTH_OK] = "ok", [HEALTH_NOTE] = "note", [HEALTH_PROBLEM] = "problem"};
static const char *const state_colors[] = {
    [HEALTH_OK] = "\033[32m", [HEALTH_NOTE] = "\033[33m", [HEALTH_PROBLEM] = "\033[1;31m"};

static void write_symptom(const struct symptom *symptom, bool color, FILE *file) {
    fprintf(file, "%s%-7s%s  %-22s  %s%s%s\n", color ? state_colors[symptom->state] : "",
            state_words[symptom->state], color ? "\033[0m" : "", symptom->name, symptom->detail,
            *symptom->advice ? "; " : "", symptom->advice);
}

static void write_text(const struct health *health, const struct values *values,
                       const struct st_output *output) {
    bool color = use_color(values->common.color, output->fd);
    for (size_t i = 0; i < health->count && !values->common.quiet; i++)
        write_symptom(&health->symptoms[i], color, output->file);
    if (health_is_good(health))
        fprintf(output->file, "ready: programs built with %s can be watched\n", health->builders);
    else
        fprintf(output->file,
                "not ready: programs cannot be watched until the problems%s are "
                "solved\n",
                values->common.quiet ? "" : " above");
}

static void write_json(const struct health *health, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_key(&json, "schema");
    st_json_string(&json, "seriatim-doctor/1");
    st_json_key(&json, "version");
    st_json_string(&json, SERIATIM_VERSION);
    st_json_key(&json, "ready");
    st_json_bool(&json, health_is_good(health));
    st_json_key(&json, "checks");
    st_json_array(&json);
    for (size_t i = 0; i < health->count; i++) {
        const struct symptom *symptom = &health->symptoms[i];
        st_json_flat_object(&json);
        st_json_key(&json, "name");
        st_json_string(&json, symptom->name);
        st_json_key(&json, "state");
        st_json_string(&json, state_words[symptom->state]);
        st_json_key(&json, "detail");
        st_json_string(&json, symptom->detail);
        st_json_key(&json, "advice");
        if (*symptom->advice)
            st_json_string(&json, symptom->advice);
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
    struct health health;
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, values->output, operands, &error) < 0)
        return complain(&error);
    health_examine(&health);
    if (values->format == FORMAT_JSON)
        write_json(&health, output.file);
    else
        write_text(&health, values, &output);
    bool good = health_is_good(&health);
    health_free(&health);
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
