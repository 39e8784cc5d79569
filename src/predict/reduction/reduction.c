/* Question: could another schedule of this run cut a block? Reduction answers "no" if it can show
 * that the events of every transaction can be moved together in every schedule, and "maybe"
 * otherwise.
 *
 * Idea (TSE 2006, section 5; Lipton): an acquire can be moved to the right past whatever another
 * thread does next, a release to the left past what another thread did before, an access that is in
 * no data race both ways, and any other access not at all. If a transaction has only right movers
 * before its one non-mover and only left movers after it, all of it can be moved to that place
 * (predict/reduction/movers.h). Once it is known which accesses race, that takes one look at each
 * transaction.
 *
 * It is conservative: what it calls atomic is atomic, in all schedules that do not end in a
 * deadlock, but what it reports need not be a violation.
 *
 * Where we differ from the paper: predict/reduction/movers.h says how transactions are matched.
 * Races are found access by access (predict/reduction/pair_races.h), unless the options ask for one
 * of the paper's searches (multilockset.c, lockset_races.c).
 *
 * Storage is what the paper's Table 4 counts: the variables in the nodes of transaction trees
 * (varsOne and varsMul, 5.6), where equal trees are stored, and counted, once. */
#include "predict/reduction/reduction.h"

#include "base/memory.h"
#include "predict/model/block_verdicts.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static unsigned race_flags_of(enum st_race_search search, bool escape, bool ordered) {
    if (search == ST_RACES_OWNERSHIP)
        return ST_RACY_OWNERSHIP;
    if (search == ST_RACES_ERASER) {
        if (ordered)
            return escape ? ST_RACY_ERASER_ORDERED : ST_RACY_ERASER_EARLY_ORDERED;
        return escape ? ST_RACY_ERASER : ST_RACY_ERASER_EARLY;
    }
    if (ordered)
        return escape ? ST_RACY_MULTILOCKSET_ORDERED : ST_RACY_MULTILOCKSET_EARLY_ORDERED;
    return escape ? ST_RACY_MULTILOCKSET : ST_RACY_MULTILOCKSET_EARLY;
}

static enum st_race_search search_of(const struct st_reduction_options *own) {
    bool by_eraser = own->without & ST_WITHOUT_MULTILOCKSET && own->races != ST_RACES_OWNERSHIP;
    return by_eraser ? ST_RACES_ERASER : own->races;
}

static struct st_reduction_setup setup_of(const struct st_predict_options *options,
                                          const struct st_reduction_options *own) {
    unsigned without = own->without;
    enum st_race_search search = search_of(own);
    bool ordered = !(without & ST_WITHOUT_HAPPEN_BEFORE);
    bool escape = !(without & ST_WITHOUT_ESCAPE) &&
                  (search != ST_RACES_MULTILOCKSET || options->as_published);
    bool by_pairs = search == ST_RACES_PAIRWISE || search == ST_RACES_BY_VARIABLE;
    bool by_multilockset = search == ST_RACES_MULTILOCKSET && !options->as_published && ordered &&
                           !(without & ST_WITHOUT_ESCAPE);
    return (struct st_reduction_setup){
        .rules = {.ordered = ordered,
                  .sections = !(without & ST_WITHOUT_SECTIONS),
                  .reentrant = !(without & ST_WITHOUT_REENTRANT),
                  .thread_local_locks = !(without & ST_WITHOUT_THREAD_LOCAL),
                  .protected_locks = !(without & ST_WITHOUT_PROTECTED),
                  .many = options->as_published},
        .trusting = options->as_published,
        .by_pairs = by_pairs,
        .by_variable = search == ST_RACES_BY_VARIABLE,
        .by_multilockset = by_multilockset,
        .race_flags = by_pairs || by_multilockset ? 0 : race_flags_of(search, escape, ordered)};
}

/* The options of its own, with those that it shares with others. */
static struct st_reduction_options all_options(const struct st_predict_options *options,
                                               const void *own_options) {
    struct st_reduction_options own = *(const struct st_reduction_options *)own_options;
    own.without |= options->without;
    return own;
}

