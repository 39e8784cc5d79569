#include "report/triage/finding_groups.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/calls.h"
#include "report/predicted_violation.h"
#include "report/triage/held_locks.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* The run of a hunt; 0: there was one run only. */
static uint64_t run_of(const struct st_violation *violation) {
    return violation->observation ? violation->observation->run : 0;
}

/* What came of it, in a hunt: the worse comes first. */
static uint64_t harm_of(const struct st_violation *violation) {
    return violation->observation ? (uint64_t)violation->observation->outcome : 0;
}

/* ---- Names and their rows ---- */

/* By the name plus 1; blocks without a name come first. */
static size_t number_of(uint32_t name) {
    return (uint32_t)(name + 1);
}

/* The row of each name; NULL where there is none. */
struct row_index {
    const struct st_block_row **rows;
    size_t capacity;
};

static struct row_index index_rows(const struct st_block_row *rows, size_t count) {
    struct row_index index = {0};
    for (size_t i = 0; i < count; i++) {
        st_reserve(&index.rows, &index.capacity, number_of(rows[i].block) + 1);
        index.rows[number_of(rows[i].block)] = &rows[i];
    }
    return index;
}

static const struct st_block_row *find_row(const struct row_index *index, uint32_t block) {
    size_t number = number_of(block);
    return number < index->capacity ? index->rows[number] : NULL;
}

/* Rows are in the order of their rank; a name without a row comes last. */
static int compare_ranks(const struct st_block_row *a, const struct st_block_row *b) {
    if (!a || !b)
        return !a - !b;
    return (a > b) - (a < b);
}

/* ---- Lines ---- */

/* The lines that the report shows for a step: its own, or with `around` all that led there from the
 * calls around it. */
static void put_lines(FILE *file, const struct st_report *report, uint64_t loc,
                      const struct st_calls *around) {
    char buffer[ST_LOCATION_SIZE];
    struct st_calls calls = st_calls_at(report->details, loc);
    size_t count = around ? st_calls_new(&calls, around) : calls.count ? 1 : 0;
    if (!count)
        fputs(st_user_location(report->symbols, report->details, loc, buffer), file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s %s\n", calls.frames[i].function, calls.frames[i].location);
    st_calls_free(&calls);
}

/* ---- Blocks that were cut together ---- */

struct item {
    const struct st_violation *violation;
    enum st_state state;
};

enum { PLACE_SIZE = 2 };

/* The blocks that one event cut, the innermost first, and where: see set_place. */
struct cut {
    const struct item *items;
    size_t count;
    uint64_t place[PLACE_SIZE];
};

static int by_event_then_innermost(const void *left, const void *right) {
    const struct item *a = left, *b = right;
    int order = compare_numbers(a->state, b->state);
    if (!order)
        order = compare_numbers(run_of(a->violation), run_of(b->violation));
    if (!order)
        order = compare_numbers(a->violation->event.number, b->violation->event.number);
    if (!order)
        order = compare_numbers(b->violation->depth, a->violation->depth);
    return order ? order : compare_numbers(a->violation->begin, b->violation->begin);
}

static bool cut_together(const struct item *inner, const struct item *outer) {
    return inner->state == outer->state && run_of(inner->violation) == run_of(outer->violation) &&
           inner->violation->event.number == outer->violation->event.number &&
           inner->violation->depth != outer->violation->depth;
}

/* Sorts the items; the cuts point into them. */
static struct cut *make_cuts(struct item *items, size_t item_count, size_t *count) {
    struct cut *cuts = st_alloc(item_count, sizeof *cuts);
    qsort(items, item_count, sizeof *items, by_event_then_innermost);
    *count = 0;
    for (size_t i = 0; i < item_count; i++) {
        if (i == 0 || !cut_together(&items[i - 1], &items[i]))
            cuts[(*count)++].items = &items[i];
        cuts[*count - 1].count++;
    }
    return cuts;
}

/* ---- Cuts in the same gap ---- */

/* Whoever came in between, and with what. Programs that ran beside each other have gaps of their
 * own. */
static void set_place(const struct st_report *report, struct st_names *gaps, struct cut *cut) {
    const struct st_violation *violation = cut->items[0].violation;
    struct st_fingerprint fingerprint = st_fingerprint(report, violation);
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%s %s", fingerprint.text,
            violation->program ? violation->program : "");
    char *key = st_text_buffer_close(&buffer);
    cut->place[0] = cut->items[0].state;
    cut->place[1] = st_names_add(gaps, key, strlen(key));
    free(key);
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
    return order ? order
                 : compare_numbers(a->items[0].violation->event.number,
                                   b->items[0].violation->event.number);
}

