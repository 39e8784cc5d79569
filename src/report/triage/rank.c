#include "report/triage/rank.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* -1 when the larger number comes first. */
static int larger_first(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

/* Which part of its runs was cut. */
static double violated_share(const struct st_block_row *row) {
    return row->executed ? (double)row->violated / (double)row->executed : 1;
}

static bool is_start(const struct st_block_row *row) {
    const char *function;
    size_t length;
    return st_block_is_start(row->name, &function, &length);
}

/* Nobody said of a function that it is one step because a thread starts with it, so it comes last.
 */
static int compare_surprise(const struct st_block_row *a, const struct st_block_row *b) {
    if (is_start(a) != is_start(b))
        return is_start(a) ? 1 : -1;
    double left = violated_share(a), right = violated_share(b);
    if (left != right)
        return left < right ? -1 : 1;
    return larger_first(a->depth, b->depth);
}

static int compare_rows(const void *left, const void *right) {
    const struct st_block_row *a = left, *b = right;
    int order = larger_first(a->violated != 0, b->violated != 0);
    if (!order && a->violated)
        order = compare_surprise(a, b);
    if (!order)
        order = is_start(a) - is_start(b);
    if (!order)
        order = larger_first(a->executed, b->executed);
    return order ? order : strcmp(a->name, b->name);
}

static struct st_block_row make_row(const struct st_report *report,
                                    const struct st_findings *findings, uint32_t block,
                                    uint64_t executed) {
    return (struct st_block_row){.block = block,
                                 .name = st_target_name(report->symbols, ST_BEGIN, block),
                                 .program = report->block_programs && block != ST_NO_NAME
                                                ? report->block_programs[block]
                                                : NULL,
                                 .executed = executed,
                                 .violated = st_findings_violated(findings, block),
                                 .depth = st_findings_depth(findings, block)};
}

struct st_block_row *st_rank_blocks(const struct st_report *report,
                                    const struct st_findings *findings, size_t *count) {
    const struct st_facts *facts = report->facts;
    uint32_t names = report->symbols->blocks.count;
    struct st_block_row *rows = st_alloc((size_t)names + 1, sizeof *rows);
    *count = 0;
    for (uint32_t block = 0; block < names; block++) {
        uint64_t executed = block < facts->executed_count ? facts->executed[block] : 0;
        rows[*count] = make_row(report, findings, block, executed);
        if (executed || rows[*count].violated)
            ++*count; /* the names of mere ends were not executed */
    }
    rows[*count] = make_row(report, findings, ST_NO_NAME, facts->unnamed_blocks);
    if (facts->unnamed_blocks || rows[*count].violated)
        ++*count;
    qsort(rows, *count, sizeof *rows, compare_rows);
    return rows;
}

struct st_block_row *st_rank_predicted(const struct st_report *report,
                                       const struct st_prediction *prediction, size_t *count) {
    struct st_block_row *rows = st_alloc(prediction->name_capacity + 1, sizeof *rows);
    *count = 0;
    for (size_t block = 0; block < prediction->name_capacity; block++)
        if (prediction->executed[block])
            rows[(*count)++] = (struct st_block_row){
                .block = (uint32_t)block,
                .name = st_target_name(report->symbols, ST_BEGIN, (uint32_t)block),
                .executed = prediction->executed[block],
                .violated = prediction->reported[block]};
    if (prediction->unnamed_executed)
        rows[(*count)++] = (struct st_block_row){.block = ST_NO_NAME,
                                                 .name = "",
                                                 .executed = prediction->unnamed_executed,
                                                 .violated = prediction->unnamed_reported};
    qsort(rows, *count, sizeof *rows, compare_rows);
    return rows;
}
