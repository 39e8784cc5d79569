/* What `compare --online` measured, as tables and as JSON. */
#ifndef SERIATIM_CLI_COMPARE_ONLINE_TABLES_H
#define SERIATIM_CLI_COMPARE_ONLINE_TABLES_H

#include "report/sheet/sheet.h"
#include "session/compare/online.h"

/* A row for each program: time and memory by itself, and how many times that each engine takes.
 * `raw`: for programs, without units. */
struct st_sheet online_overhead(const struct st_online *online, bool raw);

/* A row for each program and engine, with everything. */
struct st_sheet online_cells(const struct st_online *online, bool raw);

void online_json(const struct st_online *online, FILE *file);

#endif
