/* Predictors as values: each runs over events in memory, and says who it is. */
#include "predict/analysis.h"

#include "runs.h"

/* A write can come between two reads of the first block; the second has a variable of its own. */
#define CUT                                                                                        \
    "T2 w x, T1 begin cut, T1 r x, T1 r x, T1 end cut, T2 w x, T1 begin kept, T1 w y, T1 r y, "    \
    "T1 end kept"

static struct st_predictions predict(const struct st_predict_plan *plan, const char *text) {
    struct run run = {0};
    struct st_predictions predictions;
    parse_run(&run, text);
    st_predict_events(plan, run.events, run.count, &predictions);
    free_run(&run);
    return predictions;
}

static void each_predictor_finds_the_blocks_that_can_be_cut(void **state) {
    (void)state;
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_analysis analysis = {.predictor = st_predictors[i]};
        struct st_predict_plan plan = {.analyses = &analysis, .analysis_count = 1};
        struct st_predictions predictions = predict(&plan, CUT);
        const struct st_prediction *prediction = &predictions.items[0];
        assert_int_equal(predictions.count, 1);
        assert_string_equal(prediction->engine, st_predictors[i]->name);
        assert_non_null(prediction->notion);
        assert_non_null(prediction->method);
        assert_int_equal(prediction->block_count, 2);
        assert_int_equal(st_all_reported(prediction), 1);
        assert_int_equal(prediction->listed, 2);
        assert_true(st_is_reported(&prediction->blocks[0]));
        assert_false(st_is_reported(&prediction->blocks[1]));
        st_predictions_free(&predictions);
    }
}

/* Equal units of a period are one. T1 reads y after x, so no path leads from y back to x; it reads
 * z before and after both. */
static void order_leads_to_the_last_equal_unit_and_not_on_from_the_first(void **state) {
    const struct st_analysis analysis = {.predictor = &st_commit_node};
    struct st_predict_plan plan = {.analyses = &analysis, .analysis_count = 1};
    (void)state;
    struct st_predictions predictions = predict(
        &plan, "T1 r z, T1 r x, T1 r y, T1 r z, T2 w z, T2 begin b, T2 w y, T2 w x, T2 end b");
    assert_int_equal(predictions.items[0].by[ST_BLOCK_ATOMIC], 1);
    st_predictions_free(&predictions);
    predictions = predict(
        &plan, "T1 r z, T1 r x, T1 r y, T1 r z, T2 w z, T2 begin b, T2 w x, T2 w y, T2 end b");
    assert_int_equal(predictions.items[0].by[ST_BLOCK_POTENTIAL], 1);
    st_predictions_free(&predictions);
}

static void all_of_them_work_on_one_run(void **state) {
    struct st_analysis analyses[16];
    struct st_predict_plan plan = {.analyses = analyses, .options = {.notion = ST_NOTION_VIEW}};
    (void)state;
    for (; st_predictors[plan.analysis_count]; plan.analysis_count++)
        analyses[plan.analysis_count] =
            (struct st_analysis){.predictor = st_predictors[plan.analysis_count]};
    assert_int_equal(plan.analysis_count, st_predictor_count());
    struct st_predictions predictions = predict(&plan, CUT);
    assert_int_equal(predictions.count, plan.analysis_count);
    assert_true(predictions.deadlocks_sought);
    for (size_t i = 0; i < predictions.count; i++) {
        assert_string_equal(predictions.items[i].engine, st_predictors[i]->name);
        assert_int_equal(predictions.items[i].atomic, ST_NOT_SERIALIZABLE);
    }
    assert_string_equal(predictions.items[2].notion, "view"); /* commit-node does as it is asked */
    assert_string_equal(predictions.items[0].notion, "conflict");
    st_predictions_free(&predictions);
}

static void a_predictor_is_found_by_its_name(void **state) {
    (void)state;
    assert_ptr_equal(st_predictor_find("commit-node"), &st_commit_node);
    assert_ptr_equal(st_predictor_find("tas"), &st_tas);
    assert_null(st_predictor_find("witness"));
}

static void deadlocks_limit_what_the_model_says(void **state) {
    const char *text = "T1 acq l, T1 acq m, T1 rel m, T1 rel l, T1 begin b, T1 w x, T1 end b, "
                       "T2 acq m, T2 acq l, T2 rel l, T2 rel m";
    (void)state;
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_analysis analysis = {.predictor = st_predictors[i]};
        struct st_predict_plan plan = {.analyses = &analysis, .analysis_count = 1};
        struct st_predictions predictions = predict(&plan, text);
        assert_int_equal(predictions.deadlock_count, 1);
        assert_int_equal(predictions.items[0].may_miss, st_predictors[i] != &st_tas);
        st_predictions_free(&predictions);
    }
}

