/* What is said of blocks that could be cut, from predictions made by hand. */
#include "report/report.h"

#include "base/memory.h"
#include "finding/schedules.h"
#include "report/predicted_violation.h"
#include "report/triage/baseline.h"
#include "report/triage/triage.h"
#include "spec/suppress.h"
#include "report/load/load.h"

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

static struct st_predicted_block block(struct fixture *f, const char *name, const char *thread,
                                       uint64_t begin, uint64_t end,
                                       enum st_block_verdict verdict) {
    return (struct st_predicted_block){.block =
                                           *name ? number(&f->symbols.blocks, name) : ST_NO_NAME,
                                       .thread = number(&f->symbols.threads, thread),
                                       .begin_loc = location(f, "a.c:1"),
                                       .begin = begin,
                                       .end = end,
                                       .verdict = verdict};
}

static void set_events(struct st_predicted_block *predicted, const struct st_place *places,
                       size_t count) {
    predicted->events = st_alloc(count, sizeof *places);
    memcpy(predicted->events, places, count * sizeof *places);
    predicted->event_count = count;
}

static void set_variable(struct fixture *f, struct st_predicted_block *predicted,
                         const char *name) {
    predicted->variables = st_alloc(1, sizeof *predicted->variables);
    predicted->variables[0] = number(&f->symbols.variables, name);
    predicted->variable_count = 1;
}

/* T1 reads x twice in a block, and T2 may write it in between. */
static struct st_predicted_block read_twice(struct fixture *f, const char *name, uint64_t begin,
                                            enum st_block_verdict verdict) {
    struct st_predicted_block predicted = block(f, name, "T1", begin, begin + 5, verdict);
    const struct st_place events[] = {
        place(f, begin + 1, "T1", ST_READ, "x", "a.c:2"),
        place(f, begin + 9, "T2", ST_WRITE, "x", "b.c:7"),
        place(f, begin + 3, "T1", ST_READ, "x", "a.c:4"),
    };
    predicted.pattern = st_strdup("R-W-R");
    set_events(&predicted, events, 3);
    set_variable(f, &predicted, "x");
    return predicted;
}

static void add(struct fixture *f, struct st_predicted_block predicted) {
    st_prediction_add(&f->predictions.items[f->predictions.count - 1], &predicted);
}

