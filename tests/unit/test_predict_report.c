/* What is said of blocks that could be cut, from predictions made by hand. */
#include "report/formats.h"

#include "base/memory.h"
#include "finding/schedules.h"
#include "report/foreseen.h"
#include "report/load.h"
#include "report/triage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct st_symbols symbols;
    struct st_facts facts;
    struct st_repairs repairs;
    struct st_predictions predictions;
    struct st_report report;
};

static void add_prediction(struct fixture *f, const char *engine, const char *notion) {
    struct st_predictions *all = &f->predictions;
    all->items = realloc(all->items, (all->count + 1) * sizeof *all->items);
    struct st_prediction *made = &all->items[all->count++];
    st_prediction_init(made);
    made->engine = engine;
    made->notion = notion;
    made->method = "Theorem 4";
    made->seconds = 0.002;
    made->storage = 12;
    made->storage_unit = "blocks";
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    st_symbols_init(&f->symbols);
    f->facts.events = 20;
    f->facts.ops[ST_BEGIN] = 3;
    f->facts.deepest = 1;
    f->report = (struct st_report){.trace = "t.std",
                                   .symbols = &f->symbols,
                                   .facts = &f->facts,
                                   .repairs = &f->repairs,
                                   .predictions = &f->predictions};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    st_predictions_free(&f->predictions);
    st_symbols_free(&f->symbols);
    free(f);
    return 0;
}

static uint32_t number(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

static uint64_t location(struct fixture *f, const char *text) {
    return st_location_add(&f->symbols, text, strlen(text));
}

static struct st_place place(struct fixture *f, uint64_t event, const char *thread, enum st_op op,
                             const char *target, const char *loc) {
    struct st_place made = {.number = event};
    made.event.thread = number(&f->symbols.threads, thread);
    made.event.target = number(st_symbols_of(&f->symbols, op), target);
    made.event.loc = location(f, loc) & ((ST_LOC_NAME << 1) - 1);
    made.event.op = made.event.written = op;
    return made;
}

static struct st_foreseen block(struct fixture *f, const char *name, const char *thread,
                                uint64_t begin, uint64_t end, enum st_foresight foresight) {
    return (struct st_foreseen){.block = *name ? number(&f->symbols.blocks, name) : ST_NO_NAME,
                                .thread = number(&f->symbols.threads, thread),
                                .begin_loc = location(f, "a.c:1"),
                                .begin = begin,
                                .end = end,
                                .foresight = foresight};
}

static void set_events(struct st_foreseen *foreseen, const struct st_place *places, size_t count) {
    foreseen->events = st_alloc(count, sizeof *places);
    memcpy(foreseen->events, places, count * sizeof *places);
    foreseen->event_count = count;
}

static void set_variable(struct fixture *f, struct st_foreseen *foreseen, const char *name) {
    foreseen->variables = st_alloc(1, sizeof *foreseen->variables);
    foreseen->variables[0] = number(&f->symbols.variables, name);
    foreseen->variable_count = 1;
}

/* T1 reads x twice in a block, and T2 may write it in between. */
static struct st_foreseen read_twice(struct fixture *f, const char *name, uint64_t begin,
                                     enum st_foresight foresight) {
    struct st_foreseen foreseen = block(f, name, "T1", begin, begin + 5, foresight);
    const struct st_place events[] = {
        place(f, begin + 1, "T1", ST_READ, "x", "a.c:2"),
        place(f, begin + 9, "T2", ST_WRITE, "x", "b.c:7"),
        place(f, begin + 3, "T1", ST_READ, "x", "a.c:4"),
    };
    foreseen.pattern = st_strdup("R-W-R");
    set_events(&foreseen, events, 3);
    set_variable(f, &foreseen, "x");
    return foreseen;
}

static void add(struct fixture *f, struct st_foreseen foreseen) {
    st_prediction_add(&f->predictions.items[f->predictions.count - 1], &foreseen);
}

static void finish(struct fixture *f) {
    for (size_t i = 0; i < f->predictions.count; i++)
        st_prediction_finish(&f->predictions.items[i]);
    f->report.compare = f->predictions.count > 1;
}

static char *write_as(const struct st_report *report, const char *format,
                      struct st_text_style style) {
    char *text = NULL;
    size_t size, index = 0;
    FILE *file = open_memstream(&text, &size);
    while (strcmp(st_report_formats[index].name, format) != 0)
        index++;
    st_report_formats[index].write(report, style, file);
    fclose(file);
    return text;
}

static char *tell(struct fixture *f) {
    return write_as(&f->report, "text", (struct st_text_style){0});
}

static void assert_tells(struct fixture *f, const char *expected) {
    char *text = tell(f);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_says(struct fixture *f, const char *part) {
    char *text = tell(f);
    if (!strstr(text, part))
        print_error("not in it: %s\n%s", part, text);
    assert_non_null(strstr(text, part));
    free(text);
}

/* ---- Text ---- */

static void test_a_block_that_may_be_cut(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "conflict");
    add(f, read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL));
    add(f, block(f, "transfer", "T1", 12, 15, ST_FORESEEN_ATOMIC));
    finish(f);
    assert_tells(
        f,
        "t.std: 1 of 2 blocks may be cut in other schedules (blocks: Theorem 4, conflict; 20 "
        "events, 2 threads, 0 locks, 1 variable, 3 blocks)\n"
        "\n"
        "transfer may be cut, in thread T1: T2 may come in between, R-W-R on x (reported in 1 of "
        "its 2 runs).\n"
        "  In this run the steps came in another order; they may come in this:\n"
        "  event 1   T1  begins transfer  at a.c:1  and ends it with event 6\n"
        "  event 2   T1  reads x          at a.c:2\n"
        "  event 10  T2  writes x         at b.c:7  so T2 comes after transfer\n"
        "  event 4   T1  reads x          at a.c:4  still in the block, so transfer comes after "
        "T2\n"
        "  No serial order has T2's work both after and before transfer.\n");
}

