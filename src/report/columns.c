#include "report/columns.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

static void close_cell(struct st_columns *columns) {
    if (!columns->open)
        return;
    if (fclose(columns->open) != 0)
        st_out_of_memory();
    columns->open = NULL;
    columns->cells[columns->cell_count - 1] = columns->text;
}

FILE *st_columns_cell(struct st_columns *columns) {
    close_cell(columns);
    st_reserve(&columns->cells, &columns->cell_capacity, columns->cell_count + 1);
    columns->cell_count++;
    columns->open = open_memstream(&columns->text, &columns->size);
    if (!columns->open)
        st_out_of_memory();
    return columns->open;
}

/* In characters: bytes that continue one in UTF-8 do not count. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void measure(const struct st_columns *columns, size_t *widths) {
    for (size_t i = 0; i < columns->cell_count; i++) {
        size_t width = width_of(columns->cells[i]), *widest = &widths[i % columns->count];
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
        size_t width = width_of(row[i]);
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
