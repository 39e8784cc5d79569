/* How the model of a run keeps its units small. */
#include "predict/commit/narrow_locks.h"
#include "predict/model/spots.h"
#include "runs.h"

enum { LISTS = 300, LONGEST = 40 };

/* Numbers near to each other and far apart, and locations that come again. */
static struct st_seen_token token_at(size_t list, size_t i) {
    uint64_t step = i % 7 == 3 ? UINT64_C(1) << list % 40 : i % 5;
    return (struct st_seen_token){.number = (list + 1) * 1000 + i * 300 + step,
                                  .loc = i % 3 ? i % 11 : UINT64_C(0xffffffffffff) - list};
}

static struct st_seen_token *make_list(size_t list, size_t count) {
    struct st_seen_token *tokens = calloc(count + 1, sizeof *tokens);
    for (size_t i = 0; i < count; i++) {
        tokens[i] = token_at(list, i);
        if (i && tokens[i].number < tokens[i - 1].number)
            tokens[i].number = tokens[i - 1].number; /* two steps of one event */
    }
    return tokens;
}

static void where_tokens_were_seen_comes_back(void **state) {
    struct st_spots spots;
    size_t begins[LISTS];
    (void)state;
    st_spots_init(&spots);
    for (size_t list = 0; list < LISTS; list++) {
        struct st_seen_token *tokens = make_list(list, list % LONGEST);
        begins[list] = st_spots_add(&spots, tokens, list % LONGEST);
        free(tokens);
    }
    for (size_t list = 0; list < LISTS; list++) {
        struct st_seen_token *tokens = make_list(list, list % LONGEST);
        for (uint32_t i = 0; i < list % LONGEST; i++) {
            struct st_spot spot = st_spot_of(&spots, begins[list], i);
            assert_true(spot.number == tokens[i].number && spot.loc == tokens[i].loc);
        }
        free(tokens);
    }
    st_spots_free(&spots);
}

/* Variable v is accessed by thread 0 with locks v .. v + 2, and by thread 1 with v + 1 .. v + 3. */
static void locks_that_one_thread_holds_do_not_matter(void **state) {
    enum { VARIABLES = 500 };
    static struct st_narrow_locks locks;
    struct st_locksets sets, narrow;
    (void)state;
    st_locksets_init(&sets);
    st_locksets_init(&narrow);
    st_narrow_locks_init(&locks, VARIABLES, &sets, &narrow);
    for (uint32_t i = 0; i < VARIABLES; i++)
        for (uint32_t thread = 0; thread < 2; thread++) {
            uint32_t held[] = {i + thread + 2, i + thread, i + thread + 1};
            st_narrow_locks_note(&locks, i, st_lockset_of(&sets, held, 3), thread);
        }
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < VARIABLES; i++) {
            uint32_t held[] = {i, i + 1, i + 2}, both[] = {i + 1, i + 2};
            uint32_t found = st_narrow_lockset(&locks, i, st_lockset_of(&sets, held, 3));
            assert_int_equal(found, st_lockset_of(&narrow, both, 2));
            assert_int_equal(st_narrow_lockset(&locks, i, 0), 0);
        }
    st_narrow_locks_free(&locks);
    st_locksets_free(&sets);
    st_locksets_free(&narrow);
}

/* Which of the variables a, b, c, ... in the text are inner? They appear in this order. */
static void assert_inner(const char *text, const char *inner) {
    static struct run run;
    const struct st_model_options options = {.ends_only = true, .data = true};
    char found[32] = "";
    make_run(&run, text, &options);
    for (size_t i = 0; i < run.symbols.variables.count; i++)
        if (run.model->variables[i].inner)
            strcat(found, st_name(&run.symbols.variables, (uint32_t)i));
    assert_string_equal(found, inner);
    free_run(&run);
}

static void variables_between_neighbours_are_inner(void **state) {
    (void)state;
    assert_inner("T1 w a, T1 w b, T1 w c, T1 w d, T2 r a, T2 r b, T2 r c, T2 r d, T2 acq l", "bc");
    assert_inner("T1 w a, T1 w b, T1 w c", "b"); /* the trace may end with the last one */
    assert_inner("T1 w a, T1 w b, T2 r a, T2 r b, T2 acq l", "");
}

static void one_access_without_its_neighbours_is_enough_not_to_be(void **state) {
    static const char row[] = "T1 w a, T1 w b, T1 w c, T1 w d, T1 acq l, T1 rel l, ";
    static const struct {
        const char *more, *inner;
    } cases[] = {
        {"T2 r a, T2 r b, T2 r c, T2 r d", "bc"},
        {"T2 r b", ""},                                         /* alone */
        {"T2 r c, T2 r d", ""},                                 /* a part of it: a-b and c-d */
        {"T2 r a, T2 r b, T2 r c", "b"},                        /* without the last */
        {"T2 r b, T2 r c, T2 r d", "c"},                        /* without the first */
        {"T2 r d, T2 r c, T2 r b, T2 r a", ""},                 /* backwards */
        {"T2 r a, T2 r b, T2 w c, T2 w d", ""},                 /* reads and writes */
        {"T2 r a, T3 r b, T3 r c, T3 r d", "c"},                /* another thread */
        {"T2 r a, T2 r b, T3 r a, T2 r c, T2 r d, T3 r b", ""}, /* the same in between */
        {"T2 r a, T2 r b, T2 acq l, T2 r c, T2 r d", ""},       /* another event */
        {"T2 ar a, T2 ar b, T2 ar c, T2 ar d", ""},             /* atomic */
        {"T2 fr a, T2 fr b, T2 fr c, T2 fr d", "bc"},           /* all are fresh memory */
        {"T2 fr a, T2 fr b, T2 r c, T2 r d", ""},               /* some are */
        {"T2 r a, T2 r b, T2 r c, T2 r d, T2 begin x, T2 r a, T2 r b, T2 end x", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", row, cases[i].more);
        assert_inner(text, cases[i].inner);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_tokens_were_seen_comes_back),
        cmocka_unit_test(locks_that_one_thread_holds_do_not_matter),
        cmocka_unit_test(variables_between_neighbours_are_inner),
        cmocka_unit_test(one_access_without_its_neighbours_is_enough_not_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
