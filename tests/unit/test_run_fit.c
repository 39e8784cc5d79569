/* What is judged of a run if memory is short. A limit of one byte is always exceeded. */
#include "predict/run_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { EVENTS = 200000, BATCH = 50000 };

static struct st_event *make_blocks(void) {
    struct st_event *events = calloc(EVENTS, sizeof *events);
    assert_non_null(events);
    for (size_t i = 0; i < EVENTS; i++)
        events[i] = (struct st_event){.op = i % 2 ? ST_END : ST_BEGIN, .target = 0};
    return events;
}

/* One pass; it ends at the first event at which memory is short. Returns how many are judged. */
static uint64_t pass(struct st_run_fit *fit, const struct st_event *events) {
    uint64_t judged = 0;
    for (size_t i = 0; i < EVENTS; i += BATCH) {
        struct st_event_batch batch = {.events = events + i, .first = i + 1, .count = BATCH};
        size_t count = st_run_fit_count(fit, &batch, true);
        judged += count;
        if (count && st_run_fit_is_full(fit, batch.first + count - 1, 0))
            st_run_fit_end_at(fit, batch.first + count - 1);
    }
    st_run_fit_end_pass(fit);
    return judged;
}

static void what_begins_later_is_counted_by_name(void **state) {
    struct st_event *events = make_blocks();
    struct st_run_fit fit = {.memory = 1};
    (void)state;
    assert_int_equal(pass(&fit, events),
                     2 * BATCH); /* the least that fits, and the rest of a batch */
    assert_int_equal(fit.unjudged_by_name[1], (EVENTS - 2 * BATCH) / 2);
    st_run_fit_free(&fit);
    free(events);
}

/* The first pass has found that not all of the run fits; what the next one keeps is bounded, too.
 */
static void a_later_pass_can_end_earlier(void **state) {
    struct st_event *events = make_blocks();
    struct st_run_fit fit = {.memory = 1, .last_judged = 3 * BATCH};
    (void)state;
    assert_int_equal(pass(&fit, events), 2 * BATCH);
    assert_int_equal(fit.last_judged, 2 * BATCH);
    assert_int_equal(fit.unjudged_by_name[1], (EVENTS - 2 * BATCH) / 2);
    st_run_fit_restart(&fit);
    assert_int_equal(pass(&fit, events), 2 * BATCH);
    st_run_fit_free(&fit);
    free(events);
}

static void enough_memory_ends_nothing(void **state) {
    struct st_event *events = make_blocks();
    struct st_run_fit fit = {.memory = (size_t)1 << 40};
    (void)state;
    assert_int_equal(pass(&fit, events), EVENTS);
    assert_int_equal(fit.last_judged, 0);
    st_run_fit_free(&fit);
    free(events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_begins_later_is_counted_by_name),
        cmocka_unit_test(a_later_pass_can_end_earlier),
        cmocka_unit_test(enough_memory_ends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
