/* The blocks analysis: examples of TSE 2006, section 6, and of what it overlooks. */
#include "predict/blocks/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- traces as text ---- */

enum { EVENTS = 128 };

static const struct {
    const char *word;
    enum st_op op;
} ops[] = {{"r(", ST_READ},    {"w(", ST_WRITE},   {"acq(", ST_ACQUIRE}, {"rel(", ST_RELEASE},
           {"fork(", ST_FORK}, {"join(", ST_JOIN}, {"begin", ST_BEGIN},  {"end", ST_END}};

/* "T1.r(x)": threads are T1 to T9, variables and locks are single letters. Its location is its
 * number. A star behind it says that the memory is fresh. */
static struct st_event parse_event(const char *text, uint64_t number) {
    struct st_event event = {.thread = (uint32_t)(text[1] - '1'), .loc = number};
    size_t i = 0;
    while (strncmp(text + 3, ops[i].word, strlen(ops[i].word)) != 0)
        assert_true(++i < sizeof ops / sizeof ops[0]);
    event.op = event.written = ops[i].op;
    event.fresh = text[strcspn(text, " ") - 1] == '*';
    const char *target = text + 3 + strlen(ops[i].word);
    event.target = event.op == ST_BEGIN || event.op == ST_END ? 0
                   : *target == 'T'                           ? (uint32_t)(target[1] - '1')
                                                              : (uint32_t)(*target - 'a');
    return event;
}

static size_t parse(const char *text, struct st_event *events) {
    size_t count = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        assert_true(count < EVENTS);
        events[count] = parse_event(text, count + 1);
        count++;
        text += strcspn(text, " ");
    }
    return count;
}

static struct st_model *model_of(const char *text, bool keep_sequence) {
    struct st_event events[EVENTS];
    size_t count = parse(text, events);
    struct st_model *model =
        st_model_new(&(struct st_model_options){.keep_sequence = keep_sequence});
    while (st_model_wants_pass(model)) {
        st_model_feed(model, events, count, 1);
        st_model_end_pass(model);
    }
    return model;
}

enum depth { ONE_VARIABLE, TWO_VARIABLES, EXACT };

/* The way of doing it that is asked for. */
struct how {
    enum depth depth;
    bool as_published;
    unsigned jobs;
    double timeout;
};

static struct st_prediction predict(const char *text, struct how how) {
    struct st_predict_options options = {
        .as_published = how.as_published, .jobs = how.jobs, .timeout = how.timeout};
    struct st_blocks_options own = {.one_variable = how.depth == ONE_VARIABLE,
                                    .exact = how.depth == EXACT};
    struct st_model *model = model_of(text, own.exact);
    struct st_prediction prediction;
    st_prediction_init(&prediction);
    st_blocks.run(&(struct st_run){.model = model}, &options, &own, &prediction);
    st_model_free(model);
    return prediction;
}

static enum st_verdict verdict_of(const char *text, struct how how) {
    struct st_prediction prediction = predict(text, how);
    enum st_verdict verdict = prediction.atomic;
    st_prediction_free(&prediction);
    return verdict;
}

static bool finds(const char *text, enum depth depth) {
    enum st_verdict verdict = verdict_of(text, (struct how){.depth = depth});
    assert_int_not_equal(verdict, ST_UNDECIDED);
    return verdict == ST_NOT_SERIALIZABLE;
}

static bool finds_as_published(const char *text, enum depth depth) {
    return verdict_of(text, (struct how){.depth = depth, .as_published = true}) ==
           ST_NOT_SERIALIZABLE;
}

#define ATOMIC_IN_ALL_DEPTHS(text)                                                                 \
    do {                                                                                           \
        assert_false(finds(text, ONE_VARIABLE));                                                   \
        assert_false(finds(text, TWO_VARIABLES));                                                  \
        assert_false(finds(text, EXACT));                                                          \
    } while (0)

/* ---- blocks as text ---- */

static char *print_set(char *at, const struct st_locksets *sets, uint32_t set) {
    at += sprintf(at, " {");
    for (uint32_t i = 0; i < st_lockset_size(sets, set); i++)
        at += sprintf(at, "%c", (char)('a' + st_lockset_locks(sets, set)[i]));
    return at + sprintf(at, "}");
}

