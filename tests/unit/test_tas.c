/* Which blocks other schedules cut: the examples of the paper of Sinha et al. and of our own notes,
 * by every search and by brute force. Random traces are in build/avp-differential. */
#include "predict/tas/graph/runs_between.h"
#include "predict/tas/tas.h"
#include "predict/total_time.h"
#include "reference/avp.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- traces as text: T1.begin T1.w(x) T1.w(x)+ ...; with the mark it is one operation with the
 * event before it ---- */

static enum st_op parse_op(const char *text) {
    static const char *const names[ST_OP_COUNT] = {"r",    "w",     "acq", "rel", "fork",
                                                   "join", "begin", "end", "snd", "rcv"};
    for (int op = 0; op < ST_OP_COUNT; op++)
        if (strcmp(names[op], text) == 0)
            return (enum st_op)op;
    fail_msg("%s is no operation", text);
    return ST_OP_COUNT;
}

/* "r(x)=1" has read 1, "w(x)=2" has written it, and "w(x)~1=2" has found 1 before. */
static void parse_values(const char *text, struct st_value_numbers *values) {
    const char *left = strchr(text, '='), *held = strchr(text, '~');
    bool read = strstr(text, ".r(") != NULL;
    if (held)
        values->held = (uint32_t)atoi(held + 1);
    if (left)
        *(read ? &values->held : &values->left) = (uint32_t)atoi(left + 1);
}

static void parse_event(struct sample *sample, const char *text) {
    unsigned thread, child;
    char op[8], operand[8] = "";
    int fields = sscanf(text, "T%u.%7[a-z](%7[A-Za-z0-9])", &thread, op, operand);
    assert_true(fields >= 2);
    uint32_t target = ST_NO_NAME;
    if (sscanf(operand, "T%u", &child) == 1)
        target = child - 1;
    else if (*operand)
        target = (uint32_t)(*operand - 'a');
    sample_add(sample, thread - 1, parse_op(op), target);
    parse_values(text, &sample->values[sample->count - 1]);
    sample->events[sample->count - 1].joined = strchr(text, '+') != NULL;
}

static void parse(struct sample *sample, const char *text) {
    char *copy = st_strdup(text), *rest = copy;
    struct st_error error;
    sample->count = 0;
    sample->repair = false;
    sample->team_channels = 0;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        parse_event(sample, word);
    free(copy);
    sample_renumber(sample);
    assert_int_equal(sample_check(sample, &error), 0);
}

/* ---- asking ---- */

static void ask(const struct sample *sample, struct st_tas_setup setup,
                struct st_prediction *prediction, struct st_tas_counts *table) {
    struct st_tas_graph *graph =
        st_tas_graph_of(sample->events, NULL, sample->values, sample->count);
    st_prediction_init(prediction);
    st_tas_run(graph, &setup, prediction, table);
    st_tas_graph_free(graph);
}

static const struct st_tas_setup every_way[] = {
    {.search = ST_TAS_CHAINS, .static_check = true}, {.search = ST_TAS_CHAINS, .whole_trace = true},
    {.search = ST_TAS_STATES, .static_check = true}, {.search = ST_TAS_STATES, .whole_trace = true},
    {.search = ST_TAS_DPOR, .static_check = true},   {.search = ST_TAS_DPOR, .whole_trace = true},
};
enum { WAYS = sizeof every_way / sizeof every_way[0] };

/* `expected` has a letter for each outermost block: v for violated, a for atomic. */
static void expect(const char *expected, const char *text) {
    struct sample sample;
    struct avp avp;
    parse(&sample, text);
    avp_check(&avp, &sample, UINT64_MAX);
    assert_int_equal(avp.block_count, strlen(expected));
    for (size_t b = 0; b < avp.block_count; b++)
        assert_int_equal(avp.blocks[b].violated, expected[b] == 'v');
    for (size_t w = 0; w < WAYS; w++) {
        struct st_prediction prediction;
        ask(&sample, every_way[w], &prediction, NULL);
        assert_int_equal(prediction.listed, avp.block_count);
        assert_int_equal(prediction.caveat_count, 0);
        for (size_t b = 0; b < avp.block_count; b++)
            assert_string_equal(st_block_verdict_name(prediction.blocks[b].verdict),
                                expected[b] == 'v' ? "violation" : "atomic");
        st_prediction_free(&prediction);
    }
}

/* ---- the paper ---- */

/* e1 = T2 sets the pointer p; e2 and e3 = T1's block reads it, and reads it again if it was not
 * null (a = p; if (a) b = *p); e4 = T2 writes it once more. */
static const char figure_1[] = "T2.w(p) T1.begin T1.r(p) T1.r(p) T1.end T2.w(p)";

