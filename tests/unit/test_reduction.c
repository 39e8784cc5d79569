/* Reduction: which blocks are reported, and why; the searches for races that it can use. */
#include "predict/reduction/ablation.h"
#include "predict/deadlock.h"
#include "predict/reduction/reduction.h"

#include "runs.h"

#define BARRIERS .order = ST_MODEL_BARRIERS
#define SECTION(t, lock, inner) t " acq " lock ", " inner ", " t " rel " lock
#define EMPTY(t, lock) t " acq " lock ", " t " rel " lock
#define UPDATE_ATOMIC(t) t " ar a, " t " jw a"
#define BLOCK(t, inner) t " begin b, " inner ", " t " end b"

/* The way of doing it that is asked for. */
struct how {
    bool as_published, online;
    unsigned without;
    enum st_race_search races;
};
#define PAIRWISE .races = ST_RACES_PAIRWISE

static struct st_run_needs needs_of(const struct st_predict_options *options,
                                    const struct st_reduction_options *own) {
    struct st_run_needs needs = {.model = {BARRIERS}};
    st_reduction.prepare(options, own, &needs);
    return needs;
}

static void predict(struct run *run, const char *text, const struct how *how,
                    struct st_prediction *prediction) {
    struct st_predict_options options = {.as_published = how->as_published};
    struct st_reduction_options own = {
        .online = how->online, .without = how->without, .races = how->races};
    struct st_run_needs needs = needs_of(&options, &own);
    make_run(run, text, &needs.model);
    st_prediction_init(prediction);
    st_reduction.run(&(struct st_run){.model = run->model}, &options, &own, prediction);
}

/* The begins of blocks that are reported: "1 7". */
static void assert_reported_with(struct how options, const char *text, const char *expected) {
    struct run run;
    struct st_prediction prediction;
    char found[256] = "", begin[16];
    predict(&run, text, &options, &prediction);
    for (size_t i = 0; i < prediction.listed; i++) {
        if (prediction.blocks[i].verdict == ST_BLOCK_ATOMIC)
            continue;
        assert_int_equal(prediction.blocks[i].verdict, ST_BLOCK_POTENTIAL);
        snprintf(begin, sizeof begin, "%s%d", *found ? " " : "", (int)prediction.blocks[i].begin);
        strcat(found, begin);
    }
    if (strcmp(found, expected) != 0)
        print_error("%s\n", text);
    assert_string_equal(found, expected);
    assert_int_equal(prediction.atomic, *expected ? ST_NOT_SERIALIZABLE : ST_SERIALIZABLE);
    st_prediction_free(&prediction);
    free_run(&run);
}

static void assert_reported(const char *text, const char *expected) {
    assert_reported_with((struct how){PAIRWISE}, text, expected);
}

static void assert_reported_without(unsigned without, const char *text, const char *expected) {
    assert_reported_with((struct how){PAIRWISE, .without = without}, text, expected);
}

/* The variables that are in a race: "x y". */
static void assert_races_with(struct how options, const char *text, const char *expected) {
    struct run run;
    struct st_prediction prediction;
    char found[256] = "";
    predict(&run, text, &options, &prediction);
    assert_true(prediction.finds_races);
    for (size_t i = 0; i < prediction.race_count; i++) {
        const struct st_predicted_race *race = &prediction.races[i];
        const struct st_event *first = &run.events[race->first.number - 1];
        const struct st_event *second = &run.events[race->second.number - 1];
        assert_true(race->first.number < race->second.number);
        assert_int_equal(first->target, race->variable);
        assert_int_equal(second->target, race->variable);
        assert_int_not_equal(first->thread, second->thread);
        assert_true(first->op == ST_WRITE || second->op == ST_WRITE);
        strcat(found, *found ? " " : "");
        strcat(found, st_name(&run.symbols.variables, race->variable));
    }
    if (strcmp(found, expected) != 0)
        print_error("%s\n", text);
    assert_string_equal(found, expected);
    st_prediction_free(&prediction);
    free_run(&run);
}

