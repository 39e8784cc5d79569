/* Text in columns that line up, for the eye to go down as well as along.
 *
 *     struct st_columns columns = {.count = 2};
 *     fputs("transfer", st_columns_cell(&columns));
 *     fprintf(st_columns_cell(&columns), "%d", 3);
 *     ... more cells, row by row ...
 *     st_columns_print(&columns, "  ", file);
 *
 * Cells are two blanks apart, and a column in which nothing stands takes no room. A cell that is
 * very long sticks out instead of pushing the whole column away. No line ends with a blank. */
#ifndef SERIATIM_REPORT_TEXT_COLUMNS_H
#define SERIATIM_REPORT_TEXT_COLUMNS_H

#include "base/output.h"

#include <stdbool.h>

enum { ST_MOST_COLUMNS = 9, ST_WIDEST_COLUMN = 40 };

struct st_cell {
    char *text;
    bool loose; /* takes what room there is: its column does not get wider for it */
};

struct st_columns {
    unsigned count;        /* of columns; at most ST_MOST_COLUMNS */
    unsigned right;        /* a bit for each column that holds numbers: its cells end together */
    size_t widest;         /* no column gets wider; 0 is ST_WIDEST_COLUMN */
    struct st_cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    struct st_text_buffer cell; /* the last one, while it is open */
    bool open;
};

/* Where to write the next cell to, until the next call with these columns. */
FILE *st_columns_cell(struct st_columns *columns);

/* The same for a cell that no other row should make room for. */
FILE *st_columns_loose_cell(struct st_columns *columns);

/* Prints all rows, each after `indent`, and takes them away. The last one must be complete. */
void st_columns_print(struct st_columns *columns, const char *indent, FILE *file);

#endif
