#include "report/triage/judge.h"

#include "base/memory.h"
#include "report/predicted_violation.h"
#include "report/triage/match.h"

#include <stdlib.h>
#include <string.h>

/* views[i] are the findings of results[i]: those of the report, but for violations that had no
 * place. Paths are the report's. The same holds for what is foreseen, and its blocks. */
struct st_judgement {
    struct st_triage triage;
    struct st_result *results;
    struct st_findings *views;
    struct st_predictions predictions;
    const struct st_suppressions *suppressions;
    const struct st_baseline *baseline;
    struct st_names seen; /* fingerprints */
};

/* ---- One finding ---- */

/* Counts a fingerprint unless it was seen before. */
static void count_once(struct st_judgement *j, const struct st_fingerprint *fingerprint,
                       enum st_state state) {
    uint32_t before = j->seen.count;
    if (st_names_add(&j->seen, fingerprint->text, ST_FINGERPRINT_SIZE - 1) != before)
        return;
    j->triage.fresh += state == ST_NEW;
    j->triage.known += state == ST_KNOWN;
}

/* `line` is the number of the first line that matches, or that of all lines if none does. */
static struct st_mark judge(struct st_judgement *j, size_t line,
                            const struct st_fingerprint *fingerprint) {
    struct st_mark mark = {.state = ST_NEW};
    mark.in_baseline = j->baseline && st_baseline_has(j->baseline, fingerprint);
    if (line < j->triage.line_count) {
        mark.state = ST_SUPPRESSED;
        mark.line = line;
    } else if (mark.in_baseline) {
        mark.state = ST_KNOWN;
    }
    count_once(j, fingerprint, mark.state);
    return mark;
}

static struct st_mark judge_violation(struct st_judgement *j, const struct st_report *report,
                                      const struct st_violation *violation,
                                      struct st_fingerprint fingerprint) {
    size_t first = j->triage.line_count;
    for (size_t i = j->triage.line_count; i-- > 0;) {
        if (!st_suppression_matches(&j->suppressions->items[i], report, violation))
            continue;
        j->triage.lines[i].matched++;
        first = i;
    }
    return judge(j, first, &fingerprint);
}

static struct st_mark judge_foreseen(struct st_judgement *j, const struct st_report *report,
                                     const struct st_foreseen *block) {
    struct st_violation violation = st_foreseen_violation(block);
    struct st_mark mark =
        judge_violation(j, report, &violation, st_foreseen_fingerprint(report, block));
    free(violation.path);
    return mark;
}

static struct st_mark judge_cycle(struct st_judgement *j, const struct st_report *report,
                                  const struct st_findings *findings) {
    struct st_fingerprint fingerprint = st_cycle_fingerprint(report, findings);
    size_t first = j->triage.line_count;
    for (size_t i = j->triage.line_count; i-- > 0;) {
        if (!st_suppression_matches_cycle(&j->suppressions->items[i], report, findings))
            continue;
        j->triage.lines[i].matched++;
        first = i;
    }
    return judge(j, first, &fingerprint);
}

/* ---- Places ---- */

/* What may get a place in the list: the index of a violation or a block, the name of its block, and
 * the how-manieth of its name and state it is. What is reported comes first. */
struct candidate {
    size_t index;
    uint32_t block;
    bool spare; /* it is not reported */
    struct st_mark mark;
    size_t turn;
};

static int compare_sizes(size_t a, size_t b) {
    return (a > b) - (a < b);
}

static int by_index(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    return compare_sizes(a->index, b->index);
}

static int by_turn(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    int order = a->spare - b->spare;
    if (!order)
        order = compare_sizes(a->mark.state, b->mark.state);
    if (!order)
        order = compare_sizes(a->turn, b->turn);
    return order ? order : by_index(left, right);
}

/* Blocks without a name are UINT32_MAX, which becomes 0. */
static size_t number_of(uint32_t name) {
    return (uint32_t)(name + 1);
}