static void assert_races(const char *text, const char *expected) {
    assert_races_with((struct how){PAIRWISE}, text, expected);
}

/* ---- the form of a transaction ---- */

#define UPDATE(t) SECTION(t, "l", t " r x, " t " w x")

static void one_critical_section_is_atomic(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", UPDATE("T1")) ", " BLOCK("T2", UPDATE("T2")), "");
}

static void two_critical_sections_are_not(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", UPDATE("T1") ", " UPDATE("T1")) ", " BLOCK("T2", UPDATE("T2")),
                    "1");
    assert_reported(BLOCK("T1", UPDATE("T1") ", " UPDATE("T1")) ", T2 w y", "");
}

static void locks_that_are_all_taken_before_the_first_is_given_back(void **state) {
    (void)state;
    assert_reported(
        BLOCK("T1", "T1 acq l, T1 r x, T1 acq m, T1 w y, T1 rel l, T1 r y, T1 rel m") ", " BLOCK(
            "T2", SECTION("T2", "l", "T2 w x") ", " SECTION("T2", "m", "T2 w y")),
        "10");
}

static void one_access_that_races_may_be_in_the_middle(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", SECTION("T1", "l", "T1 w x, T1 w z, T1 w x")) ", T2 acq l, T2 w x,"
                                                                              " T2 rel l, T2 w z",
                    "");
    assert_reported(BLOCK("T1", "T1 w z, " UPDATE("T1")) ", T2 w z, " UPDATE("T2"), "1");
    assert_reported(BLOCK("T1", UPDATE("T1") ", T1 w z") ", T2 w z, " UPDATE("T2"), "1");
    assert_reported(BLOCK("T1", "T1 r z, T1 w z") ", T2 w z", "1");
    assert_reported(BLOCK("T1", "T1 w y, T1 w z") ", T2 w z, T2 w y", "1");
}

static void the_printed_form_lets_several_pass(void **state) {
    (void)state;
    struct how printed = {PAIRWISE, .as_published = true};
    assert_reported_with(printed, BLOCK("T1", "T1 r z, T1 w z") ", T2 w z", "");
    assert_reported_with(printed, BLOCK("T1", "T1 w z, " UPDATE("T1")) ", T2 w z, " UPDATE("T2"),
                         "1");
}

/* Vector(Collection) and removeAllElements of Figure 1. */
#define VECTOR                                                                                     \
    "T1 begin Vector, T1 acq v, T1 r count, T1 rel v, T1 acq v, T1 r count, T1 r data, T1 rel v, " \
    "T1 end Vector, T2 begin removeAll, T2 acq v, T2 w count, T2 w data, T2 rel v, "               \
    "T2 end removeAll"

static void the_vector_of_the_paper(void **state) {
    (void)state;
    struct run run;
    struct st_prediction prediction;
    predict(&run, VECTOR, &(struct how){PAIRWISE}, &prediction);
    assert_int_equal(prediction.by[ST_BLOCK_POTENTIAL], 1);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_string_equal(block->pattern, "RBLRBBL");
    assert_int_equal(block->event_count, 2);
    assert_int_equal(block->events[0].number, 4);
    assert_int_equal(block->events[1].number, 5);
    assert_int_equal(block->variable_count, 0);
    assert_non_null(block->why);
    assert_int_equal(prediction.race_count, 0);
    assert_int_equal(prediction.storage, 5);
    st_prediction_free(&prediction);
    free_run(&run);
}

static void a_race_is_told_with_its_other_side(void **state) {
    (void)state;
    struct run run;
    struct st_prediction prediction;
    predict(&run, "T1 begin b, T1 r z, T1 w z, T1 end b, T2 w z", &(struct how){PAIRWISE},
            &prediction);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_string_equal(block->pattern, "NN");
    assert_int_equal(block->event_count, 3);
    assert_int_equal(block->events[0].number, 2);
    assert_int_equal(block->events[1].number, 5);
    assert_int_equal(block->events[2].number, 3);
    assert_int_equal(block->variable_count, 1);
    assert_string_equal(st_name(&run.symbols.variables, block->variables[0]), "z");
    st_prediction_free(&prediction);
    free_run(&run);
}

