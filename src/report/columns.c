#include "report/columns.h"

#include "base/memory.h"
#include "report/glyphs.h"

#include <stdbool.h>
#include <stdlib.h>

static void close_cell(struct st_columns *columns) {
    if (!columns->open)
        return;
    columns->cells[columns->cell_count - 1] = st_draft_close(&columns->cell);
    columns->open = false;
}

FILE *st_columns_cell(struct st_columns *columns) {
    close_cell(columns);
    st_reserve(&columns->cells, &columns->cell_capacity, columns->cell_count + 1);
    columns->cell_count++;
    columns->open = true;
    return st_draft_open(&columns->cell);
}

static void measure(const struct st_columns *columns, size_t *widths) {
    for (size_t i = 0; i < columns->cell_count; i++) {
        size_t width = st_width(columns->cells[i]), *widest = &widths[i % columns->count];
        if (width > ST_WIDEST_COLUMN)
            width = ST_WIDEST_COLUMN;
        if (width > *widest)
            *widest = width;
    }
}

static void put_blanks(FILE *file, size_t count) {
    while (count--)
        fputc(' ', file);
}

/* Blanks are owed until something follows them, so that a row does not end with any. */
static void print_row(const struct st_columns *columns, char *const *row, const size_t *widths,
                      FILE *file) {
    size_t owed = 0;
    for (unsigned i = 0; i < columns->count; i++) {
        size_t width = st_width(row[i]);
        size_t missing = widths[i] > width ? widths[i] - width : 0;
        bool right = columns->right & 1u << i;
        if (right)
            owed += missing;
        if (width) {
            put_blanks(file, owed);
            fputs(row[i], file);
            owed = 0;
        }
        owed += (right ? 0 : missing) + (widths[i] ? 2 : 0);
    }
    fputc('\n', file);
}

void st_columns_print(struct st_columns *columns, const char *indent, FILE *file) {
    size_t widths[ST_MOST_COLUMNS] = {0};
    close_cell(columns);
    measure(columns, widths);
    for (size_t i = 0; i < columns->cell_count; i += columns->count) {
        fputs(indent, file);
        print_row(columns, &columns->cells[i], widths, file);
    }
    for (size_t i = 0; i < columns->cell_count; i++)
        free(columns->cells[i]);
    free(columns->cells);
    columns->cells = NULL;
    columns->cell_count = columns->cell_capacity = 0;
}