static void the_block_of_figure_1_can_be_cut_as_in_figure_2a(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    expect("v", figure_1);
    parse(&sample, figure_1);
    ask(&sample, every_way[0], &prediction, NULL);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_string_equal(block->pattern, "R-W-R"); /* the path e2, e4, e3 */
    assert_int_equal(block->event_count, 3);
    assert_int_equal(block->events[0].number, 3);
    assert_int_equal(block->events[1].number, 6);
    assert_int_equal(block->events[2].number, 4);
    assert_int_equal(block->path_length, 2);
    assert_int_equal(block->variable_count, 1);
    static const uint64_t schedule[] = {1, 2, 3, 6, 4};
    assert_int_equal(block->witness_length, 5);
    assert_memory_equal(block->witness, schedule, sizeof schedule);
    st_prediction_free(&prediction);
}

/* Finds the reads that see something else, as "event sees saw". */
static void expect_broken(const char *expected, const char *text) {
    for (size_t w = 0; w < WAYS; w++) {
        struct sample sample;
        struct st_prediction prediction;
        char found[64] = "";
        parse(&sample, text);
        ask(&sample, every_way[w], &prediction, NULL);
        const struct st_predicted_block *block = &prediction.blocks[0];
        for (size_t i = 0; i < block->broken_count; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d %d %d",
                     i ? ", " : "", (int)block->broken[i].event, (int)block->broken[i].sees,
                     (int)block->broken[i].saw);
        assert_string_equal(found, expected);
        st_prediction_free(&prediction);
    }
}

static void reads_that_see_something_else_are_told(void **state) {
    (void)state;
    expect_broken("4 6 3", "T2.r(p) T1.begin T1.w(p) T1.r(p) T1.end T2.w(p)");
    expect_broken("3 5 0", "T1.begin T1.r(x) T1.r(x) T1.end T2.w(x)");
    expect_broken("5 2 3", "T1.begin T1.w(x) T1.w(x) T1.end T2.r(x)");
    expect_broken("5 2 3", "T1.begin T1.w(x) T1.w(x) T1.end T2.r(x) T2.w(x)+");
    expect_broken("", "T1.begin T1.w(x) T1.w(x) T1.end T2.w(x)");
}

struct runs {
    char text[16][32];
    size_t count;
};

/* As e1, e2, ...: begin and end left out. */
static bool note_run(void *context, const unsigned *run, size_t length) {
    static const char *const names[] = {"", "e1", "", "e2", "e3", "", "e4"};
    struct runs *runs = context;
    char *text = runs->text[runs->count];
    *text = '\0';
    for (size_t i = 0; i < length; i++)
        strcat(text, names[run[i]]);
    for (size_t i = 0; i < runs->count; i++)
        if (strcmp(runs->text[i], text) == 0)
            return true;
    runs->count++;
    return true;
}

static bool has_run(const struct runs *runs, const char *text) {
    for (size_t i = 0; i < runs->count; i++)
        if (strcmp(runs->text[i], text) == 0)
            return true;
    return false;
}

/* Where e2 sees something else than e1's write, T1 stops: e3 may not be executed at all. */
static void figure_1_has_four_almost_view_preserving_interleavings(void **state) {
    struct sample sample;
    struct runs runs = {.count = 0};
    (void)state;
    parse(&sample, figure_1);
    avp_runs(&sample, note_run, &runs);
    assert_int_equal(runs.count, 4);
    assert_true(has_run(&runs, "e1e2e3e4"));
    assert_true(has_run(&runs, "e1e2e4e3")); /* Figure 2a */
    assert_true(has_run(&runs, "e1e4e2"));
    assert_true(has_run(&runs, "e2e1e4"));
}

/* There e1 comes between e2 and e3, and e4 never: without e4, no other schedule cuts the block. */
static void the_schedule_of_figure_2b_is_bogus(void **state) {
    struct sample sample;
    struct runs runs = {.count = 0};
    (void)state;
    parse(&sample, figure_1);
    avp_runs(&sample, note_run, &runs);
    assert_false(has_run(&runs, "e2e1e3e4"));
    expect("a", "T2.w(p) T1.begin T1.r(p) T1.r(p) T1.end");
}

/* ---- the notes ---- */

static void a_schedule_may_end_in_the_middle(void **state) {
    (void)state;
    expect("v", "T1.begin T1.acq(l) T1.r(x) T1.r(x) T1.rel(l) T1.end T2.w(x) T2.acq(l) T2.rel(l)");
}

static void fork_is_no_edge_of_a_path(void **state) {
    (void)state;
    expect("a", "T1.begin T1.w(x) T1.fork(T2) T2.w(y) T1.r(y) T1.end");
    expect("v", "T1.begin T1.w(x) T1.fork(T2) T2.r(x) T2.w(y) T1.r(y) T1.end");
}

/* T3 is joined before T4 is created, so the two are one strand (predict/tas/graph/graph.h). */
static void threads_of_a_strand_are_joined_by_conflicts_alone(void **state) {
    (void)state;
    expect("a", "T2.fork(T3) T1.begin T1.w(x) T3.r(x) T2.join(T3) T2.fork(T4) T4.w(y) T1.r(y) "
                "T1.end");
    expect("v", "T2.fork(T3) T1.begin T1.w(x) T3.r(x) T3.w(z) T2.join(T3) T2.fork(T4) T4.r(z) "
                "T4.w(y) T1.r(y) T1.end");
    expect("v", "T2.fork(T3) T3.r(z) T2.join(T3) T2.fork(T4) T1.begin T1.w(x) T4.r(x) T4.w(y) "
                "T1.r(y) T1.end");
    expect("v", "T1.begin T1.w(x) T1.w(x) T1.end T2.fork(T3) T3.r(z) T2.join(T3) T2.fork(T4) "
                "T4.r(x)");
}

