#include "report/text/text_parts.h"

#include "report/text/columns.h"

#include <inttypes.h>

/* So many rows of the table of blocks are shown: violated ones, and others to compare with. */
enum { VIOLATED_ROWS = 40, OTHER_ROWS = 10 };

/* ---- The table of blocks ---- */

static void put_block_row(const struct st_text *text, struct st_columns *columns,
                          const struct st_block_row *row) {
    struct st_text cell = *text;
    cell.file = st_columns_cell(columns);
    if (row->block == ST_NO_NAME)
        fputs("(no name)", cell.file);
    else
        st_put_name(&cell, row->name);
    fprintf(st_columns_cell(columns), "%" PRIu64, row->executed);
    fprintf(st_columns_cell(columns), "%" PRIu64, row->violated);
}

/* Shows the first `most` rows; says how many it left out. */
static size_t put_block_rows(const struct st_text *text, struct st_columns *columns,
                             const struct st_block_row *rows, size_t count, size_t most) {
    for (size_t i = 0; i < count && i < most; i++)
        put_block_row(text, columns, &rows[i]);
    return count > most ? count - most : 0;
}

void st_put_block_table(const struct st_text *text, const struct st_block_row *rows, size_t count,
                        const char *title, const char *word) {
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

void st_put_facts(const struct st_text *text, const struct st_report *report) {
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
    if (report->cut)
        fputs("; the file is cut off", text->file);
    else if (st_report_truncated(report) && !report->stopped)
        fputs("; truncated", text->file);
}

void st_put_newer_sources(const struct st_text *text) {
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
