/* Searches block by block, with any number of workers. Blocks are independent: the outcome of each
 * is stored in its own place, and outcomes are reported in block order. */
#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"
#include "predict/dealt_pieces.h"
#include "predict/parallel.h"
#include "predict/tas/decider.h"
#include "predict/tas/schedule_path.h"

#include <pthread.h>
#include <stdlib.h>

static const char *const search_words[] = {
    [ST_TAS_CHAINS] = "chains", [ST_TAS_STATES] = "states", [ST_TAS_DPOR] = "dpor", NULL};

static const char *const shrinking_words[] = {[ST_TAS_SHRINK_CONFLICTS] = "conflicts",
                                              [ST_TAS_SHRINK_PATHS] = "paths",
                                              [ST_TAS_SHRINK_NO] = "no",
                                              NULL};

const char *st_tas_search_name(enum st_tas_search search) {
    return search_words[search];
}

/* The outcome of one block. */
struct outcome {
    enum st_block_verdict verdict;
    bool by_static_check;
    struct tas_witness *witness; /* of a violation */
};

struct run {
    const struct st_tas_graph *graph;
    const struct st_tas_setup *setup;
    struct outcome *outcomes;
    struct share *shares; /* one for each worker */
    size_t *queue;        /* blocks that this round judges, in the order in which it does */
    size_t queue_count;
    size_t round;
    bool sizes;           /* of segments are to be counted */
    double slice;         /* seconds for each block in this round; 0: no limit */
    pthread_mutex_t lock; /* protects what follows */
    size_t *kept;         /* the violated blocks to list, ascending; their witnesses are kept */
    size_t kept_count, kept_capacity;
    size_t *kept_of; /* how many of each name, see place_of_name */
    size_t name_capacity;
};

/* What one worker needs, and what it has counted. */
struct share {
    struct tas_worker worker;
    uint64_t steps, segment_events, segments;
    double seconds;
};

enum { BATCH = 16 }; /* blocks that a worker takes at a time */

/* Searches the states or the schedules of the window. */
static bool search_window(struct tas_worker *worker, enum st_tas_search search) {
    if (worker->setup->whole_trace)
        tas_window_whole(&worker->window, worker->graph, &worker->segment);
    else if (!tas_window_find(&worker->window, worker->graph, &worker->segment))
        return false;
    return search == ST_TAS_DPOR ? tas_search_dpor(worker) : tas_search_states(worker);
}

/* The search over chains ignores the bound. What is atomic without a bound is atomic with one. For
 * the rest, the search over states decides, so that both give the same answer. */
static bool search(struct tas_worker *worker) {
    const struct st_tas_setup *setup = worker->setup;
    if (setup->search != ST_TAS_CHAINS)
        return search_window(worker, setup->search);
    if (!tas_search_chains(worker))
        return false;
    if (!setup->max_switches)
        return true;
    tas_schedule_free(&worker->schedule);
    return search_window(worker, ST_TAS_STATES);
}

static uint32_t begin_of(const struct st_tas_graph *graph, const struct tas_block *block) {
    return tas_event_at(graph, block->strand, block->first);
}

/* By the name plus 1; blocks without a name come first. */
static size_t place_of_name(const struct st_tas_graph *graph, size_t block) {
    return (uint32_t)(graph->events[begin_of(graph, &graph->blocks[block])].target + 1);
}

/* Which of the kept blocks goes when there is no room: the last one of the name that has most of
 * them. What goes early would go at the end, too, since no name gets more places later. */
static size_t find_least_wanted(const struct run *run) {
    size_t most = 0, worst = 0;
    for (size_t i = 0; i < run->kept_count; i++) {
        size_t count = run->kept_of[place_of_name(run->graph, run->kept[i])];
        if (count >= most) {
            most = count;
            worst = i;
        }
    }
    return worst;
}

static void drop_least_wanted(struct run *run) {
    size_t worst = find_least_wanted(run);
    struct outcome *outcome = &run->outcomes[run->kept[worst]];
    run->kept_of[place_of_name(run->graph, run->kept[worst])]--;
    tas_witness_free(outcome->witness);
    free(outcome->witness);
    outcome->witness = NULL;
    run->kept_count--;
    for (size_t i = worst; i < run->kept_count; i++)
        run->kept[i] = run->kept[i + 1];
}

/* Only so many violated blocks are listed, so only their witnesses are kept: a new one displaces
 * another. */
