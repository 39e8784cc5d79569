/* Reports from findings made by hand: paths, cycles and disagreement, which no engine need have. */
#include "report/report.h"

#include "base/json.h"
#include "base/memory.h"

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
                                   .results = {f->results, 1}};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 2; i++)
        st_findings_free(&f->findings[i]);
    st_symbols_free(&f->symbols);
    free(f->facts.executed);
    free(f);
    return 0;
}

/* The edges of: T1 hands on to T2 through a lock, T2 forks T3, T3 ends and T1 joins it. */
static void fill_edges(struct fixture *f, struct st_edge *edges) {
    edges[0] = (struct st_edge){place(f, 2, "T1", ST_RELEASE, "l", "a.c:2"),
                                place(f, 3, "T2", ST_ACQUIRE, "l", "b.c:3"), .kind = ST_EDGE_LOCK};
    edges[1] = (struct st_edge){place(f, 4, "T2", ST_FORK, "T3", "b.c:4"),
                                place(f, 5, "T3", ST_READ, "x", "7"), .kind = ST_EDGE_FORK};
    edges[2] = (struct st_edge){place(f, 6, "T3", ST_WRITE, "y", ""),
                                place(f, 7, "T1", ST_JOIN, "T3", "a.c:7"), .kind = ST_EDGE_JOIN};
}

/* A violated block of T1 with the first `count` of these edges as its path. */
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

static struct st_edge conflict(struct fixture *f, uint64_t from, const char *from_thread,
                               uint64_t to, const char *to_thread, const char *variable) {
    return (struct st_edge){place(f, from, from_thread, ST_WRITE, variable, ""),
                            place(f, to, to_thread, ST_READ, variable, ""),
                            .kind = ST_EDGE_CONFLICT};
}

/* A block of T1 that T2 cuts between `begin` and `event`: T1 writes x, T2 reads x and writes y, T1
 * reads y. `name` may be NULL. */
static void add_cut(struct fixture *f, const char *name, uint32_t depth, uint64_t begin,
                    uint64_t event, const char *loc) {
    struct st_edge *path = calloc(2, sizeof *path);
    path[0] = conflict(f, event - 3, "T1", event - 2, "T2", "x");
    path[1] = conflict(f, event - 1, "T2", event, "T1", "y");
    path[1].to = place(f, event, "T1", ST_READ, "y", loc);
    struct st_violation violation = {.block = name ? number(&f->symbols.blocks, name) : ST_NO_NAME,
                                     .thread = number(&f->symbols.threads, "T1"),
                                     .depth = depth,
                                     .begin_loc = begin % 10,
                                     .begin = begin,
                                     .end = event + 1,
                                     .event = path[1].to,
                                     .path = path,
                                     .path_length = 2};
    st_findings_violation(&f->findings[0], &violation);
    st_findings_bad_event(&f->findings[0], event);
}

static void set_executed(struct fixture *f, const char *name, uint64_t executed) {
    st_reserve(&f->facts.executed, &f->facts.executed_capacity, 64);
    f->facts.executed_count = 64;
    f->facts.executed[number(&f->symbols.blocks, name)] = executed;
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
    if (strstr(text, " \n"))
        fail_msg("a line ends with a blank:\n%s", text);
    return text;
}

static void assert_contains(char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
    free(text);
}

static void assert_contains_not(char *text, const char *part) {
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
    free(text);
}

/* ---- Violations ---- */