static void finish(struct fixture *f) {
    for (size_t i = 0; i < f->predictions.count; i++)
        st_prediction_finish(&f->predictions.items[i]);
    f->report.kind =
        f->predictions.count > 1 ? ST_REPORT_PREDICTION_COMPARISON : ST_REPORT_PREDICTION;
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

static char *text_of(struct fixture *f) {
    return write_as(&f->report, "text", (struct st_text_style){0});
}

static void assert_text_is(struct fixture *f, const char *expected) {
    char *text = text_of(f);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_says(struct fixture *f, const char *part) {
    char *text = text_of(f);
    if (!strstr(text, part))
        print_error("not in it: %s\n%s", part, text);
    assert_non_null(strstr(text, part));
    free(text);
}

static void assert_saved_and_written_again(struct fixture *f);

/* ---- Text ---- */

static void test_a_block_that_may_be_cut(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "conflict");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    add(f, block(f, "transfer", "T1", 12, 15, ST_BLOCK_ATOMIC));
    finish(f);
    assert_text_is(
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

static void test_equal_findings_are_reported_once_with_a_count(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    add(f, read_twice(f, "transfer", 21, ST_BLOCK_POTENTIAL));
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_ATOMIC));
    finish(f);
    assert_says(f, "t.std: 2 of 3 blocks may be cut in other schedules (blocks: Theorem 4, view; ");
    assert_says(f, "No serial order lets every read see the same write and leaves the same last "
                   "writes.\n"
                   "  The same holds for 2 blocks that begin in the same place.\n"
                   "\n"
                   "block     executed  reported\n"
                   "transfer         2         2\n"
                   "audit            1         0\n");
    char *text = text_of(f);
    assert_null(strstr(strstr(text, "may come in between") + 1, "may come in between"));
    free(text);
}

static void test_another_pattern_in_the_same_gap_is_the_same_finding(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block other = read_twice(f, "transfer", 21, ST_BLOCK_POTENTIAL);
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    strcpy(other.pattern, "R-W-W");
    add(f, other);
    finish(f);
    assert_says(f, ", R-W-R on x (reported in all of its 2 runs).\n");
    char *text = text_of(f);
    assert_null(strstr(text, "R-W-W"));
    free(text);
}

/* The witness has T2's write in the middle of the block, which was behind it. */
static struct st_predicted_block with_witness(struct fixture *f) {
    static const uint64_t order[] = {1, 2, 10, 4};
    struct st_predicted_block predicted = read_twice(f, "transfer", 1, ST_BLOCK_VIOLATION);
    predicted.witness_length = sizeof order / sizeof *order;
    predicted.witness = st_alloc(predicted.witness_length, sizeof *order);
    memcpy(predicted.witness, order, sizeof order);
    return predicted;
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
    assert_says(f, "  A schedule that leads there (> marks the steps that cut it):\n"
                   "              T1       T2\n"
                   "    event 1   reads x\n"
                   "  > event 2            writes x\n"
                   "  > event 10           writes x\n"
                   "  > event 4            writes x\n");
}

/* The same block, in a witness of so many events in the order of the trace. */
static struct st_predicted_block with_long_witness(struct fixture *f, size_t length) {
    struct st_predicted_block predicted = read_twice(f, "transfer", 1, ST_BLOCK_VIOLATION);
    predicted.witness_length = length;
    predicted.witness = st_alloc(length, sizeof *predicted.witness);
    for (size_t i = 0; i < length; i++)
        predicted.witness[i] = i + 1;
    return predicted;
}

static void feed_tens(struct fixture *f, uint64_t last) {
    struct st_schedules *schedules = st_schedules_new(&f->predictions);
    for (uint64_t first = 1; first < last; first += 10)
        feed_ten(f, schedules, first, first + 9);
    st_schedules_free(schedules);
}

static void test_what_is_far_from_the_steps_is_left_out(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", "avp");
    add(f, with_long_witness(f, 60));
    finish(f);
    feed_tens(f, 60);
    assert_says(f, "    event 17  reads x\n"
                   "    ... 18 events of T2, 18 of T1 ...\n"
                   "    event 54           writes x\n");
    assert_saved_and_written_again(f);
}

static void test_what_the_trace_does_not_have_is_not_shown(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", "avp");
    add(f, with_long_witness(f, 60));
    finish(f);
    feed_tens(f, 10); /* and then the trace ends */
    assert_int_equal(f->predictions.items[0].blocks[0].schedule_length, 10);
    assert_says(f, "  > event 10           writes x\n"
                   "    ... 50 events ...\n");
    assert_saved_and_written_again(f);
}

static void test_results_of_old_show_the_end_of_a_schedule(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = with_long_witness(f, 60);
    predicted.schedule = st_alloc(1, sizeof *predicted.schedule);
    predicted.schedule[0] = place(f, 60, "T2", ST_WRITE, "x", "a.c:1");
    predicted.schedule_length = 1;
    add_prediction(f, "tas", "avp");
    add(f, predicted);
    finish(f);
    assert_says(f, "              T2\n"
                   "    ... 59 events ...\n"
                   "    event 60  writes x\n");
}

static void test_a_row_that_is_left_out_names_a_few_threads(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = with_long_witness(f, 60);
    predicted.schedule = st_alloc(1, sizeof *predicted.schedule);
    predicted.schedule[0] = place(f, 60, "T2", ST_WRITE, "x", "a.c:1");
    predicted.schedule_length = 1;
    predicted.left_out = st_alloc(5, sizeof *predicted.left_out);
    predicted.left_out_count = 5;
    for (uint32_t i = 0; i < 5; i++) {
        const char *const names[] = {"T1", "T2", "T3", "T4", "T5"};
        predicted.left_out[i] =
            (struct st_left_out){60, number(&f->symbols.threads, names[i]), i ? 5 : 39};
    }
    add_prediction(f, "tas", "avp");
    add(f, predicted);
    finish(f);
    assert_says(f, "    ... 39 events of T1, 5 of T2, 5 of T3, 10 of 2 other threads ...\n");
    assert_saved_and_written_again(f);
}

static void set_broken(struct st_predicted_block *predicted, uint64_t event, uint64_t sees,
                       uint64_t saw) {
    predicted->broken = st_alloc(1, sizeof *predicted->broken);
    predicted->broken[0] = (struct st_broken_read){event, sees, saw};
    predicted->broken_count = 1;
}

static void test_reads_that_see_something_else_say_so(void **state) {
    struct fixture *f = *state;
    static const struct {
        uint64_t sees, saw;
        const char *words;
    } cases[] = {
        {10, 3, "              sees the write of event 10 instead of that of event 3\n"},
        {10, 0, "              sees the write of event 10 instead of the initial value\n"},
        {ST_UNKNOWN_WRITE, 3,
         "              sees what the broken operation before it left instead of the write of "
         "event 3\n"},
        {0, 3, "              sees the initial value instead of the write of event 3\n"},
    };
    add_prediction(f, "tas", "avp");
    add(f, with_witness(f));
    finish(f);
    feed_tens(f, 10);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct st_predicted_block *predicted = &f->predictions.items[0].blocks[0];
        free(predicted->broken);
        set_broken(predicted, 1, cases[i].sees, cases[i].saw);
        assert_says(f, cases[i].words);
        assert_saved_and_written_again(f);
    }
}

