/* Commit nodes (Wang and Stoller, PPoPP 2006): is every schedule of the run serializable?
 *
 * A node of a unit's access tree at which it meets other units is a communication node; one that
 * contains no other is a commit node. All that a transaction does can be moved to its commit node,
 * if it has only one, without a difference to anybody: then it is atomic (Theorems 4.1 and 4.4).
 * With several, it may still be that no other unit ever notices (Theorems 4.3 and 4.6).
 *
 * What needed an interpretation, or is different here:
 *
 * - The paper defines a commit node in two ways. It is an *innermost* communication node; with "not
 *   contained in any other" violations are missed. We ask whether there are two communication nodes
 *   of which neither contains the other, which is the same as two innermost ones, and right also
 *   where critical sections overlap without being nested.
 * - Theorems 4.3 and 4.6 look for a cycle through two communication nodes in the forest, which has
 *   no edges for the order of a thread's units and for fork, join and barriers, and so they miss
 *   violations. The directed form, which is used here: a transaction is reported when it has
 *   communication nodes n1 and, later and apart from it, n2, and some path leads from a unit that
 *   meets n1 to one that meets n2. Its steps are inter-edges, in both directions, and "must happen
 *   before", forwards. All units on it are concurrent with the transaction: a cycle in the order of
 *   units that goes through a unit before or after it has a shorter one that leaves the transaction
 *   no later than it enters, so that it need not be blamed.
 * - Figure 5 adds, through its recursion on S(e), inter-edges inside one unit and between units
 * that are not concurrent; both are left out.
 * - Trimming keeps the last write of each variable (predict/model/unit_draft.h), which
 * view-atomicity needs.
 * - Of identical trees the paper keeps two. Here equal units of one period are one, and those of
 *   different periods are kept, since they can have different neighbours.
 * - Events outside of transactions may synchronise: predict/commit/forest.h.
 *
 * With `as_published`: no order edges, any path that avoids the transaction, and Figure 5 as it
 * stands. `pairwise` looks at two units at a time (Theorems 4.2 and 4.5), which is exact for sets
 * of two transactions. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "predict/commit/commit_node.h"
#include "predict/commit/path_search.h"
#include "predict/commit/lock_uses.h"
#include "predict/parallel.h"

#include <stdlib.h>

/* ---- all transactions ---- */

static int by_end(const void *left, const void *right, void *context) {
    const struct st_unit *units = context;
    uint64_t a = units[*(const uint32_t *)left].end, b = units[*(const uint32_t *)right].end;
    return (a > b) - (a < b);
}

static void sort_units(struct st_commit_analysis *analysis) {
    const struct st_model *model = analysis->model;
    analysis->chain_count = (uint32_t)model->periods->chain_count;
    analysis->of_chain = st_alloc((size_t)analysis->chain_count + 1, sizeof *analysis->of_chain);
    analysis->of_chain_count = st_alloc((size_t)analysis->chain_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < model->unit_count; i++) {
        uint32_t chain = model->periods->items[model->units[i].first_period].chain;
        uint32_t **list = &analysis->of_chain[chain], *count = &analysis->of_chain_count[chain];
        if (!(*count & (*count - 1)))
            *list = st_realloc(*list, *count ? *count * 2 : 1, sizeof **list);
        (*list)[(*count)++] = i;
    }
    for (uint32_t i = 0; i < analysis->chain_count; i++)
        if (analysis->of_chain_count[i])
            qsort_r(analysis->of_chain[i], analysis->of_chain_count[i], sizeof(uint32_t), by_end,
                    model->units);
}

static void judge(void *context, unsigned worker, size_t unit) {
    struct st_commit_analysis *analysis = context;
    struct st_commit_search *search = &analysis->searches[worker];
    double timeout = analysis->options->timeout;
    struct st_cut cut;
    if (!analysis->model->units[unit].transaction)
        return;
    search->deadline = timeout > 0 ? st_commit_time() + timeout : 0;
    search->expired = false;
    if (st_is_cut(search, (uint32_t)unit, &cut))
        analysis->verdicts[unit] = ST_BLOCK_POTENTIAL;
    else if (search->expired)
        analysis->verdicts[unit] = ST_BLOCK_TIMEOUT;
}

/* ---- findings ---- */

/* A finding while it is put together. */
struct story {
    const struct st_commit_analysis *analysis;
    struct st_lock_uses *uses;
    struct st_predicted_block *block;
    size_t event_capacity, path_capacity, variable_capacity;
};