static void sort_cuts(const struct st_report *report, struct cut *cuts, size_t count) {
    struct st_names gaps;
    st_names_init(&gaps);
    for (size_t i = 0; i < count; i++)
        set_place(report, &gaps, &cuts[i]);
    st_names_free(&gaps);
    qsort(cuts, count, sizeof *cuts, by_place_then_event);
}

/* ---- Groups of violations ---- */

/* Groups in the making. seen[number_of(name)] is the number of the last group, from 1, that has the
 * name in its `around`. */
struct gathering {
    struct st_violation_groups *groups;
    uint64_t process; /* of the last cut: those of one process follow each other */
    struct row_index rows;
    size_t name_count, member_count;
    size_t *seen, seen_capacity;
};

static void start_group(struct gathering *g, const struct item *item) {
    struct st_violation_groups *groups = g->groups;
    groups->items[groups->count++] =
        (struct st_violation_group){.violation = item->violation,
                                    .state = item->state,
                                    .members = &groups->members[g->member_count],
                                    .damage = st_damage_of(item->violation),
                                    .direct = st_is_direct(item->violation),
                                    .around = &groups->names[g->name_count],
                                    .row = find_row(&g->rows, item->violation->block)};
}

/* What did more harm, and what says more about it, stands for the others. */
static void prefer(struct st_violation_group *group, const struct st_violation *violation) {
    enum st_damage damage = st_damage_of(violation);
    bool direct = st_is_direct(violation);
    uint64_t harm = harm_of(violation), before = harm_of(group->violation);
    if (harm < before || (harm == before && damage < group->damage) ||
        (harm == before && damage == group->damage && direct <= group->direct))
        return;
    group->violation = violation;
    group->damage = damage;
    group->direct = direct;
}

static void add_cut(struct gathering *g, const struct cut *cut) {
    struct st_violation_groups *groups = g->groups;
    struct st_violation_group *group = &groups->items[groups->count - 1];
    uint64_t process = cut->items[0].violation->process;
    prefer(group, cut->items[0].violation);
    groups->members[g->member_count++] = cut->items[0].violation;
    group->member_count++;
    if (process && (!group->count || process != g->process))
        group->process_count++;
    g->process = process;
    group->count++;
    for (size_t i = 1; i < cut->count; i++) {
        uint32_t name = cut->items[i].violation->block;
        st_reserve(&g->seen, &g->seen_capacity, number_of(name) + 1);
        if (g->seen[number_of(name)] == groups->count)
            continue;
        g->seen[number_of(name)] = groups->count;
        groups->names[g->name_count++] = name;
        group->around_count++;
    }
}

/* ---- By design ---- */

/* Functions that call blocks which are cut; callees[i] is such a block of the i-th of them. */
struct callers {
    struct st_names names;
    const struct st_violation **callees;
    size_t capacity;
};

static void add_caller(void *context, const char *name, const struct st_violation *callee) {
    struct callers *callers = context;
    uint32_t before = callers->names.count;
    if (st_names_add(&callers->names, name, strlen(name)) != before)
        return;
    st_reserve(&callers->callees, &callers->capacity, (size_t)before + 1);
    callers->callees[before] = callee;
}

static const char *name_of(const struct st_report *report, uint32_t block) {
    return st_target_name(report->symbols, ST_BEGIN, block);
}

