/* Stacks and locks that follow from the events of a trace. */
#include "trace/context_tracker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct st_symbols symbols, described;
    struct st_context_tracker *tracker;
    char text[512];
};

static uint32_t name(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

enum { WRITE_SIDE, READ_SIDE, WHOLE, SIGNAL_SIDE, OTHER_WRITE_SIDE, OTHER_READ_SIDE, PLAIN };
static const char *const channel_names[] = {"rw [write]", "rw [read]", "s [lock]", "s [signal]",
                                            "qw [write]", "qw [read]", "c"};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    st_symbols_init(&f->symbols);
    f->symbols.contexts.kept = true;
    f->tracker = st_context_tracker_new(&f->symbols.channel_facts);
    name(&f->symbols.locks, "l");
    name(&f->symbols.locks, "m");
    for (size_t i = 0; i < sizeof channel_names / sizeof *channel_names; i++)
        name(&f->symbols.channels, channel_names[i]);
    st_symbols_note_channels(&f->symbols);
    f->described = f->symbols;
    st_names_init(&f->described.locations);
    st_contexts_init(&f->described.contexts);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    st_context_tracker_free(f->tracker);
    st_names_free(&f->described.locations);
    st_contexts_free(&f->described.contexts);
    st_symbols_free(&f->symbols);
    free(f);
    return 0;
}

static uint32_t frame(struct fixture *f, const char *function, const char *line, uint32_t caller) {
    struct st_contexts *contexts = &f->symbols.contexts;
    return st_contexts_frame(contexts, (struct st_frame_row){name(&contexts->functions, function),
                                                             name(&contexts->lines, line), caller});
}

/* A site in a function at a line, called from a frame. */
static uint64_t site(struct fixture *f, const char *function, const char *line, uint32_t call) {
    struct st_site_row row = {name(&f->symbols.contexts.lines, line),
                              frame(f, function, line, call), call, 0};
    return ST_LOC_NAME | st_symbols_site(&f->symbols, row);
}

/* What is described of an event of a thread: "read:3 work:2 main:1 [l m]". */
static const char *describe(struct fixture *f, uint32_t thread, enum st_op op, uint32_t target,
                            uint64_t loc) {
    struct st_event event = {
        .thread = thread, .target = target, .loc = loc, .written = op, .op = op};
    st_context_tracker_events(f->tracker, &event, 1);
    struct st_contexts *contexts = &f->described.contexts;
    uint64_t described =
        st_context_tracker_location(f->tracker, &f->symbols, &f->described, event.loc);
    char *at = f->text;
    *at = '\0';
    if (described & ST_LOC_NAME && (described & ~ST_LOC_NAME) < contexts->site_count) {
        struct st_site_row row = contexts->sites[described & ~ST_LOC_NAME];
        for (uint32_t i = row.frame; i; i = contexts->frames[i - 1].caller)
            at += sprintf(at, "%s:%s ",
                          st_name(&contexts->functions, contexts->frames[i - 1].function),
                          st_name(&contexts->lines, contexts->frames[i - 1].line));
        at += sprintf(at, "[");
        for (uint32_t i = row.held; i; i = contexts->held[i - 1].rest)
            at += sprintf(at, "%s%s", at[-1] == '[' ? "" : " ",
                          st_held_name(&f->symbols, contexts->held[i - 1].lock));
        sprintf(at, "]");
    }
    return f->text;
}

static void the_stack_goes_on_with_that_of_the_block(void **state) {
    struct fixture *f = *state;
    uint64_t work = site(f, "work", "10", frame(f, "main", "1", 0));
    uint64_t get = site(f, "get", "20", frame(f, "work", "11", 0));
    uint64_t read = site(f, "get", "21", 0), after = site(f, "work", "12", 0);
    assert_string_equal(describe(f, 0, ST_BEGIN, ST_NO_NAME, work), "work:10 main:1 []");
    assert_string_equal(describe(f, 0, ST_BEGIN, ST_NO_NAME, get), "get:20 work:11 main:1 []");
    assert_string_equal(describe(f, 0, ST_READ, 0, read), "get:21 work:11 main:1 []");
    assert_string_equal(describe(f, 0, ST_END, ST_NO_NAME, get), "get:20 work:11 main:1 []");
    assert_string_equal(describe(f, 0, ST_READ, 0, after), "work:12 main:1 []");
    assert_string_equal(describe(f, 0, ST_END, ST_NO_NAME, work), "work:10 main:1 []");
    assert_string_equal(describe(f, 0, ST_READ, 0, site(f, "main", "2", 0)), "main:2 []");
}

/* helper is no block, so its call is with its own events. */
static void calls_of_what_is_no_block_come_first(void **state) {
    struct fixture *f = *state;
    uint64_t work = site(f, "work", "10", frame(f, "main", "1", 0));
    uint64_t read = site(f, "helper", "30", frame(f, "work", "11", 0));
    describe(f, 0, ST_BEGIN, ST_NO_NAME, work);
    assert_string_equal(describe(f, 0, ST_READ, 0, read), "helper:30 work:11 main:1 []");
}

