/* A table that an analysis made of a trace: for people, and for programs.
 *
 *     struct st_table table;
 *     st_table_init(&table, columns, sizeof columns / sizeof *columns);
 *     st_table_text(&table, "chains");
 *     st_table_number(&table, 12);
 *     st_table_show(&table, "%d (%.0f%%)", 12, share);   what people see of the last cell
 *     ... a cell for each column, row by row ...
 *     st_table_free(&table);
 */
#ifndef SERIATIM_FINDING_TABLE_H
#define SERIATIM_FINDING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum st_table_kind {
    ST_TABLE_TEXT,
    ST_TABLE_NUMBER,
    ST_TABLE_SECONDS,
    ST_TABLE_REAL,
    ST_TABLE_FLAG
};

struct st_table_column {
    const char *head; /* for people; NULL: they do not see it */
    const char *key;  /* for programs */
    enum st_table_kind kind;
};

struct st_table_cell {
    char *shown; /* what people see; NULL: the value */
    union {
        const char *text; /* static */
        uint64_t number;
        double real;
        bool flag;
    } value;
};

struct st_table {
    const char *schema;  /* for programs: "seriatim-segments/1" */
    const char *heading; /* for people; NULL: how many events the trace has */
    const char *notes;   /* for people, below the rows; lines end with \n */
    const struct st_table_column *columns;
    size_t column_count;
    struct st_table_cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    bool found;     /* the analysis reports something */
    bool undecided; /* or gave something up */
};

/* The columns must outlive the table. */
void st_table_init(struct st_table *table, const struct st_table_column *columns, size_t count);
void st_table_free(struct st_table *table);

/* The next cell; its column must be of this kind (ST_TABLE_REAL also for seconds). */
void st_table_text(struct st_table *table, const char *text);
void st_table_number(struct st_table *table, uint64_t number);
void st_table_real(struct st_table *table, double real);
void st_table_flag(struct st_table *table, bool flag);

/* Shows this to people instead of the value of the last cell. */
void st_table_show(struct st_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
