/* Which atomic words are locks: operations in their order, and what each is taken for. */
#include "watch/words/lock_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { RELAXED = 0, ACQUIRE = 2, RELEASE = 3, SEQUENTIAL = 5 };

static struct st_atomic operation(enum st_stream_atomic kind, int order, uint64_t before,
                                  uint64_t after) {
    return (struct st_atomic){
        .kind = kind, .order = order, .bytes = 4, .before = before, .after = after};
}

static enum st_word_use use(struct st_word *word, uint32_t thread, enum st_stream_atomic kind,
                            uint64_t before, uint64_t after) {
    struct st_atomic atomic = operation(kind, SEQUENTIAL, before, after);
    return st_word_use(word, thread, &atomic, NULL);
}

static void a_word_that_is_swapped_and_set_back_is_a_lock(void **state) {
    (void)state;
    struct st_word word = {0};
    assert_int_equal(use(&word, 1, ST_ATOMIC_STORE, 0, 0), ST_USE_DATA); /* initialised */
    for (uint32_t thread = 1; thread < 4; thread++) {
        assert_int_equal(use(&word, thread, ST_ATOMIC_EXCHANGE, 0, 1), ST_USE_TAKE);
        assert_int_equal(use(&word, 7, ST_ATOMIC_EXCHANGE, 1, 1), ST_USE_WAIT);
        assert_int_equal(use(&word, 7, ST_ATOMIC_LOAD, 1, 1), ST_USE_WAIT);
        assert_int_equal(use(&word, 8, ST_ATOMIC_FAIL, 1, 1), ST_USE_WAIT);
        assert_int_equal(use(&word, thread, ST_ATOMIC_LOAD, 1, 1), ST_USE_NOTHING);
        assert_int_equal(use(&word, thread, ST_ATOMIC_STORE, 0, 0), ST_USE_RELEASE);
    }
}

static void waiters_may_mark_it_by_one_number(void **state) {
    (void)state;
    struct st_word word = {0};
    assert_int_equal(use(&word, 1, ST_ATOMIC_COMPARE, 0, 1), ST_USE_TAKE);
    assert_int_equal(use(&word, 2, ST_ATOMIC_EXCHANGE, 1, 2), ST_USE_WAIT);
    assert_int_equal(use(&word, 3, ST_ATOMIC_COMPARE, 1, 2), ST_USE_WAIT);
    assert_int_equal(use(&word, 1, ST_ATOMIC_ADD, 2, 1), ST_USE_NOTHING);
    assert_int_equal(use(&word, 1, ST_ATOMIC_STORE, 0, 0), ST_USE_RELEASE);
    assert_int_equal(use(&word, 2, ST_ATOMIC_EXCHANGE, 0, 2), ST_USE_TAKE);
    assert_int_equal(use(&word, 2, ST_ATOMIC_ADD, 2, 1), ST_USE_NOTHING);
    assert_int_equal(use(&word, 3, ST_ATOMIC_COMPARE, 1, 2), ST_USE_WAIT);
    assert_int_equal(use(&word, 3, ST_ATOMIC_COMPARE, 2, 3), ST_USE_DATA);
    assert_int_equal(word.state, ST_WORD_DATA);
}

static void a_semaphore_of_one_is_a_lock(void **state) {
    (void)state;
    struct st_word word = {0};
    assert_int_equal(use(&word, 1, ST_ATOMIC_COMPARE, 1, 0), ST_USE_TAKE);
    assert_int_equal(use(&word, 1, ST_ATOMIC_ADD, 0, 1), ST_USE_RELEASE);
    assert_int_equal(use(&word, 2, ST_ATOMIC_COMPARE, 1, 0), ST_USE_TAKE);
    assert_int_equal(use(&word, 1, ST_ATOMIC_ADD, 0, 1), ST_USE_DATA); /* by another thread */
}

