#include "hunt/foreseen/foresee.h"

#include "base/memory.h"
#include "hunt/foreseen/foreseen_list.h"
#include "session/trace_prediction.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 8,
    MOST_REFUTED = 64 /* names of blocks that are looked at once more */
};

/* ---- what cannot be ---- */

/* Does the trace have all that happened? Otherwise something else may still come. */
static bool is_whole(const struct st_trace_input *input) {
    const struct st_trace *trace = input->reading.trace;
    const struct st_facts *facts = st_trace_facts(trace);
    return !facts->open_blocks && !facts->held_locks && !facts->dropped &&
           !st_trace_truncated(trace);
}

struct named {
    const char *name;
    const struct st_symbols *symbols;
};

static bool is_named(const void *context, uint32_t block) {
    const struct named *named = context;
    return strcmp(st_target_name(named->symbols, ST_BEGIN, block), named->name) == 0;
}

static int refute(struct st_trace_input *input, const struct st_predict_options *options,
                  struct st_foreseen_list *list, const char *name, struct st_error *error) {
    const struct st_predict_plan plan = {.options = {.jobs = options->jobs,
                                                     .timeout = options->timeout,
                                                     .total = options->total,
                                                     .relation = options->relation,
                                                     .limit = 1},
                                         .analyses = &(struct st_analysis){&st_commit_node, NULL},
                                         .analysis_count = 1};
    const struct named named = {name, &input->symbols};
    struct st_blocks_wanted wanted = {.is_wanted = is_named, .context = &named};
    struct st_run *run = st_trace_read_run(input, &plan, &wanted, st_trace_input_pass, error);
    if (!run)
        return -1;
    struct st_predictions predictions;
    st_predict_run(&plan, run, &predictions);
    if (predictions.items[0].atomic == ST_SERIALIZABLE && !predictions.items[0].may_miss)
        st_foreseen_refute(list, name);
    st_predictions_free(&predictions);
    st_run_free(run);
    return 0;
}

static int refute_some(struct st_trace_input *input, const struct st_predict_options *options,
                       struct st_foreseen_list *list, struct st_error *error) {
    size_t index;
    json_t *name, *names = st_foreseen_unproved(list);
    int result = 0;
    json_array_foreach(names, index, name) {
        if (result == 0 && index < MOST_REFUTED && !st_total_time_is_up(options->total))
            result = refute(input, options, list, json_string_value(name), error);
    }
    json_decref(names);
    return result;
}

/* ---- every depth ---- */

/* 1: there may be more to find further inside; 0: there is not; -1 with an error. */
static int look_below(struct st_trace_input *input, const struct st_predict_plan *plan,
                      unsigned below, struct st_foreseen_list *list, struct st_error *error) {
    struct st_blocks_wanted wanted = {.below = below};
    struct st_run *run = st_trace_read_run(input, plan, &wanted, st_trace_input_pass, error);
    if (!run)
        return -1;
    if (!input->has_symbols)
        st_trace_input_symbols(input);
    struct st_predictions predictions;
    if (below && !st_run_has_blocks(run)) {
        st_run_free(run);
        return 0;
    }
    st_predict_run(plan, run, &predictions);
    st_predictions_map_locations(&predictions, st_trace_input_location, input);
    bool any = st_foreseen_add(list, &predictions, below);
    st_predictions_free(&predictions);
    st_run_free(run);
    return any; /* what cuts a block cuts those around it, too */
}

static json_t *name_blocks(const struct st_trace_input *input) {
    struct st_facts facts = st_trace_input_facts(input);
    json_t *names = json_array();
    for (size_t i = 0; i < facts.executed_count; i++)
        if (facts.executed[i])
            json_array_append_new(
                names, json_string(st_target_name(&input->symbols, ST_BEGIN, (uint32_t)i)));
    return names;
}

int st_foresee(struct st_trace_input *input, const struct st_predict_plan *plan, bool cut,
               struct st_foresight *foresight, struct st_error *error) {
    struct st_foreseen_list list;
    int more = 1;
    st_foreseen_init(&list, input);
    *foresight = (struct st_foresight){0};
    for (unsigned below = 0; below < MOST_DEPTH && more > 0; below++)
        more = look_below(input, plan, below, &list, error);
    int result = more < 0 ? -1 : st_foreseen_find_entries(&list, input, error);
    if (result == 0 && !cut && is_whole(input))
        result = refute_some(input, &plan->options, &list, error);
    if (result == 0) {
        foresight->blocks = name_blocks(input);
        foresight->undecided = list.undecided;
        foresight->has_places = input->tracker || input->symbols.locations.count;
    }
    foresight->list = st_foreseen_finish(&list);
    return result;
}