static void tell_event(struct story *story, struct st_place place) {
    struct st_predicted_block *block = story->block;
    if (block->event_count && block->events[block->event_count - 1].number == place.number)
        return;
    st_reserve(&block->events, &story->event_capacity, block->event_count + 1);
    block->events[block->event_count++] = place;
}

static void tell_variable(struct story *story, uint32_t subject) {
    struct st_predicted_block *block = story->block;
    if (subject >= story->analysis->forest->variable_count)
        return;
    uint32_t variable = story->analysis->forest->variables[subject];
    for (size_t i = 0; i < block->variable_count; i++)
        if (block->variables[i] == variable)
            return;
    st_reserve(&block->variables, &story->variable_capacity, block->variable_count + 1);
    block->variables[block->variable_count++] = variable;
}

static uint32_t token_with(const struct st_forest *forest, uint32_t unit, uint32_t entry) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++)
        if (forest->accesses[i].entry == entry)
            return forest->accesses[i].token;
    return ST_NO_TOKEN;
}

/* From an access of one unit to one of another. A step over a lock is one from a release to an
 * acquire, neither of which need be in the unit. */
static void tell_edge(struct story *story, uint32_t from, uint32_t from_token, uint32_t to,
                      uint32_t to_token, uint32_t subject) {
    const struct st_model *model = story->analysis->model;
    uint32_t variables = story->analysis->forest->variable_count;
    struct st_predicted_block *block = story->block;
    struct st_edge edge;
    if (subject < variables)
        edge = (struct st_edge){.from = st_unit_place(model, from, from_token),
                                .to = st_unit_place(model, to, to_token),
                                .kind = ST_EDGE_CONFLICT};
    else
        edge = (struct st_edge){
            .from = st_lock_release(story->uses, from, from_token, subject - variables),
            .to = st_lock_acquire(story->uses, to, to_token, subject - variables),
            .kind = ST_EDGE_LOCK};
    tell_event(story, edge.from);
    tell_event(story, edge.to);
    tell_variable(story, subject);
    st_reserve(&block->path, &story->path_capacity, block->path_length + 1);
    block->path[block->path_length++] = edge;
}

/* The way to the unit, from the transaction on. */
static void tell_way(struct story *story, const struct st_commit_search *search,
                     uint32_t transaction, uint32_t unit) {
    const struct st_forest *forest = story->analysis->forest;
    const struct st_arrival *arrival = &search->arrivals[unit];
    if (arrival->from != ST_NO_NAME)
        tell_way(story, search, transaction, arrival->from);
    if (arrival->leaves == ST_NO_NAME)
        return; /* the order of a thread, of fork, join or a barrier */
    uint32_t from = arrival->from == ST_NO_NAME ? transaction : arrival->from;
    const struct st_unit_access *leaves = &forest->accesses[arrival->leaves];
    tell_edge(story, from, leaves->token, unit, token_with(forest, unit, arrival->enters),
              forest->entries[arrival->enters].subject);
}

