/* Memory that a thread has just allocated: what others can know of it, and what not. */
#include "predict/blocks/blocks.h"
#include "runs.h"

#define FORKS "M fork A, M fork B, "

static bool is_contended(const char *text, const char *name) {
    struct run run;
    make_run(&run, text, &(struct st_model_options){0});
    bool contended = run.model->variables[number(&run.symbols.variables, name)].contended;
    free_run(&run);
    return contended;
}

static void assert_hidden(const char *text) {
    assert_false(is_contended(text, "node"));
}

static void assert_exposed(const char *text) {
    assert_true(is_contended(text, "node"));
}

static void a_node_that_is_filled_in_and_then_linked_is_hidden(void **state) {
    (void)state;
    assert_hidden(FORKS "A fw node, A acq l, A w head, A rel l, "
                        "B acq l, B r head, B rel l, B r node");
    assert_true(is_contended(FORKS "A fw node, A acq l, A w head, A rel l, "
                                   "B acq l, B r head, B rel l, B r node",
                             "head"));
}

static void without_a_mark_it_is_not(void **state) {
    (void)state;
    assert_exposed(FORKS "A w node, A acq l, A w head, A rel l, "
                         "B acq l, B r head, B rel l, B r node");
}

static void what_comes_after_the_mark_is_over_counts(void **state) {
    (void)state;
    assert_exposed(FORKS "A fw node, A acq l, A w head, A rel l, A w node, "
                         "B acq l, B r head, B rel l, B r node");
}

static void a_node_that_was_linked_under_the_lock_is_still_hidden(void **state) {
    (void)state;
    assert_hidden(FORKS "A begin make, A acq l, A w head, A fw node, A rel l, A end make, "
                        "B acq l, B r head, B rel l, B r node");
}

static void a_node_that_was_linked_where_others_look_without_a_lock_is_exposed(void **state) {
    (void)state;
    assert_exposed(FORKS "A begin make, A acq l, A w head, A fw node, A rel l, A end make, "
                         "B r head, B r node");
    assert_exposed(FORKS "A begin make, A w head, A fw node, A end make, B r head, B r node");
    assert_hidden(FORKS "A begin make, A fw node, A w head, A end make, B r head, B r node");
}

static void what_was_made_known_before_the_block_began_counts_in_it(void **state) {
    (void)state;
    assert_exposed(FORKS "A acq l, A w head, A begin fill, A fw node, A rel l, A end fill, "
                         "B acq l, B r head, B rel l, B r node");
    assert_hidden(FORKS "A acq l, A begin make, A w head, A fw node, A rel l, A end make, "
                        "B acq l, B r head, B rel l, B r node");
    assert_exposed(FORKS
                   "A begin make, A acq l, A w head, A begin fill, A fw node, A end fill, A rel l, "
                   "A end make, B acq l, B r head, B rel l, B r node");
    assert_hidden(FORKS
                  "A begin make, A begin link, A acq l, A w head, A end link, A fw node, A rel l, "
                  "A end make, B acq l, B r head, B rel l, B r node");
}

static void what_nobody_else_writes_makes_nothing_known(void **state) {
    (void)state;
    assert_hidden(FORKS "A w own, A begin make, A fw node, A acq l, A w head, A rel l, A end make, "
                        "B acq l, B r head, B rel l, B r node");
}

static void exposure_ends_with_a_release(void **state) {
    (void)state;
    assert_hidden(FORKS
                  "A acq l, A w flag, A rel l, A fw node, A acq l, A w head, A rel l, B r flag, "
                  "B acq l, B r head, B rel l, B r node");
}

static void exposure_ends_with_an_atomic_write(void **state) {
    (void)state;
    assert_hidden(FORKS "A w flag, A aw word, A begin make, A fw node, A acq l, A w head, A rel l, "
                        "A end make, B r flag, B acq l, B r head, B rel l, B r node");
    assert_exposed(FORKS
                   "A w flag, A ar word, A begin make, A fw node, A acq l, A w head, A rel l, "
                   "A end make, B r flag, B acq l, B r head, B rel l, B r node");
}

static void what_the_first_thread_did_alone_protects_nothing_and_harms_nothing(void **state) {
    (void)state;
    assert_hidden("M w head, " FORKS
                  "A begin make, A acq l, A w head, A fw node, A rel l, A end make, "
                  "B acq l, B r head, B rel l, B r node, M join A, M join B, M r head");
    assert_exposed("M w head, " FORKS
                   "A begin make, A acq l, A w head, A fw node, A rel l, A end make, "
                   "B acq l, B r head, B rel l, B r node, M r head, M join A, M join B");
}

static void where_threads_come_from_nowhere_no_lock_is_trusted(void **state) {
    (void)state;
    assert_exposed("A begin make, A acq l, A w head, A fw node, A rel l, A end make, B acq l, B r "
                   "head, B rel l, B r node");
}

static void hidden_accesses_are_no_part_of_units(void **state) {
    (void)state;
    struct run run;
    make_run(&run,
             FORKS "A begin make, A fw node, A acq l, A w head, A rel l, A w node, A end make, "
                   "B acq l, B r head, B rel l, B r node",
             &(struct st_model_options){0});
    size_t accesses = 0;
    for (uint32_t i = 0; i < run.model->unit_count; i++) {
        const struct st_shape *shape = st_unit_shape(run.model, i);
        for (uint32_t j = 0; run.model->units[i].transaction && j < shape->count; j++)
            accesses += st_is_access(&shape->tokens[j]);
    }
    assert_int_equal(accesses, 2);
    free_run(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_is_filled_in_and_then_linked_is_hidden),
        cmocka_unit_test(without_a_mark_it_is_not),
        cmocka_unit_test(what_comes_after_the_mark_is_over_counts),
        cmocka_unit_test(a_node_that_was_linked_under_the_lock_is_still_hidden),
        cmocka_unit_test(a_node_that_was_linked_where_others_look_without_a_lock_is_exposed),
        cmocka_unit_test(what_was_made_known_before_the_block_began_counts_in_it),
        cmocka_unit_test(what_nobody_else_writes_makes_nothing_known),
        cmocka_unit_test(exposure_ends_with_a_release),
        cmocka_unit_test(exposure_ends_with_an_atomic_write),
        cmocka_unit_test(what_the_first_thread_did_alone_protects_nothing_and_harms_nothing),
        cmocka_unit_test(where_threads_come_from_nowhere_no_lock_is_trusted),
        cmocka_unit_test(hidden_accesses_are_no_part_of_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
