/* Random histories of a thread, and random shadow words of it: the short way of an access to its
 * own memory says what the long one says, and epochs that are taken for alike are. */
#include "runtime/deferred/own_memory.h"
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_FRAMES = 12, MOST_EPOCHS = 64, FIRST = 10, SLOT = 3, TIMES = 200000, GRANULE = 64 };

static struct rt_thread thread;
static struct rt_frame frames[MOST_FRAMES];
static uint64_t seed;

static unsigned chance(unsigned below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

/* ---- the history ---- */

/* What began an epoch: what comes after it is not like what was before it, or is so only while the
 * frame is open. */
static struct {
    bool learned;
    size_t frame;  /* that was entered; MOST_FRAMES: none */
    uint64_t left; /* the epoch in which that frame was left; 0: it is open */
} causes[FIRST + MOST_EPOCHS];

static uint64_t now(void) {
    return rt_epoch_of(thread.current);
}

static void next_epoch(bool learned, size_t frame) {
    thread.base++;
    thread.current = rt_present(&thread);
    causes[now()].learned = learned;
    causes[now()].frame = frame;
    causes[now()].left = 0;
}

static void learn(void) {
    next_epoch(true, MOST_FRAMES);
    thread.alike = thread.current;
}

static void enter(void) {
    struct rt_frame *frame = &frames[thread.depth];
    frame->alike_before = thread.alike;
    next_epoch(false, thread.depth++);
    frame->begun = thread.alike = thread.current;
    thread.boarded_depth = thread.depth;
}

static void leave(void) {
    struct rt_frame *frame = &frames[thread.boarded_depth = --thread.depth];
    bool alike = thread.alike == frame->begun;
    next_epoch(!alike, MOST_FRAMES);
    thread.alike = alike ? frame->alike_before : thread.current;
    causes[rt_epoch_of(frame->begun)].left = now();
}

static void live_through(void) {
    memset(&thread, 0, 512);
    thread.slot = SLOT;
    thread.me = (uint64_t)SLOT << RT_SLOT_AT | (uint64_t)RT_OWN << RT_STATE_AT;
    thread.base = FIRST;
    thread.first = (uint64_t)FIRST << RT_EPOCH_AT;
    thread.current = thread.alike = rt_present(&thread);
    thread.frames = frames;
    for (unsigned i = chance(MOST_EPOCHS - 1); i-- > 0;) {
        unsigned what = chance(10);
        if (what == 0)
            learn();
        else if (what < 6 && thread.depth < MOST_FRAMES)
            enter();
        else if (thread.depth)
            leave();
    }
    thread.since = rt_since_of(&thread);
}

static bool are_alike(uint64_t epoch, uint64_t later) {
    for (uint64_t i = epoch + 1; i <= later; i++)
        if (causes[i].learned || (causes[i].frame < MOST_FRAMES && !causes[i].left))
            return false;
    return true;
}

/* The same as rt_last_alike, from the outermost frame on. */
static uint64_t last_alike(uint64_t epoch) {
    if (epoch >= rt_epoch_of(thread.alike))
        return now();
    for (size_t i = 0; i < thread.boarded_depth; i++)
        if (rt_epoch_of(frames[i].begun) > epoch)
            return epoch < rt_epoch_of(frames[i].alike_before) ? epoch
                                                               : rt_epoch_of(frames[i].begun) - 1;
    return epoch;
}

static void epochs_are_taken_for_alike_only_if_they_are(void **state) {
    (void)state;
    seed = 1;
    size_t merged = 0;
    for (int i = 0; i < TIMES; i++) {
        live_through();
        uint64_t epoch = FIRST + chance((unsigned)(now() - FIRST) + 1);
        uint64_t last = rt_last_alike(&thread, epoch);
        assert_int_equal(last, last_alike(epoch));
        assert_true(last >= epoch && last <= now() && are_alike(epoch, last));
        merged += last > epoch;
    }
    assert_true(merged > TIMES / 10);
}

/* ---- boarding ---- */

/* Tries to board one frame on top of so many that are. While there is a stream, the runtime sees
 * what this program does, so nothing may be called meanwhile. */
static bool board_on(size_t boarded, struct st_stream_head *head) {
    thread.boarded_depth = boarded;
    thread.depth = boarded + 1;
    size_t least = thread.start_depth > thread.work_depth ? thread.start_depth : thread.work_depth;
    thread.emitted_depth = boarded <= least ? boarded : least + 1;
    thread.since = RT_STALE;
    rt_head = head;
    bool done = rt_board_quickly(&thread);
    rt_head = NULL;
    return done && thread.boarded_depth == boarded + 1 && thread.since == thread.alike;
}

/* What the watcher divides into turns, and what comes behind skipped calls, has to be emitted. */
static void a_function_is_boarded_only_above_what_its_thread_starts_with(void **state) {
    (void)state;
    struct st_stream_head *head = calloc(1, st_stream_bytes(0));
    assert_non_null(head);
    memset(frames, 0, sizeof frames);
    live_through();
    for (size_t start = 0; start < 4; start++)
        for (size_t work = 0; work < 4; work++)
            for (size_t boarded = 1; boarded < 6; boarded++) {
                thread.start_depth = start;
                thread.work_depth = work;
                bool done = board_on(boarded, head);
                assert_int_equal(done, boarded > start && boarded > work);
                assert_int_equal(thread.boarded_depth, boarded + done);
            }
    thread.start_depth = thread.work_depth = 0;
    assert_true(board_on(4, head));
    thread.skipped = true;
    assert_false(board_on(4, head));
    thread.skipped = false;
    thread.ignoring = 1;
    assert_false(board_on(4, head));
    thread.ignoring = 0;
    thread.inside = true;
    assert_false(board_on(4, head));
    thread.inside = false;
    frames[4].block = true;
    assert_false(board_on(4, head));
    frames[4].block = false;
    free(head);
}

/* ---- frames that were left ---- */

enum { CALLS = 2000 };
static uint64_t around[CALLS], inner_epochs[CALLS];

/* One function calls another, again and again, and both are boarded. The places that they are
 * called from are numbers. */
static void call_again_and_again(struct st_stream_head *head) {
    live_through();
    thread.depth = thread.boarded_depth = thread.emitted_depth = 1;
    thread.capacity = MOST_FRAMES;
    thread.left_count = 0;
    rt_head = head;
    rt_self = &thread;
    for (uintptr_t i = 0; i < CALLS; i++) {
        around[i] = rt_epoch_of(thread.current);
        rt_func_entry((void *)(2 * i + 1));
        rt_board_quickly(&thread);
        rt_func_entry((void *)(2 * i + 2));
        rt_board_quickly(&thread);
        inner_epochs[i] = rt_epoch_of(thread.current);
        rt_func_exit();
        rt_func_exit();
    }
    rt_self = NULL;
    rt_head = NULL;
}

/* The last RT_LEFT_FRAMES - 1 are known; what may be overwritten at any moment is not. */
static void the_last_functions_that_were_left_are_known(void **state) {
    (void)state;
    struct st_stream_head *head = calloc(1, st_stream_bytes(0));
    assert_non_null(head);
    call_again_and_again(head);
    assert_int_equal(thread.left_count, 2 * CALLS);
    assert_true(thread.depth == 1 && thread.boarded_depth == 1);
    const size_t oldest = 2 * CALLS - RT_LEFT_FRAMES + 1;
    for (size_t i = 0; i < CALLS; i++) {
        struct rt_left_frame left[RT_MOST_WITHIN];
        size_t found = rt_frames_left(&thread, SLOT, inner_epochs[i], left);
        size_t expected = (2 * i >= oldest) + (2 * i + 1 >= oldest);
        assert_int_equal(found, expected);
        if (found)
            assert_int_equal(left[found - 1].called_from, 2 * i + 1);
        if (found > 1)
            assert_int_equal(left[0].called_from, 2 * i + 2);
        assert_int_equal(rt_frames_left(&thread, SLOT + 1, inner_epochs[i], left), 0);
        assert_int_equal(rt_frames_left(&thread, SLOT, around[i], left), 0);
    }
    free(head);
}

/* Enters and leaves a function; it learns something in between, perhaps. Was what came after it
 * like what had been before? */
static bool is_alike_after_call(struct st_stream_head *head, bool learns) {
    live_through();
    thread.depth = thread.boarded_depth = thread.emitted_depth = 1;
    thread.capacity = MOST_FRAMES;
    uint64_t before = thread.alike;
    rt_head = head;
    rt_self = &thread;
    rt_func_entry(NULL);
    rt_board_quickly(&thread);
    if (learns)
        rt_new_eager_epoch(&thread);
    rt_func_exit();
    rt_self = NULL;
    rt_head = NULL;
    assert_true(thread.alike == before || thread.alike == thread.current);
    assert_int_equal(thread.since, thread.alike);
    return thread.alike == before;
}

static void a_call_makes_no_difference_unless_something_was_learned(void **state) {
    (void)state;
    struct st_stream_head *head = calloc(1, st_stream_bytes(0));
    assert_non_null(head);
    assert_true(is_alike_after_call(head, false));
    assert_false(is_alike_after_call(head, true));
    free(head);
}

/* ---- shadow words ---- */

static char shadow[4096], details[4096];

static uint32_t some_bytes(void) {
    unsigned size = 1u << chance(4);
    return ((1u << size) - 1) << chance(8 / size) * size;
}

static uint64_t some_epoch(void) {
    return chance(3) ? FIRST + chance((unsigned)(now() - FIRST) + 1) : now();
}

static uint64_t some_word(bool write) {
    if (!chance(4))
        return 0;
    return thread.me | some_epoch() << RT_EPOCH_AT | some_bytes() | (chance(4) ? 0 : RT_EMITTED) |
           (write && !chance(4) ? RT_KNOWN : 0);
}

static uint64_t some_detail(uint64_t word) {
    uint64_t detail = chance(UINT32_MAX);
    uint64_t before = rt_epoch_of(word) - FIRST;
    if (!word || !before || chance(2))
        return word ? detail : 0;
    return detail | (uint64_t)some_bytes() << RT_OLD_AT | (chance(4) ? 0 : RT_OLD_EMITTED) |
           (uint64_t)(FIRST + chance((unsigned)before)) << RT_OLD_EPOCH_AT;
}

/* Of an earlier epoch without bytes nothing else counts. */
static uint64_t what_counts(uint64_t detail) {
    return rt_old_bytes(detail) ? detail : (uint32_t)detail;
}

static bool are_same(const struct rt_view *one, const struct rt_view *other) {
    return one->write == other->write && one->read == other->read &&
           what_counts(one->write_detail) == what_counts(other->write_detail) &&
           what_counts(one->read_detail) == what_counts(other->read_detail);
}

/* What a word and its detail say of a byte: in which epoch it was accessed; 0: never. */
static uint64_t epoch_of_byte(uint64_t word, uint64_t detail, unsigned byte, bool *emitted) {
    if (word >> byte & 1) {
        *emitted = word & RT_EMITTED;
        return rt_epoch_of(word);
    }
    *emitted = detail & RT_OLD_EMITTED;
    return rt_old_bytes(detail) >> byte & 1 ? rt_old_epoch(word, detail) : 0;
}

/* Bytes that are not accessed now keep their epochs, or get some that are alike, and what was not
 * emitted stays so. Returns how many are kept. */
static unsigned kept_bytes(uint64_t word, uint64_t detail, uint64_t then, uint64_t then_detail,
                           uint32_t bytes) {
    unsigned kept = 0;
    for (unsigned byte = 0; byte < 8; byte++) {
        bool emitted, then_emitted;
        uint64_t before = epoch_of_byte(word, detail, byte, &emitted);
        uint64_t after = epoch_of_byte(then, then_detail, byte, &then_emitted);
        if (bytes >> byte & 1) {
            assert_true(after == now() && !then_emitted);
            continue;
        }
        assert_int_equal(!before, !after);
        if (!before)
            continue;
        assert_true(after >= before && are_alike(before, after));
        assert_true(emitted || !then_emitted);
        kept++;
    }
    return kept;
}

static void an_access_leaves_other_bytes_as_they_were(void **state) {
    (void)state;
    struct st_stream_head *head = calloc(1, st_stream_bytes(0));
    assert_non_null(head);
    seed = 3;
    size_t kept = 0, full = 0;
    for (int i = 0; i < TIMES; i++) {
        live_through();
        uint64_t word = some_word(false), detail = some_detail(word);
        detail &= ~((word & RT_BYTES) << RT_OLD_AT);
        uint64_t then = word, then_detail = detail;
        uint32_t bytes = some_bytes();
        rt_head = head; /* which says what is dead: nothing */
        bool done = rt_add_access(&thread, &then, &then_detail, bytes, 77);
        rt_head = NULL;
        if (done) {
            assert_int_equal((uint32_t)then_detail, 77);
            kept += kept_bytes(word, detail, then, then_detail, bytes);
            continue;
        }
        assert_true(last_alike(rt_epoch_of(word)) != last_alike(rt_old_epoch(word, detail)));
        full++;
    }
    assert_true(kept > TIMES / 10 && full > TIMES / 100);
    free(head);
}

static void the_short_way_says_what_the_long_one_says(void **state) {
    (void)state;
    char *before[] = {rt_shadow_base, rt_detail_base};
    rt_shadow_base = shadow;
    rt_detail_base = details;
    seed = 2;
    size_t short_ones = 0, wrong = 0;
    for (int i = 0; i < TIMES; i++) {
        live_through();
        uint64_t w = some_word(true), r = some_word(false);
        struct rt_view view = {w, r, some_detail(w), some_detail(r)}, then = view;
        uint32_t bytes = some_bytes();
        bool write = chance(2);
        rt_set_write(GRANULE, view.write, view.write_detail);
        rt_set_read(GRANULE, view.read, view.read_detail);
        bool done = rt_set_own(&thread, GRANULE, w, r, bytes, write, 77);
        struct rt_view by_short = rt_load_view(GRANULE);
        if (done) {
            rt_set_write(GRANULE, view.write, view.write_detail);
            rt_set_read(GRANULE, view.read, view.read_detail);
            wrong += !rt_add_to_own(&thread, GRANULE, view, bytes, write, 77);
            then = rt_load_view(GRANULE);
        }
        wrong += !are_same(&by_short, &then);
        short_ones += done;
    }
    rt_shadow_base = before[0];
    rt_detail_base = before[1];
    assert_int_equal(wrong, 0);
    assert_in_range(short_ones, TIMES / 10, TIMES * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epochs_are_taken_for_alike_only_if_they_are),
        cmocka_unit_test(a_function_is_boarded_only_above_what_its_thread_starts_with),
        cmocka_unit_test(the_last_functions_that_were_left_are_known),
        cmocka_unit_test(a_call_makes_no_difference_unless_something_was_learned),
        cmocka_unit_test(an_access_leaves_other_bytes_as_they_were),
        cmocka_unit_test(the_short_way_says_what_the_long_one_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