static void keep_witness(struct run *run, size_t block) {
    pthread_mutex_lock(&run->lock);
    st_reserve(&run->kept, &run->kept_capacity, run->kept_count + 1);
    size_t place = run->kept_count++;
    for (; place && run->kept[place - 1] > block; place--)
        run->kept[place] = run->kept[place - 1];
    run->kept[place] = block;
    size_t name = place_of_name(run->graph, block);
    st_reserve(&run->kept_of, &run->name_capacity, name + 1);
    run->kept_of[name]++;
    if (run->setup->limit && run->kept_count > run->setup->limit)
        drop_least_wanted(run);
    pthread_mutex_unlock(&run->lock);
}

/* Its share of a slice, if all searches together may work only for so long. */
static double cut_slice(const struct tas_worker *worker, double slice) {
    const struct st_total_time *total = worker->setup->total;
    double left = total && total->work ? st_work_time_left(total->work) : 0;
    return left > 0 && (slice <= 0 || left < slice) ? left : slice;
}

static void search_block(struct tas_worker *worker, double slice, struct outcome *outcome) {
    struct tas_witness witness;
    slice = cut_slice(worker, slice);
    worker->budget.deadline = slice > 0 ? tas_now() + slice : 0;
    worker->budget.total = worker->setup->total;
    worker->budget.expired = false;
    tas_segment_complete(&worker->segment, worker->graph);
    if (search(worker) &&
        tas_witness_find(&witness, &worker->schedule, worker->graph, worker->segment.block)) {
        outcome->verdict = ST_BLOCK_VIOLATION;
        outcome->witness = st_alloc(1, sizeof witness);
        *outcome->witness = witness;
    } else if (worker->budget.expired) {
        outcome->verdict = ST_BLOCK_TIMEOUT;
    }
    tas_schedule_free(&worker->schedule);
}

static void judge(const struct run *run, struct share *share, const struct tas_block *block,
                  struct outcome *outcome) {
    struct tas_worker *worker = &share->worker;
    const struct st_tas_graph *graph = worker->graph;
    bool static_check = worker->setup->static_check;
    outcome->verdict = ST_BLOCK_ATOMIC;
    if (!tas_segment_find(&worker->segment, graph, block)) {
        outcome->by_static_check = static_check;
        return;
    }
    if (!run->round && run->sizes) {
        share->segments++;
        share->segment_events += tas_segment_size(&worker->segment, graph);
    }
    if (static_check &&
        tas_segment_static_check(&worker->segment, graph, worker->setup->shrinking)) {
        outcome->by_static_check = true;
        return;
    }
    search_block(worker, run->slice, outcome);
}

/* NULL: it is none. */
static struct st_tas_suspect *find_suspect(const struct st_tas_setup *setup, uint64_t begin) {
    size_t at;
    st_lower_bound(at, 0, setup->suspect_count, setup->suspects[at].begin < begin);
    return at < setup->suspect_count && setup->suspects[at].begin == begin ? &setup->suspects[at]
                                                                           : NULL;
}

static bool is_to_be_judged(const struct run *run, size_t block) {
    const struct st_tas_graph *graph = run->graph;
    return !run->setup->suspects ||
           find_suspect(run->setup, tas_number(graph, begin_of(graph, &graph->blocks[block])));
}

/* The time since `start` is that of the worker. Returns what begins now. */
static double count_time(const struct run *run, struct share *share, double start) {
    const struct st_total_time *total = run->setup->total;
    double now = tas_now();
    share->seconds += now - start;
    if (total && total->work)
        st_work_time_use(total->work, now - start);
    return now;
}

static void work(void *context, unsigned worker, size_t batch) {
    struct run *run = context;
    struct share *share = &run->shares[worker];
    const struct st_tas_graph *graph = run->graph;
    double start = tas_now();
    for (size_t i = batch * BATCH; i < (batch + 1) * BATCH && i < run->queue_count; i++) {
        size_t b = run->queue[i];
        if (st_total_time_is_up(run->setup->total))
            run->outcomes[b].verdict = ST_BLOCK_TIMEOUT;
        else
            judge(run, share, &graph->blocks[b], &run->outcomes[b]);
        if (run->outcomes[b].witness)
            keep_witness(run, b);
        if (!run->outcomes[b].by_static_check)
            start = count_time(run, share, start);
    }
    count_time(run, share, start);
}

/* ---- with others ---- */

