#include "finding/table.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void st_table_init(struct st_table *table, const struct st_table_column *columns, size_t count) {
    *table = (struct st_table){.columns = columns, .column_count = count};
}

void st_table_free(struct st_table *table) {
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].shown);
    free(table->cells);
}

static struct st_table_cell *next_cell(struct st_table *table) {
    st_reserve(&table->cells, &table->cell_capacity, table->cell_count + 1);
    return &table->cells[table->cell_count++];
}

void st_table_text(struct st_table *table, const char *text) {
    next_cell(table)->value.text = text;
}

void st_table_number(struct st_table *table, uint64_t number) {
    next_cell(table)->value.number = number;
}

void st_table_real(struct st_table *table, double real) {
    next_cell(table)->value.real = real;
}

void st_table_flag(struct st_table *table, bool flag) {
    next_cell(table)->value.flag = flag;
}

void st_table_show(struct st_table *table, const char *format, ...) {
    enum { LONGEST = 64 };
    struct st_table_cell *cell = &table->cells[table->cell_count - 1];
    va_list values;
    free(cell->shown);
    cell->shown = st_alloc(LONGEST, 1);
    va_start(values, format);
    vsnprintf(cell->shown, LONGEST, format, values);
    va_end(values);
}