/* Who walks from x to y takes the lock of y before it lets go of that of x. */
static void those_who_walk_hand_over_hand_do_not_overtake(void **state) {
    (void)state;
    expect("aa", "T1.begin T1.acq(l) T1.w(x) T1.acq(m) T1.rel(l) T1.w(y) T1.rel(m) T1.end "
                 "T2.begin T2.acq(l) T2.w(x) T2.acq(m) T2.rel(l) T2.w(y) T2.rel(m) T2.end");
    expect("va", "T1.begin T1.acq(l) T1.w(x) T1.rel(l) T1.acq(m) T1.w(y) T1.rel(m) T1.end "
                 "T2.begin T2.acq(l) T2.w(x) T2.acq(m) T2.rel(l) T2.w(y) T2.rel(m) T2.end");
}

static void what_lies_above_the_segment_may_have_to_move(void **state) {
    (void)state;
    expect("v", "T1.r(x) T2.w(x) T1.w(y) T2.begin T2.w(y) T2.w(y) T2.end");
    expect("v", "T1.acq(l) T1.begin T1.w(x) T1.w(x) T1.end T1.rel(l) T2.acq(l) T2.rel(l) T2.w(x)");
    expect("v", "T1.w(x) T1.acq(l) T1.begin T1.w(y) T1.r(x) T1.w(y) T1.end T1.rel(l) T2.acq(l) "
                "T2.w(x) T2.rel(l) T2.w(y)");
}

/* ---- two traps ---- */

/* T2 could only write x between if its read of y, which saw the initial value, saw T1's write. */
static void an_initial_value_is_a_couple(void **state) {
    (void)state;
    expect("a", "T2.acq(l) T2.r(y) T2.w(x) T2.rel(l) T1.acq(l) T1.w(y) T1.rel(l) T1.begin T1.w(x) "
                "T1.w(x) T1.end");
    expect("v", "T2.acq(l) T2.w(x) T2.rel(l) T1.acq(l) T1.w(y) T1.rel(l) T1.begin T1.w(x) T1.w(x) "
                "T1.end");
}

/* T2's read would come between the writes, but it would see something else, stop, and keep the lock
 * that T1 needs to go on. */
static void a_thread_that_is_cut_off_keeps_its_locks(void **state) {
    (void)state;
    expect("a", "T1.begin T1.w(x) T1.acq(l) T1.w(x) T1.rel(l) T1.end T2.acq(l) T2.r(x) T2.rel(l)");
    expect("v", "T1.begin T1.w(x) T1.acq(l) T1.w(x) T1.rel(l) T1.end T2.acq(l) T2.rel(l) T2.r(x)");
}

/* ---- synchronisation ---- */

static void a_join_waits_for_a_child_that_saw_its_couples(void **state) {
    (void)state;
    expect("v", "T1.fork(T2) T1.begin T1.w(x) T1.w(x) T1.end T2.r(x)");
    expect("a", "T1.fork(T2) T2.r(x) T1.begin T1.w(x) T1.join(T2) T1.w(x) T1.end");
    expect("v", "T1.fork(T2) T2.r(x) T1.begin T1.w(x) T1.w(x) T1.join(T2) T1.end");
    expect("a", "T1.fork(T2) T2.r(x) T1.join(T2) T1.begin T1.w(x) T1.w(x) T1.end");
}

static void nobody_passes_a_barrier_alone(void **state) {
    (void)state;
    expect("a", "T2.r(x) T1.snd(b) T2.snd(b) T1.rcv(b) T2.rcv(b) T1.begin T1.w(x) T1.w(x) T1.end");
    expect("v", "T1.begin T1.w(x) T1.snd(b) T2.snd(b) T1.rcv(b) T2.rcv(b) T1.w(x) T1.end T2.r(x)");
    expect("v", "T2.r(y) T1.snd(b) T2.snd(b) T1.rcv(b) T2.rcv(b) T1.begin T1.w(x) T1.w(x) T1.end "
                "T2.w(x)");
}

/* T2's signal comes after T1 began to wait, and so after its first access to x. */
static void a_wait_begins_before_it_is_woken(void **state) {
    (void)state;
    expect("a", "T1.acq(l) T1.w(x) T1.rel(l) T2.snd(c) T1.rcv(c) T1.acq(l) T1.rel(l) T2.begin "
                "T2.w(x) T2.w(x) T2.end");
    expect("v", "T1.acq(l) T1.w(x) T1.rel(l) T2.snd(c) T1.w(y) T1.rcv(c) T1.acq(l) T1.rel(l) "
                "T2.begin T2.w(x) T2.w(x) T2.end");
}

