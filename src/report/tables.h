/* Writing a table of an analysis (finding/table.h), which predict writes instead of a report. */
#ifndef SERIATIM_REPORT_TABLES_H
#define SERIATIM_REPORT_TABLES_H

#include "finding/table.h"

#include <stdio.h>

/* `trace` is the name of the trace, which has so many events. */
void st_write_table_text(const struct st_table *table, const char *trace, uint64_t events,
                         FILE *file);
void st_write_table_json(const struct st_table *table, const char *trace, uint64_t events,
                         FILE *file);

#endif
