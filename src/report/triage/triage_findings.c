/* Holds findings against suppressions and a baseline. */
#include "base/memory.h"
#include "base/output.h"
#include "report/predicted_violation.h"
#include "report/triage/baseline.h"
#include "report/triage/finding_groups.h"
#include "report/triage/suppressions.h"
#include "report/triage/triage.h"
#include "spec/suppress.h"

#include <stdlib.h>
#include <string.h>

/* views[i] are the findings of results[i]: those of the report, but for violations that had no
 * place. Paths are the report's. The same holds for what is predicted, and its blocks. */
struct st_triaged {
    struct st_triage triage;
    struct st_result *results;
    struct st_findings *views;
    struct st_predictions predictions;
    const struct st_suppressions *suppressions;
    const struct st_baseline *baseline;
    struct st_names seen, seen_by_line; /* fingerprints */
    bool wanted;                        /* there are suppressions or a baseline */
};

/* ---- One finding ---- */

/* Counts a fingerprint unless it was seen before. */
static void count_once(struct st_triaged *t, const struct st_fingerprint *fingerprint,
                       enum st_state state) {
    uint32_t before = t->seen.count;
    if (st_names_add(&t->seen, fingerprint->text, ST_FINGERPRINT_SIZE - 1) != before)
        return;
    t->triage.fresh += state == ST_NEW;
    t->triage.known += state == ST_KNOWN;
}

/* `line` is the number of the first line that matches, or that of all lines if none does. */
static struct st_mark decide(struct st_triaged *t, size_t line,
                             const struct st_fingerprint *fingerprint,
                             const struct st_fingerprint *by_line) {
    struct st_mark mark = {.state = ST_NEW};
    mark.in_baseline = t->baseline && st_baseline_has(t->baseline, fingerprint, by_line);
    if (by_line)
        st_names_add(&t->seen_by_line, by_line->text, ST_FINGERPRINT_SIZE - 1);
    if (line < t->triage.line_count) {
        mark.state = ST_SUPPRESSED;
        mark.line = line;
    } else if (mark.in_baseline) {
        mark.state = ST_KNOWN;
    }
    count_once(t, fingerprint, mark.state);
    return mark;
}

static struct st_mark decide_violation(struct st_triaged *t, const struct st_report *report,
                                       const struct st_violation *violation) {
    struct st_fingerprint fingerprint = st_fingerprint(report, violation);
    size_t first = t->triage.line_count;
    for (size_t i = t->triage.line_count; i-- > 0;) {
        if (!st_suppression_matches(&t->suppressions->items[i], report, violation))
            continue;
        t->triage.lines[i].matched++;
        first = i;
    }
    return decide(t, first, &fingerprint, violation->gap ? &violation->gap->by_line : NULL);
}

static struct st_mark decide_block(struct st_triaged *t, const struct st_report *report,
                                   const struct st_predicted_block *block) {
    struct st_violation violation = st_predicted_violation(block);
    struct st_mark mark = decide_violation(t, report, &violation);
    free(violation.path);
    return mark;
}

static struct st_mark decide_cycle(struct st_triaged *t, const struct st_report *report,
                                   const struct st_findings *findings) {
    struct st_fingerprint fingerprint = st_cycle_fingerprint(report, findings);
    size_t first = t->triage.line_count;
    for (size_t i = t->triage.line_count; i-- > 0;) {
        if (!st_suppression_matches_cycle(&t->suppressions->items[i], report, findings))
            continue;
        t->triage.lines[i].matched++;
        first = i;
    }
    return decide(t, first, &fingerprint, NULL);
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

/* With --limit 0, so many violations are listed at most. */
enum { MOST_LISTED = 10000 };

/* Findings in the order of their ranks; see number_of_finding. */
struct ranks {
    struct st_names keys;
    struct tally {
        const struct st_violation *first; /* the one that stands for the finding */
        uint64_t last;                    /* the event of the last that was seen, */
        size_t cuts;                      /* and how many events there were */
    } * tallies;
    size_t limit; /* of findings */
    size_t room;  /* for violations */
};

static void decide_violations(struct st_triaged *t, const struct st_report *report,
                              const struct st_findings *findings, struct st_marks *marks) {
    marks->violations = st_alloc(findings->kept + 1, sizeof *marks->violations);
    for (size_t i = 0; i < findings->kept; i++) {
        marks->violations[i] = decide_violation(t, report, &findings->violations[i]);
        marks->counts[marks->violations[i].state]++;
    }
}

/* The number of the finding that the violation belongs to. */
static uint32_t number_of_finding(const struct st_report *report, const struct st_marks *marks,
                                  const struct st_findings *findings, struct st_names *keys,
                                  const struct st_violation *violation) {
    size_t index = (size_t)(violation - findings->violations);
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%u %s %s", (unsigned)marks->violations[index].state,
            st_fingerprint(report, violation).text, violation->program ? violation->program : "");
    char *key = st_text_buffer_close(&buffer);
    uint32_t number = st_names_add(keys, key, strlen(key));
    free(key);
    return number;
}