static void a_path_is_reported_step_by_step(void **state) {
    struct fixture *f = *state;
    set_executed(f, "f", 3);
    add_violation(f, 3, 9);
    assert_contains(
        text_of(f, false),
        "f was not atomic in thread T1: T2 and T3 came in between (cut in 1 of its 3 runs).\n"
        "  event 1  T1  began f               at location 1  and ended it with event 9\n"
        "  event 2  T1  released lock l       at a.c:2\n"
        "  event 3  T2  acquired lock l       at b.c:3       so T2 comes after f\n"
        "  event 4  T2  forked T3             at b.c:4\n"
        "  event 5  T3  started, then read x  at location 7  so T3 comes after T2\n"
        "  event 6  T3  wrote y, then ended\n"
        "  event 7  T1  joined T3             at a.c:7       still in the block, so f comes after "
        "T3\n"
        "  No serial order has f both before T2 and after T3, which comes after T2.\n\n"
        "t.std: not serializable (no order of whole blocks explains this run), first bad event 7; "
        "1 violated block (first: ");
}

static void order_through_a_channel_is_reported_as_such(void **state) {
    struct fixture *f = *state;
    struct st_edge *path = calloc(2, sizeof *path);
    path[0] =
        (struct st_edge){place(f, 2, "T1", ST_SEND, "items", "a.c:2"),
                         place(f, 3, "T2", ST_RECEIVE, "items", "b.c:3"), .kind = ST_EDGE_SYNC};
    path[1] =
        (struct st_edge){place(f, 4, "T2", ST_SEND, "room", "b.c:4"),
                         place(f, 5, "T1", ST_RECEIVE, "room", "a.c:5"), .kind = ST_EDGE_SYNC};
    st_findings_violation(&f->findings[0],
                          &(struct st_violation){.block = number(&f->symbols.blocks, "f"),
                                                 .begin = 1,
                                                 .begin_loc = 1,
                                                 .end = 6,
                                                 .event = path[1].to,
                                                 .path = path,
                                                 .path_length = 2});
    char *text = text_of(f, false);
    assert_contains(
        strdup(text),
        "f was not atomic in thread T1: T2 came in between.\n"
        "  event 1  T1  began f                      at location 1  and ended it with event 6\n"
        "  event 2  T1  sent on channel items        at a.c:2\n"
        "  event 3  T2  received from channel items  at b.c:3       so T2 comes after f\n"
        "  event 4  T2  sent on channel room         at b.c:4\n"
        "  event 5  T1  received from channel room   at a.c:5       still in the block, so f comes "
        "after T2\n");
    assert_contains(text, " locks, 2 channels, ");
    text = text_of(f, true);
    assert_contains(strdup(text), "\"op\": \"rcv(items)\"");
    assert_contains(strdup(text), "\"kind\": \"sync\", \"on\": \"room\"");
    assert_contains(text, "\"channels\": 2");
}

/* The accesses have no locations, so there is no such column. T2's one event is shown once. */
static void one_event_can_cut_a_block(void **state) {
    struct fixture *f = *state;
    struct st_edge *path = calloc(2, sizeof *path);
    path[0] = conflict(f, 2, "T1", 3, "T2", "x");
    path[0].to = place(f, 3, "T2", ST_WRITE, "x", "");
    path[1] = conflict(f, 3, "T2", 4, "T1", "x");
    st_findings_violation(&f->findings[0],
                          &(struct st_violation){.block = number(&f->symbols.blocks, "f"),
                                                 .begin = 1,
                                                 .begin_loc = st_location_add(&f->symbols, "", 0),
                                                 .event = path[1].to,
                                                 .path = path,
                                                 .path_length = 2});
    assert_contains(text_of(f, false),
                    "f was not atomic in thread T1: T2 came in between.\n"
                    "  event 1  T1  began f  and its end was not seen\n"
                    "  event 2  T1  wrote x\n"
                    "  event 3  T2  wrote x  so T2 comes after f\n"
                    "  event 4  T1  read x   still in the block, so f comes after T2\n"
                    "  No serial order has T2's work both after and before f.\n\n");
}