static const char *op_name(uint32_t op) {
    return op == ST_TOKEN_READ ? "R" : op == ST_TOKEN_WRITE ? "W" : "dummy";
}

/* The paper's tuple without the period: "v R W false true {l} {lm} {l}". */
static void print_1v(char *at, const struct st_locksets *sets, const struct st_1v_pair *pair) {
    at += sprintf(at, "%c %s %s %s %s", (char)('a' + pair->variable), op_name(pair->ops[0]),
                  op_name(pair->ops[1]), pair->final[0] ? "true" : "false",
                  pair->final[1] ? "true" : "false");
    at = print_set(at, sets, pair->held[0]);
    at = print_set(at, sets, pair->held[1]);
    print_set(at, sets, pair->between);
}

static bool has_transaction(const struct st_model *model, uint32_t shape) {
    for (size_t i = 0; i < model->unit_count; i++)
        if (model->units[i].shape == shape && model->units[i].transaction)
            return true;
    return false;
}

/* The 1v-blocks of transactions, as they are found, one a line. */
static void list_1v(const char *text, char *out) {
    struct st_model *model = model_of(text, false);
    struct st_predict_options options = {0};
    struct st_blocks_run run;
    struct st_1v_pairs all;
    *out = '\0';
    st_blocks_start(&run, model, &options);
    st_1v_make(&run, &all);
    for (size_t i = 0; i < all.entry_count; i++)
        if (has_transaction(model, all.entries[i].shape)) {
            print_1v(out, &run.locksets, st_1v_pair_at(&all, all.entries[i].pair));
            strcat(out, "\n");
            out += strlen(out);
        }
    st_1v_free(&all);
    st_blocks_stop(&run);
    st_model_free(model);
}

/* The 2v-blocks of the first transaction: "x y R W" one a line. Without locks. */
static void list_2v(const char *text, char *out) {
    struct st_model *model = model_of(text, false);
    struct st_predict_options options = {0};
    struct st_2v_accesses accesses = {.count = 0};
    struct st_blocks_run run;
    struct st_roles roles;
    *out = '\0';
    st_blocks_start(&run, model, &options);
    st_roles_init(&run, &roles);
    st_2v_list_accesses(&run, &roles, model->units[model->instances[0].unit].shape, &accesses);
    for (size_t i = 0; i < accesses.count; i++)
        for (size_t k = i + 1; k < accesses.count; k++) {
            const struct st_2v_access *a = &accesses.items[i], *b = &accesses.items[k];
            if (a->variable != b->variable)
                out += sprintf(out, "%c %c %s %s\n", (char)('a' + a->variable),
                               (char)('a' + b->variable), op_name(a->op), op_name(b->op));
        }
    st_2v_accesses_free(&accesses);
    st_roles_free(&roles);
    st_blocks_stop(&run);
    st_model_free(model);
}

/* ---- what blocks are ---- */

/* Examples (1) and (2); another thread's accesses make the variable count. */
static void a_transaction_has_the_blocks_of_the_paper(void **state) {
    char blocks[512];
    (void)state;
    list_1v("T1.begin T1.acq(l) T1.r(v) T1.acq(m) T1.w(v) T1.r(v) T1.rel(m) T1.rel(l) T1.end "
            "T2.acq(l) T2.w(v) T2.rel(l) T2.acq(m) T2.w(v) T2.rel(m)",
            blocks);
    assert_string_equal(blocks, "v R W false true {l} {lm} {l}\n"
                                "v W R true false {lm} {lm} {lm}\n");
}

/* Example (4). */
static void equal_blocks_are_one(void **state) {
    char blocks[512];
    (void)state;
    list_1v("T1.begin T1.w(v) T1.r(v) T1.r(v) T1.r(v) T1.end T2.w(v)", blocks);
    assert_string_equal(blocks, "v W R true false {} {} {}\n");
}