static void test_long_names_of_threads_keep_the_columns_in_line(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = with_witness(f);
    const char *const name = "a thread with a name of fifty columns, number two..";
    predicted.schedule = st_alloc(4, sizeof *predicted.schedule);
    predicted.schedule_length = 4;
    predicted.schedule[0] = place(f, 1, "T1", ST_BEGIN, "transfer", "a.c:1");
    predicted.schedule[1] = place(f, 2, "T1", ST_READ, "x", "a.c:1");
    predicted.schedule[2] = place(f, 10, name, ST_WRITE, "x", "a.c:1");
    predicted.schedule[3] = place(f, 4, "T1", ST_READ, "x", "a.c:1");
    add_prediction(f, "tas", "avp");
    add(f, predicted);
    finish(f);
    assert_says(f, "              T1               a thread with a nam...umns, number two..\n"
                   "    event 1   begins transfer\n"
                   "  > event 2   reads x\n"
                   "  > event 10                   writes x\n"
                   "  > event 4   reads x\n");
    char *text = write_as(&f->report, "text", (struct st_text_style){.width = 60});
    assert_non_null(strstr(text, "  > event 2   T1                                        reads x\n"
                                 "  > event 10  a thread with a nam...umns, number two..  "
                                 "writes x\n"));
    free(text);
}

static void test_nothing_can_be_cut(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_ATOMIC));
    finish(f);
    assert_text_is(f, "t.std: no block can be cut in any schedule of this run (blocks: Theorem 4, "
                      "view; 20 events, 1 thread, 0 locks, 0 variables, 3 blocks)\n");
}

static void test_what_took_too_long_is_said(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", NULL);
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_TIMEOUT));
    add(f, block(f, "audit", "T2", 50, 53, ST_BLOCK_ATOMIC));
    finish(f);
    assert_int_equal(f->predictions.items[0].atomic, ST_UNDECIDED);
    assert_says(f, "t.std: undecided: 1 of 2 blocks, and no other can be cut in any "
                   "schedule of this run (tas: Theorem 4; ");
    assert_says(f, "\n\n1 block was not decided; more time (--timeout) or memory (--memory) may "
                   "help:\n"
                   "  audit  T2  event 40  at a.c:1\n");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    finish(f);
    assert_says(f, "t.std: 1 of 3 blocks may be cut in other schedules; 1 was not "
                   "decided (tas: ");
}

static void test_what_happened_in_this_run_is_not_denied(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL);
    predicted.events[1].number = 3;
    add_prediction(f, "blocks", "conflict");
    add(f, predicted);
    finish(f);
    assert_says(f, "  In this run the steps came in this very order:\n");
}