static void prepare(const struct st_predict_options *options, const void *own_options,
                    struct st_run_needs *needs) {
    const struct st_reduction_options all = all_options(options, own_options), *own = &all;
    struct st_observer_list *observers = &needs->model.observers;
    needs->shared_model |= own->ablation;
    if (own->storage)
        st_observers_add(observers, &st_lockset_sizes_observer, 0);
    if (own->online || own->ablation || setup_of(options, own).race_flags)
        st_observers_add(observers, &st_lockset_observer, 0);
    if (own->online) {
        unsigned published = options->as_published ? ST_ATOMIZER_AS_PUBLISHED : 0;
        st_observers_add(observers, &st_atomizer_observer, own->without | published);
    } else if (own->without & ST_WITHOUT_HAPPEN_BEFORE || search_of(own) == ST_RACES_OWNERSHIP) {
        needs->model.keep_shared = true;
    }
}

/* ---- deciding ---- */

bool st_reducer_is_racy(const struct st_reducer *reducer, uint32_t variable) {
    if (reducer->racy)
        return reducer->racy[variable];
    return reducer->setup.race_flags &&
           st_lockset_races_of(reducer->lockset_races, variable) & reducer->setup.race_flags;
}

static bool is_racy(const void *context, uint32_t unit, uint32_t token) {
    const struct st_reducer *reducer = context;
    if (reducer->setup.by_pairs && !reducer->setup.by_variable)
        return st_pair_race(&reducer->races, unit, token) != NULL;
    return st_reducer_is_racy(reducer, st_unit_shape(reducer->model, unit)->tokens[token].target);
}

void st_reducer_judge(const struct st_reducer *reducer, struct st_movers *movers, uint32_t unit) {
    const struct st_unit *which = &reducer->model->units[unit];
    st_movers_find(movers, reducer->model, &reducer->setup.rules, is_racy, reducer, unit,
                   which->own_first, which->own_end);
}

static bool loosen(struct st_reducer *reducer, const struct st_shape *shape, uint32_t first,
                   uint32_t end) {
    bool changed = false;
    for (uint32_t i = first; i < end; i++) {
        const struct st_token *token = &shape->tokens[i];
        if (token->kind == ST_TOKEN_ACQUIRE || token->kind == ST_TOKEN_RELEASE) {
            changed |= !reducer->loose[token->target];
            reducer->loose[token->target] = true;
        }
    }
    return changed;
}

/* A unit with critical sections around it holds their locks from one place to another, unless all
 * of it can be moved together. Whether it can depends on which locks are loose. */
static void find_loose(struct st_reducer *reducer) {
    const struct st_model *model = reducer->model;
    struct st_movers movers = {0};
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u < model->unit_count; u++) {
            const struct st_unit *unit = &model->units[u];
            const struct st_shape *shape = st_unit_shape(model, u);
            if (unit->own_first == 0 && unit->own_end == shape->count)
                continue;
            st_movers_find(&movers, model, &reducer->setup.rules, is_racy, reducer, u, 0,
                           shape->count);
            if (movers.reducible)
                continue;
            changed |= loosen(reducer, shape, 0, unit->own_first);
            changed |= loosen(reducer, shape, unit->own_end, shape->count);
        }
    }
    st_movers_free(&movers);
}

static void find_racy(struct st_reducer *reducer) {
    const struct st_pair_races *races = &reducer->races;
    reducer->racy = st_alloc(reducer->model->variable_count + 1, sizeof *reducer->racy);
    if (reducer->setup.by_multilockset)
        st_multilockset_find(reducer->model, races, reducer->racy);
    for (size_t i = 0; i < races->use_count && reducer->setup.by_variable; i++)
        if (st_pair_race(races, races->uses[i].unit, races->uses[i].token))
            reducer->racy[races->uses[i].variable] = true;
}

