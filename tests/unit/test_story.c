/* The text of findings whose calls and locks are known, word by word. */
#include "report/report.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What is known of a location: with an index of this table as its name. */
struct knowledge {
    const char *stack[12], *locks[4];
};

struct fixture {
    struct st_symbols symbols;
    struct st_facts facts;
    struct st_repairs repairs;
    struct st_findings findings;
    struct st_result result;
    struct st_details details;
    struct st_report report;
    const struct knowledge *known;
    char folder[64];
};

static void look_up(void *context, uint64_t loc, struct st_detail *detail) {
    const struct fixture *f = context;
    const struct knowledge *known = &f->known[loc & ~ST_LOC_NAME];
    *detail = (struct st_detail){.function = known->stack[0] ? known->stack[0] : "",
                                 .stack = known->stack,
                                 .locks = known->locks};
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/seriatim-story-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    st_symbols_init(&f->symbols);
    st_findings_init(&f->findings, 0);
    f->findings.names_blocks = true;
    f->result = (struct st_result){.engine = "witness", .findings = &f->findings};
    f->details = (struct st_details){look_up, f};
    f->facts.events = 99;
    f->report = (struct st_report){.trace = "bank",
                                   .details = &f->details,
                                   .folder = f->folder,
                                   .symbols = &f->symbols,
                                   .facts = &f->facts,
                                   .repairs = &f->repairs,
                                   .results = {&f->result, 1}};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    st_findings_free(&f->findings);
    st_symbols_free(&f->symbols);
    free(f);
    return system(command);
}