static void find_dispatchers(const struct st_report *report, struct st_violation_groups *groups) {
    struct callers callers = {0};
    st_names_init(&callers.names);
    for (size_t i = 0; i < groups->count; i++) {
        const struct st_violation_group *group = &groups->items[i];
        st_each_caller(report, group->violation, add_caller, &callers);
        for (size_t j = 0; j < group->around_count; j++)
            if (group->around[j] != group->violation->block) /* it may call itself */
                add_caller(&callers, name_of(report, group->around[j]), group->violation);
    }
    for (size_t i = 0; i < groups->count; i++) {
        struct st_violation_group *group = &groups->items[i];
        const char *name = name_of(report, group->violation->block);
        uint32_t number = st_names_find(&callers.names, name, strlen(name));
        if (number == ST_NAMES_FULL || !st_between_calls(report, group->violation))
            continue;
        group->design = ST_DESIGN_CALLS;
        group->callee = callers.callees[number];
    }
    st_names_free(&callers.names);
    free(callers.callees);
}

/* A loop that one of its cuts shows is there for all of them: they let go and came back at the same
 * lines. */
static void find_loops_and_waits(struct st_violation_groups *groups) {
    for (size_t i = 0; i < groups->count; i++) {
        struct st_violation_group *group = &groups->items[i];
        bool turns = false, waits = true, wrote = true;
        for (size_t j = 0; j < group->member_count; j++) {
            const struct st_violation *member = group->members[j];
            turns |= member->gap && member->gap->next_turn;
            waits &= member->waited;
            wrote &= st_left_with_write(member);
        }
        if (wrote && (turns || waits))
            group->design = turns ? ST_DESIGN_LOOP : ST_DESIGN_WAIT;
    }
}

/* Functions in which a loop was seen, with the line where its turns begin. */
static void put_turn(FILE *file, const struct st_block_gap *gap) {
    fprintf(file, "%s\n%s", gap->function, gap->back);
}

static uint32_t number_of_turn(struct st_names *turns, const struct st_block_gap *gap, bool add) {
    struct st_text_buffer buffer;
    put_turn(st_text_buffer_open(&buffer), gap);
    char *key = st_text_buffer_close(&buffer);
    uint32_t number =
        add ? st_names_add(turns, key, strlen(key)) : st_names_find(turns, key, strlen(key));
    free(key);
    return number;
}

static void find_next_turns(struct st_violation_groups *groups) {
    struct st_names turns;
    st_names_init(&turns);
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].design == ST_DESIGN_LOOP)
            number_of_turn(&turns, groups->items[i].violation->gap, true);
    for (size_t i = 0; i < groups->count; i++) {
        struct st_violation_group *group = &groups->items[i];
        if (!group->design && st_goes_backward(group->violation) &&
            number_of_turn(&turns, group->violation->gap, false) != ST_NAMES_FULL)
            group->design = ST_DESIGN_LOOP;
    }
    st_names_free(&turns);
}

/* A region that somebody has annotated is meant to be atomic: it has a name of its own. */
static bool is_function(const struct st_report *report, const struct st_violation *violation) {
    char buffer[ST_LOCATION_SIZE];
    const char *function =
        st_innermost_line(report->symbols, report->details, violation->begin_loc, buffer).function;
    return strcmp(name_of(report, violation->block), function) == 0;
}

/* Harm that was seen is no design. */
static void find_designs(const struct st_report *report, struct st_violation_groups *groups) {
    find_loops_and_waits(groups);
    find_next_turns(groups);
    find_dispatchers(report, groups);
    for (size_t i = 0; i < groups->count; i++)
        if (harm_of(groups->items[i].violation) || !is_function(report, groups->items[i].violation))
            groups->items[i].design = ST_DESIGN_NONE;
}

static bool is_start_row(const struct st_block_row *row) {
    const char *function;
    size_t length;
    return row && st_block_is_start(row->name, &function, &length);
}

static bool is_start(const struct st_violation_group *group) {
    return is_start_row(group->row);
}

/* Those of one program follow each other. */
static int compare_programs(const struct st_violation *a, const struct st_violation *b) {
    return a->program && b->program ? strcmp(a->program, b->program) : 0;
}