static void a_child_of_one_event_starts_and_ends_with_it(void **state) {
    struct fixture *f = *state;
    struct st_edge *path = calloc(2, sizeof *path);
    path[0] = (struct st_edge){place(f, 2, "T1", ST_FORK, "T2", "2"),
                               place(f, 3, "T2", ST_BEGIN, "g", "3"), .kind = ST_EDGE_FORK};
    path[1] =
        (struct st_edge){path[0].to, place(f, 4, "T1", ST_JOIN, "T2", "4"), .kind = ST_EDGE_JOIN};
    st_findings_violation(&f->findings[0], &(struct st_violation){.block = ST_NO_NAME,
                                                                  .begin = 1,
                                                                  .end = 5,
                                                                  .begin_loc = 1,
                                                                  .event = path[1].to,
                                                                  .path = path,
                                                                  .path_length = 2});
    f->facts.unnamed_blocks = 7;
    assert_contains(
        text_of(f, false),
        "A block without a name was not atomic in thread T1: T2 came in between (cut: 1 of 7 "
        "blocks without a name).\n"
        "  event 1  T1  began a block                 at location 1  and ended it with event 5\n"
        "  event 2  T1  forked T2                     at location 2\n"
        "  event 3  T2  started, began g, then ended  at location 3  so T2 comes after the block\n"
        "  event 4  T1  joined T2                     at location 4  still in the block, so the "
        "block comes after T2\n"
        "  No serial order has T2's work both after and before the block.\n");
}

static void blocks_around_the_innermost_are_only_named(void **state) {
    struct fixture *f = *state;
    add_cut(f, "serve", 0, 1, 9, "");
    add_cut(f, NULL, 1, 2, 9, "");
    add_cut(f, "handle", 2, 3, 9, "");
    add_cut(f, "put", 3, 4, 9, "");
    char *text = text_of(f, false);
    assert_contains(strdup(text), "put was not atomic in thread T1: ");
    assert_contains(strdup(text), "  The blocks around it were cut by the same: handle, one "
                                  "without a name, serve.\n\n");
    assert_contains_not(strdup(text), "serve was not atomic");
    assert_contains(text, "4 violated blocks (first: ");
}

static void an_outer_block_that_was_cut_before_has_its_own_paragraph(void **state) {
    struct fixture *f = *state;
    add_cut(f, "serve", 0, 1, 9, "");
    add_cut(f, "put", 1, 14, 19, "");
    assert_contains(text_of(f, false), "serve was not atomic in thread T1: ");
    assert_contains(text_of(f, false), "put was not atomic in thread T1: ");
    assert_contains_not(text_of(f, false), "around");
}

/* From different places around it, and at different depths: it is one place of the code. */
static void what_is_cut_in_the_same_place_is_reported_once(void **state) {
    struct fixture *f = *state;
    for (uint64_t i = 0; i < 5; i++) {
        add_cut(f, i % 2 ? "get" : "set", 0, 100 * i + 1, 100 * i + 9, "a.c:9");
        add_cut(f, "lookup", 1 + i % 3, 100 * i + 4, 100 * i + 9, "a.c:9");
    }
    add_cut(f, "lookup", 1, 904, 909, "a.c:10");
    assert_contains(text_of(f, false), "  The blocks around it were cut by the same: set, get.\n"
                                       "  The same happened 5 times in the same place.\n\n"
                                       "lookup was not atomic in thread T1: ");
    assert_contains_not(text_of(f, false), "et was not atomic");
}

static void many_blocks_around_are_not_all_named(void **state) {
    struct fixture *f = *state;
    for (uint32_t depth = 0; depth < 12; depth++) {
        char name[] = {(char)('a' + depth), 0};
        add_cut(f, name, depth, depth + 1, 20, "");
    }
    assert_contains(text_of(f, false), "cut by the same: k, j, i, h, g, f, e, d and 3 more.\n");
}