static void test_equal_findings_are_told_once_with_a_count(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL));
    add(f, read_twice(f, "transfer", 21, ST_FORESEEN_POTENTIAL));
    add(f, block(f, "audit", "T2", 40, 43, ST_FORESEEN_ATOMIC));
    finish(f);
    assert_says(f, "t.std: 2 of 3 blocks may be cut in other schedules (blocks: Theorem 4, view; ");
    assert_says(f, "No serial order lets every read see the same write and leaves the same last "
                   "writes.\n"
                   "  The same holds for 2 blocks in the same place.\n"
                   "\n"
                   "block     executed  reported\n"
                   "transfer         2         2\n"
                   "audit            1         0\n");
    char *text = tell(f);
    assert_null(strstr(strstr(text, "may come in between") + 1, "may come in between"));
    free(text);
}

static void test_another_pattern_is_another_finding(void **state) {
    struct fixture *f = *state;
    struct st_foreseen other = read_twice(f, "transfer", 21, ST_FORESEEN_POTENTIAL);
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL));
    strcpy(other.pattern, "R-W-W");
    add(f, other);
    finish(f);
    assert_says(f, ", R-W-R on x (reported in all of its 2 runs).\n");
    assert_says(f, ", R-W-W on x (reported in all of its 2 runs).\n");
}

/* The witness has T2's write in the middle of the block, which was behind it. */
static struct st_foreseen with_witness(struct fixture *f) {
    static const uint64_t order[] = {1, 2, 10, 4};
    struct st_foreseen foreseen = read_twice(f, "transfer", 1, ST_FORESEEN_VIOLATION);
    foreseen.witness_length = sizeof order / sizeof *order;
    foreseen.witness = st_alloc(foreseen.witness_length, sizeof *order);
    memcpy(foreseen.witness, order, sizeof order);
    return foreseen;
}

static void test_a_violation_has_a_schedule(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", "avp");
    add(f, with_witness(f));
    finish(f);
    assert_says(f, "t.std: 1 of 1 block is cut in a schedule that the program could have taken "
                   "(tas: Theorem 4, avp; ");
    assert_says(f, "transfer is cut in a schedule that the program could have taken, in thread T1: "
                   "T2 comes in between, R-W-R on x (reported in its only run).\n"
                   "  In this run the steps came in another order; they can come in this:\n");
    assert_says(f, "  A schedule that leads there: events 1, 2, 10, 4.\n");
}

