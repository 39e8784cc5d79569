#include "report/paragraphs.h"

#include "base/memory.h"

#include <stdlib.h>

/* The blocks that one event cut, the innermost first. */
struct cut {
    const struct st_violation **blocks;
    size_t count;
};

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* ---- Blocks that were cut together ---- */

static int by_event_then_innermost(const void *left, const void *right) {
    const struct st_violation *a = *(const struct st_violation *const *)left;
    const struct st_violation *b = *(const struct st_violation *const *)right;
    int order = compare_numbers(a->event.number, b->event.number);
    if (!order)
        order = compare_numbers(b->depth, a->depth);
    return order ? order : compare_numbers(a->begin, b->begin);
}

/* `sorted` gets a pointer to each violation; the cuts point into it. */
static struct cut *make_cuts(const struct st_findings *findings, const struct st_violation **sorted,
                             size_t *count) {
    struct cut *cuts = st_alloc(findings->kept, sizeof *cuts);
    for (size_t i = 0; i < findings->kept; i++)
        sorted[i] = &findings->violations[i];
    qsort(sorted, findings->kept, sizeof *sorted, by_event_then_innermost);
    *count = 0;
    for (size_t i = 0; i < findings->kept; i++) {
        if (i == 0 || sorted[i]->event.number != sorted[i - 1]->event.number ||
            sorted[i]->depth == sorted[i - 1]->depth)
            cuts[(*count)++].blocks = &sorted[i];
        cuts[*count - 1].count++;
    }
    return cuts;
}

/* ---- Cuts in the same place ---- */

/* Of the same block at the same place of the code, whoever ran it and whenever. */
static int compare_places(const struct st_violation *a, const struct st_violation *b) {
    const uint64_t left[] = {a->block, a->begin_loc, a->event.event.loc, a->event.event.written};
    const uint64_t right[] = {b->block, b->begin_loc, b->event.event.loc, b->event.event.written};
    int order = 0;
    for (size_t i = 0; !order && i < sizeof left / sizeof *left; i++)
        order = compare_numbers(left[i], right[i]);
    return order;
}

static int by_place_then_event(const void *left, const void *right) {
    const struct st_violation *a = ((const struct cut *)left)->blocks[0];
    const struct st_violation *b = ((const struct cut *)right)->blocks[0];
    int order = compare_places(a, b);
    return order ? order : compare_numbers(a->event.number, b->event.number);
}

/* By the name plus 1; blocks without a name come first. */
static size_t number_of(uint32_t name) {
    return (uint32_t)(name + 1);
}

/* Paragraphs in the making. seen[number_of(name)] is the number of the last paragraph, from 1, that
 * has the name in its `around`. */
struct gathering {
    struct st_paragraphs made;
    size_t name_count;
    size_t *seen;
};

static void start_paragraph(struct gathering *g, const struct st_violation *violation) {
    g->made.items[g->made.count++] =
        (struct st_paragraph){.violation = violation, .around = &g->made.names[g->name_count]};
}

static void add_cut(struct gathering *g, const struct cut *cut) {
    struct st_paragraph *paragraph = &g->made.items[g->made.count - 1];
    paragraph->count++;
    for (size_t i = 1; i < cut->count; i++) {
        uint32_t name = cut->blocks[i]->block;
        if (g->seen[number_of(name)] == g->made.count)
            continue;
        g->seen[number_of(name)] = g->made.count;
        g->made.names[g->name_count++] = name;
        paragraph->around_count++;
    }
}

/* ---- The order ---- */

/* A paragraph and the rank of its block. */
struct ranked {
    size_t rank;
    struct st_paragraph paragraph;
};

static int by_rank_then_event(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    int order = compare_numbers(a->rank, b->rank);
    return order ? order
                 : compare_numbers(a->paragraph.violation->event.number,
                                   b->paragraph.violation->event.number);
}

/* rank[number_of(name)] is the index of the name's row. */
static void sort_paragraphs(struct st_paragraphs *paragraphs, const size_t *rank) {
    struct ranked *ranked = st_alloc(paragraphs->count, sizeof *ranked);
    for (size_t i = 0; i < paragraphs->count; i++) {
        const struct st_paragraph *paragraph = &paragraphs->items[i];
        ranked[i] = (struct ranked){rank[number_of(paragraph->violation->block)], *paragraph};
    }
    qsort(ranked, paragraphs->count, sizeof *ranked, by_rank_then_event);
    for (size_t i = 0; i < paragraphs->count; i++)
        paragraphs->items[i] = ranked[i].paragraph;
    free(ranked);
}

static size_t *rank_by_name(const struct st_block_row *rows, size_t count, size_t numbers) {
    size_t *rank = st_alloc(numbers, sizeof *rank);
    for (size_t i = 0; i < count; i++)
        if (rows[i].violated)
            rank[number_of(rows[i].block)] = i;
    return rank;
}

struct st_paragraphs st_paragraphs_make(const struct st_findings *findings,
                                        const struct st_block_row *rows, size_t row_count) {
    size_t cut_count, numbers = findings->violated_capacity + 1;
    const struct st_violation **sorted = st_alloc(findings->kept, sizeof *sorted);
    struct cut *cuts = make_cuts(findings, sorted, &cut_count);
    qsort(cuts, cut_count, sizeof *cuts, by_place_then_event);

    struct gathering g = {.seen = st_alloc(numbers, sizeof *g.seen)};
    g.made.items = st_alloc(cut_count, sizeof *g.made.items);
    g.made.names = st_alloc(findings->kept, sizeof *g.made.names);
    for (size_t i = 0; i < cut_count; i++) {
        if (i == 0 || compare_places(cuts[i - 1].blocks[0], cuts[i].blocks[0]) != 0)
            start_paragraph(&g, cuts[i].blocks[0]);
        add_cut(&g, &cuts[i]);
    }

    size_t *rank = rank_by_name(rows, row_count, numbers);
    sort_paragraphs(&g.made, rank);
    free(rank);
    free(g.seen);
    free(cuts);
    free(sorted);
    return g.made;
}

void st_paragraphs_free(struct st_paragraphs *paragraphs) {
    free(paragraphs->items);
    free(paragraphs->names);
}