/* A lock that is released in between is held at both, but not from the one to the other. */
static void a_lock_counts_only_if_it_is_held_all_the_time(void **state) {
    char blocks[512];
    (void)state;
    list_1v("T1.begin T1.acq(l) T1.r(v) T1.rel(l) T1.acq(l) T1.r(v) T1.rel(l) T1.end "
            "T2.acq(l) T2.w(v) T2.rel(l)",
            blocks);
    assert_string_equal(blocks, "v R R false false {l} {l} {}\n");
}

static void each_variable_that_is_accessed_once_has_a_dummy(void **state) {
    char blocks[512];
    (void)state;
    list_1v("T1.begin T1.w(x) T1.w(y) T1.end T2.r(x) T2.r(y)", blocks);
    assert_string_equal(blocks, "x W dummy true false {} {} {}\n"
                                "y W dummy true false {} {} {}\n");
}

/* Example (5): R1(x) W2(y) W3(x) W4(y) R5(x); W2 and R5 take no part. */
static void initial_reads_and_final_writes_make_2v_blocks(void **state) {
    char blocks[512];
    (void)state;
    list_2v("T1.begin T1.r(x) T1.w(y) T1.w(x) T1.w(y) T1.r(x) T1.end T2.w(x) T2.w(y)", blocks);
    assert_string_equal(blocks, "x y R W\n"
                                "x y W W\n");
}

/* ---- one variable ---- */

static void the_four_patterns_are_found(void **state) {
    (void)state;
    assert_true(finds("T1.begin T1.w(x) T1.w(x) T1.end T2.r(x)", ONE_VARIABLE));
    assert_true(finds("T1.begin T1.r(x) T1.r(x) T1.end T2.w(x)", ONE_VARIABLE));
    assert_true(finds("T1.begin T1.w(x) T1.r(x) T1.end T2.w(x)", ONE_VARIABLE));
    assert_true(finds("T1.begin T1.r(x) T1.w(x) T1.end T2.w(x)", ONE_VARIABLE));
}

/* Figure 7: Vector(Collection) calls size(), line 267, and toArray(), line 690; another thread
 * calls removeAllElements(), line 631. Events are numbered instead. */
static void the_vector_example_is_explained(void **state) {
    struct st_prediction prediction =
        predict("T1.begin T1.acq(l) T1.r(c) T1.rel(l) T1.acq(l) T1.r(c) T1.r(d) T1.rel(l) T1.end "
                "T2.begin T2.acq(l) T2.w(d) T2.w(c) T2.rel(l) T2.end",
                (struct how){.depth = TWO_VARIABLES});
    (void)state;
    assert_int_equal(prediction.block_count, 2);
    assert_int_equal(prediction.by[ST_BLOCK_POTENTIAL], 1);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_int_equal(block->begin, 1);
    assert_string_equal(block->pattern, "R-W-R");
    assert_int_equal(block->variable_count, 1);
    assert_int_equal(block->variables[0], 'c' - 'a');
    assert_int_equal(block->event_count, 3);
    assert_int_equal(block->events[0].event.loc, 3);
    assert_int_equal(block->events[1].event.loc, 13);
    assert_int_equal(block->events[1].event.thread, 1);
    assert_int_equal(block->events[2].event.loc, 6);
    assert_int_equal(block->path_length, 2);
    assert_int_equal(block->path[0].from.number, 3);
    assert_int_equal(block->path[0].to.number, 13);
    assert_int_equal(block->path[1].to.number, 6);
    assert_non_null(strstr(block->why, "two reads"));
    assert_string_equal(st_blocks.notion, "view");
    assert_int_equal(prediction.caveat_count, 1);
    st_prediction_free(&prediction);
}

/* Its unlocked reads of modCount are harmless: the read can be before or after all of it. */
static void a_read_before_a_read_and_a_write_is_no_finding(void **state) {
    (void)state;
    ATOMIC_IN_ALL_DEPTHS("T1.begin T1.r(m) T1.w(m) T1.end T2.begin T2.r(m) T2.end");
}

/* t2, t3 and t4 of Figure 4, of which reduction complains. */
static void figure_4_is_atomic(void **state) {
    (void)state;
    ATOMIC_IN_ALL_DEPTHS("T3.begin T3.acq(a) T3.r(x) T3.rel(a) T3.end "
                         "T2.begin T2.acq(b) T2.r(x) T2.rel(b) T2.end "
                         "T4.begin T4.r(x) T4.acq(a) T4.acq(b) T4.w(x) T4.rel(b) T4.rel(a) T4.end");
}