static void threads_have_stacks_and_locks_of_their_own(void **state) {
    struct fixture *f = *state;
    uint64_t work = site(f, "work", "10", 0), read = site(f, "work", "11", 0);
    describe(f, 0, ST_BEGIN, ST_NO_NAME, work);
    describe(f, 0, ST_ACQUIRE, 0, read);
    assert_string_equal(describe(f, 9, ST_READ, 0, read), "work:11 []");
    assert_string_equal(describe(f, 0, ST_READ, 0, read), "work:11 [l]");
}

static void locks_are_held_until_they_are_released(void **state) {
    struct fixture *f = *state;
    uint64_t at = site(f, "f", "1", 0);
    assert_string_equal(describe(f, 0, ST_ACQUIRE, 0, at), "f:1 []");
    assert_string_equal(describe(f, 0, ST_ACQUIRE, 1, at), "f:1 [l]");
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 [m l]");
    assert_string_equal(describe(f, 0, ST_RELEASE, 0, at), "f:1 [m l]");
    assert_string_equal(describe(f, 0, ST_RELEASE, 1, at), "f:1 [m]");
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
}

static void a_lock_that_is_acquired_twice_is_released_twice(void **state) {
    struct fixture *f = *state;
    uint64_t at = site(f, "f", "1", 0);
    describe(f, 0, ST_ACQUIRE, 0, at);
    describe(f, 0, ST_ACQUIRE, 0, at);
    describe(f, 0, ST_RELEASE, 0, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 [l]");
    describe(f, 0, ST_RELEASE, 0, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
    describe(f, 0, ST_RELEASE, 0, at); /* malformed, but no harm */
    assert_string_equal(describe(f, 0, ST_END, 0, at), "f:1 []");
}

static void reader_writer_locks_are_held_too(void **state) {
    struct fixture *f = *state;
    uint64_t at = site(f, "f", "1", 0), there = site(f, "f", "2", 0);
    describe(f, 0, ST_RECEIVE, WRITE_SIDE, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 [rw (read)]");
    describe(f, 0, ST_RECEIVE, WRITE_SIDE, at);
    describe(f, 0, ST_RECEIVE, OTHER_WRITE_SIDE, there);
    describe(f, 0, ST_RECEIVE, OTHER_READ_SIDE, there);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 [qw rw (read)]");
    describe(f, 0, ST_SEND, READ_SIDE, at);
    assert_string_equal(describe(f, 0, ST_SEND, READ_SIDE, at), "f:1 [qw rw (read)]");
    assert_string_equal(describe(f, 0, ST_SEND, OTHER_WRITE_SIDE, at), "f:1 [qw]");
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
    describe(f, 0, ST_SEND, PLAIN, at);
    describe(f, 0, ST_RECEIVE, PLAIN, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
}

static void a_semaphore_is_held_until_it_is_known_to_be_a_signal(void **state) {
    struct fixture *f = *state;
    uint64_t at = site(f, "f", "1", 0);
    describe(f, 0, ST_RECEIVE, WHOLE, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 [s]");
    describe(f, 0, ST_SEND, WHOLE, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
    describe(f, 0, ST_RECEIVE, WHOLE, at);
    describe(f, 1, ST_SEND, SIGNAL_SIDE, at);
    describe(f, 2, ST_RECEIVE, SIGNAL_SIDE, at);
    describe(f, 2, ST_RECEIVE, WHOLE, at);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
    assert_string_equal(describe(f, 2, ST_READ, 0, at), "f:1 []");
}

static void locations_that_are_numbers_stay(void **state) {
    struct fixture *f = *state;
    struct st_event event = {.loc = 17, .written = ST_READ, .op = ST_READ};
    st_context_tracker_events(f->tracker, &event, 1);
    assert_int_equal(event.loc, 17);
    assert_int_equal(st_context_tracker_location(f->tracker, &f->symbols, &f->symbols, 17), 17);
}

/* A block whose begin has a number for its location: what is around it is not known. */
static void what_is_not_known_is_not_told(void **state) {
    struct fixture *f = *state;
    uint64_t read = site(f, "work", "11", 0);
    describe(f, 0, ST_BEGIN, ST_NO_NAME, 5);
    assert_string_equal(describe(f, 0, ST_READ, 0, read), "[]");
    describe(f, 0, ST_END, ST_NO_NAME, 5);
    assert_string_equal(describe(f, 0, ST_READ, 0, site(f, "work", "12", 0)), "work:12 []");
}

static void dropped_events_do_not_count(void **state) {
    struct fixture *f = *state;
    uint64_t at = site(f, "f", "1", 0);
    struct st_event event = {.loc = at, .written = ST_ACQUIRE, .op = ST_DROPPED};
    st_context_tracker_events(f->tracker, &event, 1);
    assert_string_equal(describe(f, 0, ST_READ, 0, at), "f:1 []");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_stack_goes_on_with_that_of_the_block),
        TEST(calls_of_what_is_no_block_come_first),
        TEST(threads_have_stacks_and_locks_of_their_own),
        TEST(locks_are_held_until_they_are_released),
        TEST(reader_writer_locks_are_held_too),
        TEST(a_semaphore_is_held_until_it_is_known_to_be_a_signal),
        TEST(a_lock_that_is_acquired_twice_is_released_twice),
        TEST(locations_that_are_numbers_stay),
        TEST(what_is_not_known_is_not_told),
        TEST(dropped_events_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
