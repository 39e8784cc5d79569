/* The report for people: a story for each violated block, how often each was cut, and one line
 * that sums up. */
#include "report/text/story_text.h"

#include "report/text/columns.h"
#include "report/text/glyphs.h"
#include "report/text/overview_text.h"
#include "report/text/prediction_text.h"
#include "report/text/text_parts.h"
#include "report/triage/finding_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The first screen ---- */

/* The findings with these numbers, a line each: [from, to). */
static void put_lines(const struct st_text_writer *text, const struct st_report *report,
                      const struct st_violation_groups *groups, size_t from, size_t to) {
    struct st_columns columns = {.count = ST_OVERVIEW_COLUMNS, .right = 1};
    st_start_overview(&columns, "what was cut", "how often");
    for (size_t i = from; i < to; i++)
        st_add_overview(text, &columns,
                        st_overview_of(report, &report->results.items[0], &groups->items[i]));
    st_put_overview(text, &columns);
}

static size_t count_new(const struct st_violation_groups *groups, bool dispatchers) {
    size_t count = 0;
    while (count < groups->count && groups->items[count].state == ST_NEW &&
           (dispatchers || !groups->items[count].callee))
        count++;
    return count;
}

/* A single finding is its own summary. */
static void put_overview(const struct st_text_writer *text, const struct st_report *report,
                         const struct st_violation_groups *groups, size_t shown) {
    size_t real = count_new(groups, false), all = count_new(groups, true);
    if (all < 2)
        return;
    if (real) {
        st_put_count(text, real, "finding");
        fprintf(text->file, "%s\n", real > 1 ? ", the most important first:" : ":");
        put_lines(text, report, groups, 0, real);
    }
    if (real < all) {
        fputs("By design? Cut between their calls, between turns of a loop, or where they wait:\n",
              text->file);
        put_lines(text, report, groups, real, all);
    }
    if (shown < all)
        fprintf(text->file, "The first %zu in full; --stories 0 describes all:\n\n", shown);
}

/* Dispatchers have their line only, unless there is nothing else to speak of. */
static size_t count_stories(const struct st_text_writer *text,
                            const struct st_violation_groups *groups) {
    size_t real = count_new(groups, false), all = count_new(groups, true);
    size_t most = text->style.stories ? text->style.stories : all;
    size_t wanted = text->style.stories && real ? real : all;
    return wanted < most ? wanted : most;
}

static void put_violations(const struct st_text_writer *text, const struct st_report *report,
                           const struct st_violation_groups *groups) {
    const struct st_result *result = &report->results.items[0];
    size_t shown = count_stories(text, groups);
    put_overview(text, report, groups, shown);
    for (size_t i = 0; i < shown; i++) {
        struct st_story story = st_violation_story(report, result, &groups->items[i]);
        st_print_story(text, &story, NULL);
        st_story_free(&story);
        fputc('\n', text->file);
    }
    if (result->findings->left_out && !report->stopped) {
        st_put_count(text, result->findings->left_out, "more finding");
        fputs(" not listed; --limit 0 lists all.\n\n", text->file);
    }
}

static void put_cycle(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_result *result = &report->results.items[0];
    if (!st_result_has_cycle(result) || st_cycle_mark(report, result).state != ST_NEW)
        return;
    struct st_story story = st_cycle_story(report, result);
    st_print_story(text, &story, NULL);
    st_story_free(&story);
    fputc('\n', text->file);
}

/* What a hunt saw fail comes before what it saw cut. */
static void put_failures(const struct st_text_writer *text, const struct st_report *report) {
    for (size_t i = 0; report->hunt && i < report->hunt->failure_count; i++) {
        struct st_story story = st_failure_story(report, &report->hunt->failures[i]);
        st_print_story(text, &story, NULL);
        st_story_free(&story);
        fputc('\n', text->file);
    }
}

/* And what it was to confirm comes last. */
static void put_tried(const struct st_text_writer *text, const struct st_report *report) {
    size_t count = report->hunt ? report->hunt->prediction_count : 0;
    for (size_t i = 0; i < count; i++) {
        if (st_tried_is_folded(report->hunt, i))
            continue;
        char *sentence = st_tried_text(report->hunt, i);
        struct st_text_buffer buffer;
        struct st_text_writer line = st_sentence_start(text, &buffer);
        st_put_name(&line, sentence);
        st_sentence_end(text, &buffer);
        free(sentence);
    }
    if (count)
        fputc('\n', text->file);
}

/* ---- The table of blocks ---- */

static bool is_start(const struct st_block_row *row) {
    const char *function;
    size_t length;
    return st_block_is_start(row->name, &function, &length);
}

