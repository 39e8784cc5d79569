/* What channels are used for, and what that means to other schedules: barriers, what is done once,
 * and reader-writer locks. */
#include "predict/commit/commit_node.h"
#include "predict/deadlock.h"

#include "runs.h"

#define BLOCK(t, inner) t " begin b, " inner ", " t " end b"
#define READING(t, inner) t " rcv w, " inner ", " t " snd r"
#define WRITING(t, inner) t " rcv w@1, " t " rcv r@1, " inner ", " t " snd w"

static const struct st_model_options plain = {.order = ST_MODEL_BARRIERS};

/* The begins of blocks that commit nodes report: "1 7". */
static void assert_reported(const char *text, const char *expected) {
    struct run run;
    struct st_prediction prediction;
    const struct st_predict_options options = {.jobs = 1};
    char found[256] = "", begin[16];
    make_run(&run, text, &plain);
    st_prediction_init(&prediction);
    st_commit_node.run(&(struct st_run){.model = run.model}, &options,
                       &(struct st_commit_node_options){0}, &prediction);
    for (size_t i = 0; i < prediction.listed; i++) {
        if (prediction.blocks[i].verdict == ST_BLOCK_ATOMIC)
            continue;
        snprintf(begin, sizeof begin, "%s%d", *found ? " " : "", (int)prediction.blocks[i].begin);
        strcat(found, begin);
    }
    if (strcmp(found, expected) != 0)
        print_error("%s\n", text);
    assert_string_equal(found, expected);
    st_prediction_free(&prediction);
    free_run(&run);
}

static uint64_t loose_channels(const char *text) {
    struct run run;
    make_run(&run, text, &plain);
    uint64_t count = run.model->channel_events;
    free_run(&run);
    return count;
}

/* ---- barriers ---- */

static void a_barrier_may_stand_between_two_blocks(void **state) {
    (void)state;
    assert_reported("T1 begin b, T1 w x, T1 snd c, T1 end b, T1 begin b, "
                    "T2 begin b, T2 r x, T2 snd c, T2 end b, T2 begin b, "
                    "T1 rcv c, T1 r x, T1 end b, T2 rcv c, T2 w x, T2 r x, T2 end b",
                    "");
    assert_reported("T1 begin b, T1 w x, T1 snd c, T1 end b, T1 begin b, "
                    "T2 begin b, T2 r x, T2 snd c, T2 end b, T2 begin b, "
                    "T1 rcv c, T1 r x, T1 r x, T1 end b, T2 rcv c, T2 w x, T2 r x, T2 end b",
                    "5");
}

/* ---- once ---- */

static void what_is_done_once_comes_before_those_who_return(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", "T1 w x, T1 w y, T1 snd o@1, T1 rcv o@1, T1 r x") ", " BLOCK(
                        "T2", "T2 rcv o, T2 r x, T2 r y"),
                    "");
}

static void a_static_object_comes_before_those_who_use_it(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", "T1 rcv o@1, T1 w x, T1 w y, T1 snd o@1, T1 r x") ", " BLOCK(
                        "T2", "T2 rcv o, T2 r x, T2 r y"),
                    "");
}

/* What a thread does before it learns that all is done comes before nothing. */
static void an_access_before_the_return_is_not_ordered(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", "T1 w x, T1 w y, T1 snd o@1, T1 rcv o@1, T1 r x") ", " BLOCK(
                        "T2", "T2 r x, T2 r y, T2 rcv o"),
                    "1 8");
}

static void a_semaphore_is_not_once(void **state) {
    (void)state;
    const char *end = ", " BLOCK("T2", "T2 rcv o, T2 r x, T2 r y");
    char text[512];
    const char *const starts[] = {
        BLOCK("T1", "T1 w x, T1 w y, T1 snd o"),               /* the sender does not receive */
        BLOCK("T1", "T1 w x, T1 w y, T1 snd o@1, T1 rcv o@2"), /* or elsewhere */
        BLOCK("T1", "T1 rcv o@1, T1 w x, T1 w y, T1 snd o@2"), /* the same, before it */
        BLOCK("T1", "T1 w x, T1 w y, T1 snd o@1, T1 snd o@1, T1 rcv o@1"),  /* it sends twice */
        "T2 rcv o, " BLOCK("T1", "T1 w x, T1 w y, T1 snd o@1, T1 rcv o@1"), /* one is early */
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        snprintf(text, sizeof text, "%s%s", starts[i], end);
        assert_int_not_equal(loose_channels(text), 0);
    }
}