static int by_rank_then_event(const void *left, const void *right) {
    const struct st_violation_group *a = left, *b = right;
    int order = compare_numbers(a->state, b->state);
    if (!order)
        order = compare_programs(a->violation, b->violation);
    if (!order)
        order = compare_numbers(harm_of(b->violation), harm_of(a->violation));
    if (!order)
        order = compare_numbers(a->design != ST_DESIGN_NONE, b->design != ST_DESIGN_NONE);
    if (!order)
        order = compare_numbers(is_start(a), is_start(b));
    if (!order)
        order = compare_numbers(b->damage, a->damage);
    if (!order)
        order = compare_numbers(b->direct, a->direct);
    if (!order)
        order = compare_ranks(a->row, b->row);
    return order ? order : compare_numbers(a->violation->event.number, b->violation->event.number);
}

static void gather_cuts(struct gathering *g, const struct cut *cuts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_places(&cuts[i - 1], &cuts[i]) != 0)
            start_group(g, &cuts[i].items[0]);
        add_cut(g, &cuts[i]);
    }
}

/* Not all of them need be in the list. */
static void count_all(struct st_violation_group *group) {
    const struct st_block_gap *gap = group->violation->gap;
    if (gap && gap->times > group->count)
        group->count = (size_t)gap->times;
}

static void sort_groups(const struct st_report *report, struct st_violation_groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        count_all(&groups->items[i]);
    find_designs(report, groups);
    qsort(groups->items, groups->count, sizeof *groups->items, by_rank_then_event);
    for (size_t i = 0; i < groups->count; i++)
        groups->items[i].rank = i + 1;
}

static void index_groups(struct gathering *g, const struct st_findings *findings,
                         const struct item *items) {
    struct st_violation_groups *groups = g->groups;
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = items[i].violation;
        groups->by_violation[violation - findings->violations] =
            (struct st_violation_group){.violation = violation,
                                        .state = items[i].state,
                                        .row = find_row(&g->rows, violation->block)};
    }
    for (size_t i = 0; i < groups->count; i++)
        groups->by_violation[groups->items[i].violation - findings->violations] = groups->items[i];
}

struct st_violation_groups st_group_violations(const struct st_report *report,
                                               const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    struct st_violation_groups groups = {
        .items = st_alloc(findings->kept + 1, sizeof *groups.items),
        .by_violation = st_alloc(findings->kept + 1, sizeof *groups.by_violation),
        .names = st_alloc(findings->kept + 1, sizeof *groups.names),
        .members = st_alloc(findings->kept + 1, sizeof *groups.members)};
    size_t cut_count;
    groups.rows = st_rank_blocks(report, findings, &groups.row_count);
    struct item *items = st_alloc(findings->kept + 1, sizeof *items);
    for (size_t i = 0; i < findings->kept; i++)
        items[i] =
            (struct item){&findings->violations[i], st_violation_mark(report, result, i).state};
    struct cut *cuts = make_cuts(items, findings->kept, &cut_count);
    sort_cuts(report, cuts, cut_count);
    struct gathering g = {.groups = &groups, .rows = index_rows(groups.rows, groups.row_count)};
    gather_cuts(&g, cuts, cut_count);
    sort_groups(report, &groups);
    index_groups(&g, findings, items);
    free(g.rows.rows);
    free(g.seen);
    free(cuts);
    free(items);
    return groups;
}

void st_violation_groups_free(struct st_violation_groups *groups) {
    free(groups->rows);
    free(groups->items);
    free(groups->by_violation);
    free(groups->names);
    free(groups->members);
}

/* ---- Groups of predicted blocks ---- */

/* A text that blocks share if they could be cut in the same gap. */
static char *make_key(const struct st_report *report, const struct st_predicted_block *block,
                      enum st_state state) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%u %s", (unsigned)state, st_predicted_fingerprint(report, block).text);
    return st_text_buffer_close(&buffer);
}