/* How often each block ran and was cut. With a single name the headlines have said it. */
static void put_blocks(const struct st_text_writer *text, const struct st_report *report,
                       const struct st_violation_groups *groups) {
    const struct st_findings *findings = report->results.items[0].findings;
    size_t count = groups->row_count;
    while (count && !groups->rows[count - 1].violated && is_start(&groups->rows[count - 1]))
        count--; /* of these nobody asks unless they were cut */
    if (count < 2 || !groups->rows[0].violated || report->stopped)
        return;
    st_put_block_table(text, groups->rows, count, findings->blames_closers ? "blamed" : "violated",
                       "violated");
    if (findings->outermost_only && report->facts->deepest > 1)
        fputs("This engine looks at outermost blocks only: nested ones count as executed, never as "
              "violated.\n",
              text->file);
    fputc('\n', text->file);
}

/* ---- The summary ---- */

static const char *verdict_text(enum st_verdict verdict) {
    return verdict == ST_SERIALIZABLE       ? "serializable"
           : verdict == ST_NOT_SERIALIZABLE ? "not serializable"
                                            : "undecided";
}

/* In a recording the order of racing accesses is one that they can have had (docs/programs.md).
 */
static void put_race_note(const struct st_text_writer *text, const struct st_report *report) {
    if (report->details && st_findings_racy(report->results.items[0].findings))
        fputs("A finding rests on a data race: in a recording the order of racing accesses is best "
              "effort. 'seriatim stats' lists them.\n",
              text->file);
}

/* They are what the summary is about, so a quiet report has them, too. */
static void put_reasons(const struct st_text_writer *text, const struct st_unchecked *unchecked) {
    for (size_t i = 0; i < unchecked->count; i++) {
        fputs("  ", text->file);
        st_put_name(text, unchecked->reasons[i]);
        fputc('\n', text->file);
    }
}

/* "4 processes of 2 programs" */
static void put_process_count(const struct st_text_writer *text, const struct st_report *report) {
    uint64_t processes = 0;
    for (size_t i = 0; i < report->program_count; i++)
        processes += report->programs[i].processes;
    fprintf(text->file, "%" PRIu64 " process%s of ", processes, processes == 1 ? "" : "es");
    if (report->program_count == 1)
        st_put_name(text, report->programs[0].name);
    else
        st_put_count(text, report->program_count, "program");
}

static void put_summary(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_result *result = &report->results.items[0];
    const struct st_findings *findings = result->findings;
    struct st_summary summary = st_result_summary(report, result);
    struct st_unchecked unchecked = st_report_unchecked(report);
    bool good = findings->verdict == ST_SERIALIZABLE && !unchecked.what &&
                !(report->hunt && report->hunt->failure_count);
    if (report->program_count)
        put_process_count(text, report);
    else
        st_put_name(text, report->trace);
    fputs(": ", text->file);
    st_put_paint(text, good ? ST_GREEN : ST_RED);
    st_put_part(text, summary.text, summary.verdict);
    st_put_paint(text, ST_PLAIN);
    fputs(summary.text + (text->style.quiet ? summary.meaning : summary.verdict), text->file);
    if (report->triage && findings->names_blocks)
        st_put_states(text, report);
    if (report->stopped)
        fputs("; stopped at the first finding", text->file);
    fprintf(text->file, " (%s: ", result->engine);
    st_put_facts(text, report);
    fputs(")\n", text->file);
    put_reasons(text, &unchecked);
    st_unchecked_free(&unchecked);
    free(summary.text);
}

/* ---- Several processes ---- */

static void put_programs(const struct st_text_writer *text, const struct st_report *report) {
    if (!report->program_count)
        return;
    st_put_paint(text, ST_BOLD);
    fputs("processes           events  violated  verdict           program\n", text->file);
    st_put_paint(text, ST_PLAIN);
    for (size_t i = 0; i < report->program_count; i++) {
        const struct st_program_row *row = &report->programs[i];
        fprintf(text->file, "%9" PRIu64 " %16" PRIu64 " %9" PRIu64 "  ", row->processes,
                row->events, row->violated);
        bool checked = row->unchecked < row->processes || row->verdict == ST_NOT_SERIALIZABLE;
        st_put_paint(text, checked && row->verdict == ST_SERIALIZABLE ? ST_GREEN : ST_RED);
        fprintf(text->file, "%-16s", checked ? verdict_text(row->verdict) : "nothing checked");
        st_put_paint(text, ST_PLAIN);
        fputs("  ", text->file);
        st_put_name(text, row->name);
        fputc('\n', text->file);
    }
    fputc('\n', text->file);
}

