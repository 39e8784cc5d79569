/* Which findings are new: --suppressions and --baseline, for the commands that report findings, and
 * --print-suppressions. */
#ifndef SERIATIM_SESSION_FILTERS_H
#define SERIATIM_SESSION_FILTERS_H

#include "cli/common_options.h"
#include "report/triage/judge.h"

struct judging_values {
    struct st_texts suppressions, baselines;
    bool print; /* suppressions instead of the report */
};

/* Rows for the tables of options. `member` is the struct judging_values in the struct of values. */
#define JUDGING_OPTIONS(type, member)                                                              \
    {.name = "suppressions",                                                                       \
     .kind = ST_TEXTS,                                                                             \
     .offset = offsetof(type, member.suppressions),                                                \
     .value = "FILE",                                                                              \
     .help = "leave out what the lines of FILE match; can be given several times"},                \
        {.name = "baseline",                                                                       \
         .kind = ST_TEXTS,                                                                         \
         .offset = offsetof(type, member.baselines),                                               \
         .value = "FILE",                                                                          \
         .help = "leave out what was found before, in a result that was saved as JSON; "           \
                 "can be given several times"},                                                    \
    {                                                                                              \
        .name = "print-suppressions", .kind = ST_FLAG, .offset = offsetof(type, member.print),     \
        .help = "write suppressions that match what was found, instead of the report"              \
    }

struct judging {
    const struct judging_values *values;
    struct st_suppressions suppressions;
    struct st_baseline baseline;
};

/* Reads the files. `inputs` is what else is read, ending with NULL, entries that are NULL being
 * left out by the caller: only one of all can be standard input. On -1 there is nothing to be
 * closed. */
int judging_open(struct judging *judging, const struct judging_values *values, const char *command,
                 const char *const *inputs, struct st_error *error);
void judging_close(struct judging *judging);

/* The same for a command that reads a trace and maybe (NULL: not) a specification. */
int judging_open_for_trace(struct judging *judging, const struct judging_values *values,
                           const char *command, const char *trace, const char *spec,
                           struct st_error *error);

/* What such a command must not write over, ending with NULL. A baseline may be: it was read by
 * then. */
enum { JUDGING_INPUTS = ST_MOST_TEXTS + 3 };
void judging_list_inputs(const struct judging_values *values, const char *trace, const char *spec,
                         const char *inputs[JUDGING_INPUTS]);

/* Are findings to be held against anything? */
bool judging_is_wanted(const struct judging_values *values);

/* How many violations to keep so that `limit` of them can be listed. Of those that are not kept
 * nobody can say whether they are new. */
size_t judging_keeps(const struct judging_values *values, uint64_t limit);

/* Judges the findings of a report, if that is wanted; NULL otherwise. Release the judgement after
 * the report. */
struct st_judgement *judging_apply(const struct judging *judging, struct st_report *report,
                                   uint64_t limit);

/* The exit status that goes with a report: found wins over trouble, since what was found is true,
 * whatever else could not be told. */
enum status report_status(const struct st_report *report);

/* Writes the report in the format, or as suppressions. */
void judging_write(const struct judging *judging, const struct st_report *report, unsigned format,
                   struct st_text_style style, FILE *file);

#endif