static void the_most_surprising_block_is_reported_first(void **state) {
    struct fixture *f = *state;
    add_cut(f, "often", 0, 1, 9, "");
    add_cut(f, "often", 0, 11, 19, "a.c:19");
    add_cut(f, "rare", 0, 21, 29, "");
    set_executed(f, "often", 4);
    set_executed(f, "rare", 400);
    set_executed(f, "never", 7);
    char *text = text_of(f, false);
    const char *rare = strstr(text, "rare was not atomic in thread T1: T2 came in between (cut in "
                                    "1 of its 400 runs)"),
               *often = strstr(text, "often was not atomic"),
               *table = strstr(text, "block  executed  violated\n"
                                     "rare        400         1\n"
                                     "often         4         2\n"
                                     "never         7         0\n\n"
                                     "t.std: ");
    if (!rare || !often || !table || rare > often || often > table)
        fail_msg("not in order:\n%s", text);
    free(text);
}

static void shares_that_are_whole_are_said_in_words(void **state) {
    struct fixture *f = *state;
    add_cut(f, "f", 0, 1, 9, "");
    set_executed(f, "f", 1);
    assert_contains(text_of(f, false), " (cut in its only run).\n");
    add_cut(f, "f", 0, 11, 19, "");
    set_executed(f, "f", 2);
    assert_contains(text_of(f, false), " (cut in all of its 2 runs).\n");
}

/* The reader is ahead of the engine then, and has counted runs that nobody looked at. */
static void there_are_no_shares_when_reading_was_stopped(void **state) {
    struct fixture *f = *state;
    add_cut(f, "f", 0, 1, 9, "");
    set_executed(f, "f", 5);
    set_executed(f, "g", 5);
    f->report.stopped = true;
    assert_contains(text_of(f, false), "f was not atomic in thread T1: T2 came in between.\n");
    assert_contains_not(text_of(f, false), "executed");
}

/* Twelve threads in a row, each of which depends on the last. */
static void a_long_path_is_reported_at_its_ends(void **state) {
    struct fixture *f = *state;
    enum { LENGTH = 12 };
    struct st_edge *path = calloc(LENGTH, sizeof *path);
    for (uint64_t i = 0; i < LENGTH; i++) {
        char from[8], to[8];
        snprintf(from, sizeof from, "T%d", (int)i + 1);
        snprintf(to, sizeof to, "T%d", i + 1 == LENGTH ? 1 : (int)i + 2);
        path[i] = conflict(f, 2 * i + 2, from, 2 * i + 3, to, "x");
    }
    st_findings_violation(&f->findings[0],
                          &(struct st_violation){.block = number(&f->symbols.blocks, "f"),
                                                 .begin = 1,
                                                 .event = path[LENGTH - 1].to,
                                                 .path = path,
                                                 .path_length = LENGTH});
    char *text = text_of(f, false);
    assert_contains(strdup(text), "thread T1: T2, T3, T4 and others came in between.\n");
    assert_contains(strdup(text),
                    "  event 8   T4   wrote x\n"
                    "  event 9   T5   read x                             so T5 comes after T4\n"
                    "  ...            4 more dependences                 --format json lists them\n"
                    "  event 18  T9   wrote x\n"
                    "  event 19  T10  read x                             so T10 comes after T9"
                    "\n");
    assert_contains(strdup(text), "  No serial order has f both before T2 and after T12, which "
                                  "comes after T2.\n");
    assert_contains_not(text, "event 10 ");
}

/* ---- Engines that know less ---- */

static void add_closing(struct fixture *f, struct st_edge closing) {
    st_findings_violation(&f->findings[0],
                          &(struct st_violation){.block = number(&f->symbols.blocks, "f"),
                                                 .thread = number(&f->symbols.threads, "T1"),
                                                 .begin = 1,
                                                 .begin_loc = 1,
                                                 .end = 9,
                                                 .event = place(f, 7, "T1", ST_READ, "x", "a.c:7"),
                                                 .closing = closing});
}