static void pack_outcome(const struct run *run, size_t place, struct st_packed *to) {
    const struct outcome *outcome = &run->outcomes[run->queue[place]];
    st_pack_number(to, outcome->verdict);
    st_pack_number(to, outcome->by_static_check);
    st_pack_number(to, outcome->witness != NULL);
    if (outcome->witness)
        tas_witness_pack(outcome->witness, run->graph, to);
}

/* Witnesses are kept when they come back. */
static void judge_and_pack(void *context, size_t place, struct st_packed *to) {
    struct run *run = context;
    struct outcome *outcome = &run->outcomes[run->queue[place]];
    double start = tas_now();
    *outcome = (struct outcome){.verdict = ST_BLOCK_TIMEOUT};
    if (!st_total_time_is_up(run->setup->total))
        judge(run, &run->shares[0], &run->graph->blocks[run->queue[place]], outcome);
    pack_outcome(run, place, to);
    st_pack_real(to, tas_now() - start);
    if (outcome->witness)
        tas_witness_free(outcome->witness);
    free(outcome->witness);
    *outcome = (struct outcome){.verdict = ST_BLOCK_TIMEOUT};
}

static void take_outcome(void *context, size_t place, struct st_unpacking *from) {
    struct run *run = context;
    struct outcome *outcome = &run->outcomes[run->queue[place]];
    outcome->verdict = (enum st_block_verdict)st_unpack_below(from, ST_BLOCK_VIOLATION + 1);
    outcome->by_static_check = st_unpack_number(from);
    if (st_unpack_number(from)) {
        outcome->witness = st_alloc(1, sizeof *outcome->witness);
        tas_witness_unpack(outcome->witness, run->graph, from);
        keep_witness(run, run->queue[place]);
    }
    double seconds = st_unpack_real(from);
    run->shares[0].seconds += seconds;
    if (run->setup->total && run->setup->total->work)
        st_work_time_use(run->setup->total->work, seconds);
}

static void skip_block(void *context, size_t place) {
    const struct run *run = context;
    run->outcomes[run->queue[place]].verdict = ST_BLOCK_TIMEOUT;
}

static void repeat_outcome(void *context, size_t place, struct st_packed *to) {
    pack_outcome(context, place, to);
    st_pack_real(to, 0);
}

static uint64_t digest_queue(const struct run *run) {
    uint64_t digest = run->round + 1;
    for (size_t i = 0; i < run->queue_count; i++)
        digest = (digest ^ run->queue[i]) * 0x9e3779b97f4a7c15U;
    return digest;
}

static void work_with_crew(struct run *run) {
    struct st_dealt_pieces pieces = {.count = run->queue_count,
                                     .batch = BATCH,
                                     .digest = digest_queue(run),
                                     .total = run->setup->total,
                                     .work = judge_and_pack,
                                     .take = take_outcome,
                                     .skip = skip_block,
                                     .repeat = repeat_outcome,
                                     .context = run};
    run->setup->dealer->deal(run->setup->dealer->context, &pieces);
}

/* ---- which blocks come first ---- */

/* Who gets how long. Most searches end at once, and a few take as long as they may: those wait
 * until all the others had their turn, so that the time for all of them together goes where an
 * answer is near. */
static const double slices[] = {0.02, 0.5};

static size_t round_count(const struct st_tas_setup *setup) {
    size_t count = 0;
    while (setup->search == ST_TAS_CHAINS && count < sizeof slices / sizeof slices[0] &&
           (setup->timeout <= 0 || slices[count] < setup->timeout))
        count++;
    return count + 1;
}

/* The first block of each name and line, then the others: what is alike often ends alike, so if
 * time runs out, something is known of each kind. */
static void order_queue(struct run *run) {
    const struct st_tas_graph *graph = run->graph;
    size_t *others = st_alloc(run->queue_count + 1, sizeof *others), first = 0, other = 0;
    struct st_set64 kinds = {0};
    for (size_t i = 0; i < run->queue_count; i++) {
        const struct st_event *begin =
            &graph->events[begin_of(graph, &graph->blocks[run->queue[i]])];
        uint64_t kind = (uint64_t)begin->target << 32 ^ (uint64_t)begin->loc * 0x9e3779b97f4a7c15U;
        if (st_set64_add(&kinds, kind))
            run->queue[first++] = run->queue[i];
        else
            others[other++] = run->queue[i];
    }
    for (size_t i = 0; i < other; i++)
        run->queue[first + i] = others[i];
    st_set64_free(&kinds);
    free(others);
}

