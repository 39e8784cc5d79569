/* In which forms the commands of this folder write a table, and the rows of options for that. */
#ifndef SERIATIM_CLI_COMPARE_TABLE_FORMAT_H
#define SERIATIM_CLI_COMPARE_TABLE_FORMAT_H

#include "cli/common_options.h"
#include "report/sheet/sheet.h"

/* The first ones are those of st_sheet_write. */
enum table_format {
    TO_TEXT = ST_SHEET_TEXT,
    TO_CSV = ST_SHEET_CSV,
    TO_MARKDOWN = ST_SHEET_MARKDOWN,
    TO_LATEX = ST_SHEET_LATEX,
    TO_JSON,
    TO_SVG,
    TO_SPEC /* of refine only */
};

#define TABLE_FORMAT_WORDS                                                                         \
    [TO_TEXT] = "text", [TO_CSV] = "csv", [TO_MARKDOWN] = "markdown", [TO_LATEX] = "latex",        \
    [TO_JSON] = "json", [TO_SVG] = "svg"

/* Writes it as text, CSV, Markdown or LaTeX, and releases it. */
static inline void write_sheet(struct st_sheet *sheet, enum table_format format, FILE *file) {
    st_sheet_write(sheet, (enum st_sheet_form)format, file);
    st_sheet_free(sheet);
}

/* The relation, --repair, --format and --output; `words` ends with NULL. */
#define TABLE_OPTIONS(type, words)                                                                 \
    RELATION_OPTIONS(type), REPAIR_OPTION(type),                                                   \
        {.name = "format",                                                                         \
         .kind = ST_CHOICE,                                                                        \
         .offset = offsetof(type, format),                                                         \
         .value = "FORMAT",                                                                        \
         .initial = "text",                                                                        \
         .choices = words,                                                                         \
         .help = "how to write the table"},                                                        \
        OUTPUT_OPTION(type), COMMON_OPTIONS

#endif