static void the_last_dependence_alone_is_reported(void **state) {
    struct fixture *f = *state;
    number(&f->symbols.threads, "T1");
    add_closing(f, (struct st_edge){place(f, 6, "T2", ST_WRITE, "x", "b.c:6"),
                                    place(f, 7, "T1", ST_READ, "x", "a.c:7"),
                                    .kind = ST_EDGE_CONFLICT});
    assert_contains(
        text_of(f, false),
        "f was not atomic in thread T1: T2 came in between.\n"
        "  event 1  T1  began f  at location 1  and ended it with event 9\n"
        "  event 6  T2  wrote x  at b.c:6       after a step of the block, so T2 comes after f\n"
        "  event 7  T1  read x   at a.c:7       still in the block, so f comes after T2\n"
        "  No serial order has T2's work both after and before f.\n");
}

static void of_the_last_dependence_only_the_thread_may_be_known(void **state) {
    struct fixture *f = *state;
    number(&f->symbols.threads, "T1");
    struct st_edge closing = {.to = place(f, 7, "T1", ST_READ, "x", "a.c:7")};
    closing.from.event.thread = number(&f->symbols.threads, "T2");
    add_closing(f, closing);
    assert_contains(
        text_of(f, false),
        "  event 1  T1  began f        at location 1  and ended it with event 9\n"
        "           T2  did something                 after a step of the block, so T2 comes after "
        "f\n"
        "  event 7  T1  read x         at a.c:7       still in the block, so f comes after T2\n");
}

static void or_nothing_at_all(void **state) {
    struct fixture *f = *state;
    add_closing(f, (struct st_edge){0});
    assert_contains(text_of(f, false), "f was not atomic in thread T1: another thread came in "
                                       "between.\n");
    assert_contains(text_of(f, false), "  event 7  T1  read x   at a.c:7       still in the block, "
                                       "but after work that came after it\n"
                                       "  No serial order has that work both after and before f."
                                       "\n");
}

static void a_block_that_closed_a_cycle_need_not_be_cut(void **state) {
    struct fixture *f = *state;
    f->findings[0].blames_closers = true;
    set_executed(f, "f", 3);
    set_executed(f, "g", 1);
    add_closing(f, (struct st_edge){0});
    assert_contains(text_of(f, false),
                    "f closed a cycle of transactions in thread T1 (blamed in 1 of its 3 runs).\n"
                    "  event 1  T1  began f  at location 1  and ended it with event 9\n"
                    "  event 7  T1  read x   at a.c:7       which closed the cycle\n"
                    "  This engine does not say whether f itself was cut.\n\n"
                    "block  executed  blamed\n"
                    "f             3       1\n");
}

/* ---- The table of blocks ---- */

static void with_one_name_or_nothing_violated_there_is_no_table(void **state) {
    struct fixture *f = *state;
    set_executed(f, "f", 3);
    set_executed(f, "g", 3);
    assert_contains_not(text_of(f, false), "executed");
    set_executed(f, "g", 0);
    add_cut(f, "f", 0, 1, 9, "");
    assert_contains_not(text_of(f, false), "executed");
    f->facts.unnamed_blocks = 2;
    assert_contains(text_of(f, false), "block      executed  violated\n"
                                       "f                 3         1\n"
                                       "(no name)         2         0\n\n");
}

static void the_table_says_how_many_rows_it_leaves_out(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        set_executed(f, name, 2);
        if (i < 45)
            add_cut(f, name, 0, 10 * (uint64_t)i + 1, 10 * (uint64_t)i + 9, "");
    }
    assert_contains(text_of(f, false), "and 5 more that were violated\n"
                                       "and 5 more that were never violated\n\nt.std: ");
}

static void an_engine_that_does_not_look_at_nested_blocks_says_so(void **state) {
    struct fixture *f = *state;
    static const char sentence[] = "This engine looks at outermost blocks only: nested ones count "
                                   "as executed, never as violated.\n";
    add_cut(f, "f", 0, 1, 9, "");
    set_executed(f, "f", 5);
    set_executed(f, "g", 5);
    f->findings[0].outermost_only = true;
    f->facts.deepest = 1;
    assert_contains_not(text_of(f, false), sentence);
    f->facts.deepest = 2;
    assert_contains(text_of(f, false), sentence);
}