void st_reducer_init(struct st_reducer *reducer, const struct st_model *model,
                     const struct st_reduction_setup *setup) {
    *reducer = (struct st_reducer){.model = model,
                                   .setup = *setup,
                                   .lockset_races = st_model_observer(model, &st_lockset_observer)};
    if (setup->by_pairs || setup->by_multilockset || setup->lists_races)
        st_pair_races_find(&reducer->races, model, setup->rules.ordered);
    if (setup->by_variable || setup->by_multilockset)
        find_racy(reducer);
    reducer->loose = st_alloc(model->lock_count + 1, sizeof *reducer->loose);
    if (setup->trusting)
        return;
    for (size_t i = 0; i < model->lock_count; i++)
        reducer->loose[i] = model->locks[i].loose;
    reducer->setup.rules.loose = reducer->loose;
    if (!model->options.data)
        find_loose(reducer);
}

void st_reducer_free(struct st_reducer *reducer) {
    st_pair_races_free(&reducer->races);
    free(reducer->racy);
    free(reducer->loose);
}

/* ---- explaining a block ---- */

struct explainer {
    const struct st_reducer *reducer;
    struct st_movers movers;
};

const char *st_reduction_sentence(char commit, char breach) {
    if (commit == 'L' && breach == 'R')
        return "The block gives a lock back and takes one later: others can come in between.";
    if (commit == 'L')
        return "The block gives a lock back and later makes an access that races with others.";
    if (breach == 'R')
        return "The block takes a lock after an access that races with others.";
    return "Two accesses of the block race with others, which can come in between.";
}

static void add_variable(struct st_predicted_block *block, uint32_t variable) {
    if (block->variable_count && block->variables[0] == variable)
        return;
    block->variables[block->variable_count++] = variable;
}

/* Adds a token of the block and, if known, the access that it races with. */
static void add_event(const struct explainer *explainer, struct st_predicted_block *block,
                      uint32_t unit, uint32_t token, bool with_partner) {
    const struct st_model *model = explainer->reducer->model;
    block->events[block->event_count++] = st_unit_place(model, unit, token);
    if (explainer->movers.letters[token] != 'N')
        return;
    add_variable(block, st_unit_shape(model, unit)->tokens[token].target);
    const struct st_race_use *partner = st_pair_race(&explainer->reducer->races, unit, token);
    if (partner && with_partner)
        block->events[block->event_count++] = st_unit_place(model, partner->unit, partner->token);
}

static void explain(void *context, uint32_t unit, struct st_predicted_block *block) {
    struct explainer *explainer = context;
    struct st_movers *movers = &explainer->movers;
    st_reducer_judge(explainer->reducer, movers, unit);
    block->pattern = st_movers_pattern(movers);
    block->why = st_strdup(
        st_reduction_sentence(movers->letters[movers->commit], movers->letters[movers->breach]));
    block->variables = st_alloc(2, sizeof *block->variables);
    block->events = st_alloc(3, sizeof *block->events);
    add_event(explainer, block, unit, movers->commit, true);
    add_event(explainer, block, unit, movers->breach, false);
    if (!block->variable_count) {
        free(block->variables);
        block->variables = NULL;
    }
}

/* ---- describing the whole ---- */

static const char *method_of(const struct st_reduction_options *own) {
    bool sections = !(own->without & ST_WITHOUT_SECTIONS);
    switch (search_of(own)) {
    case ST_RACES_BY_VARIABLE:
        return sections ? "Theorem 2, variables with races" : "Theorem 1, variables with races";
    case ST_RACES_PAIRWISE:
        return sections ? "Theorem 2, races by pairs" : "Theorem 1, races by pairs";
    case ST_RACES_MULTILOCKSET:
        return sections ? "Theorem 2, multilockset" : "Theorem 1, multilockset";
    case ST_RACES_ERASER:
        return sections ? "Theorem 2, Eraser" : "Theorem 1, Eraser";
    case ST_RACES_OWNERSHIP:
        break;
    }
    return sections ? "Theorem 2, Eraser with ownership" : "Theorem 1, Eraser with ownership";
}

