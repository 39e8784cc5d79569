/* Suppressions for what was found: each line says which block was cut, in which file, and by which
 * function of the other side. Variables are left out: the next one is likely to be of the same
 * kind, and the same reason holds for it. */
#include "base/memory.h"
#include "report/calls.h"
#include "report/text_buffer.h"
#include "report/predicted_violation.h"
#include "report/triage/match.h"
#include "report/triage/triage.h"

#include <stdlib.h>
#include <string.h>

static const char because[] = " because TODO: say why this is all right\n";

static void put_clause(FILE *file, enum st_clause clause, const char *name) {
    char *pattern = st_pattern_of(name);
    fprintf(file, " %s %s", st_clause_word(clause), pattern);
    free(pattern);
}

static void put_file_clause(FILE *file, const struct st_report *report, uint64_t loc) {
    char *name = st_file_of(report, loc);
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
