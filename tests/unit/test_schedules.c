/* Which events of a predicted schedule are shown, what they are, and whose the others are. */
#include "finding/schedules.h"

#include "base/memory.h"
#include "finding/shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A finding whose witness is events 1, 2, ..., length, with steps in some of them. */
static struct st_predicted_block make_block(size_t length, uint64_t begin, const uint64_t *steps,
                                            size_t count) {
    struct st_predicted_block block = {.begin = begin,
                                       .verdict = ST_BLOCK_VIOLATION,
                                       .block = ST_NO_NAME,
                                       .witness_length = length,
                                       .event_count = count};
    block.witness = st_alloc(length, sizeof *block.witness);
    for (size_t i = 0; i < length; i++)
        block.witness[i] = i + 1;
    block.events = st_alloc(count + 1, sizeof *block.events);
    for (size_t i = 0; i < count; i++)
        block.events[i].number = steps[i];
    return block;
}

/* "1-4 7": the numbers of what is shown, in rows. */
static void assert_shown(const struct st_predicted_block *block, const char *expected) {
    bool *shown = st_shown_events(block);
    char text[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < block->witness_length; i++) {
        size_t first = i;
        if (!shown[i])
            continue;
        while (i + 1 < block->witness_length && shown[i + 1])
            i++;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu-%zu", used ? " " : "",
                                 first + 1, i + 1);
    }
    assert_string_equal(text, expected);
    free(shown);
}

static void free_lists(struct st_predicted_block *block) {
    free(block->witness);
    free(block->events);
    free(block->broken);
}

static void a_short_schedule_is_shown_as_a_whole(void **state) {
    (void)state;
    struct st_predicted_block block = make_block(ST_SCHEDULE_SHOWN, 3, (uint64_t[]){5, 8}, 2);
    assert_shown(&block, "1-24");
    free_lists(&block);
}

static void begin_steps_and_end_are_shown_and_what_is_close_to_them(void **state) {
    (void)state;
    struct st_predicted_block block = make_block(1000, 100, (uint64_t[]){300, 500, 700}, 3);
    assert_shown(&block, "100-103 297-303 498-502 698-702 998-1000");
    free_lists(&block);
}

static void steps_are_shown_however_many_there_are(void **state) {
    (void)state;
    uint64_t steps[50];
    for (size_t i = 0; i < 50; i++)
        steps[i] = 10 * i + 10;
    struct st_predicted_block block = make_block(500, 5, steps, 50);
    bool *shown = st_shown_events(&block);
    for (size_t i = 0; i < 500; i++)
        assert_int_equal(shown[i], (i + 1) % 10 == 0 || i + 1 == 5);
    free(shown);
    free_lists(&block);
}

static void a_short_gap_is_not_worth_a_line(void **state) {
    (void)state;
    uint64_t steps[40];
    for (size_t i = 0; i < 40; i++)
        steps[i] = i < 20 ? 4 * i + 4 : 5 * i - 15;
    struct st_predicted_block block = make_block(180, 4, steps, 40);
    bool *shown = st_shown_events(&block);
    for (size_t i = 3; i < 80; i++) /* gaps of three events */
        assert_true(shown[i]);
    assert_false(shown[80]); /* one of four */
    free(shown);
    free_lists(&block);
}

static void what_comes_before_the_block_is_shown_last(void **state) {
    (void)state;
    struct st_predicted_block block = make_block(30, 20, (uint64_t[]){22, 25}, 2);
    assert_shown(&block, "7-30");
    free_lists(&block);
}

static void broken_reads_and_ends_of_the_path_are_shown(void **state) {
    (void)state;
    struct st_edge edge = {.from = {.number = 300}, .to = {.number = 400}};
    struct st_predicted_block block = make_block(1000, 100, NULL, 0);
    block.path = &edge;
    block.path_length = 1;
    block.broken = st_alloc(1, sizeof *block.broken);
    block.broken[0].event = 600;
    block.broken_count = 1;
    bool *shown = st_shown_events(&block);
    assert_true(shown[299] && shown[399] && shown[599] && shown[99] && shown[999]);
    assert_true(st_is_step(&block, 300) && st_is_step(&block, 400));
    assert_false(st_is_step(&block, 600));
    free(shown);
    free_lists(&block);
}