static void a_read_that_sees_its_own_write_matches_nothing(void **state) {
    const char *text = "T1.begin T1.acq(l) T1.w(x) T1.rel(l) T1.acq(l) T1.w(x) T1.rel(l) T1.end "
                       "T2.begin T2.acq(l) T2.w(x) T2.r(x) T2.rel(l) T2.end";
    (void)state;
    ATOMIC_IN_ALL_DEPTHS(text);
    assert_true(finds_as_published(text, ONE_VARIABLE));
}

static void an_access_beside_another_variable_can_come_between(void **state) {
    const char *text = "T1.begin T1.r(x) T1.r(x) T1.end T2.begin T2.w(x) T2.w(y) T2.end T1.r(y)";
    (void)state;
    assert_true(finds(text, ONE_VARIABLE));
    assert_false(finds_as_published(text, ONE_VARIABLE));
}

static void what_must_run_before_or_after_cannot_come_between(void **state) {
    (void)state;
    ATOMIC_IN_ALL_DEPTHS("T2.w(x) T2.fork(T1) T1.begin T1.r(x) T1.r(x) T1.end T2.join(T1) T2.w(x)");
    assert_true(
        finds("T2.fork(T1) T2.w(x) T1.begin T1.r(x) T1.r(x) T1.end T2.join(T1)", ONE_VARIABLE));
}

/* A later write hides that the first one came between: only all of them together tell. */
static void a_hidden_final_write_is_a_false_alarm_of_theorem_3_only(void **state) {
    const char *text = "T1.begin T1.acq(l) T1.r(x) T1.rel(l) T1.acq(l) T1.w(x) T1.rel(l) T1.end "
                       "T2.acq(l) T2.w(x) T2.rel(l)";
    (void)state;
    assert_true(finds(text, ONE_VARIABLE));
    assert_true(finds(text, EXACT));
    const char *hidden = "T2.fork(T1) T2.fork(T3) T1.begin T1.r(x) T1.w(x) T1.end T3.w(x) "
                         "T2.join(T1) T2.join(T3) T2.w(x)";
    assert_true(finds(hidden, ONE_VARIABLE));
    assert_false(finds(hidden, EXACT));
    assert_true(finds_as_published(hidden, EXACT));
}

/* ---- two variables ---- */

static void two_variables_take_two_transactions(void **state) {
    const char *text = "T1.begin T1.acq(l) T1.w(x) T1.rel(l) T1.acq(l) T1.w(y) T1.rel(l) T1.end "
                       "T2.begin T2.acq(l) T2.r(x) T2.r(y) T2.rel(l) T2.end";
    (void)state;
    assert_false(finds(text, ONE_VARIABLE));
    struct st_prediction prediction = predict(text, (struct how){.depth = TWO_VARIABLES});
    assert_int_equal(prediction.by[ST_BLOCK_POTENTIAL], 1);
    assert_string_equal(prediction.blocks[0].pattern, "W-R-R-W");
    assert_int_equal(prediction.blocks[0].variable_count, 2);
    assert_int_equal(prediction.blocks[0].events[0].number, 3);
    assert_int_equal(prediction.blocks[0].events[1].number, 11);
    assert_int_equal(prediction.blocks[0].events[2].number, 12);
    assert_int_equal(prediction.blocks[0].events[3].number, 6);
    assert_int_equal(prediction.blocks[0].path_length, 2);
    st_prediction_free(&prediction);
}

/* Neither read holds g, but the reader must take it between them: it cannot be inside of the
 * writer, only the other way round. */