/* ---- Names ---- */

static void a_terminal_does_not_obey_names(void **state) {
    struct fixture *f = *state;
    add_cut(f,
            "a\x1b[2J\x7f\xc2\x9b"
            "2J\xc3\xa9\xc2\xa0",
            0, 1, 9, "\r");
    set_executed(f, "b", 1);
    char *text = text_of(f, false);
    for (const char *at = text; *at; at++)
        assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
    assert_null(strstr(text, "\xc2\x9b"));
    assert_contains(strdup(text), "  at \\x0d\n");
    assert_contains(strdup(text), "\na\\x1b[2J\\x7f\\xc2\\x9b"
                                  "2J\xc3\xa9\xc2\xa0         0         1\n");
    assert_contains(text, "a\\x1b[2J\\x7f\\xc2\\x9b"
                          "2J\xc3\xa9\xc2\xa0 was not atomic in thread T1: ");
}

/* ---- JSON ---- */

static void nested_violations_in_json(void **state) {
    struct fixture *f = *state;
    set_executed(f, "f", 2);
    add_cut(f, "f", 0, 1, 9, "");
    add_cut(f, "g", 1, 2, 9, "");
    add_cut(f, "f", 0, 11, 19, "");
    set_executed(f, "g", 40);
    char *text = text_of(f, true);
    assert_contains(strdup(text), "  \"violation_count\": 2,\n");
    assert_contains(strdup(text), "\"begin\": 2,\n      \"end\": 10,\n      \"depth\": 1,\n"
                                  "      \"event\": 9,\n");
    assert_contains(strdup(text),
                    "      \"closing\": {\"from\": {\"event\": 8, \"thread\": \"T2\", \"op\": "
                    "\"w(y)\", \"loc\": \"\"}, \"to\": {\"event\": 9, \"thread\": \"T1\", \"op\": "
                    "\"r(y)\", \"loc\": \"\"}, \"kind\": \"conflict\", \"on\": \"y\"},\n");
    assert_contains(
        text, "  \"blocks\": [\n"
              "    {\"name\": \"g\", \"executed\": 40, \"violated\": 1, \"depth\": 1},\n"
              "    {\"name\": \"f\", \"executed\": 2, \"violated\": 2, \"depth\": 0}\n  ],\n");
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
        "      ],\n");
}

/* ---- Verdicts ---- */

static void a_cycle_is_reported_when_no_block_is_violated(void **state) {
    struct fixture *f = *state;
    struct st_edge edges[3];
    fill_edges(f, edges);
    st_findings_bad_event(&f->findings[0], 7);
    st_findings_cycle(&f->findings[0], edges, NULL, 3);
    assert_contains(text_of(f, false),
                    "No serial order explains the trace, although no single block was cut.\n"
                    "  With event 7 its transactions wait for each other in a cycle.\n"
                    "  event 2  T1  released lock l       at a.c:2\n"
                    "  event 3  T2  acquired lock l       at b.c:3       so T2 comes after T1\n"
                    "  event 4  T2  forked T3             at b.c:4\n"
                    "  event 5  T3  started, then read x  at location 7  so T3 comes after T2\n"
                    "  event 6  T3  wrote y, then ended\n"
                    "  event 7  T1  joined T3             at a.c:7       so T1 comes after T3\n\n"
                    "t.std: not serializable (no order of whole blocks explains this run), first "
                    "bad event 7; no violated block (first: ");
    assert_contains(text_of(f, true), "  \"cycle\": [\n    {\"from\": {\"event\": 2, ");
}

