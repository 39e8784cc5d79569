/* Reports from findings made by hand: paths, cycles and disagreement, which no engine need have. */
#include "report/report.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct st_symbols symbols;
    struct st_facts facts;
    struct st_repairs repairs;
    struct st_findings findings[2];
    struct st_result results[2];
    struct st_report report;
};

static uint32_t number(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

static struct st_place place(struct fixture *f, uint64_t event, const char *thread, enum st_op op,
                             const char *target, const char *loc) {
    struct st_place made = {.number = event};
    made.event.thread = number(&f->symbols.threads, thread);
    made.event.target = number(st_symbols_of(&f->symbols, op), target);
    made.event.loc = st_location_add(&f->symbols, loc, strlen(loc)) & ((ST_LOC_NAME << 1) - 1);
    made.event.op = made.event.written = op;
    return made;
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    st_symbols_init(&f->symbols);
    for (int i = 0; i < 2; i++) {
        st_findings_init(&f->findings[i], 0);
        f->findings[i].names_blocks = true;
        f->results[i] = (struct st_result){.engine = i ? "second" : "first",
                                           .findings = &f->findings[i],
                                           .seconds = i ? 12.345 : 0.0123,
                                           .peak_bytes = i ? 5u << 20 : 999};
    }
    f->facts.events = 12;
    f->report = (struct st_report){.trace = "t.std",
                                   .symbols = &f->symbols,
                                   .facts = &f->facts,
                                   .repairs = &f->repairs,
                                   .results = f->results,
                                   .result_count = 1};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 2; i++)
        st_findings_free(&f->findings[i]);
    st_symbols_free(&f->symbols);
    free(f);
    return 0;
}

/* The edges of: T1 tells T2 through a lock, T2 forks T3, T3 ends and T1 joins it. */
static void fill_edges(struct fixture *f, struct st_edge *edges) {
    edges[0] = (struct st_edge){place(f, 2, "T1", ST_RELEASE, "l", "a.c:2"),
                                place(f, 3, "T2", ST_ACQUIRE, "l", "b.c:3"), ST_EDGE_LOCK};
    edges[1] = (struct st_edge){place(f, 4, "T2", ST_FORK, "T3", "b.c:4"),
                                place(f, 5, "T3", ST_READ, "x", "7"), ST_EDGE_FORK};
    edges[2] = (struct st_edge){place(f, 6, "T3", ST_WRITE, "y", ""),
                                place(f, 7, "T1", ST_JOIN, "T3", "a.c:7"), ST_EDGE_JOIN};
}

/* A violated block of T1 whose path has the first `count` of these edges; takes part of the last.
 */
static void add_violation(struct fixture *f, size_t count, uint64_t end) {
    struct st_edge *path = calloc(3, sizeof *path);
    fill_edges(f, path);
    struct st_violation violation = {.block = number(&f->symbols.blocks, "f"),
                                     .thread = number(&f->symbols.threads, "T1"),
                                     .begin_loc = 1,
                                     .begin = 1,
                                     .end = end,
                                     .event = path[count - 1].to,
                                     .path = path,
                                     .path_length = count};
    st_findings_violation(&f->findings[0], &violation);
    st_findings_bad_event(&f->findings[0], violation.event.number);
}

static char *text_of(const struct fixture *f, bool json) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (json)
        st_report_json(&f->report, file);
    else
        st_report_text(&f->report, (struct st_text_style){0}, file);
    fclose(file);
    return text;
}

static void assert_contains(char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
    free(text);
}

static void a_path_is_printed_edge_by_edge(void **state) {
    struct fixture *f = *state;
    add_violation(f, 3, 9);
    assert_contains(
        text_of(f, false),
        "Block f of thread T1 was not atomic (events 1 to 9, begin at location 1).\n"
        "  Another thread came in between:\n"
        "    T1 rel(l) at a.c:2 (event 2) -> T2 acq(l) at b.c:3 (event 3): lock l\n"
        "    T2 fork(T3) at b.c:4 (event 4) -> T3 r(x) at location 7 (event 5): fork of T3\n"
        "    T3 w(y) (event 6) -> T1 join(T3) at a.c:7 (event 7): join of T3\n\n"
        "t.std: not serializable, first bad event 7; 1 violated block (first: ");
}

static void the_only_other_thread_is_named(void **state) {
    struct fixture *f = *state;
    add_violation(f, 1, 0);
    assert_contains(text_of(f, false), "  Thread T2 came in between:\n");
}

