#include "report/triage/baseline.h"

#include "base/memory.h"
#include "report/triage/triage.h"

#include <stdlib.h>

void st_baseline_init(struct st_baseline *baseline) {
    *baseline = (struct st_baseline){0};
    st_names_init(&baseline->fingerprints);
    st_names_init(&baseline->by_line);
}

void st_baseline_free(struct st_baseline *baseline) {
    for (uint32_t i = 0; i < baseline->fingerprints.count; i++)
        free(baseline->blocks[i]);
    for (size_t i = 0; i < baseline->file_count; i++)
        free(baseline->files[i]);
    free(baseline->blocks);
    free(baseline->files);
    free(baseline->lines);
    st_names_free(&baseline->fingerprints);
    st_names_free(&baseline->by_line);
    *baseline = (struct st_baseline){0};
}

static void add(struct st_baseline *baseline, struct st_fingerprint fingerprint,
                const struct st_block_gap *gap, const char *block) {
    uint32_t before = baseline->fingerprints.count;
    uint32_t number =
        st_names_add(&baseline->fingerprints, fingerprint.text, ST_FINGERPRINT_SIZE - 1);
    if (number != before)
        return;
    st_reserve(&baseline->blocks, &baseline->block_capacity, (size_t)number + 1);
    st_reserve(&baseline->lines, &baseline->line_capacity, (size_t)number + 1);
    baseline->blocks[number] = st_strdup(block);
    if (gap) {
        baseline->lines[number] = gap->by_line;
        st_names_add(&baseline->by_line, gap->by_line.text, ST_FINGERPRINT_SIZE - 1);
    }
}

static void add_result(struct st_baseline *baseline, const struct st_report *report,
                       const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    for (size_t i = 0; i < findings->kept; i++)
        add(baseline, st_fingerprint(report, &findings->violations[i]), findings->violations[i].gap,
            st_target_name(report->symbols, ST_BEGIN, findings->violations[i].block));
    if (st_result_has_cycle(result) && findings->cycle_length)
        add(baseline, st_cycle_fingerprint(report, findings), NULL, "");
}

static void add_prediction(struct st_baseline *baseline, const struct st_report *report,
                           const struct st_prediction *prediction) {
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        if (st_is_reported(block))
            add(baseline, st_predicted_fingerprint(report, block), block->gap,
                st_target_name(report->symbols, ST_BEGIN, block->block));
    }
}

void st_baseline_add(struct st_baseline *baseline, const char *name,
                     const struct st_report *report) {
    struct st_result_list results = st_report_results(report);
    const struct st_predictions *predictions = st_report_predictions(report);
    for (size_t i = 0; i < results.count; i++)
        add_result(baseline, report, &results.items[i]);
    for (size_t i = 0; i < predictions->count; i++)
        add_prediction(baseline, report, &predictions->items[i]);
    st_reserve(&baseline->files, &baseline->file_capacity, baseline->file_count + 1);
    baseline->files[baseline->file_count++] = st_strdup(name);
}

static bool has(const struct st_names *names, const struct st_fingerprint *fingerprint) {
    return st_names_find(names, fingerprint->text, ST_FINGERPRINT_SIZE - 1) != ST_NAMES_FULL;
}

bool st_baseline_has(const struct st_baseline *baseline, const struct st_fingerprint *fingerprint,
                     const struct st_fingerprint *by_line) {
    return has(&baseline->fingerprints, fingerprint) ||
           (by_line && has(&baseline->by_line, by_line));
}