/* ---- reader-writer locks ---- */

static void a_writer_keeps_others_away(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", WRITING("T1", "T1 r x, T1 w x")) ", " BLOCK(
                        "T2", WRITING("T2", "T2 r x, T2 w x")),
                    "");
    assert_reported(
        BLOCK("T1", WRITING("T1", "T1 w x, T1 w y")) ", " BLOCK(
            "T2", READING("T2", "T2 r x, T2 r y")) ", " BLOCK("T3", READING("T3", "T3 r x")),
        "");
}

static void readers_do_not_keep_each_other_away(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", READING("T1", "T1 r x, T1 w x")) ", " BLOCK(
                        "T2", READING("T2", "T2 r x, T2 w x")) ", " WRITING("T3", "T3 r y"),
                    "1 7");
}

static void two_sections_of_a_lock_can_be_cut(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", READING("T1", "T1 r x") ", " WRITING("T1", "T1 w x")) ", " BLOCK(
                        "T2", WRITING("T2", "T2 r x, T2 w x")),
                    "1");
}

static void who_holds_nothing_is_kept_away_by_nobody(void **state) {
    (void)state;
    assert_reported(BLOCK("T1", WRITING("T1", "T1 r x, T1 w x")) ", T2 w x", "1");
}

/* A thread may hold the lock for reading twice. */
static void read_locks_are_re_entrant(void **state) {
    (void)state;
    assert_reported(
        BLOCK("T1", READING("T1", READING("T1", "T1 r x") ", T1 r x")) ", " WRITING("T2", "T2 w x"),
        "");
}

static void what_is_no_such_lock_makes_no_order(void **state) {
    (void)state;
    const char *const texts[] = {
        /* a receive from the second channel alone */
        WRITING("T1", "T1 w x") ", T2 rcv r, T2 r x, T2 snd r",
        /* in other lines */
        "T1 rcv w@1, T1 rcv r@2, T1 w x, T1 snd w, " READING("T2", "T2 r x"),
        /* the sections are not apart */
        "T2 rcv w, T2 r x, " WRITING("T1", "T1 w x") ", T2 snd r",
        "T1 rcv w@1, T1 rcv r@1, T1 w x, " READING("T2", "T2 r x") ", T1 snd w",
        /* an end without a beginning */
        WRITING("T1", "T1 w x") ", T2 r x, T2 snd r",
        WRITING("T1", "T1 w x") ", " READING("T2", "T2 r x") ", T2 snd w",
        /* the second channel belongs to two locks */
        WRITING("T1", "T1 w x") ", T2 rcv v@1, T2 rcv r@1, T2 snd v",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!loose_channels(texts[i]))
            print_error("%s\n", texts[i]);
        assert_int_not_equal(loose_channels(texts[i]), 0);
    }
    assert_int_equal(loose_channels(WRITING("T1", "T1 w x") ", " READING("T2", "T2 r x")), 0);
}

/* One lock is none, but the other is: the trace has to be gone through once more. */
static void a_broken_lock_does_not_spoil_another(void **state) {
    (void)state;
    assert_reported(
        "T3 rcv p@1, T3 rcv q@1, T4 snd p, " BLOCK(
            "T1", WRITING("T1", "T1 r x, T1 w x")) ", " BLOCK("T2",
                                                              WRITING("T2", "T2 r x, T2 w x")),
        "");
}

static void deadlock_with_a_reader(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"T1 acq m, " READING("T1", "T1 r x") ", T1 rel m, " WRITING("T2", "T2 acq m, T2 rel m"),
         1},
        {"T1 acq m, " WRITING("T1", "T1 r x") ", T1 rel m, " WRITING("T2", "T2 acq m, T2 rel m"),
         1},
        {"T1 acq m, " READING("T1", "T1 r x") ", T1 rel m, " READING(
             "T2", "T2 acq m, T2 rel m") ", " WRITING("T3", "T3 w x"),
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        struct st_predictions found = {0};
        make_run(&run, cases[i].text, &plain);
        st_deadlocks_find(run.model, 0, &found);
        assert_int_equal(found.deadlock_count, cases[i].count);
        for (size_t j = 0; j < found.deadlock_count; j++)
            for (size_t k = 0; k < found.deadlocks[j].count; k++) {
                const struct st_place *wants = &found.deadlocks[j].waits[k].wants;
                const struct st_event *event = &run.events[wants->number - 1];
                assert_int_equal(wants->event.op, event->op); /* as the trace has it */
                assert_int_equal(wants->event.target, event->target);
            }
        st_predictions_free(&found);
        free_run(&run);
    }
}

