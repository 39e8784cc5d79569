#include "session/trace_prediction.h"

#include "base/memory.h"
#include "base/output.h"
#include "finding/schedules.h"
#include "trace/format.h"

#include <stdlib.h>

static void feed_run(void *run, const struct st_event *events, size_t count, uint64_t first) {
    st_run_feed(run, events, count, first);
}

/* A read that was left out could see another value (docs/recordings.md). */
static bool has_all_values(const struct st_symbols *symbols) {
    return symbols->rule == ST_RULE_EVERY || !symbols->contexts.kept;
}

static bool knows_values(const struct st_trace_input *input) {
    return input->values.count && has_all_values(st_trace_symbols(input->reading.trace));
}

/* As many as it wants. */
static int read_passes(struct st_run *run, struct st_trace_input *input, st_trace_pass *pass,
                       struct st_error *error) {
    while (st_run_wants_pass(run)) {
        if (pass(input, feed_run, run, error) < 0)
            return -1;
        if (knows_values(input))
            st_run_expect_values(run);
        st_run_end_pass(run);
    }
    if (knows_values(input))
        st_run_set_values(run, input->values.list, input->values.count);
    return 0;
}

static struct st_run *read_run(struct st_trace_input *input, const struct st_run_needs *needs,
                               st_trace_pass *pass, struct st_error *error) {
    struct st_run_needs named = *needs;
    named.model.channels = st_trace_channels(input->reading.trace);
    struct st_run *run = st_run_new(&named);
    if (read_passes(run, input, pass, error) == 0)
        return run;
    st_run_free(run);
    return NULL;
}

struct st_run *st_trace_read_run(struct st_trace_input *input, const struct st_predict_plan *plan,
                                 const struct st_blocks_wanted *wanted, st_trace_pass *pass,
                                 struct st_error *error) {
    struct st_run_needs needs = st_predict_needs(plan);
    needs.blocks = *wanted;
    return read_run(input, &needs, pass, error);
}

/* ---- blocks that do not fit into memory together ---- */

static void judge_portion(void *context, const struct st_run *run) {
    struct st_trace_prediction *prediction = context;
    struct st_predictions portion;
    st_predict_run(prediction->plan, run, &portion);
    st_predictions_add_portion(&prediction->portions, &portion);
}

static void forget_portions(struct st_trace_prediction *prediction) {
    st_predictions_free(&prediction->portions);
    prediction->portions = (struct st_predictions){0};
}

/* The last of them, and with it all. */
static void judge(struct st_trace_prediction *prediction, struct st_predictions *all) {
    st_predict_run(prediction->plan, prediction->run, all);
    if (prediction->portions.count)
        st_predictions_add_portion(all, &prediction->portions);
}

enum { MOST_DEPTH = 8 };

int st_trace_prediction_read(struct st_trace_prediction *prediction, struct st_trace_input *input,
                             st_trace_pass *pass, struct st_error *error) {
    const struct st_predict_plan *plan = prediction->plan;
    struct st_run_needs needs = st_predict_needs(plan);
    bool deeper = plan->all_depths;
    for (size_t i = 0; i < plan->analysis_count; i++)
        deeper |= plan->analyses[i].predictor == &st_tiers;
    needs.depths = deeper ? MOST_DEPTH : 1;
    if (!plan->options.dealer) /* others would have other portions */
        needs.judge = judge_portion;
    needs.judge_context = prediction;
    prediction->run = read_run(input, &needs, pass, error);
    return prediction->run ? 0 : -1;
}

static void feed_schedules(void *schedules, const struct st_event *events, size_t count,
                           uint64_t first) {
    if (st_schedules_wait(schedules))
        st_schedules_feed(schedules, events, count, first);
}

static void look_up_schedules(struct st_predictions *predictions, struct st_trace_input *input) {
    struct st_schedules *schedules = st_schedules_new(predictions);
    struct st_error error;
    if (st_schedules_wait(schedules))
        st_trace_input_pass(input, feed_schedules, schedules, &error);
    st_schedules_free(schedules);
}