static void add_race(const struct st_model *model, const struct st_race_use *left,
                     const struct st_race_use *right, struct st_prediction *prediction) {
    struct st_predicted_race race = {.variable = left->variable,
                                     .first = st_unit_place(model, left->unit, left->token),
                                     .second = st_unit_place(model, right->unit, right->token)};
    if (race.second.number < race.first.number) {
        struct st_place place = race.first;
        race.first = race.second;
        race.second = place;
    }
    st_reserve(&prediction->races, &prediction->race_capacity, prediction->race_count + 1);
    prediction->races[prediction->race_count++] = race;
}

/* Adds two uses of one variable that race or, if only the variable is known to be racy, two that
 * conflict. */
static void add_race_of(const struct st_reducer *reducer, size_t first, size_t end,
                        struct st_prediction *prediction) {
    const struct st_pair_races *races = &reducer->races;
    if (!reducer->setup.by_pairs && !st_reducer_is_racy(reducer, races->uses[first].variable))
        return;
    for (size_t i = first; i < end; i++) {
        const struct st_race_use *use = &races->uses[i];
        const struct st_race_use *partner = st_pair_race(races, use->unit, use->token);
        if (partner) {
            add_race(reducer->model, use, partner, prediction);
            return;
        }
    }
    const struct st_race_use *last = &races->uses[end - 1]; /* a write if there is one */
    const struct st_unit *units = reducer->model->units;
    for (size_t i = first; i < end && !reducer->setup.by_pairs && last->writes; i++)
        if (units[races->uses[i].unit].thread != units[last->unit].thread) {
            add_race(reducer->model, &races->uses[i], last, prediction);
            prediction->races[prediction->race_count - 1].suspected = true;
            return;
        }
}

static void list_races(const struct st_reducer *reducer, struct st_prediction *prediction) {
    const struct st_pair_races *races = &reducer->races;
    prediction->finds_races = true;
    for (size_t first = 0, end; first < races->use_count; first = end) {
        uint32_t variable = races->uses[first].variable;
        end = first + 1;
        while (end < races->use_count && races->uses[end].variable == variable)
            end++;
        if (reducer->model->variables[variable].plain)
            add_race_of(reducer, first, end, prediction);
    }
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The variables directly in each critical section of the shape, and directly in none. */
static uint64_t count_node_variables(const struct st_shape *shape) {
    uint64_t *pairs = st_alloc((size_t)shape->count + 1, sizeof *pairs), count = 0, different = 0;
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind <= ST_TOKEN_WRITE)
            pairs[count++] = (uint64_t)shape->ups[i] << 32 | shape->tokens[i].target;
    qsort(pairs, count, sizeof *pairs, ascending);
    for (uint64_t i = 0; i < count; i++)
        different += !i || pairs[i] != pairs[i - 1];
    free(pairs);
    return different;
}

static uint64_t storage_of(const struct st_model *model) {
    bool *counted = st_alloc(model->shapes.count + 1, sizeof *counted);
    uint64_t storage = 0;
    for (size_t i = 0; i < model->unit_count; i++) {
        uint32_t shape = model->units[i].shape;
        if (model->units[i].transaction && !counted[shape])
            storage += count_node_variables(&model->shapes.items[shape]);
        counted[shape] |= model->units[i].transaction;
    }
    free(counted);
    return storage;
}

static void add_caveats(const struct st_predict_options *options,
                        const struct st_reduction_options *own, struct st_prediction *prediction) {
    enum st_race_search search = search_of(own);
    if (search == ST_RACES_ERASER || search == ST_RACES_OWNERSHIP)
        st_prediction_may_miss(prediction, "This search for data races depends on the observed "
                                           "schedule; it can miss races, and so violations.");
    if (options->as_published)
        st_prediction_may_miss(prediction, "Reduction as published can miss violations.");
}

