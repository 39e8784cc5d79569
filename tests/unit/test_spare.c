/* Models that leave out what they can, as if memory were short. */
#include "predict/model/spare/crossings.h"
#include "predict/run.h"

#include "runs.h"

static struct st_run_needs sparse_needs(void) {
    return (struct st_run_needs){.model = {.data = true, .ends_only = true, .may_be_sparse = true},
                                 .sparse = true};
}

static struct st_run *make_with(struct run *text, const struct st_run_needs *needs,
                                const char *events) {
    parse_run(text, events);
    struct st_run *run = st_run_of_events(needs, text->events, text->count);
    assert_true(run->model->sparse);
    return run;
}

static struct st_run *make_sparse(struct run *text, const char *events) {
    const struct st_run_needs needs = sparse_needs();
    return make_with(text, &needs, events);
}

static struct st_run *make_narrow(struct run *text, const char *events) {
    struct st_run_needs needs = sparse_needs();
    needs.narrow = true;
    struct st_run *run = make_with(text, &needs, events);
    assert_true(run->model->has_gaps);
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

/* Only a is open: b and c can be cut nowhere. */
static const char one_open_block[] =
    "M fork A, M fork B,"
    "B begin b, B acq l, B w x, B rel l, B end b,"
    "B begin c, B acq m, B w y, B rel m, B end c,"
    "A begin a, A acq l, A r x, A rel l, A acq l, A w x, A rel l, A end a,"
    "A begin c, A acq m, A w y, A rel m, A end c";

static void test_an_open_block_is_kept_and_pieces_of_all(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run = make_sparse(&text, one_open_block);
    assert_int_equal(run->model->instance_count, 1);
    assert_int_equal(run->model->unit_count, 1);
    assert_int_equal(run->model->pieces->count, 4); /* each access, but for one read */
    assert_false(run->model->has_gaps);
    assert_int_equal(run->model->units[run->model->instances[0].unit].block,
                     number(&text.symbols.blocks, "a"));
    assert_guarded(&text, run, "b", 1);
    assert_guarded(&text, run, "c", 2);
    end(&text, run);
}

static void test_if_that_is_too_much_pieces_of_what_it_meets_are_kept(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run = make_narrow(&text, one_open_block);
    assert_int_equal(run->model->instance_count, 1);
    assert_int_equal(run->model->unit_count, 1);
    assert_int_equal(run->model->pieces->count, 2); /* the writes of x */
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
    assert_int_equal(run->model->unit_count, 1);
    assert_int_equal(run->model->pieces->count, 2);
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

static void test_pieces_reach_from_the_first_unit_like_them_to_the_last(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run =
        make_sparse(&text, "M fork A, M fork B, A begin a, A w x, A w y, A end a,"
                           "B begin b, B r x, B r x, B end b, B begin b, B r x, B r y, B end b");
    const struct st_piece_table *pieces = run->model->pieces;
    const struct st_piece *read_x = NULL;
    struct st_piece_range x = st_pieces_of(pieces, number(&text.symbols.variables, "x"));
    for (size_t i = x.first; i < x.end; i++)
        if (!pieces->items[i].writes)
            read_x = &pieces->items[i];
    assert_int_equal(x.end - x.first, 2);
    assert_non_null(read_x);
    assert_int_equal(read_x->begin, 7);
    assert_int_equal(read_x->number, 8);
    assert_int_equal(read_x->end, 14);
    end(&text, run);
}

/* Of thread A's crossings to B, those that count: where each leaves and enters. */
static void test_of_crossings_only_those_are_kept_that_lead_further(void **state) {
    static struct run text;
    (void)state;
    struct st_run *run = make_sparse(
        &text, "M fork A, M fork B,"
               "B begin b, B r x, B r y, B end b,"                                    /* 3 .. 6 */
               "A begin a, A w x, A w y, A end a,"                                    /* 7 .. 10 */
               "B begin b, B r z, B r y, B end b,"                                    /* 11 .. 14 */
               "A begin a, A w z, A w y, A w v, A end a,"                             /* 15 .. 19 */
               "B begin b, B r v, B r z, B end b, A begin a, A w v, A w z, A end a"); /* 20 .. 27 */
    const struct st_crossings *crossings = run->model->crossings;
    const struct st_piece_group *groups = run->model->pieces->groups;
    uint32_t writer = (uint32_t)number(&text.symbols.threads, "A");
    size_t lists = 0;
    for (size_t i = 0; i < crossings->list_count; i++) {
        const struct st_crossing_list *list = &crossings->lists[i];
        if (groups[list->from].thread != writer)
            continue;
        lists++;
        assert_int_equal(list->count, 2); /* by y, and by z, which is no worse than v */
        assert_int_equal(list->items[0].end, 19);
        assert_int_equal(list->items[0].begin, 3);
        assert_int_equal(list->items[1].end, 27);
        assert_int_equal(list->items[1].begin, 11);
        assert_ptr_equal(st_crossing_from(list, 19), &list->items[0]);
        assert_ptr_equal(st_crossing_from(list, 20), &list->items[1]);
        assert_null(st_crossing_from(list, 28));
    }
    assert_int_equal(lists, 1);
    end(&text, run);
}

/* What is judged while the trace is read. */
struct portions {
    size_t count, blocks;
};

/* A portion can end between two batches. */
static struct st_run *feed_one_by_one(const struct run *text, const struct st_run_needs *needs) {
    struct st_run *run = st_run_new(needs);
    while (st_run_wants_pass(run)) {
        for (size_t i = 0; i < text->count; i++)
            st_run_feed(run, &text->events[i], 1, i + 1);
        st_run_end_pass(run);
    }
    return run;
}

static void count_portion(void *context, const struct st_run *run) {
    struct portions *portions = context;
    assert_true(run->is_portion);
    portions->count++;
    portions->blocks += run->model->instance_count;
}

static const char three_blocks[] =
    "M fork A, M fork B, A begin a, A w x, A w y, A end a,"
    "B begin b, B r x, B r y, B end b, A begin a, A r y, A w y, A end a";

static void test_blocks_are_judged_in_portions(void **state) {
    static struct run text;
    struct portions portions = {0};
    struct st_run_needs needs = sparse_needs();
    (void)state;
    needs.portion = 1;
    needs.judge = count_portion;
    needs.judge_context = &portions;
    parse_run(&text, three_blocks);
    struct st_run *run = feed_one_by_one(&text, &needs);
    assert_int_equal(portions.count, 3);
    assert_int_equal(portions.blocks, 3);
    assert_false(run->is_portion);
    assert_int_equal(run->model->instance_count, 0);
    end(&text, run);
}

static void test_parts_of_a_block_wait_for_the_last_portion(void **state) {
    static struct run text;
    struct portions portions = {0};
    struct st_run_needs needs = sparse_needs();
    (void)state;
    needs.portion = 1;
    needs.judge = count_portion;
    needs.judge_context = &portions;
    parse_run(&text,
              "M fork A, A begin a, A w x, A fork B, B begin b, B r y, B r z, B end b, A w y, "
              "A w z, A end a");
    struct st_run *run = feed_one_by_one(&text, &needs);
    assert_int_equal(portions.blocks, 1);
    assert_int_equal(run->model->instance_count, 2);
    end(&text, run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_locks_guard_every_block_no_unit_is_kept),
        cmocka_unit_test(test_an_open_block_is_kept_and_pieces_of_all),
        cmocka_unit_test(test_if_that_is_too_much_pieces_of_what_it_meets_are_kept),
        cmocka_unit_test(test_pieces_reach_from_the_first_unit_like_them_to_the_last),
        cmocka_unit_test(test_of_crossings_only_those_are_kept_that_lead_further),
        cmocka_unit_test(test_blocks_are_judged_in_portions),
        cmocka_unit_test(test_parts_of_a_block_wait_for_the_last_portion),
        cmocka_unit_test(test_a_lock_that_somebody_does_without_guards_nothing),
        cmocka_unit_test(test_what_is_done_before_others_exist_needs_no_lock),
        cmocka_unit_test(test_sections_that_overlap_are_not_taken_for_guards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