static struct ranks rank_findings(struct st_report *report, const struct st_result *result,
                                  const struct st_marks *marks, size_t limit) {
    const struct st_findings *findings = result->findings;
    struct st_violation_groups groups = st_group_violations(report, result);
    struct ranks ranks = {.limit = limit ? limit : SIZE_MAX, .room = limit ? limit : MOST_LISTED};
    st_names_init(&ranks.keys);
    ranks.tallies = st_alloc(findings->kept + groups.count + 1, sizeof *ranks.tallies);
    for (size_t i = 0; i < groups.count; i++) {
        const struct st_violation *first = groups.items[i].violation;
        uint32_t number = number_of_finding(report, marks, findings, &ranks.keys, first);
        ranks.tallies[number].first = first;
    }
    st_violation_groups_free(&groups);
    return ranks;
}

/* The how-manieth cut of its finding it is, where the one that stands for it comes first: 0.
 * Violations come in the order of their events, those of one event one after the other. SIZE_MAX:
 * its finding is beyond the limit. */
static size_t turn_of(struct ranks *ranks, uint32_t number, const struct st_violation *violation) {
    struct tally *tally = &ranks->tallies[number];
    if (number >= ranks->limit)
        return SIZE_MAX;
    if (tally->first && tally->first->event.number == violation->event.number)
        return 0;
    if (!tally->cuts || tally->last != violation->event.number)
        tally->cuts++;
    tally->last = violation->event.number;
    return tally->cuts;
}

/* Violations that stand for findings, with the blocks around them, always get a place; the others
 * as long as there is room, the first ones of each finding first. */
static void give_places(const struct ranks *ranks, size_t *turns, size_t count) {
    size_t given = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        given += turns[i] == 0;
        if (turns[i] != SIZE_MAX && turns[i] > most)
            most = turns[i];
    }
    size_t *sizes = st_alloc(most + 2, sizeof *sizes), last = 0;
    for (size_t i = 0; i < count; i++)
        if (turns[i] != SIZE_MAX)
            sizes[turns[i]]++;
    while (last < most && given + sizes[last + 1] <= ranks->room)
        given += sizes[++last];
    size_t rest = given < ranks->room ? ranks->room - given : 0;
    for (size_t i = 0; i < count; i++) {
        bool fits = turns[i] == last + 1 && rest > 0;
        if (turns[i] > last && !fits)
            turns[i] = SIZE_MAX;
        rest -= fits;
    }
    free(sizes);
}

/* Those that are new: their keys begin with that state. */
static size_t count_left_out(const struct ranks *ranks) {
    size_t count = 0;
    for (size_t i = ranks->limit; i < ranks->keys.count; i++)
        count += st_name(&ranks->keys, (uint32_t)i)[0] == '0' + ST_NEW;
    return count;
}

static void choose_violations(struct st_report *report, const struct st_result *result,
                              struct st_marks *marks, struct st_findings *view, size_t limit) {
    const struct st_findings *findings = result->findings;
    struct ranks ranks = rank_findings(report, result, marks, limit);
    size_t *turns = st_alloc(findings->kept + 1, sizeof *turns);
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        uint32_t number = number_of_finding(report, marks, findings, &ranks.keys, violation);
        turns[i] = turn_of(&ranks, number, violation);
    }
    give_places(&ranks, turns, findings->kept);
    view->kept = 0;
    view->violations = st_alloc(findings->kept + 1, sizeof *view->violations);
    for (size_t i = 0; i < findings->kept; i++) {
        if (turns[i] == SIZE_MAX)
            continue;
        view->violations[view->kept] = findings->violations[i];
        marks->violations[view->kept++] = marks->violations[i];
    }
    view->left_out += count_left_out(&ranks);
    free(turns);
    st_names_free(&ranks.keys);
    free(ranks.tallies);
}

static void triage_result(struct st_triaged *t, struct st_report *report, size_t index,
                          size_t limit) {
    const struct st_result *result = &report->results.items[index];
    const struct st_findings *findings = result->findings;
    struct st_marks *marks = &t->triage.marks[index];
    struct st_findings *view = &t->views[index];
    *view = *findings;
    decide_violations(t, report, findings, marks);
    report->triage = t->wanted ? &t->triage : report->triage;
    choose_violations(report, result, marks, view, limit);
    marks->unjudged = st_all_violated(findings) - findings->kept;
    if (st_result_has_cycle(result) && findings->cycle_length)
        marks->cycle = decide_cycle(t, report, findings);
    t->results[index] = *result;
    t->results[index].findings = view;
}

