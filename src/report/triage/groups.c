#include "report/triage/groups.h"

#include "base/memory.h"
#include "report/text_buffer.h"
#include "report/user_line.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_SIZE = 7 };

/* The blocks that one event cut, the innermost first, and where: see place_cut. */
struct cut {
    const struct st_violation **blocks;
    size_t count;
    uint64_t place[PLACE_SIZE];
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

/* `sorted` has a pointer to each violation; the cuts point into it. */
static struct cut *make_cuts(const struct st_violation **sorted, size_t sorted_count,
                             size_t *count) {
    struct cut *cuts = st_alloc(sorted_count, sizeof *cuts);
    qsort(sorted, sorted_count, sizeof *sorted, by_event_then_innermost);
    *count = 0;
    for (size_t i = 0; i < sorted_count; i++) {
        if (i == 0 || sorted[i]->event.number != sorted[i - 1]->event.number ||
            sorted[i]->depth == sorted[i - 1]->depth)
            cuts[(*count)++].blocks = &sorted[i];
        cuts[*count - 1].count++;
    }
    return cuts;
}

/* ---- Cuts in the same place ---- */

/* Where violations are, as numbers: the same for all places with the same lines. */
struct placing {
    const struct st_report *report;
    struct st_names lines;
};

void st_put_lines(FILE *file, const struct st_report *report, uint64_t loc,
                  const struct st_calls *around) {
    char buffer[ST_LOCATION_SIZE];
    struct st_calls calls = st_calls_at(report->details, loc);
    size_t count = around ? st_calls_untold(&calls, around) : calls.count ? 1 : 0;
    if (!count)
        fputs(st_user_location(report->symbols, report->details, loc, buffer), file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s %s\n", calls.frames[i].function, calls.frames[i].location);
    st_calls_free(&calls);
}

static uint64_t place_step(struct placing *p, uint64_t loc, const struct st_calls *around) {
    struct st_text_buffer buffer;
    st_put_lines(st_text_buffer_open(&buffer), p->report, loc, around);
    char *text = st_text_buffer_close(&buffer);
    uint64_t number = st_names_add(&p->lines, text, strlen(text));
    free(text);
    return number;
}

/* Of the same block, cut at the same lines by work at the same lines, whoever ran it and whenever,
 * and whatever called them. */
static void place_cut(struct placing *p, struct cut *cut) {
    const struct st_violation *violation = cut->blocks[0];
    const struct st_edge *first = violation->path_length ? violation->path : NULL;
    const struct st_edge *last = &violation->closing;
    struct st_calls around = st_calls_at(p->report->details, violation->begin_loc);
    uint64_t *place = cut->place;
    place[0] = violation->block;
    place[1] = place_step(p, violation->begin_loc, NULL);
    place[2] = violation->event.event.written;
    place[3] = place_step(p, violation->event.event.loc, &around);
    place[4] = first ? place_step(p, first->from.event.loc, &around) : 0;
    place[5] = first ? place_step(p, first->to.event.loc, NULL) : 0;
    place[6] = last->from.number ? place_step(p, last->from.event.loc, NULL) : 0;
    st_calls_free(&around);
}

static void place_cuts(const struct st_report *report, struct cut *cuts, size_t count) {
    struct placing p = {.report = report};
    st_names_init(&p.lines);
    for (size_t i = 0; i < count; i++)
        place_cut(&p, &cuts[i]);
    st_names_free(&p.lines);
}

static int compare_places(const struct cut *a, const struct cut *b) {
    int order = 0;
    for (size_t i = 0; !order && i < PLACE_SIZE; i++)
        order = compare_numbers(a->place[i], b->place[i]);
    return order;
}

static int by_place_then_event(const void *left, const void *right) {
    const struct cut *a = left, *b = right;
    int order = compare_places(a, b);
    return order ? order : compare_numbers(a->blocks[0]->event.number, b->blocks[0]->event.number);
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

struct st_paragraphs st_paragraphs_make(const struct st_report *report,
                                        const struct st_result *result, enum st_state state,
                                        const struct st_block_row *rows, size_t row_count) {
    const struct st_findings *findings = result->findings;
    size_t cut_count, count = 0, numbers = findings->violated_capacity + 1;
    const struct st_violation **sorted = st_alloc(findings->kept, sizeof *sorted);
    for (size_t i = 0; i < findings->kept; i++)
        if (st_violation_mark(report, result, i).state == state)
            sorted[count++] = &findings->violations[i];
    struct cut *cuts = make_cuts(sorted, count, &cut_count);
    place_cuts(report, cuts, cut_count);
    qsort(cuts, cut_count, sizeof *cuts, by_place_then_event);

    struct gathering g = {.seen = st_alloc(numbers, sizeof *g.seen)};
    g.made.items = st_alloc(cut_count, sizeof *g.made.items);
    g.made.names = st_alloc(findings->kept, sizeof *g.made.names);
    for (size_t i = 0; i < cut_count; i++) {
        if (i == 0 || compare_places(&cuts[i - 1], &cuts[i]) != 0)
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
