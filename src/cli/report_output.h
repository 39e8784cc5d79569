/* Writing a report: its options, its style, and the exit status that goes with it. */
#ifndef SERIATIM_CLI_REPORT_OUTPUT_H
#define SERIATIM_CLI_REPORT_OUTPUT_H

#include "cli/common_options.h"
#include "report/report.h"
#include "session/filters.h"

/* The values of FILTER_OPTIONS. */
struct filter_values {
    struct st_filter_files files;
    bool print; /* suppressions instead of the report */
    uint64_t stories;
    const char *editor_url;
};

/* Rows for the tables of options. `member` is the struct filter_values in the struct of values. */
#define FILTER_OPTIONS(type, member)                                                               \
    {.name = "suppressions",                                                                       \
     .kind = ST_TEXTS,                                                                             \
     .offset = offsetof(type, member.files.suppressions),                                          \
     .value = "FILE",                                                                              \
     .help = "leave out findings that match a line of FILE; may be repeated"},                     \
        {.name = "baseline",                                                                       \
         .kind = ST_TEXTS,                                                                         \
         .offset = offsetof(type, member.files.baselines),                                         \
         .value = "FILE",                                                                          \
         .help = "leave out findings that are in FILE, an earlier result saved as JSON; "          \
                 "may be repeated"},                                                               \
        {.name = "source-root",                                                                    \
         .kind = ST_TEXT,                                                                          \
         .offset = offsetof(type, member.files.root),                                              \
         .value = "DIR",                                                                           \
         .help = "where paths in suppressions and SARIF start (the repository's folder, if there " \
                 "is one)"},                                                                       \
    {                                                                                              \
        .name = "print-suppressions", .kind = ST_FLAG, .offset = offsetof(type, member.print),     \
        .help = "write suppressions for all findings instead of the report"                        \
    }

/* Where the lines of a page lead to. */
#define EDITOR_OPTION(type, member)                                                                \
    {                                                                                              \
        .name = "editor-url", .kind = ST_TEXT, .offset = offsetof(type, member.editor_url),        \
        .value = "TEMPLATE", .initial = "vscode://file{file}:{line}", .refusal = refuse_editor,    \
        .help = "in a page: the address that opens a line in an editor; {file} stands for the "    \
                "path, {line} for the number; none leaves such links out"                          \
    }

/* How to write findings: an index in st_report_formats. */
#define REPORT_FORMAT_OPTION(type, first)                                                          \
    {                                                                                              \
        .name = "format", .kind = ST_CHOICE, .offset = offsetof(type, format), .value = "FORMAT",  \
        .initial = first, .choice = st_report_format_name, .help = "how to write the result"       \
    }

#define LIMIT_OPTION(type)                                                                         \
    {                                                                                              \
        .name = "limit", .kind = ST_NUMBER, .offset = offsetof(type, limit), .value = "N",         \
        .initial = "100", .help = "list at most N findings; 0 lists all"                           \
    }

/* `member` as above. */
#define STORIES_OPTION(type, member)                                                               \
    {                                                                                              \
        .name = "stories", .kind = ST_NUMBER, .offset = offsetof(type, member.stories),            \
        .value = "N", .initial = "5",                                                              \
        .help = "describe the first N findings in full, as text; 0 describes all"                  \
    }

#define STRICT_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "strict", .kind = ST_FLAG, .offset = offsetof(type, strict),                       \
        .help = "exit with status 2 if nothing was checked: no block ran, only one thread did, "   \
                "or no two threads met at any memory"                                              \
    }

/* What is wrong with the address of an editor, or NULL: it has a scheme and a place for the file.
 */
const char *refuse_editor(const char *text);

/* The exit status of a report. Found wins over trouble: what was found is true, even if something
 * else could not be decided. */
enum status report_status(const struct st_report *report);

/* Is there nothing that was checked? */
bool was_unchecked(const struct st_report *report);

/* The style of a text report on this file descriptor: in color and as wide as the terminal, if it
 * is one. COLUMNS in the environment overrides the width, wherever the report goes. */
struct st_text_style text_style(const struct common_values *common, int fd);

/* Writes the report in the format, or as suppressions. */
void write_report_as(const struct st_report *report, const struct filter_values *filters,
                     unsigned format, struct st_text_style style, FILE *file);

#endif
