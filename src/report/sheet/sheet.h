/* A table of texts, and the forms in which papers and programs want it.
 *
 *     struct st_sheet table = {.columns = 2};
 *     st_sheet_add(&table, "trace");
 *     st_sheet_add(&table, "events");
 *     st_sheet_add(&table, "%s", path);
 *     st_sheet_add(&table, "%d", 12);
 *     st_sheet_write(&table, ST_SHEET_CSV, file);
 *     st_sheet_free(&table);
 */
#ifndef SERIATIM_REPORT_SHEET_SHEET_H
#define SERIATIM_REPORT_SHEET_SHEET_H

#include <stddef.h>
#include <stdio.h>

enum st_sheet_form { ST_SHEET_TEXT, ST_SHEET_CSV, ST_SHEET_MARKDOWN, ST_SHEET_LATEX };

/* Row by row; the first row has the titles. */
struct st_sheet {
    size_t columns;
    char **cells;
    size_t count, capacity;
};

void st_sheet_add(struct st_sheet *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All rows must be complete. Columns of numbers are flush right. What means something in the form
 * is escaped, and control characters in all forms but CSV. */
void st_sheet_write(const struct st_sheet *table, enum st_sheet_form form, FILE *file);

void st_sheet_free(struct st_sheet *table);

#endif