/* The lock that makes an operation atomic has no name: what is told is the access. */
static void an_atomic_operation_is_told_as_an_access(void **state) {
    (void)state;
    const struct how options = {PAIRWISE};
    struct run run;
    struct st_prediction prediction;
    predict(&run,
            BLOCK("T1", UPDATE_ATOMIC("T1") ", " UPDATE_ATOMIC("T1")) ", " UPDATE_ATOMIC("T2"),
            &options, &prediction);
    assert_int_equal(prediction.listed, 1);
    const struct st_predicted_block *block = &prediction.blocks[0];
    assert_int_equal(block->verdict, ST_BLOCK_POTENTIAL);
    assert_int_equal(block->event_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct st_event *event = &run.events[block->events[i].number - 1];
        assert_int_equal(block->events[i].event.op, event->op);
        assert_int_equal(block->events[i].event.target, event->target);
    }
    assert_int_equal(block->events[0].event.op, ST_WRITE);
    assert_int_equal(block->events[1].event.op, ST_READ);
    st_prediction_free(&prediction);
    free_run(&run);
}

/* modCount++ of 8.2, while another thread reads it: atomic, but there is a race on the variable. */
static void the_false_alarm_of_the_paper(void **state) {
    (void)state;
    struct how multilockset = {.races = ST_RACES_MULTILOCKSET};
    const char *text = BLOCK("T1", "T1 r m, T1 w m") ", " BLOCK("T2", "T2 r m");
    assert_reported_with(multilockset, text, "1");
    assert_reported(text, "");
    assert_races(text, "m");
    assert_reported(BLOCK("T1", "T1 r m, T1 w m") ", " BLOCK("T2", "T2 r m, T2 w m"), "1 5");
}

/* ---- locks ---- */

static void reentrant_acquires_are_no_obstacle(void **state) {
    (void)state;
    const char *text = BLOCK(
        "T1", SECTION("T1", "l", EMPTY("T1", "l") ", T1 w x, " EMPTY("T1", "l"))) ", " UPDATE("T2");
    assert_reported(text, "");
    assert_reported_without(ST_WITHOUT_REENTRANT, text, "1");
}

#define TWICE(t) SECTION(t, "l", SECTION(t, "m", t " w x") ", " SECTION(t, "m", t " w x"))

static void nor_are_locks_of_one_thread(void **state) {
    (void)state;
    const char *text = EMPTY("T1", "m") ", " BLOCK("T1", TWICE("T1")) ", " UPDATE("T2");
    assert_reported(text, "");
    assert_reported_without(ST_WITHOUT_THREAD_LOCAL, text, "3");
}

static void nor_are_locks_that_threads_use_one_after_the_other(void **state) {
    (void)state;
    const char *text = EMPTY("T0", "m") ", T0 fork T1, " BLOCK("T1", TWICE("T1")) ", " UPDATE("T2");
    assert_reported(text, "");
    assert_reported_without(ST_WITHOUT_HAPPEN_BEFORE, text, "4");
    assert_reported_without(ST_WITHOUT_THREAD_LOCAL, text, "4");
}

/* T2 waits for the lock that T1 holds when it forks T2. */
static void a_lock_is_used_until_it_is_given_back(void **state) {
    (void)state;
    assert_reported("T1 acq m, T1 fork T2, T2 begin b, T2 r x, T1 w x, T1 rel m, T2 acq m, "
                    "T2 rel m, T2 end b",
                    "3");
}

static void nor_are_protected_locks(void **state) {
    (void)state;
    const char *text = BLOCK("T1", TWICE("T1")) ", " BLOCK("T2", TWICE("T2"));
    assert_reported(text, "");
    assert_reported_without(ST_WITHOUT_PROTECTED, text, "1 11");
    assert_reported(BLOCK("T1", TWICE("T1")) ", " BLOCK("T2", TWICE("T2")) ", " EMPTY("T2", "m"),
                    "1 11");
}