static void nothing_comes_into_a_read_modify_write(void **state) {
    (void)state;
    expect("v", "T1.begin T1.r(x) T1.w(x) T1.end T2.w(x)");
    expect("a", "T1.begin T1.r(x) T1.w(x)+ T1.end T2.w(x)");
    expect("v", "T1.begin T1.r(x) T1.w(x)+ T1.r(x) T1.w(x)+ T1.end T2.w(x)");
}

static void blocks_without_two_shared_accesses_are_atomic(void **state) {
    (void)state;
    expect("aa", "T1.begin T1.end T1.begin T1.w(x) T1.w(y) T1.w(y) T1.end T2.w(x)");
}

static void blocks_that_are_open_at_the_end_count(void **state) {
    (void)state;
    expect("v", "T1.begin T1.r(x) T1.begin T1.r(x) T2.w(x)");
}

/* ---- paths through more threads ---- */

static void a_path_may_go_through_several_threads_and_variables(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    static const char text[] = "T3.w(z) T3.w(y) T2.w(y) T2.w(x) T1.begin T1.w(z) T1.r(x) T1.end";
    (void)state;
    expect("v", text);
    parse(&sample, text);
    ask(&sample, every_way[0], &prediction, NULL);
    assert_string_equal(prediction.blocks[0].pattern, "W-W-W-W-W-R");
    assert_int_equal(prediction.blocks[0].path_length, 3);
    assert_int_equal(prediction.blocks[0].variable_count, 3);
    st_prediction_free(&prediction);
    expect("a", "T3.r(z) T3.w(y) T2.w(y) T2.w(x) T1.begin T1.w(z) T1.r(x) T1.end");
    expect("a", "T3.w(y) T3.w(z) T2.w(y) T2.w(x) T1.begin T1.w(z) T1.r(x) T1.end");
}

/* Two classes of schedules that the reduction once missed: it looked only at the last of several
 * races, and not at who waits for a lock where a schedule would only repeat another one. */
static void no_class_of_schedules_is_missed(void **state) {
    (void)state;
    expect("v", "T1.w(x) T2.begin T2.r(y) T2.r(x) T3.w(y) T3.r(x)");
    expect("v", "T1.r(x) T1.acq(l) T1.w(x) T1.r(y) T1.rel(l) T2.acq(l) T3.begin T3.w(y) T2.r(x) "
                "T2.rel(l) T3.acq(l) T3.w(x) T3.w(x)");
}

/* ---- the validator ---- */

/* The finding of the first block of a trace, to be falsified. */
static void find(struct sample *sample, const char *text, struct st_prediction *prediction) {
    parse(sample, text);
    ask(sample, every_way[2], prediction, NULL);
    assert_int_equal(prediction->by[ST_BLOCK_VIOLATION], 1);
    assert_null(st_tas_validate(sample->events, sample->count, &prediction->blocks[0]));
}

static void set_witness(struct st_predicted_block *block, const uint64_t *numbers, size_t count) {
    free(block->witness);
    block->witness = st_alloc(count, sizeof *numbers);
    memcpy(block->witness, numbers, count * sizeof *numbers);
    block->witness_length = count;
}

#define ASSERT_WRONG(sample, block, sentence, ...)                                                 \
    do {                                                                                           \
        static const uint64_t numbers_[] = {__VA_ARGS__};                                          \
        set_witness(block, numbers_, sizeof numbers_ / sizeof numbers_[0]);                        \
        const char *wrong_ = st_tas_validate((sample)->events, (sample)->count, block);            \
        assert_non_null(wrong_);                                                                   \
        assert_string_equal(wrong_, sentence);                                                     \
    } while (0)

static void a_false_schedule_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    find(&sample, figure_1, &prediction);
    struct st_predicted_block *block = &prediction.blocks[0];
    ASSERT_WRONG(&sample, block, "the events of a thread are not in their order", 1, 3, 2, 6, 4);
    ASSERT_WRONG(&sample, block, "the events of a thread are not in their order", 1, 2, 3, 4, 4);
    ASSERT_WRONG(&sample, block, "the schedule has an event that the trace does not have", 1, 2, 7);
    ASSERT_WRONG(&sample, block, "a thread goes on after a read that did not see its couple", 2, 3,
                 1, 6, 4);
    ASSERT_WRONG(&sample, block, "an edge of the path goes back in time", 1, 2, 3, 4, 5, 6);
    ASSERT_WRONG(&sample, block, "the path has an event that was not executed", 1, 2, 3, 6);
    st_prediction_free(&prediction);
}

static void a_schedule_that_breaks_locks_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    find(&sample, "T1.begin T1.w(x) T1.acq(l) T1.rel(l) T1.w(x) T1.end T2.acq(l) T2.r(x) T2.rel(l)",
         &prediction);
    struct st_predicted_block *block = &prediction.blocks[0];
    ASSERT_WRONG(&sample, block, "a lock is acquired that is held", 1, 2, 7, 8, 3, 4, 5);
    st_prediction_free(&prediction);
}