static void test_a_finding_without_another_thread(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = block(f, "", "T1", 1, 0, ST_BLOCK_POTENTIAL);
    const struct st_place events[] = {place(f, 2, "T1", ST_RELEASE, "l", "a.c:2"),
                                      place(f, 3, "T1", ST_ACQUIRE, "l", "a.c:4")};
    predicted.pattern = st_strdup("RLRL");
    predicted.why = st_strdup("A right-mover comes after a left-mover");
    set_events(&predicted, events, 2);
    add_prediction(f, "reduction", "conflict");
    add(f, predicted);
    finish(f);
    assert_says(f, "A block without a name may be cut, in thread T1: RLRL.\n"
                   "  The steps that it rests on:\n"
                   "  event 1  T1  begins a block   at a.c:1  and its end was not seen\n"
                   "  event 2  T1  releases lock l  at a.c:2\n"
                   "  event 3  T1  acquires lock l  at a.c:4\n"
                   "  A right-mover comes after a left-mover.\n");
}

static void add_deadlock(struct fixture *f) {
    const struct st_predicted_wait waits[] = {
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
    assert_text_is(
        f, "t.std: there is no block that could be cut; 1 deadlock potential (blocks: Theorem "
           "4, view; 20 events, 2 threads, 2 locks, 0 variables, 3 blocks)\n"
           "\n"
           "T1 and T2 may wait for each other for ever (deadlock potential).\n"
           "  event 2  T1  acquires lock a  at a.c:2  and holds it\n"
           "  event 7  T2  acquires lock b  at b.c:2  and holds it\n"
           "  event 3  T1  acquires lock b  at a.c:3  waits for it while T2 holds it\n"
           "  event 8  T2  acquires lock a  at b.c:3  waits for it while T1 holds it\n"
           "  Each holds a lock that another one wants, and nothing keeps them from doing so at "
           "the same time.\n");
}

static void add_race(struct fixture *f, uint64_t first, const char *thread) {
    struct st_prediction *prediction = &f->predictions.items[f->predictions.count - 1];
    st_reserve(&prediction->races, &prediction->race_capacity, prediction->race_count + 1);
    prediction->finds_races = true;
    prediction->races[prediction->race_count++] =
        (struct st_predicted_race){.variable = number(&f->symbols.variables, "x"),
                                   .first = place(f, first, thread, ST_WRITE, "x", "a.c:2"),
                                   .second = place(f, first + 5, "T2", ST_READ, "x", "b.c:7")};
}

static void test_races_are_reported_once_for_each_place(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "reduction", "conflict");
    add_race(f, 1, "T1");
    add_race(f, 2, "T3");
    finish(f);
    assert_says(f, "T1 and T2 may access x at the same time (data race).\n"
                   "  event 1  T1  writes x  at a.c:2\n"
                   "  event 6  T2  reads x   at b.c:7\n"
                   "  Neither a lock nor any other synchronisation keeps the two accesses apart.\n"
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
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    add_deadlock(f);
    finish(f);
    char *text = write_as(&f->report, "text", (struct st_text_style){.quiet = true});
    assert_int_equal(strcspn(text, "\n") + 1, strlen(text));
    free(text);
}

static void test_several_engines_side_by_side(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "blocks", "view");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_ATOMIC));
    add_prediction(f, "commit-node", "conflict");
    add(f, block(f, "transfer", "T1", 1, 6, ST_BLOCK_ATOMIC));
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_TIMEOUT));
    add_prediction(f, "tas", "avp");
    add(f, with_witness(f));
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_ATOMIC));
    finish(f);
    assert_text_is(f, "t.std: 20 events, 2 threads, 0 locks, 1 variable, 3 blocks\n"
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
                      "between, R-W-R on x (reported by 2 of 3 engines; shown as tas found it).\n"
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
                      "  tas          violation     R-W-R on x  T1 a.c:2, T2 b.c:7, T1 a.c:4\n"
                      "\n"
                      "1 block was not decided by commit-node; more time (--timeout) or memory "
                      "(--memory) may help:\n"
                      "  audit  T2  event 40  at a.c:1\n");
}

/* ---- As a violation ---- */

static void test_a_path_is_made_of_events_that_conflict(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL);
    struct st_violation violation = st_predicted_violation(&predicted);
    assert_int_equal(violation.path_length, 2);
    assert_int_equal(violation.path[0].from.number, 2);
    assert_int_equal(violation.path[1].from.number, 10);
    assert_int_equal(violation.closing.to.number, 4);
    free(violation.path);
    predicted.events[1].event.written = ST_READ; /* two reads do not conflict */
    violation = st_predicted_violation(&predicted);
    assert_int_equal(violation.path_length, 0);
    assert_int_equal(violation.closing.from.number, 10);
    add_prediction(f, "blocks", "view");
    add(f, predicted);
}

