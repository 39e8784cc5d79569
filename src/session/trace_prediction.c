#include "session/trace_prediction.h"

#include "finding/schedules.h"

static void feed_run(void *run, const struct st_event *events, size_t count, uint64_t first) {
    st_run_feed(run, events, count, first);
}

int st_trace_prediction_read(struct st_trace_prediction *prediction, struct st_trace_input *input,
                             st_trace_pass *pass, struct st_error *error) {
    struct st_run_needs needs = st_predict_needs(prediction->plan);
    prediction->run = st_run_new(&needs);
    while (st_run_wants_pass(prediction->run)) {
        if (pass(input, feed_run, prediction->run, error) < 0)
            return -1;
        st_run_end_pass(prediction->run);
    }
    return 0;
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

void st_trace_prediction_run(struct st_trace_prediction *prediction, struct st_trace_input *input) {
    st_predict_run(prediction->plan, prediction->run, &prediction->predictions);
    look_up_schedules(&prediction->predictions, input);
    st_trace_input_symbols(input);
    st_predictions_map_locations(&prediction->predictions, st_trace_input_location, input);
}

void st_trace_prediction_free(struct st_trace_prediction *prediction) {
    st_predictions_free(&prediction->predictions);
    st_run_free(prediction->run);
}