static void a_schedule_that_breaks_fork_and_join_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    find(&sample, "T1.fork(T2) T1.begin T1.w(x) T2.r(x) T1.w(x) T1.end T1.join(T2)", &prediction);
    struct st_predicted_block *block = &prediction.blocks[0];
    ASSERT_WRONG(&sample, block, "a thread runs before it is forked", 4);
    ASSERT_WRONG(&sample, block, "a child is joined before it is through", 1, 2, 3, 5, 6, 7);
    ASSERT_WRONG(&sample, block, "a child is joined before it is through", 1, 4, 2, 3, 5, 6, 7);
    st_prediction_free(&prediction);
}

static void a_schedule_that_breaks_channels_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    find(&sample,
         "T1.acq(l) T1.rel(l) T2.snd(c) T1.rcv(c) T1.acq(l) T1.rel(l) T1.begin T1.w(x) T2.r(x) "
         "T1.w(x) T1.end",
         &prediction);
    struct st_predicted_block *block = &prediction.blocks[0];
    ASSERT_WRONG(&sample, block, "a wait is woken before it begins", 1, 3);
    ASSERT_WRONG(&sample, block, "a receive comes before a send that it waits for", 1, 2, 4);
    st_prediction_free(&prediction);
}

static void a_schedule_that_cuts_a_read_modify_write_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    find(&sample, "T1.begin T1.r(x) T1.w(x)+ T1.w(x) T1.end T2.w(x)", &prediction);
    ASSERT_WRONG(&sample, &prediction.blocks[0],
                 "something comes between the two halves of a read-modify-write", 1, 2, 6, 3, 4);
    st_prediction_free(&prediction);
}

static void a_false_path_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    find(&sample, figure_1, &prediction);
    struct st_predicted_block *block = &prediction.blocks[0];
    struct st_edge first = block->path[0];
    block->path[0] = block->path[1];
    assert_non_null(st_tas_validate(sample.events, sample.count, block));
    block->path[0] = first;
    block->path[0].from.event.target++;
    assert_non_null(st_tas_validate(sample.events, sample.count, block));
    block->path[0] = first;
    block->path_length = 1;
    assert_non_null(st_tas_validate(sample.events, sample.count, block));
    block->path_length = 2;
    assert_null(st_tas_validate(sample.events, sample.count, block));
    st_prediction_free(&prediction);
}

static uint32_t draw(uint32_t *random, size_t below) {
    *random = *random * 1664525 + 1013904223;
    return (*random >> 16) % (uint32_t)below;
}

/* The next event of a thread after that one, or the last of the trace. */
static uint64_t next_of(const struct sample *sample, uint32_t thread, uint64_t number) {
    while (number < sample->count && sample->events[number].thread != thread)
        number++;
    return number < sample->count ? number + 1 : number;
}

/* A schedule that begins as the trace does, in which three threads then run in their order, with a
 * mistake now and then. It may end anywhere. */
static void set_random_witness(struct st_predicted_block *block, const struct sample *sample,
                               uint32_t *random) {
    uint64_t numbers[SAMPLE_EVENTS], last[3];
    size_t observed = draw(random, sample->count), length = 1 + draw(random, sample->count);
    for (size_t i = 0; i < observed; i++)
        numbers[i] = i + 1;
    last[0] = last[1] = last[2] = observed;
    for (size_t i = observed; i < length; i++) {
        uint32_t thread = draw(random, 3);
        last[thread] = next_of(sample, sample->events[0].thread + thread, last[thread]);
        numbers[i] = draw(random, 16) ? last[thread] : 1 + draw(random, sample->count);
    }
    set_witness(block, numbers, observed > length ? observed : length);
}

/* Schedules are checked one after the other, and what one has changed is undone before the next. */
static void many_schedules_are_judged_as_each_of_them_alone(void **state) {
    enum { SCHEDULES = 2000 };
    struct sample sample;
    struct st_prediction prediction;
    static struct st_predicted_block blocks[SCHEDULES];
    static const char *wrong[SCHEDULES];
    uint32_t random = 1;
    (void)state;
    find(&sample,
         "T1.fork(T2) T1.fork(T3) T3.w(z) T1.acq(l) T1.rel(l) T2.snd(c) T1.rcv(c) T1.acq(l) "
         "T1.rel(l) "
         "T3.w(z) T1.begin T1.w(x) T3.w(z) T2.r(x) T2.w(x)+ T1.w(x) T1.end T2.acq(l) T2.r(x) "
         "T2.rel(l) "
         "T1.join(T2)",
         &prediction);
    for (size_t i = 0; i < SCHEDULES; i++) {
        blocks[i] = prediction.blocks[0];
        blocks[i].witness = NULL;
        if (i % 4)
            set_random_witness(&blocks[i], &sample, &random);
        else
            set_witness(&blocks[i], prediction.blocks[0].witness,
                        prediction.blocks[0].witness_length);
    }
    st_tas_validate_all(sample.events, NULL, NULL, sample.count, blocks, SCHEDULES, wrong);
    for (size_t i = 0; i < SCHEDULES; i++) {
        assert_ptr_equal(wrong[i], st_tas_validate(sample.events, sample.count, &blocks[i]));
        assert_true(i % 4 || !wrong[i]);
        free(blocks[i].witness);
    }
    st_prediction_free(&prediction);
}