/* ---- AcqA*Rel ---- */

static void critical_sections_without_what_matters_are_left_out(void **state) {
    (void)state;
    const char *text = BLOCK(
        "T1",
        SECTION(
            "T1", "l",
            "T1 w private, T1 r constant") ", T1 w z") ", T2 r constant, T2 w z, " BLOCK("T2",
                                                                                         EMPTY(
                                                                                             "T2",
                                                                                             "l"));
    assert_reported(text, "");
    assert_reported_without(ST_WITHOUT_SECTIONS, text, "1");
    assert_reported(BLOCK("T1", SECTION("T1", "l", "T1 w y") ", T1 w z") ", T2 w z, " BLOCK(
                        "T2", SECTION("T2", "l", "T2 w y")),
                    "1");
}

static void also_those_that_contain_such_sections(void **state) {
    (void)state;
    const char *text = BLOCK(
        "T1",
        "T1 w z, " SECTION(
            "T1", "l",
            EMPTY("T1", "m") ", T1 w private, " EMPTY(
                "T1", "m"))) ", T2 w z, " BLOCK("T2",
                                                EMPTY("T2", "l")) ", " BLOCK("T2",
                                                                             EMPTY("T2", "m"));
    assert_reported(text, "");
    assert_reported_without(ST_WITHOUT_SECTIONS, text, "1");
}

static void not_those_of_a_lock_that_is_held_between_units(void **state) {
    (void)state;
    const char *text =
        SECTION("T1", "l", "T1 w x, T1 w x") ", " BLOCK("T2", EMPTY("T2", "l") ", T2 r x");
    assert_reported(text, "5");
    assert_reported_with((struct how){PAIRWISE, .as_published = true}, text, "");
    assert_reported(SECTION("T1", "l", "T1 w x") ", " BLOCK("T2", EMPTY("T2", "l") ", T2 r x"), "");
}

/* T1 cannot wait with l until it gets to w(x), because it needs m before T2 has it. So l is held
 * between units, although it is taken for one access only. */
static void nor_of_one_that_cannot_be_taken_later(void **state) {
    (void)state;
    assert_reported(SECTION("T1", "l", EMPTY("T1", "m") ", T1 w x") ", " SECTION(
                        "T2", "m", "T2 w x, T2 w x") ", " BLOCK("T3", EMPTY("T3", "l") ", T3 r x"),
                    "10");
}

static void locks_around_a_block_are_not_part_of_it(void **state) {
    (void)state;
    assert_reported(SECTION("T1", "l", EMPTY("T1", "m") ", " BLOCK("T1", "T1 w x")) ", T2 r x, "
                                                                                    "T2 acq m, "
                                                                                    "T2 w x, "
                                                                                    "T2 w x, "
                                                                                    "T2 rel m",
                    "");
}

/* ---- atomic operations ---- */

static void an_atomic_operation_is_one_step(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", "T1 ar c, T1 jw c") ", " BLOCK("T2", "T2 ar c, T2 jw c"), "");
    assert_reported(BLOCK("T1", "T1 ar c, T1 jw c, T1 ar c, T1 jw c") ", T2 ar c, T2 jw c", "1");
}

/* c = c + 1: the load and the store are one behind the other, too. */
static void a_load_and_a_store_are_two_steps(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", "T1 ar c, T1 aw c") ", " BLOCK("T2", "T2 ar c, T2 aw c"), "1 5");
    assert_reported(BLOCK("T1", "T1 ar c, T1 aw c") ", " BLOCK("T2", "T2 ar c, T2 jw c"), "1");
}

/* A number of two bytes, which are told apart because somebody looks at one alone. */
static void an_atomic_operation_on_several_variables_is_one_step(void **state) {
    (void)state;
    const char *text = BLOCK("T1", "T1 ar c, T1 jr d, T1 jw c, T1 jw d") ", " BLOCK(
        "T2", "T2 aw c, T2 jw d") ", " BLOCK("T3", "T3 ar d");
    assert_reported(text, "");
    assert_reported(BLOCK("T1", "T1 ar c, T1 ar d") ", " BLOCK("T2", "T2 aw c, T2 jw d"), "1");
}