/* Ten events, of which those with even numbers are T2's. */
static void feed_ten(struct fixture *f, struct st_schedules *schedules, uint64_t first,
                     uint64_t last) {
    struct st_event events[10];
    for (uint64_t i = first; i <= last; i++)
        events[i - first] =
            place(f, i, i % 2 ? "T1" : "T2", i % 2 ? ST_READ : ST_WRITE, "x", "a.c:1").event;
    st_schedules_feed(schedules, events, last - first + 1, first);
}

static void test_schedules_are_shown_in_columns_of_threads(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", "avp");
    add(f, with_witness(f));
    finish(f);
    struct st_schedules *schedules = st_schedules_new(&f->predictions);
    feed_ten(f, schedules, 1, 7);
    assert_true(st_schedules_wait(schedules));
    feed_ten(f, schedules, 8, 10);
    assert_false(st_schedules_wait(schedules));
    st_schedules_free(schedules);
    assert_says(f, "  A schedule that leads there:\n"
                   "              T1       T2\n"
                   "    event 1   reads x\n"
                   "    event 2            writes x\n"
                   "    event 10           writes x\n"
                   "    event 4            writes x\n");
}

static void test_only_the_end_of_a_schedule_is_shown(void **state) {
    struct fixture *f = *state;
    struct st_foreseen foreseen = read_twice(f, "transfer", 1, ST_FORESEEN_VIOLATION);
    foreseen.witness_length = ST_SCHEDULE_SHOWN + 7;
    foreseen.witness = st_alloc(foreseen.witness_length, sizeof *foreseen.witness);
    for (size_t i = 0; i < foreseen.witness_length; i++)
        foreseen.witness[i] = i + 1;
    add_prediction(f, "tas", "avp");
    add(f, foreseen);
    finish(f);
    struct st_schedules *schedules = st_schedules_new(&f->predictions);
    feed_ten(f, schedules, 1, 10); /* and then the trace ends */
    st_schedules_free(schedules);
    assert_int_equal(f->predictions.items[0].blocks[0].schedule_length, 3);
    assert_int_equal(f->predictions.items[0].blocks[0].schedule[0].number, 8);
    assert_says(f, "  A schedule that leads there (28 earlier events are left out):\n");
}

static void test_nothing_can_be_cut(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, block(f, "audit", "T2", 40, 43, ST_FORESEEN_ATOMIC));
    finish(f);
    assert_tells(f, "t.std: no block can be cut in any schedule of this run (blocks: Theorem 4, "
                    "view; 20 events, 1 thread, 0 locks, 0 variables, 3 blocks)\n");
}

static void test_what_took_too_long_is_said(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", NULL);
    add(f, block(f, "audit", "T2", 40, 43, ST_FORESEEN_TIMEOUT));
    add(f, block(f, "audit", "T2", 50, 53, ST_FORESEEN_ATOMIC));
    finish(f);
    assert_int_equal(f->predictions.items[0].atomic, ST_UNDECIDED);
    assert_says(f, "t.std: undecided: 1 of 2 blocks took too long, and no other can be cut in any "
                   "schedule of this run (tas: Theorem 4; ");
    add(f, read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL));
    finish(f);
    assert_says(f,
                "t.std: 1 of 3 blocks may be cut in other schedules; 1 took too long and was not "
                "decided (tas: ");
}

static void test_what_happened_in_this_run_is_not_denied(void **state) {
    struct fixture *f = *state;
    struct st_foreseen foreseen = read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL);
    foreseen.events[1].number = 3;
    add_prediction(f, "blocks", "conflict");
    add(f, foreseen);
    finish(f);
    assert_says(f, "  In this run the steps came in this very order:\n");
}