static void fill_queue(struct run *run) {
    run->queue = st_alloc(run->graph->block_count + 1, sizeof *run->queue);
    for (size_t b = 0; b < run->graph->block_count; b++)
        if (is_to_be_judged(run, b))
            run->queue[run->queue_count++] = b;
    order_queue(run);
}

/* Those that are not settled stay. */
static void keep_unsettled(struct run *run) {
    size_t kept = 0;
    for (size_t i = 0; i < run->queue_count; i++)
        if (run->outcomes[run->queue[i]].verdict == ST_BLOCK_TIMEOUT)
            run->queue[kept++] = run->queue[i];
    run->queue_count = kept;
}

static void work_in_rounds(struct run *run, unsigned jobs) {
    size_t rounds = round_count(run->setup);
    fill_queue(run);
    for (run->round = 0; run->round < rounds; run->round++) {
        run->slice = run->round + 1 < rounds ? slices[run->round] : run->setup->timeout;
        if (run->setup->dealer)
            work_with_crew(run);
        else
            st_parallel(jobs, (run->queue_count + BATCH - 1) / BATCH, work, run);
        if (st_total_time_is_up(run->setup->total))
            break;
        keep_unsettled(run);
    }
    free(run->queue);
}

static void work_all(struct run *run, unsigned jobs) {
    for (unsigned i = 0; i < jobs; i++) {
        struct tas_worker *worker = &run->shares[i].worker;
        *worker = (struct tas_worker){.graph = run->graph, .setup = run->setup};
        tas_segment_init(&worker->segment, run->graph);
        tas_window_init(&worker->window, run->graph);
        worker->decider = tas_decider_new(worker);
        tas_runs_between_init(&worker->between, run->graph);
        tas_ahead_init(&worker->ahead, &worker->between);
    }
    work_in_rounds(run, jobs);
    for (unsigned i = 0; i < jobs; i++) {
        struct tas_worker *worker = &run->shares[i].worker;
        run->shares[i].steps = worker->budget.steps;
        tas_segment_free(&worker->segment);
        tas_window_free(&worker->window);
        tas_decider_free(worker->decider);
        tas_runs_between_free(&worker->between);
        tas_ahead_free(&worker->ahead);
    }
}

/* ---- the prediction ---- */

static void describe(const struct st_tas_graph *graph, const struct tas_block *block,
                     struct st_predicted_block *predicted) {
    uint32_t begin = begin_of(graph, block);
    *predicted = (struct st_predicted_block){.block = graph->events[begin].target,
                                             .thread = block->thread,
                                             .begin_loc = graph->events[begin].loc,
                                             .begin = tas_number(graph, begin)};
    if (!block->open)
        predicted->end = tas_number(graph, tas_event_at(graph, block->strand, block->last));
}

/* Drops a witness that fails validation. */
static void drop_witness(struct st_prediction *prediction, struct st_predicted_block *predicted) {
    free(predicted->pattern);
    free(predicted->variables);
    free(predicted->events);
    free(predicted->path);
    free(predicted->witness);
    free(predicted->broken);
    predicted->pattern = NULL;
    predicted->variables = NULL;
    predicted->events = NULL;
    predicted->path = NULL;
    predicted->witness = NULL;
    predicted->broken = NULL;
    predicted->replayed = 0;
    predicted->variable_count = predicted->event_count = 0;
    predicted->path_length = predicted->witness_length = predicted->broken_count = 0;
    predicted->verdict = ST_BLOCK_TIMEOUT;
    st_prediction_caveat(prediction,
                         "A schedule that was found did not pass its validation, so the "
                         "block counts as undecided; please report this as a bug.");
}

/* Which blocks are listed: violations first, then timeouts, then the others, as long as there is
 * room. Only those with a witness can be listed as violations. The others are counted. */
static size_t choose_listed(const struct run *run, struct st_prediction *prediction,
                            size_t *listed) {
    static const enum st_block_verdict order[] = {ST_BLOCK_VIOLATION, ST_BLOCK_TIMEOUT,
                                                  ST_BLOCK_ATOMIC};
    const struct st_tas_graph *graph = run->graph;
    size_t room = run->setup->limit ? run->setup->limit : SIZE_MAX, count = 0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        for (size_t b = 0; b < graph->block_count; b++) {
            const struct outcome *outcome = &run->outcomes[b];
            if (outcome->verdict != order[i])
                continue;
            if (count < room && (outcome->witness || order[i] != ST_BLOCK_VIOLATION)) {
                listed[count++] = b;
            } else {
                uint32_t begin = begin_of(graph, &graph->blocks[b]);
                st_prediction_count(prediction, graph->events[begin].target, order[i]);
            }
        }
    return count;
}

