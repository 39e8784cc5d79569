#include "report/text/text_parts.h"

#include "report/story/story.h"
#include "report/text/columns.h"

#include <inttypes.h>

/* So many rows of the table of blocks are shown: violated ones, and others to compare with. */
enum { VIOLATED_ROWS = 40, OTHER_ROWS = 10 };

/* So many findings that are gone are named. */
enum { GONE_ROWS = 10 };

/* ---- The table of blocks ---- */

static void put_block_row(const struct st_text_writer *text, struct st_columns *columns,
                          const struct st_block_row *row) {
    struct st_text_writer cell = *text;
    cell.file = st_columns_cell(columns);
    if (row->block == ST_NO_NAME)
        fputs("(no name)", cell.file);
    else
        st_put_name(&cell, row->name);
    fprintf(st_columns_cell(columns), "%" PRIu64, row->executed);
    fprintf(st_columns_cell(columns), "%" PRIu64, row->violated);
}

/* Shows the first `most` rows; says how many it left out. */
static size_t put_block_rows(const struct st_text_writer *text, struct st_columns *columns,
                             const struct st_block_row *rows, size_t count, size_t most) {
    for (size_t i = 0; i < count && i < most; i++)
        put_block_row(text, columns, &rows[i]);
    return count > most ? count - most : 0;
}

void st_put_block_table(const struct st_text_writer *text, const struct st_block_row *rows,
                        size_t count, const char *title, const char *word) {
    struct st_columns columns = {.count = 3, .right = 1 << 1 | 1 << 2};
    size_t violated = 0;
    while (violated < count && rows[violated].violated)
        violated++;
    fputs("block", st_columns_cell(&columns));
    fputs("executed", st_columns_cell(&columns));
    fputs(title, st_columns_cell(&columns));
    size_t more = put_block_rows(text, &columns, rows, violated, VIOLATED_ROWS);
    size_t others = put_block_rows(text, &columns, rows + violated, count - violated, OTHER_ROWS);
    st_columns_print(&columns, "", text->file);
    if (more)
        fprintf(text->file, "and %zu more that were %s\n", more, word);
    if (others)
        fprintf(text->file, "and %zu more that were never %s\n", others, word);
}

/* ---- The trace ---- */

void st_put_facts(const struct st_text_writer *text, const struct st_report *report) {
    struct st_counts counts = st_report_counts(report);
    const struct {
        uint64_t count;
        const char *noun;
        bool rare; /* not worth a word when there is none */
    } facts[] = {
        {report->facts->events, "event", false}, {counts.threads, "thread", false},
        {counts.locks, "lock", false},           {counts.channels, "channel", true},
        {counts.variables, "variable", false},   {report->facts->ops[ST_BEGIN], "block", false},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (facts[i].rare && !facts[i].count)
            continue;
        fputs(i ? ", " : "", text->file);
        st_put_count(text, facts[i].count, facts[i].noun);
    }
    bool checked = st_report_results(report).count;
    const char *remark = checked ? st_relation_remark(report) : NULL;
    if (remark)
        fprintf(text->file, "; %s", remark);
    if (report->file_truncated)
        fputs("; the file is truncated", text->file);
    else if (st_report_truncated(report) && !report->stopped)
        fputs("; truncated", text->file);
}

void st_put_newer_sources(const struct st_text_writer *text) {
    const char *first;
    size_t count = st_sources_newer(text->sources, &first);
    if (count == 0)
        return;
    st_put_name(text, first);
    if (count > 1)
        fprintf(text->file, " and %zu more files are newer than what ran, so their", count - 1);
    else
        fputs(" is newer than what ran, so its", text->file);
    fputs(" lines are not quoted.\n\n", text->file);
}

/* ---- Numbers ---- */

void st_scale_time(char *buffer, size_t size, double seconds) {
    if (seconds < 1e-3)
        snprintf(buffer, size, "%.0f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(buffer, size, "%.*f ms", seconds < 0.01 ? 2 : 1, seconds * 1e3);
    else
        snprintf(buffer, size, "%.2f s", seconds);
}

/* ---- What became of the findings ---- */

void st_put_marks(const struct st_text_writer *text, const struct st_marks *marks) {
    uint64_t counts[ST_STATES];
    const char *link = " (";
    for (enum st_state state = 0; state < ST_STATES; state++)
        counts[state] = marks->counts[state];
    counts[ST_NEW] += marks->unjudged;
    for (enum st_state state = 0; state < ST_STATES; state++) {
        if (state != ST_NEW && !counts[state])
            continue;
        fprintf(text->file, "%s%" PRIu64 " %s", link, counts[state], st_state_name(state));
        link = ", ";
    }
    fputc(')', text->file);
}

void st_put_states(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_result *result = &report->results.items[0];
    if (st_all_violated(result->findings))
        st_put_marks(text, &report->triage->marks[0]);
    else if (st_result_has_cycle(result))
        fprintf(text->file, " (the cycle is %s)",
                st_state_name(st_cycle_mark(report, result).state));
}

/* "bank.supp:4  matched 3  the audit allows for it" */
static void put_suppressions(const struct st_text_writer *text, const struct st_triage *triage) {
    struct st_columns columns = {.count = 3};
    if (!triage->line_count)
        return;
    fputs("suppression", st_columns_cell(&columns));
    fputs("matched", st_columns_cell(&columns));
    fputs("because", st_columns_cell(&columns));
    for (size_t i = 0; i < triage->line_count; i++) {
        const struct st_suppressing_line *line = &triage->lines[i];
        struct st_text_writer cell = *text;
        cell.file = st_columns_cell(&columns);
        st_put_name(&cell, line->file);
        fprintf(cell.file, ":%" PRIu64, line->line);
        cell.file = st_columns_cell(&columns);
        if (line->matched)
            fprintf(cell.file, "%" PRIu64, line->matched);
        else
            fputs("unused", cell.file);
        cell.file = st_columns_cell(&columns);
        st_put_name(&cell, line->reason);
    }
    st_columns_print(&columns, "", text->file);
    fputc('\n', text->file);
}

static void put_gone(const struct st_text_writer *text, const struct st_triage *triage) {
    for (size_t i = 0; i < triage->gone_count && i < GONE_ROWS; i++) {
        const struct st_gone *gone = &triage->gone[i];
        fputs("  gone: ", text->file);
        if (*gone->block)
            st_put_name(text, gone->block);
        else
            fputs("a cycle, or a block without a name", text->file);
        fprintf(text->file, " (%s)\n", gone->fingerprint.text);
    }
    if (triage->gone_count > GONE_ROWS)
        fprintf(text->file, "  and %zu more\n", triage->gone_count - GONE_ROWS);
}

static void put_baseline(const struct st_text_writer *text, const struct st_triage *triage) {
    if (!triage->baseline_count)
        return;
    fputs("Compared with ", text->file);
    for (size_t i = 0; i < triage->baseline_count; i++) {
        fputs(i == 0 ? "" : i + 1 == triage->baseline_count ? " and " : ", ", text->file);
        st_put_name(text, triage->baselines[i]);
    }
    fputs(": ", text->file);
    st_put_count(text, triage->fresh, "new finding");
    fprintf(text->file, ", %" PRIu64 " known, %zu gone.\n", triage->known, triage->gone_count);
    put_gone(text, triage);
    fputc('\n', text->file);
}

void st_put_triage(const struct st_text_writer *text, const struct st_report *report) {
    put_suppressions(text, report->triage);
    put_baseline(text, report->triage);
}