/* ---- options ---- */

/* Four threads that write one variable many times have more interleavings than anyone can try. */
static void make_crowded(struct sample *sample) {
    parse(sample, "T1.w(q) T1.begin T1.r(q) T1.r(q) T1.end T2.r(q)");
    for (uint32_t i = 0; i < 40; i++)
        sample_add(sample, 1 + i % 4, ST_WRITE, 5);
    sample_renumber(sample);
}

static void a_search_that_gives_up_does_not_say_atomic(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    struct st_tas_counts table;
    (void)state;
    make_crowded(&sample);
    ask(&sample, (struct st_tas_setup){.search = ST_TAS_CHAINS, .static_check = true}, &prediction,
        &table);
    assert_int_equal(prediction.atomic, ST_SERIALIZABLE);
    assert_int_equal(table.static_proofs, 1);
    st_prediction_free(&prediction);
    ask(&sample, (struct st_tas_setup){.search = ST_TAS_DPOR, .whole_trace = true, .timeout = 0.01},
        &prediction, &table);
    assert_int_equal(prediction.atomic, ST_UNDECIDED);
    assert_int_equal(prediction.blocks[0].verdict, ST_BLOCK_TIMEOUT);
    assert_int_equal(table.timeouts, 1);
    assert_int_equal(table.clean, 0);
    st_prediction_free(&prediction);
}

/* Searches that share processor time: none is begun when it is used up, what they take is counted,
 * and time that only passes on the clock is nobody's. */
static void searches_can_share_processor_time(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    struct st_work_time work = {.limit = 3600};
    struct st_total_time total = {.work = &work};
    struct st_tas_setup setup = {
        .search = ST_TAS_CHAINS, .static_check = true, .jobs = 2, .total = &total};
    (void)state;
    parse(&sample, "T1.begin T1.r(x) T1.r(x) T1.end T2.w(x)");
    ask(&sample, setup, &prediction, NULL);
    assert_int_equal(prediction.by[ST_BLOCK_VIOLATION], 1);
    st_prediction_free(&prediction);
    double left = st_work_time_left(&work);
    assert_true(left < 3600 && left > 0);
    assert_false(st_total_time_is_up(&total));
    st_work_time_use(&work, left + 1);
    assert_true(st_work_time_left(&work) == 0);
    assert_true(st_total_time_is_up(&total));
    ask(&sample, setup, &prediction, NULL);
    assert_int_equal(prediction.by[ST_BLOCK_TIMEOUT], 1);
    st_prediction_free(&prediction);
}

/* Leaving the block for the other thread and coming back are two switches, and going to the block
 * in the first place is one more when the other thread must start. */
static void switches_can_be_bounded(void **state) {
    struct sample sample;
    (void)state;
    parse(&sample, figure_1);
    for (int search = ST_TAS_CHAINS; search <= ST_TAS_DPOR; search++)
        for (uint64_t bound = 1; bound <= 3; bound++) {
            struct st_prediction prediction;
            ask(&sample,
                (struct st_tas_setup){.search = (enum st_tas_search)search,
                                      .static_check = true,
                                      .whole_trace = true,
                                      .max_switches = bound},
                &prediction, NULL);
            assert_int_equal(prediction.by[ST_BLOCK_VIOLATION], bound == 3);
            st_prediction_free(&prediction);
        }
}

static bool is_cut_within(const char *text, enum st_tas_search search, uint64_t switches) {
    struct sample sample;
    struct st_prediction prediction;
    parse(&sample, text);
    ask(&sample,
        (struct st_tas_setup){.search = search, .static_check = true, .max_switches = switches},
        &prediction, NULL);
    bool cut = prediction.by[ST_BLOCK_VIOLATION] > 0;
    st_prediction_free(&prediction);
    return cut;
}

/* Chains can replay T2's critical section as observed, where switches do not count. States search
 * it, too, so that it takes a third switch to cut the block. */
static void chains_and_states_mean_the_same_by_a_bound(void **state) {
    static const char text[] = "T2.acq(l) T2.r(x) T2.rel(l) T1.begin T1.w(x) T1.acq(l) T1.w(x) "
                               "T2.r(x)";
    (void)state;
    for (uint64_t switches = 1; switches <= 4; switches++)
        assert_int_equal(is_cut_within(text, ST_TAS_CHAINS, switches),
                         is_cut_within(text, ST_TAS_STATES, switches));
    assert_false(is_cut_within(text, ST_TAS_CHAINS, 2));
    assert_true(is_cut_within(text, ST_TAS_CHAINS, 3));
}

static void a_bound_is_told_and_that_dpor_may_miss_within_it(void **state) {
    (void)state;
    for (int search = ST_TAS_CHAINS; search <= ST_TAS_DPOR; search++) {
        struct sample sample;
        struct st_prediction prediction;
        parse(&sample, figure_1);
        ask(&sample, (struct st_tas_setup){.search = (enum st_tas_search)search, .max_switches = 2},
            &prediction, NULL);
        assert_int_equal(prediction.caveat_count, 1);
        assert_non_null(strstr(prediction.caveats[0], "bounded number of switches"));
        assert_int_equal(strstr(prediction.caveats[0], "dpor may miss some of these") != NULL,
                         search == ST_TAS_DPOR);
        st_prediction_free(&prediction);
    }
}

