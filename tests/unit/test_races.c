/* Which accesses race. Traces are written as "T1 w x, T2 r x": a thread, an operation as in STD
 * text ("aw" and "ar" are atomic), and its target. */
#include "check/races/race_edges.h"
#include "check/races/races.h"
#include "trace/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_EVENTS = 400 };

struct trace {
    struct st_symbols symbols;
    struct st_event events[MOST_EVENTS];
    size_t count;
};

static enum st_op op_of(const char *word) {
    for (int op = 0; op < ST_OP_COUNT; op++)
        if (strcmp(word, st_op_std((enum st_op)op)) == 0)
            return (enum st_op)op;
    fail_msg("no operation: %s", word);
    return ST_OP_COUNT;
}

static uint32_t number(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

static void parse(struct trace *trace, const char *text) {
    char thread[16], word[16], target[16];
    int length;
    st_symbols_init(&trace->symbols);
    trace->count = 0;
    while (sscanf(text, " %15s %15s %15[^ ,]%n", thread, word, target, &length) == 3) {
        bool atomic = word[0] == 'a' && word[1] && !word[2];
        enum st_op op = op_of(atomic ? word + 1 : word);
        trace->events[trace->count] =
            (struct st_event){.thread = number(&trace->symbols.threads, thread),
                              .target = number(st_symbols_of(&trace->symbols, op), target),
                              .loc = trace->count + 1,
                              .written = op,
                              .atomic = atomic,
                              .op = op};
        trace->count++;
        text += length + (text[length] == ',');
    }
    assert_int_equal(strlen(text), 0);
    struct st_validator *validator = st_validator_new(false);
    assert_int_equal(st_validate(validator, trace->events, trace->count,
                                 trace->symbols.threads.count, trace->symbols.locks.count),
                     0);
    st_validator_free(validator);
}

static void list(void *context, const struct st_place *from, const struct st_place *to) {
    char *text = context, pair[32];
    assert_int_equal(from->event.loc, from->number);
    snprintf(pair, sizeof pair, "%s%d-%d", *text ? " " : "", (int)from->number, (int)to->number);
    strcat(text, pair);
}

/* The pairs that are reported: "1-2 1-3". */
static void assert_races(const char *text, const char *expected) {
    struct trace trace;
    char found[1024] = "";
    parse(&trace, text);
    struct st_races *races = st_races_new(list, found);
    st_races_feed(races, trace.events, trace.count, 1);
    assert_string_equal(found, expected);
    st_races_free(races);
    st_symbols_free(&trace.symbols);
}

static void accesses_that_nothing_orders_race(void **state) {
    (void)state;
    assert_races("T1 w x, T2 r x", "1-2");
    assert_races("T1 r x, T2 w x", "1-2");
    assert_races("T1 w x, T2 w x", "1-2");
    assert_races("T1 r x, T2 r x", "");
    assert_races("T1 w x, T1 r x", "");
    assert_races("T1 w x, T2 w y", "");
}

static void locks_order(void **state) {
    (void)state;
    assert_races("T1 acq l, T1 w x, T1 rel l, T2 acq l, T2 w x, T2 rel l", "");
    assert_races("T1 acq l, T1 w x, T1 rel l, T2 acq m, T2 w x, T2 rel m", "2-5");
    assert_races("T1 acq l, T1 rel l, T1 w x, T2 acq l, T2 w x, T2 rel l", "3-5");
}

static void forks_and_joins_order(void **state) {
    (void)state;
    assert_races("T1 w x, T1 fork T2, T2 w x, T1 join T2, T1 w x", "");
    assert_races("T1 fork T2, T1 w x, T2 w x", "2-3");
    assert_races("T1 fork T2, T2 w x, T1 w x, T1 join T2", "2-3");
}

static void a_child_that_did_nothing_orders_fork_and_join(void **state) {
    (void)state;
    assert_races("T1 w x, T1 fork T2, T3 join T2, T3 w x", "");
}

static void channels_order_sends_and_later_receives_only(void **state) {
    (void)state;
    assert_races("T1 w x, T1 snd c, T2 rcv c, T2 w x", "");
    assert_races("T1 w x, T1 snd c, T2 snd c, T3 rcv c, T3 w x", "");
    assert_races("T1 w x, T1 snd c, T2 snd c, T2 w x", "1-4");
    assert_races("T1 w x, T1 rcv c, T2 rcv c, T2 w x", "1-4");
}

/* Conflicts order transactions, but it is an accident in which order they happen. */
static void conflicts_do_not_order(void **state) {
    (void)state;
    assert_races("T1 w x, T1 w y, T2 r y, T2 r x", "2-3 1-4");
}

static void atomic_accesses_do_not_race_with_each_other(void **state) {
    (void)state;
    assert_races("T1 aw x, T2 aw x, T3 ar x", "");
    assert_races("T1 aw x, T2 w x", "1-2");
    assert_races("T1 w x, T2 ar x", "1-2");
    assert_races("T1 ar x, T2 w x", "1-2");
    assert_races("T1 r x, T2 ar x", "");
}

static void an_atomic_write_passes_on_to_atomic_reads(void **state) {
    (void)state;
    assert_races("T1 w data, T1 aw flag, T2 ar flag, T2 r data", "");
    assert_races("T1 w data, T1 aw flag, T2 r flag, T2 r data", "2-3 1-4");
    assert_races("T1 ar flag, T1 w data, T2 ar flag, T2 r data", "2-4");
    assert_races("T1 w data, T1 aw flag, T2 ar flag, T2 aw flag, T3 ar flag, T3 w data", "");
}

/* An atomic read comes after what it reads, also as an access. */
static void an_atomic_read_does_not_race_with_what_was_passed_on(void **state) {
    (void)state;
    assert_races("T1 w x, T1 aw x, T2 ar x", "");
    assert_races("T1 w x, T1 aw x, T2 aw x", "1-3");
}

/* An atomic access does not stand for a plain one before it. */
static void a_plain_access_is_not_forgotten_for_an_atomic_one(void **state) {
    (void)state;
    assert_races("T1 w x, T1 aw x, T2 aw x", "1-3");
    assert_races("T1 r x, T1 ar x, T2 aw x", "1-3");
}

/* FastTrack keeps the last write only: of these it would report the first race. */
static void a_race_does_not_hide_another(void **state) {
    (void)state;
    assert_races("T1 w x, T2 w x, T2 snd c, T3 rcv c, T3 w x", "1-2 1-5");
    assert_races("T1 w x, T2 w x, T1 w x, T2 w x", "1-2 2-3 3-4");
}

static void of_many_readers_the_one_that_is_not_ordered_is_found(void **state) {
    (void)state;
    assert_races("T1 r x, T2 r x, T3 r x, T4 r x, T5 r x, T6 r x, "
                 "T1 snd c, T2 snd c, T4 snd c, T5 snd c, T6 snd c, T7 rcv c, T7 w x",
                 "3-13");
    assert_races("T1 r x, T2 r x, T3 r x, T4 r x, T5 r x, T6 r x, "
                 "T1 snd c, T2 snd c, T3 snd c, T4 snd c, T5 snd c, T6 snd c, T7 rcv c, T7 w x",
                 "");
}

static void a_thread_takes_over_the_clock_of_one_that_was_joined(void **state) {
    (void)state;
    assert_races("T1 fork T2, T2 w x, T1 join T2, T1 fork T3, T3 w x, T3 w y, T1 r y", "6-7");
    /* T4 knows the end of neither. */
    assert_races("T1 fork T2, T2 w x, T1 join T2, T1 fork T3, T3 r y, T4 w x", "2-6");
    /* T5 is forked by T4, which did not join T2: T5 needs an entry of its own. */
    assert_races("T1 fork T2, T2 w x, T1 join T2, T4 fork T5, T5 w x", "2-5");
    /* A second join counts, also when another thread has the place of the first. */
    assert_races("T1 fork T2, T2 w x, T1 join T2, T1 fork T3, T3 r y, T4 join T2, T4 w x", "");
}

static void memory_does_not_grow_with_the_trace(void **state) {
    (void)state;
    struct trace trace;
    parse(&trace, "T1 r x, T2 r x, T3 r x, T4 r x, T5 r x, T6 w x, T1 acq l, T1 w y, T1 rel l, "
                  "T2 acq l, T2 w y, T2 rel l, T3 snd c, T4 snd c, T5 rcv c, T6 aw z, T1 ar z");
    struct st_races *races = st_races_new(NULL, NULL);
    st_races_feed(races, trace.events, trace.count, 1);
    size_t bytes = st_races_memory(races);
    for (uint64_t i = 1; i < 1000; i++)
        st_races_feed(races, trace.events, trace.count, i * trace.count + 1);
    assert_int_equal(st_races_memory(races), bytes);
    st_races_free(races);
    st_symbols_free(&trace.symbols);
}

/* ---- dependences ---- */

static void only_conflicts_are_asked_for(void **state) {
    (void)state;
    struct trace trace;
    struct st_findings findings;
    parse(&trace, "T1 w x, T1 acq l, T1 rel l, T2 acq l, T2 r x, T2 rel l");
    const struct st_edge cycle[] = {
        {.from = {3, trace.events[2]}, .to = {4, trace.events[3]}, .kind = ST_EDGE_LOCK},
        {.from = {1, trace.events[0]}, .to = {5, trace.events[4]}, .kind = ST_EDGE_CONFLICT}};
    st_findings_init(&findings, 0);
    st_findings_cycle(&findings, cycle, NULL, 1);
    struct st_race_edges *edges = st_race_edges_new();
    st_race_edges_add(edges, &findings);
    assert_false(st_race_edges_waits(edges));
    st_findings_cycle(&findings, cycle, NULL, 2);
    st_race_edges_add(edges, &findings);
    assert_true(st_race_edges_waits(edges));
    st_race_edges_feed(edges, trace.events, 4, 1);
    assert_true(st_race_edges_waits(edges));
    st_race_edges_feed(edges, trace.events + 4, 1, 5);
    assert_false(st_race_edges_waits(edges));
    assert_int_equal(findings.cycle[0].race, ST_RACE_UNKNOWN);
    assert_int_equal(findings.cycle[1].race, ST_RACE_NONE);
    st_race_edges_free(edges);
    st_findings_free(&findings);
    st_symbols_free(&trace.symbols);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_that_nothing_orders_race),
        cmocka_unit_test(locks_order),
        cmocka_unit_test(forks_and_joins_order),
        cmocka_unit_test(a_child_that_did_nothing_orders_fork_and_join),
        cmocka_unit_test(channels_order_sends_and_later_receives_only),
        cmocka_unit_test(conflicts_do_not_order),
        cmocka_unit_test(atomic_accesses_do_not_race_with_each_other),
        cmocka_unit_test(an_atomic_write_passes_on_to_atomic_reads),
        cmocka_unit_test(an_atomic_read_does_not_race_with_what_was_passed_on),
        cmocka_unit_test(a_plain_access_is_not_forgotten_for_an_atomic_one),
        cmocka_unit_test(a_race_does_not_hide_another),
        cmocka_unit_test(of_many_readers_the_one_that_is_not_ordered_is_found),
        cmocka_unit_test(a_thread_takes_over_the_clock_of_one_that_was_joined),
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
        cmocka_unit_test(only_conflicts_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
