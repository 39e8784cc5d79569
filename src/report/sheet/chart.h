/* Bars, as SVG.
 *
 *     static const char *const series[] = {"velodrome", "doublechecker"};
 *     struct st_chart chart = {.title = "...", .series = series, .series_count = 2};
 *     st_chart_add(&chart, "transfer", (double[]){30, 4});
 *     st_chart_write(&chart, file);
 *     st_chart_free(&chart);
 */
#ifndef SERIATIM_REPORT_SHEET_CHART_H
#define SERIATIM_REPORT_SHEET_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct st_chart {
    const char *title, *unit; /* the unit stands behind numbers */
    const char *const *series;
    size_t series_count;
    bool stacked; /* the values of a row are one bar, end to end; otherwise one bar each */
    char **labels;
    double *values; /* row by row */
    size_t count, label_capacity, value_capacity;
};

/* A row, with a value for each series; below 0: not known. A label may be empty. */
void st_chart_add(struct st_chart *chart, const char *label, const double *values);
void st_chart_write(const struct st_chart *chart, FILE *file);
void st_chart_free(struct st_chart *chart);

#endif