static void atomic_accesses_are_no_data_races_but_do_not_move(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", "T1 ar c, T1 ar c") ", T2 aw c", "1");
    assert_races("T1 ar c, T2 aw c", "");
    assert_races("T1 r c, T2 aw c", "c");
}

/* ---- races ---- */

static void pairs_race_when_nothing_keeps_them_apart(void **state) {
    (void)state;
    assert_races("T1 w x, T2 r x, T2 r y, T1 r y", "x");
    assert_races(UPDATE("T1") ", " UPDATE("T2"), "");
    assert_races(UPDATE("T1") ", T2 r x", "x");
    assert_races("T1 w x, T1 fork T2, T2 w x, T1 join T2, T1 w x", "");
    assert_races("T1 fork T2, T1 w x, T2 w x", "x");
    assert_races("T1 w x, T1 snd c, T2 snd c, T1 rcv c, T2 rcv c, T2 w x", "");
    assert_races_with((struct how){PAIRWISE, .without = ST_WITHOUT_HAPPEN_BEFORE},
                      "T1 w x, T1 fork T2, T2 w x", "x");
}

/* Figure 4, where x has escaped before: it counts from the first access on. */
#define FIGURE_4_T1 SECTION("T1", "o1", SECTION("T1", "o2", "T1 w x, T1 w x"))
#define FIGURE_4_T2 SECTION("T2", "o2", "T2 r x")
#define FIGURE_4_T3 SECTION("T3", "o1", "T3 r x")
#define FIGURE_4_T4 "T4 r x, " SECTION("T4", "o1", SECTION("T4", "o2", "T4 w x"))

static void readers_that_share_no_lock_with_each_other(void **state) {
    (void)state;
    const char *text = FIGURE_4_T3 ", " FIGURE_4_T2 ", " FIGURE_4_T1;
    assert_races(text, "");
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET}, text, "");
    assert_races_with((struct how){.races = ST_RACES_ERASER, .without = ST_WITHOUT_ESCAPE}, text,
                      "x");
    assert_races_with(
        (struct how){PAIRWISE, .without = ST_WITHOUT_MULTILOCKSET | ST_WITHOUT_ESCAPE}, text, "x");
}

/* The same, created by another thread, which does not count. */
static void a_creator_comes_before_escape(void **state) {
    (void)state;
    const char *text = "T0 w x, T0 fork T1, T0 fork T2, T0 fork T3, " FIGURE_4_T3 ", " FIGURE_4_T2
                       ", " FIGURE_4_T1;
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET}, text, "");
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET, .without = ST_WITHOUT_ESCAPE},
                      text, "x");
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET, .as_published = true}, text, "");
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET,
                                   .as_published = true,
                                   .without = ST_WITHOUT_ESCAPE},
                      text, "x");
    assert_races(text, "");
}

static void a_reader_that_is_its_own_writer(void **state) {
    (void)state;
    const char *text = FIGURE_4_T3 ", " FIGURE_4_T2 ", " FIGURE_4_T4;
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET}, text, "x");
    assert_races(text, "");
    assert_reported_with((struct how){.races = ST_RACES_MULTILOCKSET},
                         FIGURE_4_T3 ", " FIGURE_4_T2 ", " BLOCK("T4", FIGURE_4_T4), "7");
    assert_reported(FIGURE_4_T3 ", " FIGURE_4_T2 ", " BLOCK("T4", FIGURE_4_T4), "");
}