static void test_a_finding_is_known_again_whether_it_happened_or_could_happen(void **state) {
    struct fixture *f = *state;
    struct st_predicted_block predicted = read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL);
    struct st_violation violation = st_predicted_violation(&predicted);
    struct st_fingerprint verdict = st_predicted_fingerprint(&f->report, &predicted);
    assert_string_equal(verdict.text, st_fingerprint(&f->report, &violation).text);
    free(violation.path);
    struct st_predicted_block other = read_twice(f, "audit", 1, ST_BLOCK_POTENTIAL);
    assert_string_not_equal(verdict.text, st_predicted_fingerprint(&f->report, &other).text);
    add_prediction(f, "blocks", "view");
    add(f, predicted);
    add(f, other);
}

/* ---- JSON and back ---- */

/* Something of everything. */
static void fill(struct fixture *f) {
    struct st_predicted_block predicted = read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL);
    struct st_violation violation = st_predicted_violation(&predicted);
    predicted.path = violation.path;
    predicted.path_length = violation.path_length;
    predicted.why = st_strdup("Because of \"this\".");
    add_prediction(f, "blocks", "view");
    add(f, predicted);
    add(f, block(f, "", "T2", 40, 0, ST_BLOCK_TIMEOUT));
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_ATOMIC));
    add_race(f, 1, "T1");
    st_prediction_caveat(&f->predictions.items[0], "Only pairs of blocks were compared.");
    f->predictions.items[0].checks_statically = true;
    f->predictions.items[0].static_proofs = 1;
    add_deadlock(f);
}

static struct st_loaded *load(const char *json) {
    struct st_error error;
    struct st_loaded *loaded = st_report_load("r.json", json, strlen(json), &error);
    if (!loaded) {
        char text[2048];
        st_error_text(&error, text, sizeof text);
        print_error("%s\n%s", text, json);
    }
    return loaded;
}

static void assert_saved_and_written_again(struct fixture *f) {
    static const char *const formats[] = {"json", "text", "sarif", "html"};
    char *json = write_as(&f->report, "json", (struct st_text_style){0});
    struct st_loaded *loaded = load(json);
    assert_non_null(loaded);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *before = write_as(&f->report, formats[i], (struct st_text_style){0});
        char *after = write_as(st_loaded_report(loaded), formats[i], (struct st_text_style){0});
        assert_string_equal(before, after);
        free(before);
        free(after);
    }
    st_loaded_free(loaded);
    free(json);
}

static void test_a_saved_prediction_is_written_as_before(void **state) {
    struct fixture *f = *state;
    fill(f);
    finish(f);
    assert_saved_and_written_again(f);
}

static void test_saved_predictions_of_several_engines_are_written_as_before(void **state) {
    struct fixture *f = *state;
    fill(f);
    add_prediction(f, "tas", "avp");
    add(f, with_witness(f));
    finish(f);
    struct st_schedules *schedules = st_schedules_new(&f->predictions);
    feed_ten(f, schedules, 1, 10);
    st_schedules_free(schedules);
    assert_saved_and_written_again(f);
}

static void assert_json_has(struct fixture *f, const char *part) {
    char *json = write_as(&f->report, "json", (struct st_text_style){0});
    if (!strstr(json, part))
        print_error("not in it: %s\n%s", part, json);
    assert_non_null(strstr(json, part));
    free(json);
}

static void test_the_contract(void **state) {
    struct fixture *f = *state;
    fill(f);
    finish(f);
    assert_json_has(f, "{\n  \"schema\": \"seriatim-predict/1\",\n  \"engine\": \"blocks\",\n"
                       "  \"notion\": \"view\",\n");
    assert_json_has(f, "  \"atomic\": false,\n  \"deadlock_potential\": true,\n");
    assert_json_has(f, "      \"block\": \"transfer\",\n      \"thread\": \"T1\",\n"
                       "      \"begin\": 1,\n      \"end\": 6,\n");
    assert_json_has(f, "      \"verdict\": \"potential\",\n      \"pattern\": \"R-W-R\",\n"
                       "      \"on\": [\"x\"],\n      \"events\": [2, 10, 4],\n"
                       "      \"witness\": [],\n");
}