static int by_rank_then_begin(const void *left, const void *right) {
    const struct st_predicted_group *a = left, *b = right;
    int order = compare_numbers(a->state, b->state);
    if (!order) /* the better proof comes first */
        order = compare_numbers(b->block->verdict, a->block->verdict);
    if (!order)
        order = compare_numbers(is_start_row(a->row), is_start_row(b->row));
    if (!order)
        order = compare_numbers(b->let_go, a->let_go);
    if (!order)
        order = compare_numbers(b->damage, a->damage);
    if (!order)
        order = compare_numbers(b->direct, a->direct);
    if (!order)
        order = compare_ranks(a->row, b->row);
    return order ? order : compare_numbers(a->block->begin, b->block->begin);
}

static void weigh(const struct st_report *report, struct st_predicted_group *group) {
    struct st_violation violation = st_predicted_violation(group->block);
    group->let_go = st_is_let_go(report, &violation);
    group->damage = st_damage_of(&violation);
    group->direct = st_is_direct(&violation);
    free(violation.path);
}

static void sort_predicted(const struct st_report *report, struct st_predicted_groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        weigh(report, &groups->items[i]);
    qsort(groups->items, groups->count, sizeof *groups->items, by_rank_then_begin);
    for (size_t i = 0; i < groups->count; i++)
        groups->items[i].rank = i + 1;
}

/* The group with the number i has the key i, until they are sorted. The one with the best proof
 * stands for all, and those that are as certain are counted. */
static void gather_block(struct st_predicted_groups *groups, struct st_names *keys,
                         const struct st_report *report, const struct st_predicted_group *alone) {
    char *key = make_key(report, alone->block, alone->state);
    uint32_t number = st_names_add(keys, key, strlen(key));
    free(key);
    if (number == groups->count)
        groups->items[groups->count++] = *alone;
    struct st_predicted_group *group = &groups->items[number];
    if (alone->block->verdict > group->block->verdict)
        *group = *alone;
    group->count += alone->block->verdict == group->block->verdict;
}

struct st_predicted_groups st_group_predictions(const struct st_report *report,
                                                const struct st_prediction *prediction) {
    struct st_predicted_groups groups = {
        .items = st_alloc(prediction->listed + 1, sizeof *groups.items),
        .by_block = st_alloc(prediction->listed + 1, sizeof *groups.by_block)};
    struct st_names keys;
    groups.rows = st_rank_predicted(report, prediction, &groups.row_count);
    struct row_index rows = index_rows(groups.rows, groups.row_count);
    st_names_init(&keys);
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        groups.by_block[i] =
            (struct st_predicted_group){.block = block,
                                        .state = st_predicted_mark(report, prediction, i).state,
                                        .row = find_row(&rows, block->block)};
        if (st_is_reported(block) && !block->cut_inside)
            gather_block(&groups, &keys, report, &groups.by_block[i]);
    }
    sort_predicted(report, &groups);
    for (size_t i = 0; i < groups.count; i++)
        groups.by_block[groups.items[i].block - prediction->blocks] = groups.items[i];
    st_names_free(&keys);
    free(rows.rows);
    return groups;
}

void st_predicted_groups_free(struct st_predicted_groups *groups) {
    free(groups->rows);
    free(groups->items);
    free(groups->by_block);
}

/* ---- Groups of races ---- */

/* What two races share if their reports read alike. */
static char *race_key(const struct st_report *report, const struct st_predicted_race *race) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%u %u\n", (unsigned)race->first.event.written,
            (unsigned)race->second.event.written);
    put_lines(file, report, race->first.event.loc, NULL);
    fputc('\n', file);
    put_lines(file, report, race->second.event.loc, NULL);
    return st_text_buffer_close(&buffer);
}

struct st_race_group *st_group_races(const struct st_report *report,
                                     const struct st_prediction *prediction, size_t *count) {
    struct st_race_group *groups = st_alloc(prediction->race_count + 1, sizeof *groups);
    struct st_names keys;
    *count = 0;
    st_names_init(&keys);
    for (size_t i = 0; i < prediction->race_count; i++) {
        char *key = race_key(report, &prediction->races[i]);
        uint32_t number = st_names_add(&keys, key, strlen(key));
        free(key);
        if (number == *count)
            groups[(*count)++].race = &prediction->races[i];
        groups[number].count++;
    }
    st_names_free(&keys);
    return groups;
}