static void violations_are_listed_first(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    parse(&sample,
          "T1.begin T1.w(z) T1.end T1.begin T1.r(x) T1.r(x) T1.end T1.begin T1.w(z) T1.end "
          "T2.w(x)");
    ask(&sample, (struct st_tas_setup){.search = ST_TAS_CHAINS, .limit = 2}, &prediction, NULL);
    assert_int_equal(prediction.block_count, 3);
    assert_int_equal(prediction.listed, 2);
    assert_int_equal(prediction.blocks[0].begin, 1);
    assert_int_equal(prediction.blocks[1].begin, 4);
    assert_int_equal(prediction.blocks[1].verdict, ST_BLOCK_VIOLATION);
    assert_int_equal(prediction.atomic, ST_NOT_SERIALIZABLE);
    st_prediction_free(&prediction);
}

/* ---- values ---- */

/* A flag that is looked at, taken and given back. If T2 must see what T1 left, it comes after T1.
 */
static void a_read_may_see_another_write_of_the_same_value(void **state) {
    (void)state;
    expect("va", "T1.begin T1.r(x) T1.w(x) T1.w(x) T1.end T2.begin T2.r(x) T2.w(x) T2.w(x) T2.end");
    expect("vv", "T1.begin T1.r(x)=1 T1.w(x)=2 T1.w(x)=1 T1.end "
                 "T2.begin T2.r(x)=1 T2.w(x)=2 T2.w(x)=1 T2.end");
    /* Other values tie the reads again. */
    expect("va", "T1.begin T1.r(x)=1 T1.w(x)=2 T1.w(x)=3 T1.end "
                 "T2.begin T2.r(x)=3 T2.w(x)=4 T2.w(x)=5 T2.end");
}

/* T2 can run before T1's write, which leaves what was there anyway. */
static void what_a_variable_held_at_first_is_a_value(void **state) {
    (void)state;
    expect("a", "T1.w(x) T2.r(x) T2.w(y) T1.begin T1.r(y) T1.r(x) T1.end");
    expect("v", "T2.begin T2.r(y) T2.r(y) T2.end T1.r(x)=1 T1.w(x)=1 T3.r(x)=1 T3.w(y)");
}

static void what_was_there_before_a_write_is_the_value_of_the_one_before(void **state) {
    (void)state;
    expect("vv", "T1.begin T1.r(x)=1 T1.w(x) T1.w(x)~2 T1.end "
                 "T2.begin T2.r(x)=1 T2.w(x) T2.w(x)~2=1 T2.end");
}

/* Somebody else must have changed it: then nothing is known of the write. */
static void values_that_contradict_each_other_count_as_unknown(void **state) {
    (void)state;
    expect("va", "T1.begin T1.r(x)=1 T1.w(x)=2 T1.w(x)=3 T1.end "
                 "T2.begin T2.r(x)=1 T2.w(x)=2 T2.w(x)=1 T2.end");
}

static void a_false_value_is_not_believed(void **state) {
    struct sample sample;
    struct st_prediction prediction;
    (void)state;
    parse(&sample, "T1.begin T1.r(x)=1 T1.w(x)=2 T1.w(x)=1 T1.end "
                   "T2.begin T2.r(x)=1 T2.w(x)=2 T2.w(x)=1 T2.end");
    ask(&sample, every_way[0], &prediction, NULL);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_int_equal(block->verdict, ST_BLOCK_VIOLATION);
    assert_null(st_tas_validate_of(sample.events, NULL, sample.values, sample.count, block));
    assert_non_null(st_tas_validate_of(sample.events, NULL, NULL, sample.count, block));
    sample.values[3].left = 3;
    assert_non_null(st_tas_validate_of(sample.events, NULL, sample.values, sample.count, block));
    st_prediction_free(&prediction);
}

/* ---- what a strand does between two positions ---- */

/* Says the runs in the list as words: "w(a)". */
static void expect_runs(struct tas_runs_between *between, uint32_t low, uint32_t high,
                        const char *expected) {
    char got[256] = "";
    tas_list_runs_between(between, 0, low, high);
    for (size_t i = 0; i < between->count; i++) {
        uint32_t key = between->graph->runs[between->list[i]].key;
        assert_int_equal(tas_place_between(between, between->list[i]), i);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c(%c)", *got ? " " : "",
                 key % 2 ? 'w' : 'r', (char)('a' + key / 2));
    }
    assert_string_equal(got, expected);
    between->count = 0;
}