/* ---- Looking them up ---- */

/* Predictions of one engine that list one block. */
static struct st_predictions predict(struct st_predicted_block block) {
    struct st_predictions all = {.items = st_alloc(1, sizeof *all.items), .count = 1};
    st_prediction_init(all.items);
    st_prediction_add(all.items, &block);
    return all;
}

/* Three threads take turns, in batches of seven events. */
static void feed(struct st_predictions *predictions, uint64_t last) {
    struct st_schedules *schedules = st_schedules_new(predictions);
    for (uint64_t first = 1; first <= last && st_schedules_wait(schedules); first += 7) {
        struct st_event events[7] = {{0}};
        for (uint64_t i = 0; i < 7; i++)
            events[i].thread = (uint32_t)((first + i) % 3);
        st_schedules_feed(schedules, events, 7, first);
    }
    st_schedules_free(schedules);
}

static void threads_of_what_is_left_out_are_counted(void **state) {
    (void)state;
    struct st_predictions all = predict(make_block(40, 1, (uint64_t[]){2, 39}, 2));
    feed(&all, 40);
    const struct st_predicted_block *block = &all.items[0].blocks[0];
    assert_int_equal(block->schedule_length, ST_SCHEDULE_SHOWN);
    assert_int_equal(block->left_out_count, 3);
    uint64_t sum = 0, before = block->left_out[0].before;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(block->left_out[i].before, before);
        assert_true(i == 0 || block->left_out[i - 1].count >= block->left_out[i].count);
        sum += block->left_out[i].count;
    }
    assert_int_equal(sum, 16);
    for (size_t i = 0; i < block->schedule_length; i++)
        assert_int_equal(block->schedule[i].event.thread, block->schedule[i].number % 3);
    st_predictions_free(&all);
}

static void a_name_for_each_end(void **state) {
    (void)state;
    struct st_predictions all = predict(make_block(7, 1, (uint64_t[]){3}, 1));
    const struct st_event events[] = {
        {.thread = 0, .target = 4, .op = ST_BEGIN, .written = ST_BEGIN},
        {.thread = 1, .target = 5, .op = ST_BEGIN, .written = ST_BEGIN},
        {.thread = 0, .target = 6, .op = ST_UNMARKED, .written = ST_BEGIN},
        {.thread = 0, .target = ST_NO_NAME, .op = ST_UNMARKED, .written = ST_END},
        {.thread = 1, .target = 8, .op = ST_END, .written = ST_END},
        {.thread = 0, .target = ST_NO_NAME, .op = ST_END, .written = ST_END},
        {.thread = 0, .target = ST_NO_NAME, .op = ST_END, .written = ST_END},
    };
    const uint32_t names[] = {4, 5, 6, 6, 8, 4, ST_NO_NAME};
    struct st_schedules *schedules = st_schedules_new(&all);
    st_schedules_feed(schedules, events, 7, 1);
    st_schedules_free(schedules);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(all.items[0].blocks[0].schedule[i].event.target, names[i]);
    st_predictions_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_schedule_is_shown_as_a_whole),
        cmocka_unit_test(begin_steps_and_end_are_shown_and_what_is_close_to_them),
        cmocka_unit_test(steps_are_shown_however_many_there_are),
        cmocka_unit_test(a_short_gap_is_not_worth_a_line),
        cmocka_unit_test(what_comes_before_the_block_is_shown_last),
        cmocka_unit_test(broken_reads_and_ends_of_the_path_are_shown),
        cmocka_unit_test(threads_of_what_is_left_out_are_counted),
        cmocka_unit_test(a_name_for_each_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