static void read_sets_are_minimal(void **state) {
    (void)state;
    struct how multilockset = {.races = ST_RACES_MULTILOCKSET};
    assert_races_with(multilockset,
                      SECTION("T1", "l", "T1 w x") ", " SECTION("T2", "l", "T2 r x") ", T2 r x",
                      "x");
    assert_races_with(multilockset,
                      "T2 r x, " SECTION("T2", "l", "T2 r x") ", " SECTION("T1", "l", "T1 w x"),
                      "x");
    assert_races_with(multilockset,
                      SECTION("T2", "m", SECTION("T2", "l", "T2 r x")) ", " SECTION(
                          "T2", "l", "T2 r x") ", " SECTION("T1", "l", "T1 w x"),
                      "");
}

/* The first thread to access a variable initialises it; with ownership, also the second. */
static void eraser_forgets_the_first_accesses(void **state) {
    (void)state;
    struct how eraser = {.races = ST_RACES_ERASER};
    struct how ownership = {.races = ST_RACES_OWNERSHIP};
    assert_races_with(eraser, "T1 w x, T2 r x", "");
    assert_races_with(eraser, "T1 w x, T2 w x", "x");
    assert_races_with(ownership, "T1 w x, T2 w x", "");
    assert_races_with(ownership, "T1 w x, T2 w x, T2 w x, T1 r x", "");
    assert_races_with(ownership, "T1 w x, T2 w x, T1 w x", "x");
    assert_races("T1 w x, T2 r x", "x");
}

static void eraser_knows_what_cannot_be_concurrent(void **state) {
    (void)state;
    const char *text = "T1 w x, T1 fork T2, T2 w x, T1 join T2, T1 w x";
    assert_races_with((struct how){.races = ST_RACES_ERASER}, text, "");
    assert_races_with((struct how){.races = ST_RACES_ERASER, .without = ST_WITHOUT_HAPPEN_BEFORE},
                      text, "x");
    assert_races_with((struct how){.races = ST_RACES_OWNERSHIP}, text, "x");
    assert_races_with((struct how){.races = ST_RACES_MULTILOCKSET}, text, "");
    assert_races_with(
        (struct how){.races = ST_RACES_MULTILOCKSET, .without = ST_WITHOUT_HAPPEN_BEFORE}, text,
        "x");
}

