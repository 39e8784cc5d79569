/* Models that leave out what they can, as if memory were short. */
#include "predict/run.h"

#include "runs.h"

static struct st_run *make_sparse(struct run *text, const char *events) {
    const struct st_run_needs needs = {
        .model = {.data = true, .ends_only = true, .may_be_sparse = true}, .sparse = true};
    parse_run(text, events);
    struct st_run *run = st_run_of_events(&needs, text->events, text->count);
    assert_true(run->model->sparse);
    return run;
}

/* So many blocks of this name are known to be atomic. */
static void assert_guarded(struct run *text, const struct st_run *run, const char *name,
                           uint64_t count) {
    size_t place = (size_t)number(&text->symbols.blocks, name) + 1;
    assert_true(place < run->model->guarded.capacity);
    assert_int_equal(run->model->guarded.items[place], count);
}

static void end(struct run *text, struct st_run *run) {
    st_run_free(run);
    st_symbols_free(&text->symbols);
}

static void test_if_locks_guard_every_block_no_unit_is_kept(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run = make_sparse(
        &text, "M fork A, M fork B,"
               "A begin a, A acq l, A r x, A acq m, A w y, A rel m, A w x, A rel l, A end a,"
               "B begin b, B acq m, B w y, B rel m, B end b,"
               "B begin b, B acq l, B w x, B rel l, B end b");
    assert_int_equal(run->model->unit_count, 0);
    assert_int_equal(run->model->instance_count, 0);
    assert_guarded(&text, run, "a", 1);
    assert_guarded(&text, run, "b", 2);
    end(&text, run);
}

static void test_an_open_block_is_kept_with_all_that_it_meets(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run =
        make_sparse(&text, "M fork A, M fork B,"
                           "B begin b, B acq l, B w x, B rel l, B end b,"
                           "B begin c, B acq m, B w y, B rel m, B end c,"
                           "A begin a, A acq l, A r x, A rel l, A acq l, A w x, A rel l, A end a,"
                           "A begin c, A acq m, A w y, A rel m, A end c");
    assert_int_equal(run->model->instance_count, 1);
    assert_int_equal(run->model->unit_count, 2); /* a, and b for its sake */
    assert_int_equal(run->model->units[run->model->instances[0].unit].block,
                     number(&text.symbols.blocks, "a"));
    assert_guarded(&text, run, "b", 1);
    assert_guarded(&text, run, "c", 2);
    end(&text, run);
}

static void test_a_lock_that_somebody_does_without_guards_nothing(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run = make_sparse(
        &text, "M fork A, M fork B,"
               "A begin a, A acq l, A r x, A w x, A rel l, A end a, B begin b, B w x, B end b");
    assert_int_equal(run->model->instance_count, 1);
    assert_int_equal(run->model->unit_count, 2);
    assert_guarded(&text, run, "b", 1); /* one access is atomic in any case */
    end(&text, run);
}

static void test_what_is_done_before_others_exist_needs_no_lock(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run = make_sparse(
        &text, "M w x, M w y, M fork A, M fork B,"
               "A begin a, A acq l, A r x, A w y, A rel l, A end a,"
               "B begin b, B acq l, B w x, B w y, B rel l, B end b, M join A, M join B, M r x");
    assert_int_equal(run->model->unit_count, 0);
    assert_guarded(&text, run, "a", 1);
    end(&text, run);
}

static void test_sections_that_overlap_are_not_taken_for_guards(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run =
        make_sparse(&text, "M fork A, M fork B,"
                           "A begin a, A acq l, A w x, A acq m, A rel l, A w y, A rel m, A end a,"
                           "B begin b, B acq l, B w x, B rel l, B acq m, B w y, B rel m, B end b");
    assert_int_equal(run->model->instance_count, 2);
    end(&text, run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_locks_guard_every_block_no_unit_is_kept),
        cmocka_unit_test(test_an_open_block_is_kept_with_all_that_it_meets),
        cmocka_unit_test(test_a_lock_that_somebody_does_without_guards_nothing),
        cmocka_unit_test(test_what_is_done_before_others_exist_needs_no_lock),
        cmocka_unit_test(test_sections_that_overlap_are_not_taken_for_guards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
