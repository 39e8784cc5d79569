#include "report/text/overview_text.h"

#include "report/text/glyphs.h"

#include <string.h>

static void put_cell(const struct st_text_writer *text, struct st_columns *columns,
                     const char *words) {
    struct st_text_writer cell = *text;
    cell.file = st_columns_cell(columns);
    st_put_name(&cell, words);
}

/* Where the memory came from, the story says; here it is left out if it is too long. */
static void put_subject(const struct st_text_writer *text, struct st_columns *columns,
                        char *subject) {
    if (st_safe_width(subject, strlen(subject)) > ST_WIDEST_COLUMN)
        for (char *from = subject; (from = strstr(from, " from "));) {
            const char *rest = strstr(from, " and ");
            memmove(from, rest ? rest : "", strlen(rest ? rest : "") + 1);
        }
    put_cell(text, columns, subject);
}

void st_start_overview(struct st_columns *columns, const char *subject, const char *frequency) {
    const char *const heads[ST_OVERVIEW_COLUMNS] = {"#", "function", subject, frequency, "look at"};
    for (size_t i = 0; i < ST_OVERVIEW_COLUMNS; i++)
        fputs(heads[i], st_columns_cell(columns));
}

void st_add_overview(const struct st_text_writer *text, struct st_columns *columns,
                     struct st_overview line) {
    fprintf(st_columns_cell(columns), "%zu", line.rank);
    put_cell(text, columns, line.function);
    put_subject(text, columns, line.subject);
    put_cell(text, columns, line.frequency);
    put_cell(text, columns, line.place);
    st_overview_free(&line);
}

void st_put_overview(const struct st_text_writer *text, struct st_columns *columns) {
    st_columns_print(columns, "  ", text->file);
    fputc('\n', text->file);
}