static void test_a_finding_without_another_thread(void **state) {
    struct fixture *f = *state;
    struct st_foreseen foreseen = block(f, "", "T1", 1, 0, ST_FORESEEN_POTENTIAL);
    const struct st_place events[] = {place(f, 2, "T1", ST_RELEASE, "l", "a.c:2"),
                                      place(f, 3, "T1", ST_ACQUIRE, "l", "a.c:4")};
    foreseen.pattern = st_strdup("RLRL");
    foreseen.why = st_strdup("A right-mover comes after a left-mover");
    set_events(&foreseen, events, 2);
    add_prediction(f, "reduction", "conflict");
    add(f, foreseen);
    finish(f);
    assert_says(f, "A block without a name may be cut, in thread T1: RLRL.\n"
                   "  The steps that it rests on:\n"
                   "  event 1  T1  begins a block   at a.c:1  and its end was not seen\n"
                   "  event 2  T1  releases lock l  at a.c:2\n"
                   "  event 3  T1  acquires lock l  at a.c:4\n"
                   "  A right-mover comes after a left-mover.\n");
}

static void add_deadlock(struct fixture *f) {
    const struct st_foreseen_wait waits[] = {
        {place(f, 2, "T1", ST_ACQUIRE, "a", "a.c:2"), place(f, 3, "T1", ST_ACQUIRE, "b", "a.c:3")},
        {place(f, 7, "T2", ST_ACQUIRE, "b", "b.c:2"), place(f, 8, "T2", ST_ACQUIRE, "a", "b.c:3")}};
    f->predictions.deadlocks_sought = true;
    st_predictions_deadlock(&f->predictions, waits, 2);
}

static void test_threads_that_wait_for_each_other(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add_deadlock(f);
    finish(f);
    assert_tells(
        f, "t.std: there is no block that could be cut; 1 deadlock potential (blocks: Theorem "
           "4, view; 20 events, 2 threads, 2 locks, 0 variables, 3 blocks)\n"
           "\n"
           "T1 and T2 may wait for each other for ever (deadlock potential):\n"
           "  event 2  T1  acquires lock a  at a.c:2  and holds it\n"
           "  event 3  T1  acquires lock b  at a.c:3  waits for it while T2 holds it\n"
           "  event 7  T2  acquires lock b  at b.c:2  and holds it\n"
           "  event 8  T2  acquires lock a  at b.c:3  waits for it while T1 holds it\n");
}

static void add_race(struct fixture *f, uint64_t first, const char *thread) {
    struct st_prediction *prediction = &f->predictions.items[f->predictions.count - 1];
    st_reserve(&prediction->races, &prediction->race_capacity, prediction->race_count + 1);
    prediction->finds_races = true;
    prediction->races[prediction->race_count++] = (struct st_foreseen_race){
        number(&f->symbols.variables, "x"), place(f, first, thread, ST_WRITE, "x", "a.c:2"),
        place(f, first + 5, "T2", ST_READ, "x", "b.c:7")};
}

static void test_races_are_told_once_for_each_place(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "reduction", "conflict");
    add_race(f, 1, "T1");
    add_race(f, 2, "T3");
    finish(f);
    assert_says(f, "T1 and T2 may access x at the same time (data race):\n"
                   "  event 1  T1  writes x  at a.c:2\n"
                   "  event 6  T2  reads x   at b.c:7\n"
                   "  The same holds for 2 pairs of accesses in the same place.\n");
}

static void test_caveats_are_notes(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    st_prediction_caveat(&f->predictions.items[0], "Only pairs of blocks were compared");
    finish(f);
    assert_says(f, "\n\nNote: Only pairs of blocks were compared.\n");
}

static void test_quiet_is_one_line(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL));
    add_deadlock(f);
    finish(f);
    char *text = write_as(&f->report, "text", (struct st_text_style){.quiet = true});
    assert_int_equal(strcspn(text, "\n") + 1, strlen(text));
    free(text);
}