static void a_path_in_json(void **state) {
    struct fixture *f = *state;
    add_violation(f, 3, 9);
    assert_contains(
        text_of(f, true),
        "      \"path\": [\n"
        "        {\"from\": {\"event\": 2, \"thread\": \"T1\", \"op\": \"rel(l)\", \"loc\": "
        "\"a.c:2\"}, \"to\": {\"event\": 3, \"thread\": \"T2\", \"op\": \"acq(l)\", \"loc\": "
        "\"b.c:3\"}, \"kind\": \"lock\", \"on\": \"l\"},\n"
        "        {\"from\": {\"event\": 4, \"thread\": \"T2\", \"op\": \"fork(T3)\", \"loc\": "
        "\"b.c:4\"}, \"to\": {\"event\": 5, \"thread\": \"T3\", \"op\": \"r(x)\", \"loc\": "
        "\"7\"}, \"kind\": \"fork\", \"on\": \"T3\"},\n"
        "        {\"from\": {\"event\": 6, \"thread\": \"T3\", \"op\": \"w(y)\", \"loc\": \"\"}, "
        "\"to\": {\"event\": 7, \"thread\": \"T1\", \"op\": \"join(T3)\", \"loc\": \"a.c:7\"}, "
        "\"kind\": \"join\", \"on\": \"T3\"}\n"
        "      ]\n");
}

static void a_cycle_is_printed_when_no_block_is_violated(void **state) {
    struct fixture *f = *state;
    struct st_edge edges[3];
    fill_edges(f, edges);
    st_findings_bad_event(&f->findings[0], 5);
    st_findings_cycle(&f->findings[0], edges, 2);
    assert_contains(
        text_of(f, false),
        "No serial order explains the trace, although no single block was cut:\n"
        "  with event 5 its transactions wait for each other in a cycle:\n"
        "    T1 rel(l) at a.c:2 (event 2) -> T2 acq(l) at b.c:3 (event 3): lock l\n"
        "    T2 fork(T3) at b.c:4 (event 4) -> T3 r(x) at location 7 (event 5): fork of T3\n\n"
        "t.std: not serializable, first bad event 5; no violated block (first: ");
    assert_contains(text_of(f, true), "  \"cycle\": [\n    {\"from\": {\"event\": 2, ");
}

static void an_undecided_verdict_is_null(void **state) {
    struct fixture *f = *state;
    assert_contains(text_of(f, true), "  \"serializable\": null,\n");
    assert_contains(text_of(f, false), "t.std: undecided; no violated block (first: ");
}

static void engines_that_disagree_are_shouted_about(void **state) {
    struct fixture *f = *state;
    f->report.compare = true;
    f->report.result_count = 2;
    st_findings_bad_event(&f->findings[0], 5);
    f->findings[1].verdict = ST_UNDECIDED;
    assert_false(st_report_disagrees(&f->report));
    f->findings[1].verdict = ST_SERIALIZABLE;
    assert_true(st_report_disagrees(&f->report));
    assert_contains(text_of(f, false), "THE ENGINES DISAGREE");
    assert_contains(text_of(f, true), "\"agree\": false,");
}

static void times_and_sizes_have_units(void **state) {
    struct fixture *f = *state;
    f->report.compare = true;
    f->report.result_count = 2;
    f->findings[0].verdict = f->findings[1].verdict = ST_SERIALIZABLE;
    assert_contains(text_of(f, false),
                    "first          serializable                   -                0    12.3 ms"
                    "       999 B\n"
                    "second         serializable                   -                0    12.35 s"
                    "     5.0 MiB\n");
}

static void json_text_is_escaped(void **state) {
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct st_json json;
    st_json_start(&json, file);
    st_json_array(&json);
    st_json_array(&json);
    st_json_array_end(&json);
    st_json_string(&json, "\"\\\n\t\r\b\x1f\x7f\xc3\xa9\xc3(\xe2\x82\xf4\x90\x80\x80");
    st_json_array_end(&json);
    st_json_finish(&json);
    fclose(file);
    assert_string_equal(text, "[\n  [],\n  \"\\\"\\\\\\n\\t\\r\\u0008\\u001f\\u007f\xc3\xa9\\ufffd("
                              "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"\n]\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_path_is_printed_edge_by_edge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_only_other_thread_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_in_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cycle_is_printed_when_no_block_is_violated, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_undecided_verdict_is_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(engines_that_disagree_are_shouted_about, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_and_sizes_have_units, set_up, tear_down),
        cmocka_unit_test(json_text_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
