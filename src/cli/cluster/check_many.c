/* A piece of work is a trace, the answer is its result in JSON. Results are merged in the order in
 * which the traces were named, whoever was first. */
#include "cli/cluster/check_many.h"

#include "base/memory.h"
#include "base/output.h"
#include "cli/cluster/name_list.h"
#include "cli/cluster/ranks.h"
#include "cli/messages.h"
#include "cluster/shared_files.h"
#include "report/load/merged_runs.h"

#include <stdlib.h>
#include <string.h>

/* Of each finding so many violations are kept: those of the first traces. `report` does the same.
 */
enum { KEPT_OF_EACH = 3 };

struct checked {
    char *answer; /* NULL: not there, or merged already */
    size_t length;
    bool done;
};

struct many {
    const struct check_values *values;
    struct check_values each; /* for one trace */
    struct st_crew *crew;
    const struct name_list *list;
    struct st_dealing *dealing;
    struct checked *checked;
    size_t next; /* the first that is not merged */
    struct st_merged_runs *runs;
    size_t merged, failed;
    bool found;
    struct st_error error;
    bool is_broken; /* something could not be merged */
};

/* ---- one trace ---- */

static unsigned json_format(void) {
    unsigned format = 0;
    while (strcmp(st_report_formats[format].name, "json") != 0)
        format++;
    return format;
}

static void check_one(struct many *many, const char *name, const char *place,
                      struct st_packed *answer) {
    struct st_text_buffer buffer;
    hold_messages();
    enum status status = check_into(&many->each, name, place, st_text_buffer_open(&buffer));
    char *text = st_text_buffer_close(&buffer), *messages = take_messages();
    if (!st_crew_is_worker(many->crew))
        release_messages();
    st_pack_number(answer, status);
    st_pack_text(answer, messages);
    st_pack_bytes(answer, text, strlen(text));
    free(messages);
    free(text);
}

/* ---- the others ---- */

static void work(void *context, const char *question, size_t length, struct st_packed *answer) {
    struct many *many = context;
    struct st_unpacking from = st_unpack(question, length);
    char *name;
    free(st_unpack_text(&from));
    st_unpack_number(&from);
    st_unpack_number(&from);
    char *place = st_unpack_file(many->crew, &from, &name), *spec = NULL;
    if (st_unpack_number(&from))
        many->each.spec = spec = st_unpack_file(many->crew, &from, NULL);
    check_one(many, name, place, answer);
    free(spec);
    free(place);
    free(name);
}

/* ---- rank 0 ---- */

static void ask(void *context, size_t index, struct st_packed *question) {
    const struct many *many = context;
    const char *name = many->list->names[index], *spec = many->values->spec;
    st_pack_text(question, name);
    st_pack_number(question, st_file_sample(name));
    st_pack_number(question, spec ? st_file_sample(spec) : 0);
}

static void attach(void *context, size_t index, struct st_packed *question) {
    const struct many *many = context;
    st_pack_file(question, many->list->names[index]);
    st_pack_number(question, many->values->spec != NULL);
    if (many->values->spec)
        st_pack_file(question, many->values->spec);
}

static void merge(struct many *many, size_t index) {
    struct checked *checked = &many->checked[index];
    struct st_unpacking from = st_unpack(checked->answer, checked->length);
    size_t length;
    enum status status = (enum status)st_unpack_number(&from);
    char *messages = st_unpack_text(&from);
    const char *text = st_unpack_bytes(&from, &length);
    if (messages && *messages) {
        show_status_line(NULL);
        print_messages(messages);
    }
    many->found |= status == STATUS_FOUND;
    many->failed += length == 0;
    if (length && !many->is_broken &&
        st_merged_runs_add(many->runs, many->list->names[index], text, length, &many->error) < 0)
        many->is_broken = true;
    many->merged += length != 0;
    free(messages);
    free(checked->answer);
    checked->answer = NULL;
}

static void show_progress(const struct many *many) {
    char line[80];
    if (many->values->common.quiet)
        return;
    snprintf(line, sizeof line, "%zu of %zu traces", many->next, many->list->count);
    show_status_line(line);
}

static void take(void *context, size_t index, const char *answer, size_t length) {
    struct many *many = context;
    struct checked *checked = &many->checked[index];
    struct st_unpacking from = st_unpack(answer, length);
    checked->answer = st_alloc(length + 1, 1);
    memcpy(checked->answer, answer, length);
    checked->length = length;
    checked->done = true;
    if (many->values->first && st_unpack_number(&from) == STATUS_FOUND &&
        many->dealing->wanted > index + 1)
        many->dealing->wanted = index + 1;
    for (; many->next < many->dealing->wanted && many->checked[many->next].done; many->next++)
        merge(many, many->next);
    show_progress(many);
}

static int do_here(void *context, const size_t *indices, size_t count, struct st_packed *answers,
                   struct st_error *error) {
    struct many *many = context;
    (void)error;
    for (size_t i = 0; i < count; i++)
        check_one(many, many->list->names[indices[i]], many->list->names[indices[i]], &answers[i]);
    return 0;
}

/* ---- the result ---- */

