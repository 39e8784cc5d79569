#include "report/text/columns.h"

#include "base/memory.h"
#include "report/text/glyphs.h"

#include <stdbool.h>
#include <stdlib.h>

static void close_cell(struct st_columns *columns) {
    if (!columns->open)
        return;
    columns->cells[columns->cell_count - 1].text = st_text_buffer_close(&columns->cell);
    columns->open = false;
}

static FILE *open_cell(struct st_columns *columns, bool loose) {
    close_cell(columns);
    st_reserve(&columns->cells, &columns->cell_capacity, columns->cell_count + 1);
    columns->cells[columns->cell_count++].loose = loose;
    columns->open = true;
    return st_text_buffer_open(&columns->cell);
}

FILE *st_columns_cell(struct st_columns *columns) {
    return open_cell(columns, false);
}

FILE *st_columns_loose_cell(struct st_columns *columns) {
    return open_cell(columns, true);
}

static void measure(const struct st_columns *columns, size_t *widths) {
    size_t limit = columns->widest ? columns->widest : ST_WIDEST_COLUMN;
    for (size_t i = 0; i < columns->cell_count; i++) {
        const struct st_cell *cell = &columns->cells[i];
        size_t width = cell->loose ? 0 : st_width(cell->text);
        size_t *widest = &widths[i % columns->count];
        if (width > limit)
            width = limit;
        if (width > *widest)
            *widest = width;
    }
}

static void put_blanks(FILE *file, size_t count) {
    while (count--)
        fputc(' ', file);
}

/* Blanks are owed until something follows them, so that a row does not end with any. */
static void print_row(const struct st_columns *columns, const struct st_cell *row,
                      const size_t *widths, FILE *file) {
    size_t owed = 0;
    for (unsigned i = 0; i < columns->count; i++) {
        size_t width = st_width(row[i].text);
        size_t missing = widths[i] > width ? widths[i] - width : 0;
        bool right = columns->right & 1u << i;
        if (right)
            owed += missing;
        if (width) {
            put_blanks(file, owed);
            fputs(row[i].text, file);
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
        free(columns->cells[i].text);
    free(columns->cells);
    columns->cells = NULL;
    columns->cell_count = columns->cell_capacity = 0;
}
