#include "report/report.h"

#include "base/memory.h"

#include <string.h>

struct st_detail st_detail_at(const struct st_report *report, uint64_t loc) {
    static const char *const none[] = {NULL};
    struct st_detail detail = {"", none, none, false, NULL};
    if (report->details)
        report->details->lookup(report->details->context, loc, &detail);
    return detail;
}

struct st_result_list st_report_results(const struct st_report *report) {
    switch (report->kind) {
    case ST_REPORT_RESULT:
    case ST_REPORT_COMPARISON:
        return report->results;
    case ST_REPORT_PREDICTION:
    case ST_REPORT_PREDICTION_COMPARISON:
        break;
    }
    return (struct st_result_list){0};
}

const struct st_predictions *st_report_predictions(const struct st_report *report) {
    static const struct st_predictions none;
    switch (report->kind) {
    case ST_REPORT_RESULT:
    case ST_REPORT_COMPARISON:
        break;
    case ST_REPORT_PREDICTION:
    case ST_REPORT_PREDICTION_COMPARISON:
        return report->predictions;
    }
    return &none;
}

bool st_report_disagrees(const struct st_report *report) {
    struct st_result_list results = st_report_results(report);
    bool yes = false, no = false;
    for (size_t i = 0; i < results.count; i++) {
        if (results.items[i].published_form_of)
            continue;
        yes |= results.items[i].findings->verdict == ST_SERIALIZABLE;
        no |= results.items[i].findings->verdict == ST_NOT_SERIALIZABLE;
    }
    return yes && no;
}

struct st_counts st_report_counts(const struct st_report *report) {
    const struct st_symbols *symbols = report->symbols;
    if (report->counts)
        return *report->counts;
    return (struct st_counts){.threads = symbols->threads.count,
                              .variables = symbols->variables.count,
                              .locks = st_lock_count(symbols),
                              .channels = st_signal_count(symbols)};
}

bool st_report_truncated(const struct st_report *report) {
    return report->file_truncated || report->facts->open_blocks || report->facts->held_locks;
}

uint64_t st_all_violated(const struct st_findings *findings) {
    return findings->all_violated;
}

struct st_place st_begin_place(const struct st_violation *violation) {
    return (struct st_place){.number = violation->begin,
                             .event = {.thread = violation->thread,
                                       .target = violation->block,
                                       .loc = violation->begin_loc & ((ST_LOC_NAME << 1) - 1),
                                       .written = ST_BEGIN,
                                       .op = ST_BEGIN}};
}

char *st_op_text(const struct st_symbols *symbols, const struct st_event *event) {
    enum st_op op = (enum st_op)event->written;
    const char *word = st_op_std(op);
    const char *target = st_target_name(symbols, op, event->target);
    if (!*target)
        return st_strdup(word);
    size_t size = strlen(word) + strlen(target) + 3;
    char *text = st_alloc(size, 1);
    snprintf(text, size, "%s(%s)", word, target);
    return text;
}

const char *st_edge_subject(const struct st_symbols *symbols, const struct st_edge *edge) {
    const struct st_event *event = edge->kind == ST_EDGE_FORK ? &edge->from.event : &edge->to.event;
    const char *lock = st_lock_of_channel(symbols, event);
    return lock ? lock : st_target_name(symbols, (enum st_op)event->written, event->target);
}

/* ---- Formats ---- */

static void write_json(const struct st_report *report, struct st_text_style style, FILE *file) {
    (void)style;
    st_report_json(report, file);
}

static void write_sarif(const struct st_report *report, struct st_text_style style, FILE *file) {
    (void)style;
    st_report_sarif(report, file);
}

static void write_html(const struct st_report *report, struct st_text_style style, FILE *file) {
    (void)style;
    st_report_html(report, file);
}

const struct st_report_format st_report_formats[] = {
    {.name = "text", .write = st_report_text},
    {.name = "json", .write = write_json},
    {.name = "sarif", .write = write_sarif},
    {.name = "html", .write = write_html},
    {0},
};

const char *st_program_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

const char *st_report_format_name(size_t index) {
    for (size_t i = 0; i <= index; i++)
        if (!st_report_formats[i].name)
            return NULL;
    return st_report_formats[index].name;
}