static void an_empty_trace_has_no_blocks(void **state) {
    (void)state;
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_analysis analysis = {.predictor = st_predictors[i]};
        struct st_predict_plan plan = {.analyses = &analysis, .analysis_count = 1};
        struct st_predictions predictions;
        st_predict_events(&plan, NULL, 0, &predictions);
        assert_int_equal(predictions.items[0].block_count, 0);
        assert_int_equal(predictions.items[0].atomic, ST_SERIALIZABLE);
        st_predictions_free(&predictions);
    }
}

/* ---- options ---- */

static void no_two_predictors_have_an_option_of_one_name(void **state) {
    (void)state;
    for (size_t i = 0; st_predictors[i]; i++)
        for (const struct st_option *one = st_predictors[i]->options; one->name; one++)
            for (size_t k = 0; st_predictors[k]; k++)
                for (const struct st_option *other = st_predictors[k]->options; other->name;
                     other++)
                    if (one != other)
                        assert_string_not_equal(one->name, other->name);
}

static void the_defaults_are_all_zero(void **state) {
    (void)state;
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_predictor *predictor = st_predictors[i];
        unsigned char own[256] = {0}, zero[256] = {0};
        struct st_operands operands;
        struct st_error error;
        assert_true(predictor->own_size <= sizeof own);
        assert_int_equal(st_options_parse(predictor->options, own, &operands, "predict", false, 0,
                                          NULL, "OPTIONS", NULL, &error),
                         0);
        assert_memory_equal(own, zero, sizeof own);
        st_operands_free(&operands);
    }
}

static const struct st_option *find_option(const struct st_predictor *predictor,
                                           const char *words) {
    size_t length = strcspn(words, " ");
    for (const struct st_option *option = predictor->options; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, words, length) == 0)
            return option;
    return NULL;
}

/* "without", or "without escape" */
static bool is_improvement(const struct st_predictor *predictor, const char *words) {
    if (strncmp(words, "without", 7) != 0 || !words[7])
        return predictor->improvements && strcmp(words, "without") == 0;
    for (unsigned i = 0; st_improvement_names[i]; i++)
        if (strcmp(words + 8, st_improvement_names[i]) == 0)
            return predictor->improvements & 1u << i;
    return false;
}

/* The name of an option of its own, with one of its words, or a shared option. */
static bool is_option(const struct st_predictor *predictor, const char *words) {
    const struct st_option *option = find_option(predictor, words);
    const char *word = strchr(words, ' ');
    if (!option)
        return (strcmp(words, "as-published") == 0 && predictor->as_published) ||
               is_improvement(predictor, words);
    if (!word)
        return true;
    for (size_t i = 0; st_option_choice(option, i); i++)
        if (strcmp(st_option_choice(option, i), word + 1) == 0)
            return option->kind == ST_CHOICES;
    return false;
}

static void conflicts_are_about_options_that_exist(void **state) {
    (void)state;
    for (size_t i = 0; st_predictors[i]; i++) {
        const char *const(*pair)[2] = st_predictors[i]->conflicts;
        for (; pair && (*pair)[0]; pair++) {
            assert_true(is_option(st_predictors[i], (*pair)[0]));
            assert_true(is_option(st_predictors[i], (*pair)[1]));
        }
        const struct st_predictor_table *table = st_predictors[i]->tables;
        for (; table && table->option; table++)
            assert_int_equal(find_option(st_predictors[i], table->option)->kind, ST_FLAG);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_predictor_finds_the_blocks_that_can_be_cut),
        cmocka_unit_test(order_leads_to_the_last_equal_unit_and_not_on_from_the_first),
        cmocka_unit_test(all_of_them_work_on_one_run),
        cmocka_unit_test(a_predictor_is_found_by_its_name),
        cmocka_unit_test(deadlocks_limit_what_the_model_says),
        cmocka_unit_test(an_empty_trace_has_no_blocks),
        cmocka_unit_test(no_two_predictors_have_an_option_of_one_name),
        cmocka_unit_test(the_defaults_are_all_zero),
        cmocka_unit_test(conflicts_are_about_options_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