static void what_is_no_lock_is_data_for_ever(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t thread[3];
        struct {
            enum st_stream_atomic kind;
            uint64_t before, after;
        } operations[3];
    } data[] = {
        {"a counter",
         {1, 2, 1},
         {{ST_ATOMIC_ADD, 0, 1}, {ST_ATOMIC_ADD, 1, 2}, {ST_ATOMIC_ADD, 2, 1}}},
        {"a counter that is swapped",
         {1, 2, 1},
         {{ST_ATOMIC_COMPARE, 0, 1}, {ST_ATOMIC_COMPARE, 1, 2}, {ST_ATOMIC_COMPARE, 2, 3}}},
        {"seats",
         {1, 2, 1},
         {{ST_ATOMIC_COMPARE, 5, 4}, {ST_ATOMIC_COMPARE, 4, 3}, {ST_ATOMIC_ADD, 3, 4}}},
        {"a flag that another resets",
         {1, 2, 1},
         {{ST_ATOMIC_EXCHANGE, 0, 1}, {ST_ATOMIC_STORE, 0, 0}, {ST_ATOMIC_EXCHANGE, 0, 1}}},
        {"a flag that is stored",
         {1, 2, 1},
         {{ST_ATOMIC_STORE, 0, 1}, {ST_ATOMIC_EXCHANGE, 1, 0}, {ST_ATOMIC_STORE, 0, 1}}},
        {"a state",
         {1, 1, 1},
         {{ST_ATOMIC_COMPARE, 0, 1}, {ST_ATOMIC_STORE, 0, 2}, {ST_ATOMIC_STORE, 0, 0}}},
        {"a pointer",
         {1, 1, 2},
         {{ST_ATOMIC_COMPARE, 0, 0x55555000},
          {ST_ATOMIC_COMPARE, 0x55555000, 0},
          {ST_ATOMIC_COMPARE, 0, 0x55555000}}},
        {"a list",
         {1, 1, 1},
         {{ST_ATOMIC_COMPARE, 0, 0x55555000},
          {ST_ATOMIC_COMPARE, 0x55555000, 0},
          {ST_ATOMIC_COMPARE, 0, 0x55556000}}},
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        struct st_word word = {0};
        enum st_word_use last = ST_USE_NOTHING;
        for (size_t k = 0; k < 3; k++)
            last = use(&word, data[i].thread[k], data[i].operations[k].kind,
                       data[i].operations[k].before, data[i].operations[k].after);
        if (last != ST_USE_DATA || word.state != ST_WORD_DATA)
            fail_msg("%s is not data", data[i].what);
        assert_int_equal(use(&word, 1, ST_ATOMIC_EXCHANGE, 0, 1), ST_USE_DATA);
    }
}

static void a_thread_may_take_it_by_a_pointer_of_its_own(void **state) {
    (void)state;
    struct st_word word = {0};
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t thread = 1 + i % 6;
        uint64_t self = 0x55555000 + 0x1000 * thread;
        assert_int_equal(use(&word, thread, ST_ATOMIC_COMPARE, 0, self), ST_USE_TAKE);
        assert_int_equal(use(&word, 7, ST_ATOMIC_FAIL, self, self), ST_USE_WAIT);
        assert_int_equal(use(&word, thread, ST_ATOMIC_STORE, 0, 0), ST_USE_RELEASE);
    }
}

static void memory_order_matters(void **state) {
    (void)state;
    struct st_word relaxed = {0}, careless = {0};
    struct st_atomic take = operation(ST_ATOMIC_EXCHANGE, RELAXED, 0, 1);
    assert_int_equal(st_word_use(&relaxed, 1, &take, NULL), ST_USE_DATA);
    take.order = ACQUIRE;
    assert_int_equal(st_word_use(&careless, 1, &take, NULL), ST_USE_TAKE);
    struct st_atomic give = operation(ST_ATOMIC_STORE, RELAXED, 0, 0);
    assert_int_equal(st_word_use(&careless, 1, &give, NULL), ST_USE_DATA);
    assert_int_equal(careless.state, ST_WORD_DATA);
}

static void a_ticket_lock_waits_for_its_turn(void **state) {
    (void)state;
    struct st_word serving = {0};
    struct st_atomic load = operation(ST_ATOMIC_LOAD, ACQUIRE, 0, 0);
    uint64_t first = 0, second = 1;
    assert_int_equal(st_word_use(&serving, 2, &load, &second), ST_USE_DATA); /* for all we know */
    assert_int_equal(st_word_use(&serving, 1, &load, &first), ST_USE_TAKE);
    assert_int_equal(st_word_use(&serving, 2, &load, &second), ST_USE_WAIT);
    struct st_atomic next = operation(ST_ATOMIC_ADD, RELEASE, 0, 1);
    assert_int_equal(st_word_use(&serving, 1, &next, NULL), ST_USE_RELEASE);
    load = operation(ST_ATOMIC_LOAD, ACQUIRE, 1, 1);
    assert_int_equal(st_word_use(&serving, 2, &load, &second), ST_USE_TAKE);
    next = operation(ST_ATOMIC_STORE, RELEASE, 0, 2);
    assert_int_equal(st_word_use(&serving, 1, &next, NULL), ST_USE_DATA); /* not its turn */
}