/* T2's block has ended by the time it matters, and is forgotten; T3 goes on in another one. */
static void the_transactions_of_a_cycle_are_named_where_they_are_known(void **state) {
    struct fixture *f = *state;
    struct st_edge edges[3];
    uint32_t put = number(&f->symbols.blocks, "put");
    fill_edges(f, edges);
    struct st_ends ends[3] = {
        {.from = {.first = 1, .block = put}, .to = {.first = 3, .unary = true}},
        {.to = {.first = 5, .block = ST_NO_NAME}},
        {.from = {.first = 6, .block = put}, .to = {.first = 1, .block = put}},
    };
    st_findings_bad_event(&f->findings[0], 7);
    st_findings_cycle(&f->findings[0], edges, ends, 3);
    assert_contains(
        text_of(f, false),
        "  event 2  T1  released lock l       at a.c:2\n"
        "  event 3  T2  acquired lock l       at b.c:3       so event 3 of T2 comes after put in "
        "T1\n"
        "  event 4  T2  forked T3             at b.c:4\n"
        "  event 5  T3  started, then read x  at location 7  so a block in T3 comes after T2\n"
        "  event 6  T3  wrote y, then ended                  and put in T3 comes after a block in "
        "T3\n"
        "  event 7  T1  joined T3             at a.c:7       so put in T1 comes after put in "
        "T3\n\n");
}

static void a_long_cycle_is_reported_at_its_ends(void **state) {
    struct fixture *f = *state;
    struct st_edge edges[20];
    for (uint64_t i = 0; i < 20; i++)
        edges[i] = conflict(f, 2 * i + 2, "T1", 2 * i + 3, "T2", "x");
    st_findings_bad_event(&f->findings[0], 50);
    st_findings_cycle(&f->findings[0], edges, NULL, 20);
    assert_contains(text_of(f, false), "  event 9   T2  read x               so T2 comes after T1\n"
                                       "  ...           12 more dependences  --format json lists "
                                       "them\n"
                                       "  event 34  T1  wrote x\n");
}

static void without_its_edges_the_cycle_is_only_mentioned(void **state) {
    struct fixture *f = *state;
    st_findings_bad_event(&f->findings[0], 7);
    assert_contains(text_of(f, false), "wait for each other in a cycle.\n\nt.std: ");
}

static void an_undecided_verdict_is_null(void **state) {
    struct fixture *f = *state;
    assert_contains(text_of(f, true), "  \"serializable\": null,\n");
    assert_contains(text_of(f, false), "t.std: undecided; no violated block (first: ");
}

static void engines_that_disagree_are_shouted_about(void **state) {
    struct fixture *f = *state;
    f->report.kind = ST_REPORT_COMPARISON;
    f->report.results.count = 2;
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
    f->report.kind = ST_REPORT_COMPARISON;
    f->report.results.count = 2;
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
        cmocka_unit_test_setup_teardown(a_path_is_reported_step_by_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(order_through_a_channel_is_reported_as_such, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(one_event_can_cut_a_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_child_of_one_event_starts_and_ends_with_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(blocks_around_the_innermost_are_only_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_outer_block_that_was_cut_before_has_its_own_paragraph,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_cut_in_the_same_place_is_reported_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(many_blocks_around_are_not_all_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_most_surprising_block_is_reported_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(shares_that_are_whole_are_said_in_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_path_is_reported_at_its_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_dependence_alone_is_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_the_last_dependence_only_the_thread_may_be_known, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(or_nothing_at_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_that_closed_a_cycle_need_not_be_cut, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(with_one_name_or_nothing_violated_there_is_no_table, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_table_says_how_many_rows_it_leaves_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(there_are_no_shares_when_reading_was_stopped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_engine_that_does_not_look_at_nested_blocks_says_so,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_terminal_does_not_obey_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nested_violations_in_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_in_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cycle_is_reported_when_no_block_is_violated, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_transactions_of_a_cycle_are_named_where_they_are_known,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_cycle_is_reported_at_its_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_its_edges_the_cycle_is_only_mentioned, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_undecided_verdict_is_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(engines_that_disagree_are_shouted_about, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_and_sizes_have_units, set_up, tear_down),
        cmocka_unit_test(json_text_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