static void put_source(const struct fixture *f, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The locations that are known: their names are those of their innermost frames. */
static void know(struct fixture *f, const struct knowledge *known, size_t count) {
    f->known = known;
    for (size_t i = 0; i < count; i++)
        st_names_append(&f->symbols.locations, known[i].stack[1] ? known[i].stack[1] : "",
                        known[i].stack[1] ? strlen(known[i].stack[1]) : 0);
}

static uint32_t number(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

static struct st_place place(struct fixture *f, uint64_t event, const char *thread, enum st_op op,
                             const char *target, uint64_t loc) {
    struct st_place made = {.number = event};
    made.event.thread = number(&f->symbols.threads, thread);
    made.event.target = number(st_symbols_of(&f->symbols, op), target);
    made.event.loc = (ST_LOC_NAME | loc) & ((ST_LOC_NAME << 1) - 1);
    made.event.op = made.event.written = op;
    return made;
}

/* A block of T1 that begins at location 0 and is left by the first edge, and the way back. */
static void add_violation(struct fixture *f, const char *block, struct st_edge out,
                          struct st_edge back) {
    struct st_edge *path = calloc(2, sizeof *path);
    path[0] = out;
    path[1] = back;
    st_findings_violation(&f->findings,
                          &(struct st_violation){.block = number(&f->symbols.blocks, block),
                                                 .thread = number(&f->symbols.threads, "T1"),
                                                 .begin_loc = ST_LOC_NAME,
                                                 .begin = out.from.number - 1,
                                                 .end = back.to.number + 1,
                                                 .event = back.to,
                                                 .path = path,
                                                 .path_length = 2});
    st_findings_bad_event(&f->findings, back.to.number);
}

static void add_lock_cut(struct fixture *f, const char *first, const char *second) {
    add_violation(f, "transfer",
                  (struct st_edge){place(f, 9, "T1", ST_RELEASE, first, 1),
                                   place(f, 14, "T2", ST_ACQUIRE, first, 2), .kind = ST_EDGE_LOCK},
                  (struct st_edge){place(f, 21, "T2", ST_RELEASE, second, 3),
                                   place(f, 24, "T1", ST_ACQUIRE, second, 4),
                                   .kind = ST_EDGE_LOCK});
}

/* T1 reads x at event + 1, T2 writes it, T1 writes it. */
static void add_access_cut(struct fixture *f, uint64_t event) {
    add_violation(
        f, "count",
        (struct st_edge){place(f, event + 1, "T1", ST_READ, "x", 1),
                         place(f, event + 2, "T2", ST_WRITE, "x", 2), .kind = ST_EDGE_CONFLICT},
        (struct st_edge){place(f, event + 2, "T2", ST_WRITE, "x", 2),
                         place(f, event + 3, "T1", ST_WRITE, "x", 3), .kind = ST_EDGE_CONFLICT});
}

static char *text_of(const struct fixture *f, struct st_text_style style) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    st_report_text(&f->report, style, file);
    fclose(file);
    if (strstr(text, " \n"))
        fail_msg("a line ends with a blank:\n%s", text);
    return text;
}

static void assert_text(const struct fixture *f, struct st_text_style style, const char *part) {
    char *text = text_of(f, style);
    if (!strstr(text, part))
        print_error("\n%s\nis not in:\n", part), fputs(text, stderr), fail();
    free(text);
}

static void assert_text_not(const struct fixture *f, const char *part) {
    char *text = text_of(f, (struct st_text_style){0});
    if (strstr(text, part))
        print_error("\n%s\nis in:\n", part), fputs(text, stderr), fail();
    free(text);
}

static const struct st_text_style plain;

#define STARTER "start_thread", "nptl/pthread_create.c:442"

static const struct knowledge bank[] = {
    {{"transfer", "bank.c:5", "teller", "bank.c:9", STARTER}, {0}},
    {{"withdraw", "bank.c:2", "transfer", "bank.c:6", "teller", "bank.c:9", STARTER},
     {"checking.lock"}},
    {{"balance_of", "bank.c:11", "audit", "bank.c:14", "auditor", "bank.c:16", STARTER}, {0}},
    {{"balance_of", "bank.c:12", "audit", "bank.c:14", "auditor", "bank.c:16", STARTER},
     {"savings.lock", "log.lock"}},
    {{"deposit", "bank.c:4", "transfer", "bank.c:7", "teller", "bank.c:9", STARTER}, {0}},
};

static const char bank_source[] = "\nunlock(account);\n\n    lock(account);\n"
                                  "void transfer(void) {\n"
                                  "\twithdraw(from, amount);\n"
                                  "\tdeposit(to, amount);\n\n"
                                  "        transfer();\n\n"
                                  "lock(account);\nunlock(account);\n\n"
                                  "return balance_of(&checking) + balance_of(&savings);\n\n"
                                  "audit();\n";

static void set_up_bank(struct fixture *f) {
    know(f, bank, 5);
    add_lock_cut(f, "checking.lock", "savings.lock");
}

static void calls_lines_and_locks_are_reported_with_each_step(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    put_source(f, "bank.c", bank_source);
    assert_text(
        f, plain,
        "transfer was not atomic in thread T1: T2 came in between.\n"
        "  event 8   T1  began transfer                            and ended it with event "
        "25\n"
        "                in    transfer    bank.c:5   void transfer(void) {\n"
        "                from  teller      bank.c:9   transfer();\n"
        "  event 9   T1  released lock checking.lock\n"
        "                in    withdraw    bank.c:2   unlock(account);\n"
        "                from  transfer    bank.c:6   withdraw(from, amount);\n"
        "  event 14  T2  acquired lock checking.lock               so T2 comes after "
        "transfer\n"
        "                in    balance_of  bank.c:11  lock(account);\n"
        "                from  audit       bank.c:14  return balance_of(&checking) + "
        "balance_of(&savings);\n"
        "                from  auditor     bank.c:16  audit();\n"
        "  event 21  T2  released lock savings.lock, holding log.lock\n"
        "                in    balance_of  bank.c:12  unlock(account);\n"
        "  event 24  T1  acquired lock savings.lock                still in the block, so "
        "transfer comes after T2\n"
        "                in    deposit     bank.c:4   lock(account);\n"
        "                from  transfer    bank.c:7   deposit(to, amount);\n"
        "  No serial order has T2's work both after and before transfer.\n"
        "  Hint: transfer let go of checking.lock at bank.c:6 before it took savings.lock at "
        "bank.c:7, and held no lock by then.\n\n"
        "bank: not serializable (no order of whole blocks explains this run), ");
}

static void on_a_narrow_terminal_lines_are_broken(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    put_source(f, "bank.c", bank_source);
    assert_text(f, (struct st_text_style){.width = 60},
                "transfer was not atomic in thread T1: T2 came in between.\n"
                "  event 8   T1  began transfer\n"
                "                and ended it with event 25\n"
                "      in    transfer    bank.c:5   void transfer(void) {\n"
                "      from  teller      bank.c:9   transfer();\n");
    assert_text(f, (struct st_text_style){.width = 60},
                "  event 24  T1  acquired lock savings.lock\n"
                "                still in the block, so transfer comes after\n"
                "                T2\n");
    assert_text(f, (struct st_text_style){.width = 60},
                "      from  audit       bank.c:14  return balance_of(&che...\n");
    assert_text(f, (struct st_text_style){.width = 60},
                "  Hint: transfer let go of checking.lock at bank.c:6 before\n"
                "  it took savings.lock at bank.c:7, and held no lock by\n"
                "  then.\n");
    assert_text(f, (struct st_text_style){.width = 50},
                "      from  audit       bank.c:14\n"
                "            return balance_of(&checking) + bala...\n");
}

static void source_that_is_not_there_is_not_quoted(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    put_source(f, "bank.c", "\n  unlock(account);\n");
    assert_text(f, plain,
                "  event 9   T1  released lock checking.lock\n"
                "                in    withdraw    bank.c:2   unlock(account);\n"
                "                from  transfer    bank.c:6\n");
}

static void source_that_was_changed_is_not_quoted(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    put_source(f, "bank.c", bank_source);
    f->report.built = 1;
    assert_text(f, plain,
                "                from  transfer    bank.c:6\n"
                "  event 14  T2");
    assert_text(f, plain,
                "\n\nbank.c is newer than what ran, so its lines are not quoted.\n\nbank: ");
    assert_text((f->report.built = 0, f), plain, "  withdraw(from, amount);\n");
    assert_text_not(f, "newer");
}

static void a_terminal_does_not_obey_source(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    put_source(f, "bank.c", "\nx\t= \x1b]0;y\x07\xff;\n");
    assert_text(f, plain, "bank.c:2   x = \\x1b]0;y\\x07\\xff;\n");
}

static void without_calls_the_line_is_quoted_below_the_step(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    f->report.details = NULL;
    put_source(f, "bank.c", bank_source);
    assert_text(f, plain,
                "  event 9   T1  released lock checking.lock  at bank.c:2\n"
                "                  unlock(account);\n"
                "  event 14  T2  acquired lock checking.lock  at bank.c:11  so T2 comes after "
                "transfer\n"
                "                  lock(account);\n");
    assert_text(f, plain,
                "  Hint: transfer let go of checking.lock at bank.c:2 before it took savings.lock "
                "at bank.c:4.\n");
}

static void frames_of_libraries_are_left_out(void **state) {
    struct fixture *f = *state;
    static const struct knowledge known[] = {
        {{"put", "q.cc:5", "main::{lambda}::operator()", "q.cc:9", "std::__invoke", "invoke.h:61",
          STARTER},
         {0}},
        {{"__gthread_mutex_unlock", "/usr/include/gthr.h:779", "std::mutex::unlock",
          "std_mutex.h:118", "put", "q.cc:6", "main::{lambda}::operator()", "q.cc:9"},
         {"l"}},
        {{"libx.so+0x12", "libx.so+0x12"}, {0}},
        {{"std::mutex::unlock", "std_mutex.h:118", "get", "q.cc:12"}, {"l"}},
        {{"put", "q.cc:7", "main::{lambda}::operator()", "q.cc:9"}, {0}},
    };
    know(f, known, 5);
    add_lock_cut(f, "l", "l");
    assert_text(f, plain,
                "                in    put                         q.cc:5\n"
                "                from  main::{lambda}::operator()  q.cc:9\n"
                "  event 9   T1  released lock l\n"
                "                in    put                         q.cc:6\n"
                "  event 14  T2  acquired lock l  so T2 comes after transfer\n"
                "                in    libx.so+0x12                libx.so+0x12\n"
                "  event 21  T2  released lock l\n"
                "                in    get                         q.cc:12\n"
                "  event 24  T1  acquired lock l  still in the block, so transfer comes after "
                "T2\n"
                "                in    put                         q.cc:7\n");
    assert_text(f, plain,
                "  Hint: transfer let go of l at q.cc:6 and took it again at q.cc:7; held "
                "throughout, it would have kept T2 out.\n");
}

/* A table of knowledge has no room for such a stack, so every location has this one. */
static void look_up_deep_stack(void *context, uint64_t loc, struct st_detail *detail) {
    static const char *stack[2 * 15 + 1];
    (void)context, (void)loc;
    for (size_t i = 0; i < 30; i++)
        stack[i] = i % 2 ? "f.c:1" : "f";
    *detail = (struct st_detail){.function = "f", .stack = stack, .locks = stack + 30};
}

static void of_a_deep_stack_the_innermost_calls_are_reported(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    f->details.lookup = look_up_deep_stack;
    assert_text(f, plain,
                "                from  f  f.c:1\n"
                "                from  7 more calls; --format json lists them\n"
                "  event 9   T1  released lock checking.lock\n"
                "                in    f  f.c:1\n"
                "  event 14  T2  ");
}

/* ---- hints ---- */

static void assert_hint(struct fixture *f, const char *first, const char *other, const char *last,
                        const char *hint) {
    struct knowledge known[] = {
        {{"count", "a.c:1"}, {0}},
        {{"count", "a.c:2"}, {first}},
        {{"set", "a.c:9"}, {other}},
        {{"count", "a.c:3"}, {last}},
    };
    char expected[256];
    know(f, known, f->findings.kept ? 0 : 4);
    if (!f->findings.kept)
        add_access_cut(f, 1);
    f->known = known;
    snprintf(expected, sizeof expected, "before count.\n%s%s\nbank: ", hint, *hint ? "\n" : "");
    assert_text(f, plain, expected);
}

static void hints_speak_of_the_locks_that_were_held(void **state) {
    struct fixture *f = *state;
    assert_hint(f, NULL, NULL, NULL, "  Hint: none of these accesses was made under a lock.");
    assert_hint(f, "m", NULL, "m", "  Hint: T1 held m at its accesses, but T2 did not at a.c:9.");
    assert_hint(f, NULL, "m", NULL, "  Hint: T2 held m at its accesses, but T1 did not at a.c:2.");
    assert_hint(f, "m", "m", "m",
                "  Hint: all of these accesses were made under m, but count let go of it between "
                "its two, at a.c:2 and at a.c:3.");
    assert_hint(f, "m", "m", "n",
                "  Hint: count let go of m after its access at a.c:2 and went on at a.c:3; held "
                "throughout, it would have kept T2 out.");
}

static void there_is_no_hint_when_nothing_is_certain(void **state) {
    struct fixture *f = *state;
    assert_hint(f, NULL, "m", "m", "");
    assert_hint(f, "m", NULL, "n", "");
}

static void an_access_without_a_lock_says_so(void **state) {
    struct fixture *f = *state;
    static const struct knowledge known[] = {
        {{"count", "a.c:1"}, {0}},
        {{"count", "a.c:2"}, {0}},
        {{"set", "a.c:9"}, {"m", "n"}},
        {{"count", "a.c:3"}, {"n"}},
    };
    know(f, known, 4);
    add_access_cut(f, 1);
    assert_text(f, plain, "T1  read x, holding no lock\n");
    assert_text(f, plain, "T2  wrote x, holding m, n  ");
    assert_text(f, plain, "T1  wrote x, holding n  ");
}

/* ---- what is the same ---- */

/* Location 4 is the same line as 2, reached in another way. */
static void the_same_gap_is_reported_once_whoever_came_in_between(void **state) {
    struct fixture *f = *state;
    static const struct knowledge known[] = {
        {{"count", "a.c:1", "one", "a.c:20"}, {0}}, {{"count", "a.c:2", "one", "a.c:20"}, {0}},
        {{"set", "a.c:9", "one", "a.c:20"}, {0}},   {{"count", "a.c:3", "one", "a.c:20"}, {0}},
        {{"set", "a.c:9", "two", "a.c:30"}, {0}},   {{"set", "a.c:10", "one", "a.c:20"}, {0}},
    };
    know(f, known, 6);
    for (uint64_t i = 0; i < 3; i++)
        add_access_cut(f, 10 * i + 1);
    f->findings.violations[1].path[0].to.event.loc = 4 | ST_LOC_NAME;
    assert_text(f, plain, "  The same happened 3 times in the same place.\n");
    f->findings.violations[2].path[0].to.event.loc = 5 | ST_LOC_NAME;
    assert_text(f, plain, "  The same happened 3 times in the same place.\n");
}

/* A helper is called from two lines of the block: that is not the same place. */
static void the_lines_in_the_block_make_a_difference(void **state) {
    struct fixture *f = *state;
    static const struct knowledge known[] = {
        {{"count", "a.c:1"}, {0}},
        {{"get", "a.c:5", "count", "a.c:2"}, {0}},
        {{"set", "a.c:9"}, {0}},
        {{"put", "a.c:6", "count", "a.c:3"}, {0}},
        {{"put", "a.c:6", "count", "a.c:4"}, {0}},
    };
    know(f, known, 5);
    add_access_cut(f, 1);
    add_access_cut(f, 11);
    assert_text(f, plain, "  The same happened 2 times in the same place.\n");
    f->findings.violations[1].event.event.loc = 4 | ST_LOC_NAME;
    assert_text_not(f, "The same happened");
}

/* ---- data races ---- */

static void a_step_that_rests_on_a_data_race_says_so(void **state) {
    struct fixture *f = *state;
    static const struct knowledge known[] = {
        {{"count", "a.c:1"}, {0}},
        {{"get", "a.c:5", "count", "a.c:2"}, {0}},
        {{"set", "a.c:9"}, {0}},
        {{"put", "a.c:6", "count", "a.c:3"}, {0}},
    };
    static const char note[] = "\nA finding rests on a data race: ";
    know(f, known, 4);
    add_access_cut(f, 1);
    f->findings.violations[0].path[0].race = ST_RACE_NONE;
    assert_text_not(f, "data race");
    f->findings.violations[0].path[0].race = ST_RACE_FOUND;
    assert_text(f, plain, "so T2 comes after count; a data race: nothing orders the two\n");
    assert_text_not(f, "so count comes after T2; a data race");
    assert_text(f, plain, note);
    f->findings.violations[0].path[1].race = ST_RACE_FOUND;
    assert_text(f, plain, "so count comes after T2; a data race: nothing orders the two\n");
}

/* Where the trace is no recording its order is given. */
static void without_a_recording_there_is_no_doubt(void **state) {
    struct fixture *f = *state;
    static const struct knowledge known[] = {{{"count", "a.c:1"}, {0}},
                                             {{"get", "a.c:5"}, {0}},
                                             {{"set", "a.c:9"}, {0}},
                                             {{"put", "a.c:6"}, {0}}};
    know(f, known, 4);
    add_access_cut(f, 1);
    f->findings.violations[0].path[0].race = ST_RACE_FOUND;
    f->report.details = NULL;
    assert_text_not(f, "data race");
}

/* ---- color ---- */

static void threads_have_their_colors(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    assert_text(f, (struct st_text_style){.color = true},
                "  \033[2mevent 9\033[0m   \033[1;36mT1\033[0m  released lock checking.lock\n");
    assert_text(f, (struct st_text_style){.color = true},
                "  \033[2mevent 14\033[0m  \033[1;33mT2\033[0m  acquired lock checking.lock");
}

static void quiet_is_the_summary_alone(void **state) {
    struct fixture *f = *state;
    set_up_bank(f);
    char *text = text_of(f, (struct st_text_style){.quiet = true});
    assert_int_equal(strncmp(text, "bank: not serializable, ", 24), 0);
    assert_ptr_equal(strchr(text, '\n') + 1, text + strlen(text));
    free(text);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(calls_lines_and_locks_are_reported_with_each_step),
        TEST(on_a_narrow_terminal_lines_are_broken),
        TEST(source_that_is_not_there_is_not_quoted),
        TEST(source_that_was_changed_is_not_quoted),
        TEST(a_terminal_does_not_obey_source),
        TEST(without_calls_the_line_is_quoted_below_the_step),
        TEST(frames_of_libraries_are_left_out),
        TEST(of_a_deep_stack_the_innermost_calls_are_reported),
        TEST(hints_speak_of_the_locks_that_were_held),
        TEST(there_is_no_hint_when_nothing_is_certain),
        TEST(an_access_without_a_lock_says_so),
        TEST(the_same_gap_is_reported_once_whoever_came_in_between),
        TEST(the_lines_in_the_block_make_a_difference),
        TEST(a_step_that_rests_on_a_data_race_says_so),
        TEST(without_a_recording_there_is_no_doubt),
        TEST(threads_have_their_colors),
        TEST(quiet_is_the_summary_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
