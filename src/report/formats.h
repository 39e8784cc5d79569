/* The ways in which a report can be written. A new one is a row in formats.c. */
#ifndef SERIATIM_REPORT_FORMATS_H
#define SERIATIM_REPORT_FORMATS_H

#include "report/report.h"

struct st_report_format {
    const char *name;
    void (*write)(const struct st_report *report, struct st_text_style style, FILE *file);
};

/* The last one has no name. */
extern const struct st_report_format st_report_formats[];

/* The name of the index-th, or NULL. */
const char *st_report_format_name(size_t index);

#endif