static void test_several_engines_side_by_side(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL));
    add(f, block(f, "audit", "T2", 40, 43, ST_FORESEEN_ATOMIC));
    add_prediction(f, "commit-node", "conflict");
    add(f, block(f, "transfer", "T1", 1, 6, ST_FORESEEN_ATOMIC));
    add(f, block(f, "audit", "T2", 40, 43, ST_FORESEEN_TIMEOUT));
    add_prediction(f, "tas", "avp");
    add(f, with_witness(f));
    add(f, block(f, "audit", "T2", 40, 43, ST_FORESEEN_ATOMIC));
    finish(f);
    assert_tells(f, "t.std: 20 events, 2 threads, 0 locks, 1 variable, 3 blocks\n"
                    "\n"
                    "engine       notion    reported  violation  potential  timeout     time  "
                    "storage    method\n"
                    "blocks       view        1 of 2          -          1        -  2.00 ms  12 "
                    "blocks  Theorem 4\n"
                    "commit-node  conflict    0 of 2          -          -        1  2.00 ms  12 "
                    "blocks  Theorem 4\n"
                    "tas          avp         1 of 2          1          -        -  2.00 ms  12 "
                    "blocks  Theorem 4\n"
                    "\n"
                    "transfer is cut in a schedule that the program could have taken, in thread "
                    "T1: T2 comes in "
                    "between, R-W-R on x (reported by 2 of 3 engines; told by tas).\n"
                    "  In this run the steps came in another order; they can come in this:\n"
                    "  event 1   T1  begins transfer  at a.c:1  and ends it with event 6\n"
                    "  event 2   T1  reads x          at a.c:2\n"
                    "  event 10  T2  writes x         at b.c:7  so T2 comes after transfer\n"
                    "  event 4   T1  reads x          at a.c:4  still in the block, so transfer "
                    "comes after T2\n"
                    "  No serial order has T2's work both after and before transfer.\n"
                    "  A schedule that leads there: events 1, 2, 10, 4.\n"
                    "  blocks       potential     R-W-R on x  T1 a.c:2, T2 b.c:7, T1 a.c:4\n"
                    "  commit-node  not reported\n"
                    "  tas          violation     R-W-R on x  T1 a.c:2, T2 b.c:7, T1 a.c:4\n");
}

/* ---- As a violation ---- */

static void test_a_path_is_made_of_events_that_conflict(void **state) {
    struct fixture *f = *state;
    struct st_foreseen foreseen = read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL);
    struct st_violation violation = st_foreseen_violation(&foreseen);
    assert_int_equal(violation.path_length, 2);
    assert_int_equal(violation.path[0].from.number, 2);
    assert_int_equal(violation.path[1].from.number, 10);
    assert_int_equal(violation.closing.to.number, 4);
    free(violation.path);
    foreseen.events[1].event.written = ST_READ; /* two reads do not conflict */
    violation = st_foreseen_violation(&foreseen);
    assert_int_equal(violation.path_length, 0);
    assert_int_equal(violation.closing.from.number, 10);
    add_prediction(f, "blocks", "view");
    add(f, foreseen);
}

static void test_a_finding_is_known_again_whether_it_happened_or_could_happen(void **state) {
    struct fixture *f = *state;
    struct st_foreseen foreseen = read_twice(f, "transfer", 1, ST_FORESEEN_POTENTIAL);
    struct st_violation violation = st_foreseen_violation(&foreseen);
    struct st_fingerprint foresight = st_foreseen_fingerprint(&f->report, &foreseen);
    assert_string_equal(foresight.text, st_fingerprint(&f->report, &violation).text);
    free(violation.path);
    struct st_foreseen other = read_twice(f, "audit", 1, ST_FORESEEN_POTENTIAL);
    assert_string_not_equal(foresight.text, st_foreseen_fingerprint(&f->report, &other).text);
    add_prediction(f, "blocks", "view");
    add(f, foreseen);
    add(f, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_block_that_may_be_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_findings_are_told_once_with_a_count, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_another_pattern_is_another_finding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_violation_has_a_schedule, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_schedules_are_shown_in_columns_of_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_only_the_end_of_a_schedule_is_shown, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_can_be_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_took_too_long_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_happened_in_this_run_is_not_denied, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_finding_without_another_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_that_wait_for_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_races_are_told_once_for_each_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_caveats_are_notes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quiet_is_one_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_engines_side_by_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_path_is_made_of_events_that_conflict, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            test_a_finding_is_known_again_whether_it_happened_or_could_happen, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