static void test_nothing_is_decided_when_something_timed_out(void **state) {
    struct fixture *f = *state;
    add_prediction(f, "tas", "avp");
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_TIMEOUT));
    finish(f);
    assert_json_has(f, "  \"atomic\": null,\n");
    assert_false(st_report_found(&f->report));
    assert_true(st_report_undecided(&f->report));
}

/* With the first `old` in it replaced. */
static char *change(const char *text, const char *old, const char *new) {
    const char *at = strstr(text, old);
    assert_non_null(at);
    size_t size = strlen(text) + strlen(new) + 1;
    char *result = malloc(size);
    snprintf(result, size, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return result;
}

static void test_what_is_wrong_with_a_saved_prediction_is_said(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *old, *new, *message;
    } cases[] = {
        {"\"verdict\": \"potential\"", "\"verdict\": \"perhaps\"",
         "blocks[0].verdict must be atomic, timeout, potential or violation"},
        {"\"potential\": 1", "\"potential\": 7", "has a block_count that is not the sum"},
        {"\"static_proofs\": 1", "\"static_proofs\": 2",
         "has more static_proofs than atomic blocks"},
        {"\"static_proofs\": 1", "\"static_proofs\": true", "static_proofs must be a whole number"},
        {"\"atomic\": false", "\"atomic\": true", "atomic does not agree with the verdicts"},
        {"\"verdict\": \"timeout\"", "\"verdict\": \"atomic\"",
         "blocks[2] is not counted in verdicts"},
        {"{\"name\": \"audit\", \"executed\": 1", "{\"name\": \"audit\", \"executed\": 0",
         "blocks[2] is not counted in names"},
        {"\"on\": [\"x\"]", "\"on\": [1]", "blocks[0].on[0] must be a text"},
        {"\"witness\": []", "\"witness\": [0]",
         "blocks[0].witness[0] must be the number of an event"},
        {"\"schedule\": []",
         "\"schedule\": [{\"event\": 1, \"thread\": \"T\", \"op\": \"r(x)\", \"loc\": \"\"}]",
         "blocks[0] has a schedule that is no part of its witness"},
        {"\"schedule\": []", "\"broken_reads\": [{\"event\": 0}], \"schedule\": []",
         "blocks[0].broken_reads[0].event must not be 0"},
        {"\"schedule\": []", "\"left_out\": [{\"before\": 1}], \"schedule\": []",
         "blocks[0].left_out[0].thread"},
        {"\"deadlock_potential\": true", "\"deadlock_potential\": false",
         "has deadlocks that do not agree with deadlock_potential"},
        {"\"caveats\": [", "\"caveats\": [1,", "caveats[0] must be a text"},
        {"\"op\": \"acq(a)\"", "\"op\": \"hop(a)\"", "must be an operation such as r(x)"},
    };
    fill(f);
    finish(f);
    char *json = write_as(&f->report, "json", (struct st_text_style){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct st_error error;
        char text[2048], *changed = change(json, cases[i].old, cases[i].new);
        assert_null(st_report_load("r.json", changed, strlen(changed), &error));
        st_error_text(&error, text, sizeof text);
        if (!strstr(text, cases[i].message))
            print_error("%s: %s\n", cases[i].message, text);
        assert_non_null(strstr(text, cases[i].message));
        free(changed);
    }
    free(json);
}

/* ---- What is new ---- */

static void load_suppressions(struct st_suppressions *suppressions, const char *lines) {
    char path[] = "/tmp/seriatim-predict-XXXXXX";
    struct st_error error;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(lines, file);
    fclose(file);
    assert_int_equal(st_suppressions_load(suppressions, path, &error), 0);
    remove(path);
}

static void test_a_suppression_matches_what_could_happen(void **state) {
    struct fixture *f = *state;
    struct st_suppressions suppressions = {0};
    add_prediction(f, "blocks", "conflict");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    add(f, read_twice(f, "audit", 21, ST_BLOCK_POTENTIAL));
    add(f, block(f, "audit", "T2", 40, 43, ST_BLOCK_ATOMIC));
    finish(f);
    load_suppressions(&suppressions, "suppress function transfer by T2 because it is fine\n");
    struct st_triaged *triaged = st_triage_findings(&f->report, &suppressions, NULL, 0);
    assert_int_equal(st_predicted_mark(&f->report, &f->report.predictions->items[0], 0).state,
                     ST_SUPPRESSED);
    assert_int_equal(st_new_reported(&f->report, &f->report.predictions->items[0]), 1);
    assert_true(st_report_found(&f->report));
    assert_says(f, "t.std: 2 of 3 blocks may be cut in other schedules (1 new, 1 suppressed) (");
    assert_saved_and_written_again(f);
    char *text = text_of(f);
    assert_null(strstr(text, "transfer may be cut"));
    assert_non_null(strstr(text, "audit may be cut"));
    free(text);
    st_triaged_free(triaged);
    st_suppressions_free(&suppressions);
}

static void test_a_baseline_knows_what_could_happen(void **state) {
    struct fixture *f = *state;
    struct st_baseline baseline;
    struct st_error error;
    fill(f);
    finish(f);
    char *json = write_as(&f->report, "json", (struct st_text_style){0});
    st_baseline_init(&baseline);
    struct st_loaded *loaded = st_report_load("base.json", json, strlen(json), &error);
    assert_non_null(loaded);
    st_baseline_add(&baseline, "base.json", st_loaded_report(loaded));
    st_loaded_free(loaded);
    struct st_triaged *triaged = st_triage_findings(&f->report, NULL, &baseline, 0);
    assert_false(st_report_found(&f->report));
    assert_int_equal(f->report.triage->known, 1);
    assert_int_equal(f->report.triage->gone_count, 0);
    st_triaged_free(triaged);
    st_baseline_free(&baseline);
    free(json);
}

static void test_what_is_reported_gets_the_places_of_a_limit(void **state) {
    struct fixture *f = *state;
    struct st_suppressions none = {0};
    add_prediction(f, "blocks", "conflict");
    add(f, block(f, "audit", "T2", 1, 2, ST_BLOCK_ATOMIC));
    add(f, read_twice(f, "transfer", 21, ST_BLOCK_POTENTIAL));
    finish(f);
    struct st_triaged *triaged = st_triage_findings(&f->report, &none, NULL, 1);
    const struct st_prediction *prediction = &f->report.predictions->items[0];
    assert_int_equal(prediction->listed, 1);
    assert_int_equal(prediction->blocks[0].begin, 21);
    st_triaged_free(triaged);
}

static void test_suppressions_for_what_could_happen(void **state) {
    struct fixture *f = *state;
    char *text = NULL;
    size_t size;
    add_prediction(f, "blocks", "conflict");
    add(f, read_twice(f, "transfer", 1, ST_BLOCK_POTENTIAL));
    finish(f);
    FILE *file = open_memstream(&text, &size);
    st_report_suppressions(&f->report, file);
    fclose(file);
    assert_string_equal(text,
                        "suppress function transfer file a.c by T2 because TODO: say why this "
                        "is all right\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_block_that_may_be_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_findings_are_reported_once_with_a_count, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_another_pattern_in_the_same_gap_is_the_same_finding,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_violation_has_a_schedule, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_schedules_are_shown_in_columns_of_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_far_from_the_steps_is_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_the_trace_does_not_have_is_not_shown, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_results_of_old_show_the_end_of_a_schedule, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_row_that_is_left_out_names_a_few_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_reads_that_see_something_else_say_so, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_long_names_of_threads_keep_the_columns_in_line, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_can_be_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_took_too_long_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_happened_in_this_run_is_not_denied, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_finding_without_another_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_that_wait_for_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_races_are_reported_once_for_each_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_caveats_are_notes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quiet_is_one_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_engines_side_by_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_path_is_made_of_events_that_conflict, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            test_a_finding_is_known_again_whether_it_happened_or_could_happen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_saved_prediction_is_written_as_before, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            test_saved_predictions_of_several_engines_are_written_as_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_contract, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_is_decided_when_something_timed_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_with_a_saved_prediction_is_said, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_suppression_matches_what_could_happen, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_baseline_knows_what_could_happen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_reported_gets_the_places_of_a_limit, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_suppressions_for_what_could_happen, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