/* ---- blocks in blocks ---- */

/* Makes the next blocks the outermost: of what is kept in memory, or if that is not all that it
 * takes, of the trace. False: it could not be read. */
static bool go_below(struct st_trace_prediction *prediction, struct st_trace_input *input) {
    struct st_run *run = prediction->run;
    struct st_error error;
    if (st_run_can_go_deeper(run) && st_run_go_deeper(run))
        return true;
    forget_portions(prediction); /* all of them come again */
    st_run_read_deeper(run);
    return read_passes(run, input, st_trace_input_pass, &error) == 0;
}

/* Judges the blocks inside so many others. Returns whether it makes sense to look further inside:
 * what cuts a block cuts those around it, too. */
static bool look_below(struct st_trace_prediction *prediction, struct st_trace_input *input,
                       unsigned below) {
    struct st_predictions *all = &prediction->predictions, inner;
    bool any = false;
    if (!go_below(prediction, input)) {
        for (size_t i = 0; i < all->count; i++)
            st_prediction_may_miss(&all->items[i],
                                   "The trace could not be read again: blocks that are further "
                                   "inside others were not judged.");
        return false;
    }
    if (!st_run_has_blocks(prediction->run))
        return false;
    judge(prediction, &inner);
    for (size_t i = 0; i < all->count; i++) {
        any |= st_all_reported(&inner.items[i]) || prediction->plan->all_depths;
        st_prediction_add_depth(&all->items[i], &inner.items[i], below);
    }
    st_predictions_free(&inner);
    return any;
}

/* To make the model of another depth takes long, and then there is no time to use it. */
static void say_if_stopped(struct st_predictions *all) {
    for (size_t i = 0; i < all->count; i++) {
        all->items[i].stopped = true;
        st_prediction_may_miss(&all->items[i], "The analysis was stopped before it came to blocks "
                                               "that are further inside others: those were not "
                                               "judged.");
    }
}

static void look_inside(struct st_trace_prediction *prediction, struct st_trace_input *input) {
    struct st_predictions *all = &prediction->predictions;
    bool more = prediction->plan->all_depths;
    for (size_t i = 0; i < all->count; i++)
        more |= all->items[i].in_tiers && st_all_reported(&all->items[i]);
    for (unsigned below = 1; more && below < MOST_DEPTH; below++) {
        if (!st_run_may_have_deeper(prediction->run))
            break;
        if (st_total_time_is_up(prediction->plan->options.total)) {
            say_if_stopped(all);
            break;
        }
        more = look_below(prediction, input, below);
    }
    st_run_free(prediction->run);
    prediction->run = NULL;
}

/* What is not in the trace cannot be found. And a read may have seen a write that is not there. */
static void say_if_reduced(struct st_predictions *predictions, const struct st_symbols *symbols) {
    for (size_t i = 0; i < predictions->count && st_is_reduced(symbols); i++)
        st_prediction_may_miss(&predictions->items[i],
                               "This recording is reduced to what `seriatim check` needs: accesses "
                               "that a thread repeated are not in it, so blocks can be missed, and "
                               "a schedule may be impossible for the sake of one. Record the "
                               "program anew, without --reduced.");
}

void st_trace_prediction_run(struct st_trace_prediction *prediction, struct st_trace_input *input) {
    judge(prediction, &prediction->predictions);
    look_inside(prediction, input);
    say_if_reduced(&prediction->predictions, st_trace_symbols(input->reading.trace));
    look_up_schedules(&prediction->predictions, input);
    st_trace_input_symbols(input);
    st_predictions_map_locations(&prediction->predictions, st_trace_input_location, input);
}

void st_trace_prediction_free(struct st_trace_prediction *prediction) {
    st_predictions_free(&prediction->predictions);
    st_predictions_free(&prediction->portions);
    st_run_free(prediction->run);
}

/* ---- witnesses as traces ---- */