/* ---- sections of random runs: who has a lock in common? ---- */

enum { THREADS = 4, LOCKS = 2, SECTIONS = 40, MOST_HELD = THREADS + 1 };

struct section {
    uint32_t thread, lock;
    bool writes;
    uint32_t held[MOST_HELD];
    size_t held_count;
};

static struct st_event section_event(const struct section *section, enum st_op op, bool read) {
    return (struct st_event){.thread = section->thread,
                             .target = 2 * section->lock + read,
                             .loc = 1,
                             .op = op,
                             .written = op};
}

/* One section behind the other, each with an access in it; keeps what is held at the access. */
static void run_sections(struct st_rwlocks *rwlocks, struct section *sections, bool turn) {
    uint64_t number = 1;
    for (size_t i = 0; i < SECTIONS; i++) {
        struct section *section = &sections[i];
        struct st_event events[] = {
            section_event(section, ST_RECEIVE, false),
            section_event(section, ST_RECEIVE, true),
            {.thread = section->thread, .op = ST_READ, .written = ST_READ},
            section_event(section, ST_SEND, !section->writes),
        };
        section->held_count = 0;
        for (size_t j = 0; j < 4; j++) {
            if (j == 1 && !section->writes)
                continue;
            if (!turn) {
                st_rwlocks_event(rwlocks, &events[j]);
                continue;
            }
            st_rwlocks_translate(rwlocks, &events[j], number++);
            for (size_t k = 0; k < rwlocks->step_count; k++)
                if (rwlocks->steps[k].event.op == ST_ACQUIRE)
                    section->held[section->held_count++] = rwlocks->steps[k].event.target;
        }
    }
}

static bool have_common(const struct section *a, const struct section *b) {
    for (size_t i = 0; i < a->held_count; i++)
        for (size_t j = 0; j < b->held_count; j++)
            if (a->held[i] == b->held[j])
                return true;
    return false;
}

static void sections_exclude_each_other_as_before(void **state) {
    (void)state;
    size_t apart = 0, common = 0;
    srand(1);
    for (int round = 0; round < 200; round++) {
        struct st_rwlocks rwlocks;
        struct section sections[SECTIONS];
        for (size_t i = 0; i < SECTIONS; i++)
            sections[i] =
                (struct section){.thread = (uint32_t)rand() % THREADS,
                                 .lock = i < LOCKS ? (uint32_t)i : (uint32_t)rand() % LOCKS,
                                 .writes = i < LOCKS || rand() % 3 == 0};
        st_rwlocks_init(&rwlocks, NULL);
        run_sections(&rwlocks, sections, false);
        st_rwlocks_number(&rwlocks, 100);
        assert_int_equal(rwlocks.count, LOCKS);
        run_sections(&rwlocks, sections, true);
        assert_false(st_rwlocks_drop_broken(&rwlocks));
        for (size_t i = 0; i < SECTIONS; i++)
            for (size_t j = i + 1; j < SECTIONS; j++) {
                const struct section *a = &sections[i], *b = &sections[j];
                bool exclude = a->lock == b->lock && (a->writes || b->writes);
                if (a->thread == b->thread)
                    continue;
                assert_int_equal(have_common(a, b), exclude);
                common += exclude;
                apart += !exclude;
            }
        st_rwlocks_free(&rwlocks);
    }
    assert_true(common > 1000 && apart > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_may_stand_between_two_blocks),
        cmocka_unit_test(what_is_done_once_comes_before_those_who_return),
        cmocka_unit_test(a_static_object_comes_before_those_who_use_it),
        cmocka_unit_test(an_access_before_the_return_is_not_ordered),
        cmocka_unit_test(a_semaphore_is_not_once),
        cmocka_unit_test(a_writer_keeps_others_away),
        cmocka_unit_test(readers_do_not_keep_each_other_away),
        cmocka_unit_test(two_sections_of_a_lock_can_be_cut),
        cmocka_unit_test(who_holds_nothing_is_kept_away_by_nobody),
        cmocka_unit_test(read_locks_are_re_entrant),
        cmocka_unit_test(what_is_no_such_lock_makes_no_order),
        cmocka_unit_test(a_broken_lock_does_not_spoil_another),
        cmocka_unit_test(deadlock_with_a_reader),
        cmocka_unit_test(sections_exclude_each_other_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
