#include "cli/hunting.h"

#include "cli/messages.h"
#include "cli/cluster/ranks.h"
#include "finding/observation.h"
#include "report/load/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds after which a run that does not end is ended. */
static const double longest_run = 20;

/* ---- what goes to the terminal ---- */

static void show_progress(void *context, const struct st_hunt_progress *progress) {
    const struct hunting *hunting = context;
    char line[160];
    if (hunting->common->quiet)
        return;
    snprintf(line, sizeof line, "%" PRIu64 " run%s, %" PRIu64 " point%s, %" PRIu64 " finding%s; %s",
             progress->runs, plural(progress->runs), progress->points, plural(progress->points),
             progress->findings, plural(progress->findings), progress->doing);
    show_status_line(line);
}

static void say(void *context, const char *sentence) {
    (void)context;
    show_status_line(NULL);
    warn("%s", sentence);
}

struct st_hunt_options usual_hunt(const struct hunting *hunting, const char *command,
                                  const char *const *words, const char *spec) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct st_hunted subject = {.command = command,
                                .words = words,
                                .spec = spec,
                                .source_root = hunting->filters->files.root,
                                .relation = st_relation_or_usual(0, true),
                                .keep = st_filters_keep(hunting->limit),
                                .seconds = longest_run};
    return (struct st_hunt_options){.subject = subject,
                                    .jobs = processors > 0 ? (size_t)processors : 1,
                                    .limit = hunting->limit,
                                    .keep = "seriatim-hunt",
                                    .takes_input = true,
                                    .stopped = ranks_is_stopped,
                                    .show = show_progress,
                                    .warn = say,
                                    .context = (void *)hunting};
}

/* ---- the report ---- */

static bool has_proof(const struct st_hunt_facts *hunt) {
    for (size_t i = 0; i < hunt->prediction_count; i++)
        if (strcmp(hunt->predictions[i].verdict, "violation") == 0)
            return true;
    return false;
}

static enum status status_of(const struct hunting *hunting, const struct st_report *report) {
    enum status status = report_status(report);
    if (status == STATUS_CLEAN && hunting->proofs_count && has_proof(report->hunt))
        return STATUS_FOUND;
    if (status == STATUS_CLEAN && (report->hunt->interrupted || hunting->undecided))
        return STATUS_TROUBLE;
    return status;
}

static enum status write_loaded(const struct hunting *hunting, const struct st_filters *filters,
                                const struct st_loaded *loaded, struct st_output *output) {
    struct st_report report = *st_loaded_report(loaded);
    struct st_triaged *triaged = st_filters_apply(filters, &report, hunting->limit);
    enum status status = status_of(hunting, &report);
    struct st_error error;
    report.has_status = true;
    report.status = status;
    write_report_as(&report, hunting->filters, hunting->format,
                    text_style(hunting->common, output->fd), output->file);
    st_triaged_free(triaged);
    return st_output_finish(output, &error) < 0 ? complain(&error) : status;
}

static enum status write_result(const struct hunting *hunting, const struct st_filters *filters,
                                const struct st_hunt *hunt, struct st_output *output) {
    struct st_error error;
    char *text = st_hunt_result(hunt);
    struct st_loaded *loaded = st_report_load("hunt", text, strlen(text), &error);
    enum status status = STATUS_TROUBLE;
    if (loaded) {
        status = write_loaded(hunting, filters, loaded, output);
    } else {
        st_output_abandon(output);
        complain(&error);
    }
    st_loaded_free(loaded);
    free(text);
    return status;
}

enum status hunt_and_write(const struct hunting *hunting, const struct st_hunt_options *options,
                           const struct st_filters *filters, struct st_output *output) {
    struct st_error error;
    ranks_catch_stops();
    struct st_hunt *hunt = st_hunt(options, &error);
    show_status_line(NULL);
    if (!hunt) {
        st_output_abandon(output);
        return complain(&error);
    }
    enum status status = write_result(hunting, filters, hunt, output);
    if (st_hunt_unsaved(hunt))
        status = complain(st_hunt_unsaved(hunt));
    if (ranks_is_stopped(NULL) && ranks_crew())
        warn("stopped before all runs were done; with --resume, the same command goes on from "
             "there");
    st_hunt_free(hunt);
    return status;
}