static void report(struct run *run, struct st_prediction *prediction) {
    const struct st_tas_graph *graph = run->graph;
    size_t limit = run->setup->limit, most = graph->block_count;
    size_t *listed = st_alloc((limit && limit < most ? limit : most) + 1, sizeof *listed);
    size_t count = choose_listed(run, prediction, listed), found = 0;
    struct st_predicted_block *predicted = st_alloc(count + 1, sizeof *predicted);
    const char **wrong = st_alloc(count + 1, sizeof *wrong);
    for (size_t i = 0; i < count; i++) {
        const struct outcome *outcome = &run->outcomes[listed[i]];
        describe(graph, &graph->blocks[listed[i]], &predicted[i]);
        predicted[i].verdict = outcome->verdict;
        if (outcome->witness) { /* these come first */
            tas_witness_fill(outcome->witness, graph, &predicted[i]);
            found = i + 1;
        }
    }
    if (found)
        st_tas_validate_all(graph->events, graph->numbers, graph->values, graph->count, predicted,
                            found, wrong);
    for (size_t i = 0; i < count; i++) {
        if (wrong[i])
            drop_witness(prediction, &predicted[i]);
        run->outcomes[listed[i]].verdict = predicted[i].verdict;
        st_prediction_add(prediction, &predicted[i]);
    }
    free(listed);
    free(predicted);
    free(wrong);
}

/* What became of those that were to be judged. */
static void answer_suspects(const struct run *run) {
    const struct st_tas_graph *graph = run->graph;
    for (size_t b = 0; run->setup->suspects && b < graph->block_count; b++) {
        struct st_tas_suspect *suspect =
            find_suspect(run->setup, tas_number(graph, begin_of(graph, &graph->blocks[b])));
        if (suspect)
            suspect->verdict = run->outcomes[b].verdict;
    }
}

/* The sleep sets of dpor assume that what is put to sleep was tried elsewhere, but a bound may have
 * cut it off there. */
static void warn_of_bound(enum st_tas_search search, struct st_prediction *prediction) {
    st_prediction_may_miss(prediction,
                           search == ST_TAS_DPOR
                               ? "Only schedules with a bounded number of switches between threads "
                                 "were searched, and dpor may miss some of these; others may cut a "
                                 "block that is said to be atomic."
                               : "Only schedules with a bounded number of switches between threads "
                                 "were searched; others may cut a block that is said to be "
                                 "atomic.");
}

static void fill_counts(const struct run *run, unsigned jobs,
                        const struct st_prediction *prediction, struct st_tas_counts *counts) {
    uint64_t events = 0, segments = 0;
    *counts = (struct st_tas_counts){.blocks = run->graph->block_count,
                                     .violations = prediction->by[ST_BLOCK_VIOLATION],
                                     .timeouts = prediction->by[ST_BLOCK_TIMEOUT]};
    for (size_t b = 0; b < run->graph->block_count; b++)
        counts->static_proofs += run->outcomes[b].by_static_check;
    counts->clean =
        run->setup->max_switches ? counts->static_proofs : prediction->by[ST_BLOCK_ATOMIC];
    for (unsigned i = 0; i < jobs; i++) {
        counts->interleavings += run->shares[i].steps;
        counts->seconds += run->shares[i].seconds;
        events += run->shares[i].segment_events;
        segments += run->shares[i].segments;
    }
    counts->segment_size = segments ? (double)events / (double)segments : 0;
}