static void what_needs_variables_that_are_not_contended(void **state) {
    (void)state;
    const struct {
        struct st_reduction_options own;
        bool shared;
    } cases[] = {
        {{0}, false},
        {{PAIRWISE}, false},
        {{.without = ST_WITHOUT_HAPPEN_BEFORE}, true},
        {{.races = ST_RACES_OWNERSHIP}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct st_predict_options options = {0};
        assert_int_equal(needs_of(&options, &cases[i].own).model.keep_shared, cases[i].shared);
    }
}

/* ---- online ---- */

static void online_knows_only_what_came_before(void **state) {
    (void)state;
    struct how online = {.online = true};
    assert_reported_with(online, VECTOR, "");
    assert_reported_with(online, EMPTY("T2", "v") ", " VECTOR, "3");
    assert_reported_with(
        online, BLOCK("T1", "T1 r z, T1 w z") ", T2 w z, T1 w z, " BLOCK("T2", "T2 r z, T2 w z"),
        "7");
}

static void online_takes_the_improvements_for_locks(void **state) {
    (void)state;
    struct how online = {.online = true};
    struct how plain = {.online = true,
                        .without =
                            ST_WITHOUT_REENTRANT | ST_WITHOUT_THREAD_LOCAL | ST_WITHOUT_PROTECTED};
    const char *reentrant =
        UPDATE("T2") ", " BLOCK("T1", SECTION("T1", "l", EMPTY("T1", "l") ", " EMPTY("T1", "l")));
    const char *protected_lock = BLOCK("T1", TWICE("T1")) ", " BLOCK("T2", TWICE("T2"));
    assert_reported_with(online, reentrant, "");
    assert_reported_with(plain, reentrant, "5");
    assert_reported_with(online, protected_lock, "");
    assert_reported_with(plain, protected_lock, "1 11");
}

static void online_tells_two_events(void **state) {
    (void)state;
    struct run run;
    struct st_prediction prediction;
    predict(&run, EMPTY("T2", "v") ", " VECTOR, &(struct how){.online = true}, &prediction);
    assert_int_equal(prediction.by[ST_BLOCK_POTENTIAL], 1);
    assert_int_equal(prediction.by[ST_BLOCK_ATOMIC], 1);
    assert_string_equal(prediction.blocks[0].pattern, "L..R");
    assert_int_equal(prediction.blocks[0].event_count, 2);
    assert_int_equal(prediction.blocks[0].events[0].number, 6);
    assert_int_equal(prediction.blocks[0].events[1].number, 7);
    assert_int_equal(prediction.caveat_count, 1);
    st_prediction_free(&prediction);
    free_run(&run);
}

static void online_splits_blocks_at_forks(void **state) {
    (void)state;
    assert_reported_with(
        (struct how){.online = true},
        EMPTY("T2", "l") ", T1 begin b, " UPDATE("T1") ", T1 fork T3, " UPDATE("T1") ", T1 end b",
        "");
    assert_reported_with(
        (struct how){.online = true},
        EMPTY("T2", "l") ", T1 begin b, " UPDATE("T1") ", " UPDATE("T1") ", T1 end b", "3");
}

/* ---- patterns ---- */

static void long_patterns_are_shortened(void **state) {
    (void)state;
    struct run run;
    struct st_prediction prediction;
    char text[4096] = "T1 begin b, T1 acq l", piece[64];
    for (int i = 0; i < 40; i++) {
        snprintf(piece, sizeof piece, ", T1 w x%d", i);
        strcat(text, piece);
    }
    strcat(text, ", T1 rel l, T1 acq l, T1 rel l, T1 w z, T1 end b, T2 w z, T2 acq l");
    for (int i = 0; i < 40; i++) {
        snprintf(piece, sizeof piece, ", T2 w x%d", i);
        strcat(text, piece);
    }
    strcat(text, ", T2 rel l");
    predict(&run, text, &(struct how){PAIRWISE, .without = ST_WITHOUT_SECTIONS}, &prediction);
    assert_string_equal(prediction.blocks[0].pattern, "RB+LRLN");
    st_prediction_free(&prediction);
    free_run(&run);
}

/* ---- what each improvement is worth ---- */

static void assert_rows(const char *text, const char *expected) {
    struct run shared, run;
    struct st_ablation_row rows[ST_ABLATION_ROWS];
    char found[256] = "", piece[64];
    const struct st_predict_options options = {0};
    struct st_model_options plain =
        needs_of(&options, &(struct st_reduction_options){.ablation = true}).model;
    make_run(&run, text, &plain);
    plain.keep_shared = true;
    make_run(&shared, text, &plain);
    st_ablation_find(shared.model, run.model, rows);
    for (int i = 0; i < ST_ABLATION_ROWS; i++) {
        snprintf(piece, sizeof piece, "%s%d/%d", i ? " " : "", (int)rows[i].reported_blocks,
                 (int)rows[i].racy_variables);
        strcat(found, piece);
        assert_true(rows[i].reported_names <= rows[i].reported_blocks);
        assert_true(rows[i].seconds >= 0);
    }
    assert_string_equal(found, expected);
    free_run(&shared);
    free_run(&run);
}

/* Reported blocks and racy variables: none, escape, happen-before, multilockset, AcqA*Rel, and our
 * two. */
static void each_improvement_removes_its_false_alarm(void **state) {
    (void)state;
    const char *one_after_the_other = "T1 w x, T1 fork T2, T2 begin b, T2 r x, T2 w x, T2 end b, "
                                      "T1 join T2, T1 begin b, T1 r x, T1 w x, T1 end b";
    assert_rows(one_after_the_other, "2/1 2/1 0/0 0/0 0/0 0/0 0/0");
    const char *readers =
        "T0 w x, T0 fork T1, T0 fork T2, T0 fork T3, " FIGURE_4_T3 ", " FIGURE_4_T2 ", " FIGURE_4_T3
        ", T1 begin b, " FIGURE_4_T1 ", T1 end b";
    assert_rows(readers, "1/1 1/1 1/1 0/0 0/0 0/0 0/0");
    const char *empty_sections = "T0 w z, T0 fork T1, T0 fork T2, "
                                 "T1 begin b, T1 acq l, T1 rel l, T1 w z, T1 end b, "
                                 "T2 begin b, T2 acq l, T2 rel l, T2 w z, T2 end b";
    assert_rows(empty_sections, "2/1 2/1 2/1 2/1 0/1 0/1 0/1");
    const char *own_reader = FIGURE_4_T3 ", " FIGURE_4_T2 ", T4 begin b, " FIGURE_4_T4 ", T4 end b";
    assert_rows(own_reader, "1/1 1/1 1/1 1/1 1/1 1/1 0/0");
}

/* The rows of the paper do not count the first write of x, and so find one access that races in
 * T2's block, or none; but both can be cut off from each other by T1. */
static void rows_of_the_paper_can_miss(void **state) {
    (void)state;
    assert_rows("T2 begin b, T2 w x, T1 begin a, T1 r x, T1 end a, T1 begin a, T1 r y, T1 end a, "
                "T2 w y, T2 end b",
                "0/0 0/1 0/1 0/0 0/0 1/2 1/2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_critical_section_is_atomic),
        cmocka_unit_test(two_critical_sections_are_not),
        cmocka_unit_test(locks_that_are_all_taken_before_the_first_is_given_back),
        cmocka_unit_test(one_access_that_races_may_be_in_the_middle),
        cmocka_unit_test(the_printed_form_lets_several_pass),
        cmocka_unit_test(the_vector_of_the_paper),
        cmocka_unit_test(a_race_is_told_with_its_other_side),
        cmocka_unit_test(the_false_alarm_of_the_paper),
        cmocka_unit_test(reentrant_acquires_are_no_obstacle),
        cmocka_unit_test(nor_are_locks_of_one_thread),
        cmocka_unit_test(nor_are_locks_that_threads_use_one_after_the_other),
        cmocka_unit_test(a_lock_is_used_until_it_is_given_back),
        cmocka_unit_test(nor_are_protected_locks),
        cmocka_unit_test(critical_sections_without_what_matters_are_left_out),
        cmocka_unit_test(also_those_that_contain_such_sections),
        cmocka_unit_test(not_those_of_a_lock_that_is_held_between_units),
        cmocka_unit_test(nor_of_one_that_cannot_be_taken_later),
        cmocka_unit_test(locks_around_a_block_are_not_part_of_it),
        cmocka_unit_test(an_atomic_operation_is_one_step),
        cmocka_unit_test(a_load_and_a_store_are_two_steps),
        cmocka_unit_test(an_atomic_operation_on_several_variables_is_one_step),
        cmocka_unit_test(atomic_accesses_are_no_data_races_but_do_not_move),
        cmocka_unit_test(pairs_race_when_nothing_keeps_them_apart),
        cmocka_unit_test(readers_that_share_no_lock_with_each_other),
        cmocka_unit_test(a_creator_comes_before_escape),
        cmocka_unit_test(a_reader_that_is_its_own_writer),
        cmocka_unit_test(read_sets_are_minimal),
        cmocka_unit_test(eraser_forgets_the_first_accesses),
        cmocka_unit_test(eraser_knows_what_cannot_be_concurrent),
        cmocka_unit_test(what_needs_variables_that_are_not_contended),
        cmocka_unit_test(online_knows_only_what_came_before),
        cmocka_unit_test(online_takes_the_improvements_for_locks),
        cmocka_unit_test(online_tells_two_events),
        cmocka_unit_test(online_splits_blocks_at_forks),
        cmocka_unit_test(long_patterns_are_shortened),
        cmocka_unit_test(an_atomic_operation_is_told_as_an_access),
        cmocka_unit_test(each_improvement_removes_its_false_alarm),
        cmocka_unit_test(rows_of_the_paper_can_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