/* Candidates come in the order in which they are listed. */
static void set_turns(struct candidate *candidates, size_t count) {
    size_t *turns[ST_STATES] = {0}, capacity[ST_STATES] = {0};
    for (size_t i = 0; i < count; i++) {
        enum st_state state = candidates[i].mark.state;
        size_t name = number_of(candidates[i].block);
        st_reserve(&turns[state], &capacity[state], name + 1);
        candidates[i].turn = turns[state][name]++;
    }
    for (int i = 0; i < ST_STATES; i++)
        free(turns[i]);
}

static void choose(struct candidate *candidates, size_t *count, size_t limit) {
    if (*count <= limit)
        return;
    set_turns(candidates, *count);
    qsort(candidates, *count, sizeof *candidates, by_turn);
    *count = limit;
    qsort(candidates, *count, sizeof *candidates, by_index);
}

/* ---- Results ---- */

static struct candidate *judge_violations(struct st_judgement *j, const struct st_report *report,
                                          const struct st_findings *findings,
                                          struct st_marks *marks) {
    struct candidate *candidates = st_alloc(findings->kept + 1, sizeof *candidates);
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        candidates[i] = (struct candidate){.index = i, .block = violation->block};
        candidates[i].mark =
            judge_violation(j, report, violation, st_fingerprint(report, violation));
        marks->counts[candidates[i].mark.state]++;
    }
    return candidates;
}

static void judge_result(struct st_judgement *j, const struct st_report *report, size_t index,
                         size_t limit) {
    const struct st_findings *findings = report->results[index].findings;
    struct st_marks *marks = &j->triage.marks[index];
    struct st_findings *view = &j->views[index];
    struct candidate *candidates = judge_violations(j, report, findings, marks);
    *view = *findings;
    choose(candidates, &view->kept, limit ? limit : SIZE_MAX);
    view->violations = st_alloc(view->kept + 1, sizeof *view->violations);
    marks->violations = st_alloc(view->kept + 1, sizeof *marks->violations);
    for (size_t i = 0; i < view->kept; i++) {
        view->violations[i] = findings->violations[candidates[i].index];
        marks->violations[i] = candidates[i].mark;
    }
    free(candidates);
    marks->unjudged = st_all_violated(findings) - findings->kept;
    if (st_result_has_cycle(&report->results[index]) && findings->cycle_length)
        marks->cycle = judge_cycle(j, report, findings);
    j->results[index] = report->results[index];
    j->results[index].findings = view;
}

/* ---- Predictions ---- */

static struct candidate *judge_blocks(struct st_judgement *j, const struct st_report *report,
                                      const struct st_prediction *prediction,
                                      struct st_marks *marks) {
    struct candidate *candidates = st_alloc(prediction->listed + 1, sizeof *candidates);
    marks->unjudged = st_all_reported(prediction);
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_foreseen *block = &prediction->blocks[i];
        candidates[i] =
            (struct candidate){.index = i, .block = block->block, .spare = !st_is_reported(block)};
        if (!st_is_reported(block))
            continue;
        candidates[i].mark = judge_foreseen(j, report, block);
        marks->counts[candidates[i].mark.state]++;
        marks->unjudged--;
    }
    return candidates;
}

static void judge_prediction(struct st_judgement *j, const struct st_report *report, size_t index,
                             size_t limit) {
    const struct st_prediction *prediction = &report->predictions->items[index];
    struct st_marks *marks = &j->triage.marks[index];
    struct st_prediction *view = &j->predictions.items[index];
    struct candidate *candidates = judge_blocks(j, report, prediction, marks);
    *view = *prediction;
    choose(candidates, &view->listed, limit ? limit : SIZE_MAX);
    view->blocks = st_alloc(view->listed + 1, sizeof *view->blocks);
    marks->violations = st_alloc(view->listed + 1, sizeof *marks->violations);
    for (size_t i = 0; i < view->listed; i++) {
        view->blocks[i] = prediction->blocks[candidates[i].index];
        marks->violations[i] = candidates[i].mark;
    }
    free(candidates);
}