static int by_number(const void *left, const void *right) {
    const struct st_place *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* A unit on the way may be left with an event that is earlier than the one it is entered with,
 * since its events are thought to stay together. The schedule has them in the order of the thread.
 */
static void order_events(struct st_predicted_block *block) {
    struct st_place *events = block->events;
    for (size_t i = 1, j; i + 1 < block->event_count; i = j) {
        for (j = i + 1; j + 1 < block->event_count;)
            if (events[j++].event.thread != events[i].event.thread) {
                j--;
                break;
            }
        qsort(events + i, j - i, sizeof *events, by_number);
    }
}

/* An innermost communication node in this one: the commit node. */
static struct st_span commit_node_in(const struct st_commit_search *search, struct st_span node) {
    for (size_t i = 0; i < search->meeting_count; i++) {
        struct st_span other = search->meetings[i].node;
        if (other.start >= node.start && other.end <= node.end)
            node = other;
    }
    return node;
}

/* A node is an access, or a critical section, for which its acquire stands. */
static struct st_place tell_node(const struct story *story, uint32_t unit, struct st_span node) {
    const struct st_shape *shape = st_unit_shape(story->analysis->model, unit);
    uint32_t lock = 0;
    if (node.start)
        return st_unit_place(story->analysis->model, unit, node.start - 1);
    for (uint32_t i = shape->held_count; i-- > 0;)
        if (shape->held_ends[i] + 1 == node.end)
            lock = shape->held[i];
    return st_lock_acquire(story->uses, unit, ST_NO_TOKEN, lock);
}

static void tell_nodes(struct story *story, const struct st_commit_search *search, uint32_t unit,
                       const struct st_cut *cut) {
    struct st_span nodes[] = {commit_node_in(search, cut->out.node),
                              commit_node_in(search, cut->back.node)};
    story->block->nodes = st_alloc(2, sizeof *story->block->nodes);
    story->block->node_count = 2;
    for (int i = 0; i < 2; i++)
        story->block->nodes[i] = tell_node(story, unit, nodes[i]);
}

struct teller {
    struct st_commit_analysis *analysis;
    struct st_lock_uses uses;
};

static void explain(void *context, uint32_t unit, struct st_predicted_block *block) {
    struct teller *teller = context;
    struct st_commit_analysis *analysis = teller->analysis;
    const struct st_forest *forest = analysis->forest;
    struct st_commit_search *search = &analysis->searches[0];
    struct story story = {.analysis = analysis, .uses = &teller->uses, .block = block};
    struct st_cut cut;
    search->deadline = 0; /* it was found in time before */
    search->expired = false;
    if (!st_is_cut(search, unit, &cut))
        return;
    st_find_meetings(search, unit);
    tell_nodes(&story, search, unit, &cut);
    if (cut.last != ST_NO_NAME) {
        tell_way(&story, search, unit, cut.last);
        tell_edge(&story, cut.last, token_with(forest, cut.last, cut.back.entry), unit,
                  forest->accesses[cut.back.access].token, forest->entries[cut.back.entry].subject);
    }
    order_events(block);
    block->pattern = st_places_pattern(block->events, block->event_count);
    block->why = st_strdup("They cannot be moved together, since others can come in between");
}

/* ---- the analysis ---- */

static const char *method(const struct st_predict_options *options, bool pairwise) {
    bool view = options->notion == ST_NOTION_VIEW;
    if (pairwise)
        return view ? "pairs, Theorem 4.5" : "pairs, Theorem 4.2";
    if (options->as_published)
        return view ? "Theorems 4.4 and 4.6 as published" : "Theorems 4.1 and 4.3 as published";
    return view ? "Theorems 4.4 and 4.6, directed" : "Theorems 4.1 and 4.3, directed";
}

static void run(const struct st_run *run, const struct st_predict_options *options,
                const void *own_options, struct st_prediction *prediction) {
    const struct st_model *model = run->model;
    const struct st_commit_node_options *own = own_options;
    unsigned jobs = options->jobs ? options->jobs : 1;
    struct st_commit_analysis analysis = {
        .model = model, .options = options, .pairwise = own->pairwise};
    analysis.forest = st_forest_new(model, options->notion, options->as_published, jobs);
    sort_units(&analysis);
    analysis.verdicts = st_alloc(model->unit_count + 1, sizeof *analysis.verdicts);
    analysis.searches = st_alloc(jobs, sizeof *analysis.searches);
    for (unsigned i = 0; i < jobs; i++)
        st_commit_search_start(&analysis.searches[i], &analysis);
    st_parallel(jobs, model->unit_count, judge, &analysis);
    prediction->method = method(options, own->pairwise);
    prediction->storage = analysis.forest->nodes + analysis.forest->edges;
    prediction->storage_unit = "nodes and edges";
    if (own->pairwise)
        st_prediction_may_miss(prediction, "Two transactions at a time were looked at: a violation "
                                           "that takes three or more is not seen.");
    if (options->as_published)
        st_prediction_may_miss(prediction, "The theorems as published miss violations.");
    struct teller teller = {&analysis, {.model = model}};
    st_model_tell(model, analysis.verdicts, explain, &teller, options->limit, prediction);
    st_lock_uses_free(&teller.uses);
    for (unsigned i = 0; i < jobs; i++)
        st_commit_search_end(&analysis.searches[i]);
    for (uint32_t i = 0; i < analysis.chain_count; i++)
        free(analysis.of_chain[i]);
    free(analysis.searches);
    free(analysis.of_chain);
    free(analysis.of_chain_count);
    free(analysis.verdicts);
    st_forest_free(analysis.forest);
}

static const struct st_option option_rows[] = {
    {.name = "pairwise",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_commit_node_options, pairwise),
     .help = "look at two transactions at a time (Theorems 4.2 and 4.5)"},
    {0},
};

const struct st_predictor st_commit_node = {
    .name = "commit-node",
    .summary = "access trees and commit nodes (Wang and Stoller, PPoPP 2006)",
    .as_published = true,
    .options = option_rows,
    .own_size = sizeof(struct st_commit_node_options),
    .run = run,
};