static void scale_bytes(char *buffer, size_t size, size_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    snprintf(buffer, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void put_row(const struct st_text_writer *text, const struct st_result *result, int width) {
    const struct st_findings *findings = result->findings;
    char first[24] = "-", violated[24] = "-", seconds[24], bytes[24];
    if (findings->first_bad_event)
        snprintf(first, sizeof first, "%" PRIu64, findings->first_bad_event);
    if (findings->names_blocks)
        snprintf(violated, sizeof violated, "%" PRIu64, st_all_violated(findings));
    st_scale_time(seconds, sizeof seconds, result->seconds);
    scale_bytes(bytes, sizeof bytes, result->peak_bytes);
    fprintf(text->file, "%-*s ", width, result->engine);
    st_put_paint(text, findings->verdict == ST_SERIALIZABLE ? ST_GREEN : ST_RED);
    fprintf(text->file, "%-16s", verdict_text(findings->verdict));
    st_put_paint(text, ST_PLAIN);
    fprintf(text->file, " %15s  %15s  %9s  %10s\n", first, violated, seconds, bytes);
}

/* Below the table of engines: what their verdicts mean, or that they mean nothing. */
static void put_unchecked(const struct st_text_writer *text, const struct st_report *report) {
    struct st_unchecked unchecked = st_report_unchecked(report);
    if (unchecked.what)
        fprintf(text->file, "\nNothing was checked: %s.\n", unchecked.what);
    else if (!text->style.quiet)
        fputs("\n\"Serializable\" means that some order of whole blocks explains the run.\n",
              text->file);
    put_reasons(text, &unchecked);
    st_unchecked_free(&unchecked);
}

/* The first engine without known errors. */
static const struct st_result *find_measure(const struct st_report *report) {
    for (size_t i = 0; i < report->results.count; i++)
        if (!report->results.items[i].published_form_of)
            return &report->results.items[i];
    return NULL;
}

/* Which algorithms, as published, are wrong about this trace? */
static void put_published(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_result *measure = find_measure(report);
    for (size_t i = 0; measure && i < report->results.count; i++) {
        const struct st_result *result = &report->results.items[i];
        enum st_verdict verdict = result->findings->verdict;
        if (!result->published_form_of || verdict == measure->findings->verdict ||
            measure->findings->verdict == ST_UNDECIDED)
            continue;
        fputs("\n", text->file);
        st_put_name(text, result->engine);
        fprintf(text->file, " is wrong about this trace, as published: it %s.\n",
                verdict == ST_SERIALIZABLE       ? "misses a cycle"
                : verdict == ST_NOT_SERIALIZABLE ? "reports a cycle where there is none"
                                                 : "comes to no verdict");
    }
}

static int engine_width(const struct st_report *report) {
    size_t width = 14;
    for (size_t i = 0; i < report->results.count; i++)
        if (strlen(report->results.items[i].engine) > width)
            width = strlen(report->results.items[i].engine);
    return width < 80 ? (int)width : 80;
}

static void put_table(const struct st_text_writer *text, const struct st_report *report) {
    int width = engine_width(report);
    st_put_name(text, report->trace);
    fputs(": ", text->file);
    st_put_facts(text, report);
    fputs("\n\n", text->file);
    st_put_paint(text, ST_BOLD);
    fprintf(text->file, "%-*s %-16s %15s  %15s  %9s  %10s\n", width, "engine", "verdict",
            "first bad event", "violated blocks", "time", "peak state");
    st_put_paint(text, ST_PLAIN);
    for (size_t i = 0; i < report->results.count; i++)
        put_row(text, &report->results.items[i], width);
    put_published(text, report);
    put_unchecked(text, report);
    if (!st_report_disagrees(report))
        return;
    st_put_paint(text, ST_RED);
    fputs("\nTHE ENGINES DISAGREE about the verdict, so at least one of them is wrong.\n"
          "This is a bug in seriatim: please report it together with the trace.\n",
          text->file);
    st_put_paint(text, ST_PLAIN);
}

static void put_findings(const struct st_text_writer *text, const struct st_report *report) {
    struct st_violation_groups groups = st_group_violations(report, &report->results.items[0]);
    put_failures(text, report);
    put_violations(text, report, &groups);
    if (!report->hunt) /* which has counted other things */
        put_blocks(text, report, &groups);
    put_cycle(text, report);
    put_tried(text, report);
    st_violation_groups_free(&groups);
}

static void print_result(struct st_text_writer *text, const struct st_report *report) {
    if (!text->style.quiet) {
        text->sources = st_sources_new(report->folder, report->built);
        put_findings(text, report);
        st_put_newer_sources(text);
        st_sources_free(text->sources);
        if (report->triage)
            st_put_triage(text, report);
        put_race_note(text, report);
        put_programs(text, report);
    }
    put_summary(text, report);
}

static void print_comparison(const struct st_text_writer *text, const struct st_report *report) {
    put_table(text, report);
    if (!report->triage)
        return;
    fputc('\n', text->file);
    st_put_triage(text, report);
}

void st_report_text(const struct st_report *report, struct st_text_style style, FILE *file) {
    struct st_text_writer text = {
        .file = file, .symbols = report->symbols, .style = style, .details = report->details};
    switch (report->kind) {
    case ST_REPORT_RESULT:
        print_result(&text, report);
        break;
    case ST_REPORT_COMPARISON:
        print_comparison(&text, report);
        break;
    case ST_REPORT_PREDICTION:
        st_print_prediction(&text, report);
        break;
    case ST_REPORT_PREDICTION_COMPARISON:
        st_print_prediction_comparison(&text, report);
        break;
    }
}