static void note(struct st_word *word, uint32_t thread, enum st_stream_atomic kind,
                 uint64_t value) {
    struct st_atomic atomic = operation(kind, RELAXED, 0, value);
    st_note_writer(word, thread, &atomic);
}

static void a_word_may_say_which_thread_holds_something(void **state) {
    (void)state;
    struct st_word word = {0};
    assert_true(st_is_other(&word, 1, 0, false));
    note(&word, 1, ST_ATOMIC_STORE, 0); /* initialised */
    for (uint32_t thread = 1; thread < 4; thread++) {
        note(&word, thread, ST_ATOMIC_STORE, 100 + thread);
        assert_false(st_is_other(&word, thread, 100 + thread, false));
        assert_true(st_is_other(&word, 9, 100 + thread, false));
        note(&word, thread, ST_ATOMIC_LOAD, 100 + thread);
        note(&word, thread, ST_ATOMIC_STORE, thread == 2 ? UINT32_MAX : 0);
        assert_true(st_is_other(&word, thread, 0, false));
    }
    note(&word, 4, ST_ATOMIC_COMPARE, 104);
    assert_true(st_is_other(&word, 9, 104, false));
}

static void what_is_no_name_must_be_taken_back_once(void **state) {
    (void)state;
    struct st_word word = {0};
    assert_false(st_is_other(&word, 1, 0, true));
    note(&word, 1, ST_ATOMIC_STORE, 100);
    assert_false(st_is_other(&word, 2, 100, true)); /* a version, perhaps */
    note(&word, 1, ST_ATOMIC_STORE, 0);
    assert_true(st_is_other(&word, 2, 0, true));
    note(&word, 1, ST_ATOMIC_STORE, 100);
    assert_true(st_is_other(&word, 2, 100, true));
    assert_false(st_is_other(&word, 1, 100, true));
}

static void it_is_no_note_of_a_thread(void **state) {
    (void)state;
    struct st_word flag = {0}, state_of = {0}, turn = {0}, reset = {0}, count = {0};
    note(&flag, 1, ST_ATOMIC_STORE, 1);
    note(&flag, 1, ST_ATOMIC_STORE, 0);
    note(&flag, 2, ST_ATOMIC_STORE, 1); /* the same value by two threads */
    assert_false(st_is_other(&flag, 3, 1, false));
    note(&state_of, 1, ST_ATOMIC_STORE, 1);
    note(&state_of, 1, ST_ATOMIC_STORE, 2); /* two values by one */
    assert_false(st_is_other(&state_of, 3, 1, false));
    note(&turn, 1, ST_ATOMIC_STORE, 2);
    note(&turn, 2, ST_ATOMIC_STORE, 1); /* it was not taken back */
    assert_false(st_is_other(&turn, 3, 1, false));
    note(&reset, 1, ST_ATOMIC_STORE, 7);
    note(&reset, 2, ST_ATOMIC_STORE, 0); /* by another one */
    assert_false(st_is_other(&reset, 3, 0, false));
    note(&count, 1, ST_ATOMIC_ADD, 1);
    assert_false(st_is_other(&count, 3, 1, false));
}

static void values_are_as_wide_as_the_word(void **state) {
    (void)state;
    struct st_stream_record records[] = {
        {st_stream_what(ST_STREAM_ATOMIC_UPDATE, 1 | ST_STREAM_WITH_VALUES, 0x1000), 0},
        {st_stream_what(ST_STREAM_VALUES, ST_ATOMIC_EXCHANGE | ACQUIRE << 4, 0x700), 0x801}};
    struct st_atomic atomic = st_atomic_of(records);
    assert_int_equal(atomic.kind, ST_ATOMIC_EXCHANGE);
    assert_int_equal(atomic.order, ACQUIRE);
    assert_int_equal(atomic.before, 0);
    assert_int_equal(atomic.after, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_that_is_swapped_and_set_back_is_a_lock),
        cmocka_unit_test(waiters_may_mark_it_by_one_number),
        cmocka_unit_test(a_semaphore_of_one_is_a_lock),
        cmocka_unit_test(what_is_no_lock_is_data_for_ever),
        cmocka_unit_test(a_thread_may_take_it_by_a_pointer_of_its_own),
        cmocka_unit_test(memory_order_matters),
        cmocka_unit_test(a_ticket_lock_waits_for_its_turn),
        cmocka_unit_test(a_word_may_say_which_thread_holds_something),
        cmocka_unit_test(what_is_no_name_must_be_taken_back_once),
        cmocka_unit_test(it_is_no_note_of_a_thread),
        cmocka_unit_test(values_are_as_wide_as_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
