#include "report/tables.h"

#include "report/text/columns.h"

#include <inttypes.h>

static void put_heading(const struct st_table *table, const char *trace, uint64_t events,
                        FILE *file) {
    if (table->heading)
        fprintf(file, "%s: %s\n\n", trace, table->heading);
    else
        fprintf(file, "%s: %" PRIu64 " event%s\n\n", trace, events, events == 1 ? "" : "s");
}

static void put_cell(const struct st_table_cell *cell, enum st_table_kind kind, FILE *file) {
    if (cell->shown)
        fputs(cell->shown, file);
    else if (kind == ST_TABLE_TEXT)
        fputs(cell->value.text, file);
    else if (kind == ST_TABLE_NUMBER)
        fprintf(file, "%" PRIu64, cell->value.number);
    else if (kind == ST_TABLE_FLAG)
        fputs(cell->value.flag ? "yes" : "no", file);
    else
        fprintf(file, kind == ST_TABLE_SECONDS ? "%.3f s" : "%g", cell->value.real);
}

void st_write_table_text(const struct st_table *table, const char *trace, uint64_t events,
                         FILE *file) {
    struct st_columns columns = {.count = 0};
    put_heading(table, trace, events, file);
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].head) {
            columns.right |= (unsigned)(table->columns[i].kind != ST_TABLE_TEXT) << columns.count;
            columns.count++;
        }
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].head)
            fputs(table->columns[i].head, st_columns_cell(&columns));
    for (size_t i = 0; i < table->cell_count; i++) {
        const struct st_table_column *column = &table->columns[i % table->column_count];
        if (column->head)
            put_cell(&table->cells[i], column->kind, st_columns_cell(&columns));
    }
    st_columns_print(&columns, "", file);
    if (table->notes)
        fprintf(file, "\n%s", table->notes);
}
