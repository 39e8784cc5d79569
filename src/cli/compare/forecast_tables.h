/* What `compare` found with predictors, as tables, figures and JSON. */
#ifndef SERIATIM_CLI_COMPARE_FORECAST_TABLES_H
#define SERIATIM_CLI_COMPARE_FORECAST_TABLES_H

#include "report/sheet/sheet.h"
#include "session/compare/forecast.h"

/* A row for each trace: its size, and what each predictor reports, takes and stores; or, with a
 * table, its rows for each trace. `raw`: for programs, without units. */
struct st_sheet forecast_table(const struct st_forecast *forecast, bool raw);

void forecast_json(const struct st_forecast *forecast, FILE *file);

/* ---- figures of Sinha et al., from the table `segments` ---- */

enum forecast_figure {
    FIGURE_SIZES,    /* Figure 8: segments, in percent of the trace */
    FIGURE_OUTCOMES, /* Figure 9: static proofs, no violation, violations, timeouts; in percent */
    FIGURE_COSTS,    /* Figure 10: time and interleavings, in percent of those without segments */
    FIGURE_COUNT
};

extern const char *const forecast_figure_words[FIGURE_COUNT + 1];

/* As a table, and as SVG. */
struct st_sheet forecast_figure_table(const struct st_forecast *forecast,
                                      enum forecast_figure figure);
void forecast_figure_svg(const struct st_forecast *forecast, enum forecast_figure figure,
                         FILE *file);

#endif