static void judge_predictions(struct st_judgement *j, struct st_report *report, size_t limit) {
    j->predictions = *report->predictions;
    j->predictions.items = st_alloc(j->predictions.count, sizeof *j->predictions.items);
    for (size_t i = 0; i < j->predictions.count; i++)
        judge_prediction(j, report, i, limit);
    report->predictions = &j->predictions;
}

static void judge_results(struct st_judgement *j, struct st_report *report, size_t limit) {
    j->results = st_alloc(report->result_count, sizeof *j->results);
    j->views = st_alloc(report->result_count, sizeof *j->views);
    for (size_t i = 0; i < report->result_count; i++)
        judge_result(j, report, i, limit);
    report->results = j->results;
}

/* ---- All ---- */

static void copy_lines(struct st_triage *triage, const struct st_suppressions *suppressions) {
    triage->suppresses = true;
    triage->line_count = suppressions->count;
    triage->lines = st_alloc(suppressions->count + 1, sizeof *triage->lines);
    for (size_t i = 0; i < suppressions->count; i++)
        triage->lines[i] =
            (struct st_suppressing_line){.file = st_strdup(suppressions->items[i].file),
                                         .line = suppressions->items[i].line,
                                         .reason = st_strdup(suppressions->items[i].reason)};
}

static void copy_files(struct st_triage *triage, const struct st_baseline *baseline) {
    triage->baseline_count = baseline->file_count;
    triage->baselines = st_alloc(baseline->file_count + 1, sizeof *triage->baselines);
    for (size_t i = 0; i < baseline->file_count; i++)
        triage->baselines[i] = st_strdup(baseline->files[i]);
}

static void find_gone(struct st_judgement *j) {
    const struct st_names *known = &j->baseline->fingerprints;
    struct st_triage *triage = &j->triage;
    triage->gone = st_alloc((size_t)known->count + 1, sizeof *triage->gone);
    for (uint32_t i = 0; i < known->count; i++) {
        if (st_names_find(&j->seen, st_name(known, i), ST_FINGERPRINT_SIZE - 1) != ST_NAMES_FULL)
            continue;
        struct st_gone *gone = &triage->gone[triage->gone_count++];
        memcpy(gone->fingerprint.text, st_name(known, i), ST_FINGERPRINT_SIZE);
        gone->block = st_strdup(j->baseline->blocks[i]);
    }
}

struct st_judgement *st_judge(struct st_report *report, const struct st_suppressions *suppressions,
                              const struct st_baseline *baseline, size_t limit) {
    struct st_judgement *j = st_alloc(1, sizeof *j);
    size_t count = report->predictions ? report->predictions->count : report->result_count;
    j->suppressions = suppressions;
    j->baseline = baseline;
    st_names_init(&j->seen);
    if (suppressions)
        copy_lines(&j->triage, suppressions);
    if (baseline)
        copy_files(&j->triage, baseline);
    j->triage.marks = st_alloc(count, sizeof *j->triage.marks);
    j->triage.result_count = count;
    if (report->predictions)
        judge_predictions(j, report, limit);
    else
        judge_results(j, report, limit);
    if (baseline)
        find_gone(j);
    report->triage = &j->triage;
    return j;
}

void st_judgement_free(struct st_judgement *judgement) {
    if (!judgement)
        return;
    for (size_t i = 0; judgement->views && i < judgement->triage.result_count; i++)
        free(judgement->views[i].violations);
    for (size_t i = 0; i < judgement->predictions.count; i++)
        free(judgement->predictions.items[i].blocks);
    free(judgement->predictions.items);
    st_triage_free(&judgement->triage);
    st_names_free(&judgement->seen);
    free(judgement->results);
    free(judgement->views);
    free(judgement);
}
