#include "report/triage/suppressions.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/calls.h"
#include "report/source_root.h"
#include "report/predicted_violation.h"
#include "report/source/source.h"
#include "report/triage/triage.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which findings a line is about ---- */

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

/* The user's file at a location, as a pattern sees it: without line and column, and "" for mere
 * numbers. */
static char *user_file(const struct st_report *report, uint64_t loc) {
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
    char *file = user_file(report, loc);
    char *from_root = st_root_path(report, file);
    bool result = fits(m, ST_CLAUSE_FILE, file) || fits(m, ST_CLAUSE_FILE, from_root);
    free(from_root);
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

/* ---- Lines for what was found ----
 *
 * Each says which block was cut, in which file, and by which function of the other side. Variables
 * are left out: the next one is likely to be of the same kind, and the same reason holds for it. */

static const char because[] = " because TODO: say why this is all right\n";

static void put_clause(FILE *file, enum st_clause clause, const char *name) {
    char *pattern = st_pattern_of(name);
    fprintf(file, " %s %s", st_clause_word(clause), pattern);
    free(pattern);
}

static void put_file_clause(FILE *file, const struct st_report *report, uint64_t loc) {
    char *file_name = user_file(report, loc), *name = st_root_path(report, file_name);
    free(file_name);
    if (*name)
        put_clause(file, ST_CLAUSE_FILE, name);
    free(name);
}

/* Who came last before the block went on. */
static void put_by(FILE *file, const struct st_report *report,
                   const struct st_violation *violation) {
    const struct st_place *other = &violation->closing.from;
    if (!violation->closing.to.number)
        return;
    struct st_calls calls = {0};
    if (other->number)
        calls = st_calls_at(report->details, other->event.loc);
    put_clause(file, ST_CLAUSE_BY,
               calls.count ? calls.frames[0].function
                           : st_name(&report->symbols->threads, other->event.thread));
    st_calls_free(&calls);
}

static void put_violation(FILE *file, const struct st_report *report,
                          const struct st_violation *violation) {
    fputs("suppress", file);
    put_clause(file, ST_CLAUSE_FUNCTION,
               st_target_name(report->symbols, ST_BEGIN, violation->block));
    put_file_clause(file, report, violation->begin_loc);
    put_by(file, report, violation);
    fputs(because, file);
}

char *st_suppression_line(const struct st_report *report, const struct st_violation *violation) {
    struct st_text_buffer buffer;
    put_violation(st_text_buffer_open(&buffer), report, violation);
    char *line = st_text_buffer_close(&buffer);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* The block with the smallest name: the cycle may start with another one next time. */
static const char *smallest_block(const struct st_report *report,
                                  const struct st_findings *findings) {
    const char *smallest = NULL;
    for (size_t i = 0; findings->cycle_ends && i < findings->cycle_length; i++) {
        const struct st_transaction *transaction = &findings->cycle_ends[i].from;
        if (!transaction->first || transaction->unary)
            continue;
        const char *name = st_target_name(report->symbols, ST_BEGIN, transaction->block);
        if (!smallest || strcmp(name, smallest) < 0)
            smallest = name;
    }
    return smallest;
}

static void put_cycle(FILE *file, const struct st_report *report,
                      const struct st_findings *findings) {
    const char *block = smallest_block(report, findings);
    fputs("suppress cycle", file);
    if (block)
        put_clause(file, ST_CLAUSE_FUNCTION, block);
    else
        put_clause(file, ST_CLAUSE_ON, st_edge_subject(report->symbols, &findings->cycle[0]));
    fputs(because, file);
}

/* Writes a line unless it was written before. */
static void put_once(struct st_names *written, struct st_text_buffer *buffer, FILE *file) {
    char *line = st_text_buffer_close(buffer);
    uint32_t before = written->count;
    if (st_names_add(written, line, strlen(line)) == before)
        fputs(line, file);
    free(line);
}

static void put_result(struct st_names *written, const struct st_report *report,
                       const struct st_result *result, FILE *file) {
    const struct st_findings *findings = result->findings;
    struct st_text_buffer buffer;
    for (size_t i = 0; i < findings->kept; i++) {
        if (st_violation_mark(report, result, i).state != ST_NEW)
            continue;
        put_violation(st_text_buffer_open(&buffer), report, &findings->violations[i]);
        put_once(written, &buffer, file);
    }
    if (!st_result_has_cycle(result) || !findings->cycle_length ||
        st_cycle_mark(report, result).state != ST_NEW)
        return;
    put_cycle(st_text_buffer_open(&buffer), report, findings);
    put_once(written, &buffer, file);
}

static void put_prediction(struct st_names *written, const struct st_report *report,
                           const struct st_prediction *prediction, FILE *file) {
    struct st_text_buffer buffer;
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        if (!st_is_reported(block) || st_predicted_mark(report, prediction, i).state != ST_NEW)
            continue;
        struct st_violation violation = st_predicted_violation(block);
        put_violation(st_text_buffer_open(&buffer), report, &violation);
        put_once(written, &buffer, file);
        free(violation.path);
    }
}

void st_report_suppressions(const struct st_report *report, FILE *file) {
    struct st_result_list results = st_report_results(report);
    const struct st_predictions *predictions = st_report_predictions(report);
    struct st_names written;
    st_names_init(&written);
    for (size_t i = 0; i < results.count; i++)
        put_result(&written, report, &results.items[i], file);
    for (size_t i = 0; i < predictions->count; i++)
        put_prediction(&written, report, &predictions->items[i], file);
    st_names_free(&written);
}
