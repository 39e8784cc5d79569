#include "report/triage/triage.h"

#include <stdlib.h>

const char *st_state_name(enum st_state state) {
    static const char *const names[] = {
        [ST_NEW] = "new", [ST_KNOWN] = "known", [ST_SUPPRESSED] = "suppressed"};
    return names[state];
}

void st_triage_free(struct st_triage *triage) {
    for (size_t i = 0; i < triage->result_count; i++)
        free(triage->marks[i].violations);
    for (size_t i = 0; i < triage->line_count; i++) {
        free(triage->lines[i].file);
        free(triage->lines[i].reason);
    }
    for (size_t i = 0; i < triage->baseline_count; i++)
        free(triage->baselines[i]);
    for (size_t i = 0; i < triage->gone_count; i++)
        free(triage->gone[i].block);
    free(triage->marks);
    free(triage->lines);
    free(triage->baselines);
    free(triage->gone);
    *triage = (struct st_triage){0};
}

static const struct st_marks *marks_of(const struct st_report *report,
                                       const struct st_result *result) {
    return report->triage ? &report->triage->marks[result - report->results.items] : NULL;
}

struct st_mark st_violation_mark(const struct st_report *report, const struct st_result *result,
                                 size_t index) {
    const struct st_marks *marks = marks_of(report, result);
    return marks ? marks->violations[index] : (struct st_mark){.state = ST_NEW};
}

struct st_mark st_cycle_mark(const struct st_report *report, const struct st_result *result) {
    const struct st_marks *marks = marks_of(report, result);
    return marks ? marks->cycle : (struct st_mark){.state = ST_NEW};
}

uint64_t st_new_violated(const struct st_report *report, const struct st_result *result) {
    const struct st_marks *marks = marks_of(report, result);
    return marks ? marks->counts[ST_NEW] + marks->unjudged : st_all_violated(result->findings);
}

static const struct st_marks *predicted_marks(const struct st_report *report,
                                              const struct st_prediction *prediction) {
    return report->triage ? &report->triage->marks[prediction - report->predictions->items] : NULL;
}

struct st_mark st_predicted_mark(const struct st_report *report,
                                 const struct st_prediction *prediction, size_t index) {
    const struct st_marks *marks = predicted_marks(report, prediction);
    return marks ? marks->violations[index] : (struct st_mark){.state = ST_NEW};
}

uint64_t st_new_reported(const struct st_report *report, const struct st_prediction *prediction) {
    const struct st_marks *marks = predicted_marks(report, prediction);
    return marks ? marks->counts[ST_NEW] + marks->unjudged : st_all_reported(prediction);
}

bool st_result_has_cycle(const struct st_result *result) {
    return result->findings->verdict == ST_NOT_SERIALIZABLE && !st_all_violated(result->findings);
}

/* An engine that gives a verdict and nothing else. */
static bool is_mere_verdict(const struct st_result *result) {
    return st_result_has_cycle(result) && !result->findings->cycle_length;
}

/* An algorithm as published may raise a false alarm; beside an engine that does not, it does not
 * count. */
static bool is_overruled(const struct st_report *report, const struct st_result *result) {
    struct st_result_list results = st_report_results(report);
    for (size_t i = 0; result->published_form_of && i < results.count; i++)
        if (!results.items[i].published_form_of)
            return true;
    return false;
}

/* A mere verdict has nothing by which it could be recognised in another run. It counts unless
 * another engine says what it is about. */
static bool says_more(const struct st_report *report) {
    struct st_result_list results = st_report_results(report);
    for (size_t i = 0; i < results.count; i++)
        if (results.items[i].findings->verdict == ST_NOT_SERIALIZABLE &&
            !is_overruled(report, &results.items[i]) && !is_mere_verdict(&results.items[i]))
            return true;
    return false;
}

static bool found_new(const struct st_report *report, const struct st_result *result) {
    if (is_overruled(report, result))
        return false;
    if (is_mere_verdict(result))
        return !says_more(report);
    return st_new_violated(report, result) ||
           (st_result_has_cycle(result) && st_cycle_mark(report, result).state == ST_NEW);
}

bool st_report_found(const struct st_report *report) {
    struct st_result_list results = st_report_results(report);
    const struct st_predictions *predictions = st_report_predictions(report);
    for (size_t i = 0; i < results.count; i++)
        if (found_new(report, &results.items[i]))
            return true;
    if (report->hunt && report->hunt->failure_count)
        return true;
    for (size_t i = 0; i < predictions->count; i++)
        if (st_new_reported(report, &predictions->items[i]))
            return true;
    return false;
}

bool st_report_undecided(const struct st_report *report) {
    struct st_result_list results = st_report_results(report);
    const struct st_predictions *predictions = st_report_predictions(report);
    for (size_t i = 0; i < results.count; i++)
        if (results.items[i].findings->verdict == ST_UNDECIDED)
            return true;
    for (size_t i = 0; i < predictions->count; i++)
        if (predictions->items[i].atomic == ST_UNDECIDED)
            return true;
    return false;
}
