#include "report/text/triage_text.h"

#include "report/text/columns.h"

#include <inttypes.h>

/* So many findings that are gone are named. */
enum { GONE_ROWS = 10 };

void st_put_marks(const struct st_text *text, const struct st_marks *marks) {
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

void st_put_states(const struct st_text *text, const struct st_report *report) {
    const struct st_result *result = &report->results[0];
    if (st_all_violated(result->findings))
        st_put_marks(text, &report->triage->marks[0]);
    else if (st_result_has_cycle(result))
        fprintf(text->file, " (the cycle is %s)",
                st_state_name(st_cycle_mark(report, result).state));
}

/* "bank.supp:4  matched 3  the audit allows for it" */
static void put_suppressions(const struct st_text *text, const struct st_triage *triage) {
    struct st_columns columns = {.count = 3};
    if (!triage->line_count)
        return;
    fputs("suppression", st_columns_cell(&columns));
    fputs("matched", st_columns_cell(&columns));
    fputs("because", st_columns_cell(&columns));
    for (size_t i = 0; i < triage->line_count; i++) {
        const struct st_suppressing_line *line = &triage->lines[i];
        struct st_text cell = *text;
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

static void put_gone(const struct st_text *text, const struct st_triage *triage) {
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

static void put_baseline(const struct st_text *text, const struct st_triage *triage) {
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

void st_put_triage(const struct st_text *text, const struct st_report *report) {
    put_suppressions(text, report->triage);
    put_baseline(text, report->triage);
}
