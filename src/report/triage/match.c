#include "report/triage/match.h"

#include "base/memory.h"
#include "report/source/source_file.h"
#include "report/user_line.h"

#include <stdlib.h>
#include <string.h>

/* A line and what it is held against. A clause that is not there matches everything. */
struct matching {
    const struct st_suppression *suppression;
    const struct st_report *report;
};

static bool fits(const struct matching *m, enum st_clause clause, const char *text) {
    const struct st_pattern *pattern = &m->suppression->patterns[clause];
    return !pattern->text || st_pattern_matches(pattern, text);
}

static bool has(const struct matching *m, enum st_clause clause) {
    return m->suppression->patterns[clause].text;
}

/* A copy without line and column. */
static char *file_of(const char *location) {
    uint32_t line;
    char *text = st_strdup(location);
    size_t length = st_split_location(text, &line);
    if (length)
        text[length] = '\0';
    return text;
}

char *st_file_of(const struct st_report *report, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    if (!(loc & ST_LOC_NAME))
        return st_strdup("");
    return file_of(st_user_location(report->symbols, report->details, loc, buffer));
}

/* The file of the user's line, or the header that it called: a block of a library may be suppressed
 * by either. */
static bool file_fits(const struct matching *m, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    const struct st_report *report = m->report;
    char *file = st_file_of(report, loc);
    bool result = fits(m, ST_CLAUSE_FILE, file);
    free(file);
    if (result || !(loc & ST_LOC_NAME))
        return result;
    file = file_of(st_innermost_line(report->symbols, report->details, loc, buffer).location);
    result = fits(m, ST_CLAUSE_FILE, file);
    free(file);
    return result;
}

/* Does a function on the way to the step fit, or its thread? */
static bool step_fits(const struct matching *m, const struct st_place *place) {
    struct st_detail detail;
    const char *const none[] = {NULL};
    detail.stack = none;
    if (place->number && m->report->details)
        m->report->details->lookup(m->report->details->context, place->event.loc, &detail);
    if (!*detail.stack)
        return fits(m, ST_CLAUSE_BY, st_name(&m->report->symbols->threads, place->event.thread));
    for (const char *const *frame = detail.stack; *frame; frame += 2)
        if (fits(m, ST_CLAUSE_BY, *frame))
            return true;
    return false;
}

static bool subjects_fit(const struct matching *m, const struct st_edge *edges, size_t count) {
    if (!has(m, ST_CLAUSE_ON))
        return true;
    for (size_t i = 0; i < count; i++)
        if (edges[i].to.number &&
            fits(m, ST_CLAUSE_ON, st_edge_subject(m->report->symbols, &edges[i])))
            return true;
    return false;
}

/* Does something fit that a thread other than `home` did? */
static bool others_fit(const struct matching *m, const struct st_edge *edges, size_t count,
                       uint32_t home) {
    if (!has(m, ST_CLAUSE_BY))
        return true;
    for (size_t i = 0; i < count; i++)
        if ((edges[i].from.event.thread != home && step_fits(m, &edges[i].from)) ||
            (edges[i].to.event.thread != home && step_fits(m, &edges[i].to)))
            return true;
    return false;
}

bool st_suppression_matches(const struct st_suppression *suppression,
                            const struct st_report *report, const struct st_violation *violation) {
    const struct matching m = {suppression, report};
    const struct st_edge *edges = violation->path_length ? violation->path : &violation->closing;
    size_t count =
        violation->path_length ? violation->path_length : violation->closing.to.number != 0;
    return !suppression->cycle &&
           fits(&m, ST_CLAUSE_FUNCTION,
                st_target_name(report->symbols, ST_BEGIN, violation->block)) &&
           file_fits(&m, violation->begin_loc) && subjects_fit(&m, edges, count) &&
           others_fit(&m, edges, count, violation->thread);
}

/* ---- Cycles ---- */

static bool transaction_fits(const struct matching *m, const struct st_transaction *transaction) {
    return transaction->first && !transaction->unary &&
           fits(m, ST_CLAUSE_FUNCTION,
                st_target_name(m->report->symbols, ST_BEGIN, transaction->block));
}

static bool blocks_fit(const struct matching *m, const struct st_findings *findings) {
    if (!has(m, ST_CLAUSE_FUNCTION))
        return true;
    for (size_t i = 0; findings->cycle_ends && i < findings->cycle_length; i++)
        if (transaction_fits(m, &findings->cycle_ends[i].from) ||
            transaction_fits(m, &findings->cycle_ends[i].to))
            return true;
    return false;
}

static bool files_fit(const struct matching *m, const struct st_findings *findings) {
    if (!has(m, ST_CLAUSE_FILE))
        return true;
    for (size_t i = 0; i < findings->cycle_length; i++)
        if (file_fits(m, findings->cycle[i].from.event.loc) ||
            file_fits(m, findings->cycle[i].to.event.loc))
            return true;
    return false;
}

bool st_suppression_matches_cycle(const struct st_suppression *suppression,
                                  const struct st_report *report,
                                  const struct st_findings *findings) {
    const struct matching m = {suppression, report};
    return suppression->cycle && findings->cycle_length && blocks_fit(&m, findings) &&
           files_fit(&m, findings) && subjects_fit(&m, findings->cycle, findings->cycle_length) &&
           others_fit(&m, findings->cycle, findings->cycle_length, ST_NO_NAME);
}