static void a_lock_between_the_accesses_keeps_them_out(void **state) {
    (void)state;
    struct st_prediction prediction = predict("T1.begin T1.acq(g) T1.w(x) T1.w(y) T1.rel(g) T1.end "
                                              "T2.begin T2.r(x) T2.acq(g) T2.rel(g) T2.r(y) T2.end",
                                              (struct how){.depth = TWO_VARIABLES});
    assert_int_equal(prediction.blocks[0].verdict, ST_BLOCK_ATOMIC);
    assert_int_equal(prediction.blocks[1].verdict, ST_BLOCK_POTENTIAL);
    assert_string_equal(prediction.blocks[1].pattern, "R-W-W-R");
    st_prediction_free(&prediction);
    prediction = predict("T1.begin T1.acq(g) T1.w(x) T1.w(y) T1.rel(g) T1.end "
                         "T2.begin T2.r(x) T2.r(y) T2.end T3.acq(g) T3.rel(g)",
                         (struct how){.depth = TWO_VARIABLES});
    assert_int_equal(prediction.blocks[0].verdict, ST_BLOCK_POTENTIAL);
    assert_int_equal(prediction.blocks[1].verdict, ST_BLOCK_POTENTIAL);
    st_prediction_free(&prediction);
}

static void two_writers_in_opposite_order_are_found(void **state) {
    (void)state;
    assert_true(
        finds("T1.begin T1.w(x) T1.w(y) T1.end T2.begin T2.w(x) T2.w(y) T2.end", TWO_VARIABLES));
    assert_true(
        finds("T1.begin T1.r(x) T1.w(y) T1.end T2.begin T2.r(y) T2.w(x) T2.end", TWO_VARIABLES));
}

/* ---- all transactions ---- */

/* Is it an order of these events that each thread and each lock allows? */
static void check_witness(const char *text, const struct st_predicted_block *block) {
    struct st_event events[EVENTS];
    size_t count = parse(text, events);
    uint64_t last[9] = {0};
    uint32_t holders[26] = {0};
    for (size_t i = 0; i < block->witness_length; i++) {
        uint64_t number = block->witness[i];
        assert_true(number >= 1 && number <= count);
        const struct st_event *event = &events[number - 1];
        assert_true(last[event->thread] < number);
        last[event->thread] = number;
        if (event->op == ST_ACQUIRE) {
            assert_int_equal(holders[event->target], 0);
            holders[event->target] = event->thread + 1;
        } else if (event->op == ST_RELEASE) {
            assert_int_equal(holders[event->target], event->thread + 1);
            holders[event->target] = 0;
        }
    }
}

/* Example (6). */
static void a_ring_of_three_takes_theorem_5(void **state) {
    const char *text = "T1.begin T1.w(x) T1.w(y) T1.end T2.begin T2.r(x) T2.w(z) T2.end "
                       "T3.begin T3.r(z) T3.r(y) T3.end";
    (void)state;
    assert_false(finds(text, ONE_VARIABLE));
    assert_false(finds(text, TWO_VARIABLES));
    struct st_prediction prediction = predict(text, (struct how){.depth = EXACT});
    assert_int_equal(prediction.atomic, ST_NOT_SERIALIZABLE);
    assert_true(prediction.by[ST_BLOCK_VIOLATION] > 0);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_int_equal(block->verdict, ST_BLOCK_VIOLATION);
    assert_non_null(strstr(block->why, "together are not atomic"));
    assert_int_equal(block->witness_length, 6);
    check_witness(text, block);
    assert_int_equal(block->path_length, 3);
    assert_int_equal(prediction.caveat_count, 1);
    assert_non_null(strstr(prediction.caveats[0], "What reads see"));
    st_prediction_free(&prediction);
}

/* Pairs of transactions are not all: units outside carry order, too. */
static void order_outside_of_transactions_takes_theorem_5(void **state) {
    const char *text = "T1.w(x) T2.begin T2.w(y) T3.r(y) T3.r(x) T2.r(x) T2.end";
    (void)state;
    assert_false(finds(text, TWO_VARIABLES));
    assert_true(finds(text, EXACT));
}

/* The two parts share no variable and no lock; threads tie them into a ring. */
static void parts_that_order_ties_together_are_explored_together(void **state) {
    const char *text = "T1.begin T1.w(y) T3.r(y) T3.w(q) T4.r(q) T4.w(x) T1.r(x) T1.end";
    (void)state;
    assert_true(finds(text, EXACT));
    assert_false(finds("T1.begin T1.w(y) T3.r(y) T3.w(q) T4.w(x) T4.r(q) T1.r(x) T1.end", EXACT));
}