static void run_offline(const struct st_model *model, const struct st_predict_options *options,
                        const struct st_reduction_options *own, struct st_prediction *prediction) {
    struct st_reduction_setup setup = setup_of(options, own);
    struct st_reducer reducer;
    struct explainer explainer = {.reducer = &reducer};
    enum st_block_verdict *verdicts = st_alloc(model->unit_count + 1, sizeof *verdicts);
    setup.lists_races = true;
    st_reducer_init(&reducer, model, &setup);
    for (uint32_t u = 0; u < model->unit_count; u++) {
        if (!model->units[u].transaction)
            continue;
        st_reducer_judge(&reducer, &explainer.movers, u);
        verdicts[u] = explainer.movers.reducible ? ST_BLOCK_ATOMIC : ST_BLOCK_POTENTIAL;
    }
    prediction->method = method_of(own);
    list_races(&reducer, prediction);
    add_caveats(options, own, prediction);
    prediction->storage = storage_of(model);
    prediction->storage_unit = "variables in nodes of transaction trees";
    st_report_units(model, verdicts, explain, &explainer, options->limit, prediction);
    free(verdicts);
    st_movers_free(&explainer.movers);
    st_reducer_free(&reducer);
}

static void run(const struct st_run *run, const struct st_predict_options *options,
                const void *own_options, struct st_prediction *prediction) {
    const struct st_reduction_options all = all_options(options, own_options), *own = &all;
    if (own->online)
        st_atomizer_predict(run->model, options->limit, prediction);
    else
        run_offline(run->model, options, own, prediction);
}

static const char *const race_words[] = {
    [ST_RACES_MULTILOCKSET] = "multilockset", [ST_RACES_PAIRWISE] = "pairwise",
    [ST_RACES_BY_VARIABLE] = "by-variable",   [ST_RACES_ERASER] = "eraser",
    [ST_RACES_OWNERSHIP] = "ownership",       NULL,
};

static const struct st_option option_rows[] = {
    {.name = "online",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_reduction_options, online),
     .help = "decide by what was seen so far, as Atomizer does"},
    {.name = "races",
     .kind = ST_CHOICE,
     .offset = offsetof(struct st_reduction_options, races),
     .value = "SEARCH",
     .initial = "multilockset",
     .choices = race_words,
     .help = "how to look for data races",
     .note = "by-variable and pairwise report fewer false alarms; eraser and ownership miss "
             "races"},
    {.name = "ablation",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_reduction_options, ablation),
     .help = "write a table of what each improvement is worth, instead of the report"},
    {.name = "storage",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_reduction_options, storage),
     .help = "write a table of what the analyses of 2006 store, instead of the report"},
    {0},
};

/* The rows of the table set these options themselves. The online form has only improvements that
 * concern locks, so only those can be left out. */
static const char *const option_conflicts[][2] = {
    {"online", "races"},
    {"ablation", "online"},
    {"ablation", "races"},
    {"ablation", "without"},
    {"ablation", "as-published"},
    {"storage", "online"},
    {"storage", "races"},
    {"storage", "without"},
    {"storage", "as-published"},
    {"without multilockset", "races"},
    {"without escape", "online"},
    {"without happen-before", "online"},
    {"without multilockset", "online"},
    {"without sections", "online"},
    {NULL, NULL},
};

static const struct st_predictor_table tables[] = {
    {"ablation", "reduction-improvements", st_ablation_fill},
    {"storage", "storage", st_storage_fill},
    {NULL, NULL, NULL}};

const struct st_predictor st_reduction = {
    .name = "reduction",
    .summary = "can all events of a block be moved together? Fast, with false alarms",
    .reads_model = true,
    .notion = "conflict",
    .as_published = true,
    .options = option_rows,
    .own_size = sizeof(struct st_reduction_options),
    .conflicts = option_conflicts,
    .prepare = prepare,
    .run = run,
    .improvements = ST_WITHOUT_ESCAPE | ST_WITHOUT_HAPPEN_BEFORE | ST_WITHOUT_MULTILOCKSET |
                    ST_WITHOUT_SECTIONS | ST_WITHOUT_REENTRANT | ST_WITHOUT_THREAD_LOCAL |
                    ST_WITHOUT_PROTECTED,
    .tables = tables,
};
