/* A thread that has used up its epochs gives up, instead of beginning again with those it had. */
#include "runtime/core/call_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SLOT = 3, CHUNKS = 2 };

static struct rt_thread thread;
static struct rt_frame frames[2];

/* In one function, and just before a certain epoch. */
static void begin_at(uint64_t epoch) {
    thread.slot = SLOT;
    thread.me = (uint64_t)SLOT << RT_SLOT_AT | (uint64_t)RT_OWN << RT_STATE_AT;
    thread.base = epoch - 1;
    thread.frames = frames;
    thread.depth = thread.emitted_depth = thread.boarded_depth = 1;
    thread.inside = false;
    rt_new_epoch(&thread);
    assert_int_equal(rt_epoch_of(thread.current), epoch - 1);
}

static bool has_given_up(void) {
    return atomic_load(&rt_head->closed) && atomic_load(&rt_head->worn_out);
}

static void test_a_thread_has_no_epochs_left(void **state) {
    (void)state;
    begin_at(RT_EPOCHS - 1);
    rt_new_eager_epoch(&thread);
    assert_false(has_given_up());
    rt_new_eager_epoch(&thread);
    assert_true(has_given_up());
}

/* Such a call is emitted, and that gives up. */
static void test_no_call_is_boarded_then(void **state) {
    (void)state;
    begin_at(RT_EPOCHS - 1);
    frames[1] = (struct rt_frame){.function = 1};
    thread.depth = 2;
    assert_true(rt_board_quickly(&thread));
    thread.depth = thread.boarded_depth = 1;
    begin_at(RT_EPOCHS);
    thread.depth = 2;
    assert_false(rt_board_quickly(&thread));
}

/* The stream is there only while it is needed: the runtime's own free() would use it. */
static int prepare(void **state) {
    rt_deferring = rt_deferring_freely = true;
    struct st_stream_head *head = calloc(1, st_stream_bytes(CHUNKS));
    if (!head)
        return -1;
    head->chunk_count = CHUNKS;
    *state = rt_head = head;
    return 0;
}

static int clean_up(void **state) {
    rt_head = NULL;
    free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_thread_has_no_epochs_left, prepare, clean_up),
        cmocka_unit_test_setup_teardown(test_no_call_is_boarded_then, prepare, clean_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