static void equal_transactions_are_all_explored(void **state) {
    (void)state;
    assert_false(finds("T1.begin T1.acq(l) T1.r(x) T1.w(x) T1.rel(l) T1.end "
                       "T2.begin T2.acq(l) T2.r(x) T2.w(x) T2.rel(l) T2.end "
                       "T1.begin T1.acq(l) T1.r(x) T1.w(x) T1.rel(l) T1.end "
                       "T2.begin T2.acq(l) T2.r(x) T2.w(x) T2.rel(l) T2.end",
                       EXACT));
}

/* ---- locks outside of transactions ---- */

static void a_lock_that_is_held_from_unit_to_unit_keeps_a_transaction_out(void **state) {
    const char *text = "T1.begin T1.acq(l) T1.rel(l) T1.w(x) T1.end "
                       "T2.acq(l) T2.r(x) T2.r(x) T2.rel(l)";
    (void)state;
    assert_true(finds(text, ONE_VARIABLE));
    assert_true(finds(text, EXACT));
    assert_false(finds("T1.begin T1.w(x) T1.end T2.acq(l) T2.r(x) T2.r(x) T2.rel(l)", EXACT));
}

static void an_empty_critical_section_between_two_accesses_matters(void **state) {
    (void)state;
    assert_false(finds("T2.begin T2.acq(l) T2.w(x) T2.r(y) T2.rel(l) T2.end "
                       "T1.r(x) T1.acq(l) T1.rel(l) T1.w(y)",
                       EXACT));
    assert_true(
        finds("T2.begin T2.acq(l) T2.w(x) T2.r(y) T2.rel(l) T2.end T1.r(x) T1.w(y)", EXACT));
}

/* ---- limits ---- */

/* Many schedules, and none of them wrong: who reads x does not read y. */
static void giving_up_is_said(void **state) {
    char text[4096] = "";
    (void)state;
    for (int i = 0; i < 12; i++)
        strcat(text, "T1.begin T1.w(x) T1.w(y) T1.end T2.begin T2.r(x) T2.end "
                     "T3.begin T3.r(y) T3.end ");
    assert_false(finds(text, EXACT));
    struct st_prediction prediction = predict(text, (struct how){.depth = EXACT, .timeout = 1e-9});
    assert_int_equal(prediction.by[ST_BLOCK_TIMEOUT], prediction.block_count);
    assert_int_equal(prediction.atomic, ST_UNDECIDED);
    st_prediction_free(&prediction);
}

static void a_model_without_the_order_of_units_is_refused(void **state) {
    struct st_model *model = model_of("T1.begin T1.r(x) T1.w(x) T1.end T2.r(x)", false);
    struct st_predict_options options = {0};
    struct st_blocks_options own = {.exact = true};
    struct st_prediction prediction;
    (void)state;
    st_prediction_init(&prediction);
    st_blocks.run(&(struct st_run){.model = model}, &options, &own, &prediction);
    assert_int_equal(prediction.atomic, ST_UNDECIDED);
    assert_int_equal(prediction.caveat_count, 1);
    st_prediction_free(&prediction);
    st_model_free(model);
}

static void threads_of_ours_change_nothing(void **state) {
    const char *text = "T1.begin T1.w(x) T1.w(y) T1.w(z) T1.end T2.begin T2.r(x) T2.r(y) T2.end "
                       "T3.begin T3.r(z) T3.r(y) T3.r(y) T3.end T4.begin T4.r(z) T4.end";
    (void)state;
    struct st_prediction one = predict(text, (struct how){.depth = TWO_VARIABLES});
    struct st_prediction four = predict(text, (struct how){.depth = TWO_VARIABLES, .jobs = 4});
    assert_int_equal(one.listed, four.listed);
    for (size_t i = 0; i < one.listed; i++) {
        assert_int_equal(one.blocks[i].verdict, four.blocks[i].verdict);
        assert_int_equal(one.blocks[i].event_count, four.blocks[i].event_count);
        for (size_t k = 0; k < one.blocks[i].event_count; k++)
            assert_int_equal(one.blocks[i].events[k].number, four.blocks[i].events[k].number);
    }
    assert_int_equal(one.storage, four.storage);
    assert_string_equal(one.storage_unit, "blocks");
    assert_int_equal(one.by[ST_BLOCK_ATOMIC], 1);
    st_prediction_free(&one);
    st_prediction_free(&four);
}