static enum status write_merged(struct many *many, const struct st_filters *filters,
                                struct st_output *output) {
    const struct check_values *values = many->values;
    struct st_error error;
    struct st_loaded *loaded = st_merged_runs_load(many->runs, many->list->names[0], &error);
    if (!loaded) {
        st_output_abandon(output);
        return complain(&error);
    }
    struct st_report report = *st_loaded_report(loaded);
    struct st_triaged *triaged = st_filters_apply(filters, &report, values->limit);
    enum status status = report_status(&report);
    if (values->strict && status == STATUS_CLEAN && was_unchecked(&report))
        status = STATUS_TROUBLE;
    if (status == STATUS_CLEAN && st_merged_runs_hidden(many->runs))
        status = STATUS_FOUND;
    if (many->failed || many->dealing->left)
        status = many->failed || status == STATUS_CLEAN ? STATUS_TROUBLE : status;
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &values->filters, values->format,
                    text_style(&values->common, output->fd), output->file);
    st_triaged_free(triaged);
    st_loaded_free(loaded);
    return st_output_finish(output, &error) < 0 ? complain(&error) : status;
}

static void say_what_is_left(const struct many *many) {
    size_t hidden = st_merged_runs_hidden(many->runs);
    if (hidden)
        warn("%zu trace%s not serializable without a violated block, which this result does not "
             "show: check such traces by themselves",
             hidden, hidden == 1 ? " is" : "s are");
    if (many->dealing->left)
        warn("stopped: %zu of %zu traces were not checked%s", many->dealing->left,
             many->list->count,
             many->values->resume ? "; the same command goes on from there"
                                  : "; with --resume, the same command could go on from there");
    if (many->failed)
        warn("%zu of %zu traces could not be checked", many->failed, many->list->count);
}

static enum status deal_and_write(struct many *many, const struct st_filters *filters,
                                  struct st_output *output) {
    struct st_error error;
    int result = st_crew_deal(many->crew, many->dealing, &error);
    for (size_t i = many->next; i < many->dealing->wanted; i++)
        if (many->checked[i].answer)
            merge(many, i);
    show_status_line(NULL);
    if (result == 0 && many->is_broken) {
        error = many->error;
        result = -1;
    }
    if (result < 0 || !many->merged) {
        st_output_abandon(output);
        if (result < 0)
            return complain(&error);
        say_what_is_left(many);
        return STATUS_TROUBLE;
    }
    enum status status = write_merged(many, filters, output);
    say_what_is_left(many);
    return status;
}

static enum status deal_traces(struct many *many) {
    const struct check_values *values = many->values;
    struct st_filters filters;
    struct st_output output;
    struct st_error error;
    enum status status;
    if (st_filters_open_for_trace(&filters, &values->filters.files, "check", many->list->names[0],
                                  values->spec, &error) < 0)
        return complain(&error);
    ranks_catch_stops();
    if (st_output_open(&output, values->output, (const char *const *)many->list->names, &error) < 0)
        status = complain(&error);
    else
        status = deal_and_write(many, &filters, &output);
    st_filters_close(&filters);
    return status;
}

static int check_values(const struct check_values *values, struct st_error *error) {
    if (check_compares(values))
        return st_fail(error, "check", ST_AT_FILE, 0,
                       "several traces need one engine; 'seriatim compare' runs several on each");
    if (values->first && st_filters_wanted(&values->filters.files))
        return st_fail(error, "check", ST_AT_FILE, 0,
                       "--first cannot be used with --suppressions or --baseline: it stops before "
                       "it is known whether a finding is new");
    return ranks_resume(values->resume, NULL, error);
}

static enum status check_list(struct many *many) {
    struct st_crew *alone = ranks_crew() ? NULL : st_crew_alone();
    struct st_dealing dealing = {.wanted = many->list->count,
                                 .phase = 1,
                                 .batch = 1,
                                 .ask = ask,
                                 .attach = attach,
                                 .take = take,
                                 .do_here = do_here,
                                 .stopped = ranks_is_stopped,
                                 .context = many};
    many->crew = alone ? alone : ranks_crew();
    many->dealing = &dealing;
    many->checked = st_alloc(many->list->count, sizeof *many->checked);
    many->runs = st_merged_runs_new(KEPT_OF_EACH);
    enum status status = deal_traces(many);
    for (size_t i = 0; i < many->list->count; i++)
        free(many->checked[i].answer);
    st_merged_runs_free(many->runs);
    free(many->checked);
    st_crew_leave(alone, status);
    return status;
}

static void serve(struct many *many) {
    struct st_serving serving = {.phase = 1, .work = work, .context = many};
    many->crew = ranks_crew();
    st_crew_serve(many->crew, &serving, NULL);
}

enum status check_many(const struct check_values *values, const char *const *names) {
    struct name_list list = {0};
    struct many many = {.values = values, .each = *values, .list = &list};
    struct st_error error;
    enum status status;
    many.each.format = json_format();
    many.each.common.quiet = true;
    many.each.filters.print = false;
    if (st_crew_is_worker(ranks_crew()))
        serve(&many);
    if (check_values(values, &error) < 0 || name_list_read(&list, "check", names, &error) < 0)
        status = complain(&error);
    else
        status = check_list(&many);
    name_list_free(&list);
    return status;
}
