/* What `compare` found, as tables like those of the papers and as JSON. */
#ifndef SERIATIM_CLI_COMPARE_COMPARE_TABLES_H
#define SERIATIM_CLI_COMPARE_COMPARE_TABLES_H

#include "report/sheet/sheet.h"
#include "session/compare/grid.h"

enum compare_layout {
    LAYOUT_CELLS,      /* a row for each trace and engine, with everything */
    LAYOUT_TIMES,      /* a row for each trace: its size, the time of each engine, speed-up */
    LAYOUT_VIOLATIONS, /* verdicts, distinct violations, missed and false ones */
    LAYOUT_DYNAMIC,    /* dynamic violations, and their share of RegionTrack's */
    LAYOUT_MEMORY,     /* peak state */
    LAYOUT_WORK,       /* what engines count */
    LAYOUT_OVERHEAD,   /* of engines while programs run: online_tables.h */
    LAYOUT_COUNT
};

extern const char *const compare_layout_words[LAYOUT_COUNT + 1];

/* The grid, and what it is compared with. */
struct comparison {
    const struct st_grid *grid;
    const char *base; /* the engine whose time the others are measured against, or NULL */
    bool raw;         /* for programs: seconds and bytes as plain numbers */
};

/* Release it with st_sheet_free. */
struct st_sheet compare_table(const struct comparison *comparison, enum compare_layout layout);

void compare_json(const struct comparison *comparison, FILE *file);

#endif