/* ---- Predictions ---- */

static struct candidate *decide_blocks(struct st_triaged *t, const struct st_report *report,
                                       const struct st_prediction *prediction,
                                       struct st_marks *marks) {
    struct candidate *candidates = st_alloc(prediction->listed + 1, sizeof *candidates);
    marks->unjudged = st_all_reported(prediction);
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        candidates[i] =
            (struct candidate){.index = i, .block = block->block, .spare = !st_is_reported(block)};
        if (!st_is_reported(block))
            continue;
        candidates[i].mark = decide_block(t, report, block);
        marks->counts[candidates[i].mark.state]++;
        marks->unjudged--;
    }
    return candidates;
}

static void triage_prediction(struct st_triaged *t, const struct st_report *report, size_t index,
                              size_t limit) {
    const struct st_prediction *prediction = &report->predictions->items[index];
    struct st_marks *marks = &t->triage.marks[index];
    struct st_prediction *view = &t->predictions.items[index];
    struct candidate *candidates = decide_blocks(t, report, prediction, marks);
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

static void triage_predictions(struct st_triaged *t, struct st_report *report, size_t limit) {
    if (!t->wanted)
        return;
    t->predictions = *report->predictions;
    t->predictions.items = st_alloc(t->predictions.count, sizeof *t->predictions.items);
    for (size_t i = 0; i < t->predictions.count; i++)
        triage_prediction(t, report, i, limit);
    report->predictions = &t->predictions;
}

static void triage_results(struct st_triaged *t, struct st_report *report, size_t limit) {
    t->results = st_alloc(report->results.count, sizeof *t->results);
    t->views = st_alloc(report->results.count, sizeof *t->views);
    for (size_t i = 0; i < report->results.count; i++)
        triage_result(t, report, i, limit);
    report->results.items = t->results;
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

static void find_gone(struct st_triaged *t) {
    const struct st_names *known = &t->baseline->fingerprints;
    struct st_triage *triage = &t->triage;
    triage->gone = st_alloc((size_t)known->count + 1, sizeof *triage->gone);
    for (uint32_t i = 0; i < known->count; i++) {
        if (st_names_find(&t->seen, st_name(known, i), ST_FINGERPRINT_SIZE - 1) != ST_NAMES_FULL ||
            st_names_find(&t->seen_by_line, t->baseline->lines[i].text, ST_FINGERPRINT_SIZE - 1) !=
                ST_NAMES_FULL)
            continue;
        struct st_gone *gone = &triage->gone[triage->gone_count++];
        memcpy(gone->fingerprint.text, st_name(known, i), ST_FINGERPRINT_SIZE);
        gone->block = st_strdup(t->baseline->blocks[i]);
    }
}

struct st_triaged *st_triage_findings(struct st_report *report,
                                      const struct st_suppressions *suppressions,
                                      const struct st_baseline *baseline, size_t limit) {
    struct st_triaged *t = st_alloc(1, sizeof *t);
    size_t count = st_report_results(report).count + st_report_predictions(report)->count;
    t->suppressions = suppressions;
    t->baseline = baseline;
    t->wanted = suppressions || baseline;
    st_names_init(&t->seen);
    st_names_init(&t->seen_by_line);
    if (suppressions)
        copy_lines(&t->triage, suppressions);
    if (baseline)
        copy_files(&t->triage, baseline);
    t->triage.marks = st_alloc(count, sizeof *t->triage.marks);
    t->triage.result_count = count;
    switch (report->kind) {
    case ST_REPORT_RESULT:
    case ST_REPORT_COMPARISON:
        triage_results(t, report, limit);
        break;
    case ST_REPORT_PREDICTION:
    case ST_REPORT_PREDICTION_COMPARISON:
        triage_predictions(t, report, limit);
        break;
    }
    if (baseline)
        find_gone(t);
    if (t->wanted)
        report->triage = &t->triage;
    return t;
}

void st_triaged_free(struct st_triaged *triaged) {
    if (!triaged)
        return;
    for (size_t i = 0; triaged->views && i < triaged->triage.result_count; i++)
        free(triaged->views[i].violations);
    for (size_t i = 0; i < triaged->predictions.count; i++)
        free(triaged->predictions.items[i].blocks);
    free(triaged->predictions.items);
    st_triage_free(&triaged->triage);
    st_names_free(&triaged->seen);
    st_names_free(&triaged->seen_by_line);
    free(triaged->results);
    free(triaged->views);
    free(triaged);
}