static void a_look_between_two_positions_sees_what_is_there(void **state) {
    struct sample sample;
    struct tas_runs_between between;
    (void)state;
    parse(&sample,
          "T1.w(a) T1.w(b) T1.r(c) T1.w(b) T1.w(c) T1.r(a) T1.r(a) T2.w(a) T2.w(b) T2.w(c)");
    struct st_tas_graph *graph = st_tas_graph_of(sample.events, NULL, NULL, sample.count);
    tas_runs_between_init(&between, graph);
    expect_runs(&between, 1, 5, "w(b) r(c)");
    expect_runs(&between, 5, 8, "r(a)");
    expect_runs(&between, 3, 4, "");
    expect_runs(&between, 4, 3, "");
    expect_runs(&between, 0, 8, "r(a) w(a) w(b) r(c) w(c)");
    tas_runs_between_free(&between);
    st_tas_graph_free(graph);
}

/* A strand with a thousand variables, and a look at a few of its events. */
static void a_look_between_takes_no_longer_than_what_is_there(void **state) {
    enum { VARIABLES = 1000 };
    struct st_event events[2 * VARIABLES];
    struct tas_runs_between between;
    (void)state;
    for (uint32_t i = 0; i < 2 * VARIABLES; i++)
        events[i] =
            (struct st_event){.op = ST_WRITE, .thread = i / VARIABLES, .target = i % VARIABLES};
    struct st_tas_graph *graph = st_tas_graph_of(events, NULL, NULL, 2 * VARIABLES);
    tas_runs_between_init(&between, graph);
    tas_list_runs_between(&between, 1, 500, 504);
    assert_int_equal(between.count, 3);
    uint64_t few = between.work;
    tas_list_runs_between(&between, 1, 0, VARIABLES + 1);
    assert_int_equal(between.count, 3 + VARIABLES);
    assert_true(few * 100 < between.work);
    tas_runs_between_free(&between);
    st_tas_graph_free(graph);
}

static void a_trace_without_events_or_blocks_is_fine(void **state) {
    struct sample sample = {.count = 0};
    struct st_prediction prediction;
    struct st_tas_counts table;
    (void)state;
    ask(&sample, every_way[0], &prediction, &table);
    assert_int_equal(prediction.block_count, 0);
    assert_int_equal(table.blocks, 0);
    st_prediction_free(&prediction);
    expect("", "T1.w(x) T2.w(x)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_of_figure_1_can_be_cut_as_in_figure_2a),
        cmocka_unit_test(reads_that_see_something_else_are_told),
        cmocka_unit_test(figure_1_has_four_almost_view_preserving_interleavings),
        cmocka_unit_test(the_schedule_of_figure_2b_is_bogus),
        cmocka_unit_test(a_schedule_may_end_in_the_middle),
        cmocka_unit_test(fork_is_no_edge_of_a_path),
        cmocka_unit_test(threads_of_a_strand_are_joined_by_conflicts_alone),
        cmocka_unit_test(those_who_walk_hand_over_hand_do_not_overtake),
        cmocka_unit_test(what_lies_above_the_segment_may_have_to_move),
        cmocka_unit_test(an_initial_value_is_a_couple),
        cmocka_unit_test(a_thread_that_is_cut_off_keeps_its_locks),
        cmocka_unit_test(a_join_waits_for_a_child_that_saw_its_couples),
        cmocka_unit_test(nobody_passes_a_barrier_alone),
        cmocka_unit_test(a_wait_begins_before_it_is_woken),
        cmocka_unit_test(nothing_comes_into_a_read_modify_write),
        cmocka_unit_test(blocks_without_two_shared_accesses_are_atomic),
        cmocka_unit_test(blocks_that_are_open_at_the_end_count),
        cmocka_unit_test(a_path_may_go_through_several_threads_and_variables),
        cmocka_unit_test(no_class_of_schedules_is_missed),
        cmocka_unit_test(a_false_schedule_is_not_believed),
        cmocka_unit_test(a_schedule_that_breaks_locks_is_not_believed),
        cmocka_unit_test(a_schedule_that_breaks_fork_and_join_is_not_believed),
        cmocka_unit_test(a_schedule_that_breaks_channels_is_not_believed),
        cmocka_unit_test(a_schedule_that_cuts_a_read_modify_write_is_not_believed),
        cmocka_unit_test(a_false_path_is_not_believed),
        cmocka_unit_test(many_schedules_are_judged_as_each_of_them_alone),
        cmocka_unit_test(a_search_that_gives_up_does_not_say_atomic),
        cmocka_unit_test(searches_can_share_processor_time),
        cmocka_unit_test(switches_can_be_bounded),
        cmocka_unit_test(chains_and_states_mean_the_same_by_a_bound),
        cmocka_unit_test(a_bound_is_told_and_that_dpor_may_miss_within_it),
        cmocka_unit_test(violations_are_listed_first),
        cmocka_unit_test(a_read_may_see_another_write_of_the_same_value),
        cmocka_unit_test(what_a_variable_held_at_first_is_a_value),
        cmocka_unit_test(what_was_there_before_a_write_is_the_value_of_the_one_before),
        cmocka_unit_test(values_that_contradict_each_other_count_as_unknown),
        cmocka_unit_test(a_false_value_is_not_believed),
        cmocka_unit_test(a_look_between_two_positions_sees_what_is_there),
        cmocka_unit_test(a_look_between_takes_no_longer_than_what_is_there),
        cmocka_unit_test(a_trace_without_events_or_blocks_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