/* An event of the witness: which one of the trace, and where it belongs. */
struct step {
    uint64_t number;
    size_t place;
};

struct collecting {
    struct step *steps; /* by number */
    size_t count, next;
    struct st_event *events; /* by place */
};

const struct st_predicted_block *st_find_witness(const struct st_predictions *predictions) {
    for (size_t i = 0; i < predictions->count; i++) {
        const struct st_prediction *prediction = &predictions->items[i];
        for (size_t j = 0; j < prediction->listed && prediction->gives_traces; j++)
            if (prediction->blocks[j].witness_length)
                return &prediction->blocks[j];
    }
    return NULL;
}

static int by_number(const void *left, const void *right) {
    const struct step *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static void collect(void *context, const struct st_event *events, size_t count, uint64_t first) {
    struct collecting *collecting = context;
    while (collecting->next < collecting->count &&
           collecting->steps[collecting->next].number < first + count) {
        const struct step *step = &collecting->steps[collecting->next++];
        if (step->number >= first)
            collecting->events[step->place] = events[step->number - first];
    }
}

static struct st_event *order_events(struct st_trace_input *input,
                                     const struct st_predicted_block *block,
                                     struct st_error *error) {
    size_t count = block->witness_length;
    struct collecting collecting = {.steps = st_alloc(count, sizeof *collecting.steps),
                                    .count = count,
                                    .events = st_alloc(count, sizeof *collecting.events)};
    for (size_t i = 0; i < count; i++)
        collecting.steps[i] = (struct step){block->witness[i], i};
    qsort(collecting.steps, count, sizeof *collecting.steps, by_number);
    int result = st_trace_input_pass(input, collect, &collecting, error);
    free(collecting.steps);
    if (result == 0)
        return collecting.events;
    free(collecting.events);
    return NULL;
}

/* What comes before a witness, on its way to a file. */
struct replaying {
    struct st_trace_input *input;
    void *writer;
    uint64_t last;
    int result;
    struct st_error *error;
};

static void replay(void *context, const struct st_event *events, size_t count, uint64_t first) {
    struct replaying *replaying = context;
    for (size_t i = 0; i < count && first + i <= replaying->last && !replaying->result; i++) {
        struct st_event event = events[i];
        event.loc = st_trace_input_location(replaying->input, event.loc);
        replaying->result = st_std_writer.write(replaying->writer, &event, 1, replaying->error);
    }
}

static int write_replayed(struct st_trace_input *input, uint64_t last, void *writer,
                          struct st_error *error) {
    struct replaying replaying = {.input = input, .writer = writer, .last = last, .error = error};
    if (last && st_trace_input_pass(input, replay, &replaying, error) < 0)
        return -1;
    return replaying.result;
}

static int write_events(struct st_trace_input *input, const struct st_predicted_block *block,
                        const struct st_event *events, const struct st_output *output,
                        struct st_error *error) {
    void *writer = st_std_writer.open(output->file, output->name, &input->symbols);
    int result = write_replayed(input, block->replayed, writer, error);
    if (result == 0)
        result = st_std_writer.write(writer, events, block->witness_length, error);
    if (result == 0)
        result = st_std_writer.finish(writer, false, error);
    st_std_writer.close(writer);
    return result;
}

int st_write_witness(struct st_trace_input *input, const struct st_predicted_block *block,
                     const char *path, struct st_error *error) {
    const char *inputs[] = {input->source.path, input->source.spec, NULL};
    struct st_output output;
    struct st_event *events = order_events(input, block, error);
    if (!events)
        return -1;
    for (size_t i = 0; i < block->witness_length; i++)
        events[i].loc = st_trace_input_location(input, events[i].loc);
    int result = st_output_open(&output, path, inputs, error);
    if (result == 0) {
        result = write_events(input, block, events, &output, error);
        if (result == 0)
            result = st_output_finish(&output, error);
        else
            st_output_abandon(&output);
    }
    free(events);
    return result;
}