/* The begins of the blocks that are reported, with all that is known or without something. */
static void assert_reported(const char *text, unsigned without, const char *expected) {
    struct st_event events[EVENTS];
    char begins[EVENTS] = "";
    size_t count = parse(text, events);
    struct st_model *model = model_of(text, false);
    struct st_prediction prediction;
    st_prediction_init(&prediction);
    st_blocks.run(&(struct st_run){.model = model, .events = events, .event_count = count},
                  &(struct st_predict_options){.without = without},
                  &(struct st_blocks_options){.one_variable = false}, &prediction);
    for (size_t i = 0; i < prediction.listed; i++)
        if (st_is_reported(&prediction.blocks[i]))
            snprintf(begins + strlen(begins), sizeof begins - strlen(begins), " %d",
                     (int)prediction.blocks[i].begin);
    assert_string_equal(begins, expected);
    st_prediction_free(&prediction);
    st_model_free(model);
}

/* T1 cuts T2's block between w(b) and w(a), by w(b) and r(a). If the fresh w(a) counts, r(a) sees
 * it, and is in no pair for two variables; T1 cannot make its two final writes there, because of
 * the lock. But then T2 cuts T1's block between w(a) and r(a): the run is no more atomic than
 * before, and one of the two blocks is named. */
static void without_escape_another_block_can_be_named(void **state) {
    const char *text = "T1.begin T1.w(a)* T1.acq(l) T1.rel(l) T1.w(b) T1.r(a) T1.end T1.w(c) "
                       "T2.begin T2.acq(l) T2.w(b) T2.r(c) T2.w(a) T2.rel(l)";
    (void)state;
    assert_reported(text, 0, " 1 9");
    assert_reported(text, ST_WITHOUT_ESCAPE, " 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transaction_has_the_blocks_of_the_paper),
        cmocka_unit_test(equal_blocks_are_one),
        cmocka_unit_test(a_lock_counts_only_if_it_is_held_all_the_time),
        cmocka_unit_test(each_variable_that_is_accessed_once_has_a_dummy),
        cmocka_unit_test(initial_reads_and_final_writes_make_2v_blocks),
        cmocka_unit_test(the_four_patterns_are_found),
        cmocka_unit_test(the_vector_example_is_explained),
        cmocka_unit_test(a_read_before_a_read_and_a_write_is_no_finding),
        cmocka_unit_test(figure_4_is_atomic),
        cmocka_unit_test(a_read_that_sees_its_own_write_matches_nothing),
        cmocka_unit_test(an_access_beside_another_variable_can_come_between),
        cmocka_unit_test(what_must_run_before_or_after_cannot_come_between),
        cmocka_unit_test(a_hidden_final_write_is_a_false_alarm_of_theorem_3_only),
        cmocka_unit_test(two_variables_take_two_transactions),
        cmocka_unit_test(a_lock_between_the_accesses_keeps_them_out),
        cmocka_unit_test(two_writers_in_opposite_order_are_found),
        cmocka_unit_test(a_ring_of_three_takes_theorem_5),
        cmocka_unit_test(order_outside_of_transactions_takes_theorem_5),
        cmocka_unit_test(parts_that_order_ties_together_are_explored_together),
        cmocka_unit_test(equal_transactions_are_all_explored),
        cmocka_unit_test(a_lock_that_is_held_from_unit_to_unit_keeps_a_transaction_out),
        cmocka_unit_test(an_empty_critical_section_between_two_accesses_matters),
        cmocka_unit_test(giving_up_is_said),
        cmocka_unit_test(a_model_without_the_order_of_units_is_refused),
        cmocka_unit_test(threads_of_ours_change_nothing),
        cmocka_unit_test(without_escape_another_block_can_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