void st_tas_run(const struct st_tas_graph *graph, const struct st_tas_setup *setup,
                struct st_prediction *prediction, struct st_tas_counts *counts) {
    unsigned jobs = setup->jobs ? setup->jobs : 1;
    struct run run = {
        .graph = graph, .setup = setup, .sizes = counts, .lock = PTHREAD_MUTEX_INITIALIZER};
    run.shares = st_alloc(jobs, sizeof *run.shares);
    struct st_tas_counts own;
    run.outcomes = st_alloc(graph->block_count + 1, sizeof *run.outcomes);
    work_all(&run, jobs);
    prediction->method = st_tas_search_name(setup->search);
    report(&run, prediction);
    answer_suspects(&run);
    if (setup->max_switches)
        warn_of_bound(setup->search, prediction);
    if (graph->overflow)
        st_prediction_may_miss(prediction,
                               "The trace has more events than this analysis can number; "
                               "only its first 4294967294 events were analysed.");
    st_prediction_finish(prediction);
    fill_counts(&run, jobs, prediction, counts ? counts : &own);
    prediction->seconds = (counts ? counts : &own)->seconds;
    prediction->checks_statically = setup->static_check;
    prediction->static_proofs = (counts ? counts : &own)->static_proofs;
    for (size_t i = 0; i < run.kept_count; i++) {
        tas_witness_free(run.outcomes[run.kept[i]].witness);
        free(run.outcomes[run.kept[i]].witness);
    }
    free(run.kept);
    free(run.kept_of);
    free(run.outcomes);
    free(run.shares);
}

/* ---- the predictor ---- */

static struct st_tas_setup setup_of(const struct st_predict_options *options,
                                    const struct st_tas_options *own) {
    return (struct st_tas_setup){.search = own->search,
                                 .whole_trace = own->whole_trace,
                                 .static_check = !own->whole_trace,
                                 .shrinking = own->shrink,
                                 .max_switches = own->max_switches,
                                 .timeout = options->timeout,
                                 .total = options->total,
                                 .jobs = options->jobs,
                                 .dealer = options->dealer,
                                 .limit = options->limit};
}

static void run_tas(const struct st_run *run, const struct st_predict_options *options,
                    const void *own, struct st_prediction *prediction) {
    struct st_tas_setup setup = setup_of(options, own);
    struct st_tas_graph *graph =
        st_tas_graph_of(run->events, run->numbers, run->values, run->event_count);
    st_tas_run(graph, &setup, prediction, NULL);
    st_tas_graph_free(graph);
    if (prediction->block_count && prediction->atomic == ST_SERIALIZABLE)
        st_prediction_caveat(prediction,
                             "Where a read sees another value than in this run, nobody knows what "
                             "its thread does next, so no schedule goes on from there; "
                             "--engine=commit-node assumes that it does the same.");
}

static const struct st_option option_rows[] = {
    {.name = "search",
     .kind = ST_CHOICE,
     .offset = offsetof(struct st_tas_options, search),
     .value = "SEARCH",
     .choices = search_words,
     .initial = "chains",
     .help = "how to look for a schedule"},
    {.name = "shrink",
     .kind = ST_CHOICE,
     .offset = offsetof(struct st_tas_options, shrink),
     .value = "RULE",
     .choices = shrinking_words,
     .initial = "conflicts",
     .help = "by which rule the static check shrinks segments; answers do not depend on it"},
    {.name = "max-switches",
     .kind = ST_NUMBER,
     .offset = offsetof(struct st_tas_options, max_switches),
     .value = "N",
     .initial = "0",
     .help = "only schedules with at most N switches between threads, counted at accesses and lock "
             "operations after the part of the run that is replayed as observed; 0 means all"},
    {.name = "whole-trace",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_tas_options, whole_trace),
     .help = "search all of the trace instead of the segment, without the static check"},
    {.name = "table",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_tas_options, table),
     .help = "write a table of what segments and the static check are worth, instead of the "
             "report"},
    {.name = "shrinking",
     .kind = ST_FLAG,
     .offset = offsetof(struct st_tas_options, shrinking),
     .help = "write a table of what shrinking segments is worth, instead of the report; nothing is "
             "searched"},
    {0},
};

/* The rows of the tables set these options themselves. */
static const char *const option_conflicts[][2] = {
    {"table", "search"},           {"table", "shrink"},
    {"table", "max-switches"},     {"table", "whole-trace"},
    {"shrinking", "search"},       {"shrinking", "shrink"},
    {"shrinking", "max-switches"}, {"shrinking", "whole-trace"},
    {"whole-trace", "shrink"},     {NULL, NULL}};

static const struct st_predictor_table tables[] = {
    {"table", "segments", st_tas_fill_table},
    {"shrinking", "segment-shrinking", st_tas_fill_shrinking},
    {NULL, NULL, NULL}};

const struct st_predictor st_tas = {
    .name = "tas",
    .summary = "feasible schedules through trace segments, each with a witness",
    .notion = "avp",
    .reads_events = true,
    .gives_traces = true,
    .options = option_rows,
    .own_size = sizeof(struct st_tas_options),
    .conflicts = option_conflicts,
    .run = run_tas,
    .tables = tables,
};
