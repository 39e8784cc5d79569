/* The order of thread periods, against what can be reached along edges that were written down. */
#include "base/memory.h"
#include "predict/model/periods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 12, CHANNELS = 2, MOST = 400 };

/* A random run: threads are forked, joined, and send and receive. */
struct run {
    struct st_periods periods;
    struct st_message messages[CHANNELS];
    bool sent[CHANNELS][MOST]; /* what the message has: periods */
    bool before[MOST][MOST];   /* by what happened */
    uint32_t parent[THREADS];
    enum { UNBORN, ALIVE, JOINED } state[THREADS];
    uint64_t random;
};

static uint32_t below(struct run *run, uint32_t bound) {
    run->random = run->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(run->random >> 33) % bound;
}

/* The period and all that is before it come before `later`. */
static void put_before(struct run *run, uint32_t period, uint32_t later) {
    run->before[period][later] = true;
    for (uint32_t i = 0; i < MOST; i++)
        if (run->before[i][period])
            run->before[i][later] = true;
}

static uint32_t now(struct run *run, uint32_t thread) {
    return st_periods_now(&run->periods, thread);
}

static void fork_or_join(struct run *run, uint32_t parent, bool revive) {
    uint32_t child = below(run, THREADS);
    uint32_t last = now(run, parent);
    if (child == parent)
        return;
    if (run->state[child] == UNBORN || (revive && run->state[child] == JOINED)) {
        uint32_t old = run->state[child] == JOINED ? run->periods.current[child] - 1 : MOST;
        st_periods_fork(&run->periods, parent, child);
        run->state[child] = ALIVE;
        run->parent[child] = parent;
        put_before(run, last, now(run, child));
        if (old < MOST)
            put_before(run, old, now(run, child));
        put_before(run, last, now(run, parent));
    } else if (run->state[child] == ALIVE && run->parent[child] == parent) {
        uint32_t end = now(run, child);
        st_periods_join(&run->periods, parent, child);
        run->state[child] = JOINED;
        put_before(run, end, now(run, parent));
        put_before(run, last, now(run, parent));
    }
}

static void send_or_receive(struct run *run, uint32_t thread) {
    uint32_t channel = below(run, CHANNELS), last = now(run, thread);
    bool send = below(run, 2);
    if (send) {
        st_periods_send(&run->periods, thread, &run->messages[channel]);
        run->sent[channel][last] = true;
    } else {
        st_periods_receive(&run->periods, thread, &run->messages[channel]);
        for (uint32_t i = 0; i < MOST; i++)
            if (run->sent[channel][i] && i != now(run, thread))
                put_before(run, i, now(run, thread));
    }
    put_before(run, last, now(run, thread));
}

static void check(const struct run *run, uint64_t seed) {
    for (uint32_t i = 0; i < run->periods.count; i++)
        for (uint32_t j = 0; j < run->periods.count; j++)
            if (i != j && st_period_before(&run->periods, i, j) != run->before[i][j])
                fail_msg("seed %lu: period %u of thread %u is %sbefore %u of thread %u",
                         (unsigned long)seed, i, run->periods.items[i].thread,
                         run->before[i][j] ? "" : "not ", j, run->periods.items[j].thread);
}

static void play(uint64_t seed, bool revive) {
    struct run *run = st_alloc(1, sizeof *run);
    run->random = seed;
    st_periods_init(&run->periods);
    run->state[0] = ALIVE;
    for (uint32_t i = 0; i < THREADS; i++)
        run->parent[i] = UINT32_MAX;
    now(run, 0);
    for (int step = 0; step < 300 && run->periods.count + 3 < MOST; step++) {
        uint32_t thread = below(run, THREADS);
        if (run->state[thread] != ALIVE)
            continue;
        if (below(run, 3))
            fork_or_join(run, thread, revive);
        else
            send_or_receive(run, thread);
    }
    check(run, seed);
    for (int i = 0; i < CHANNELS; i++)
        st_message_free(&run->messages[i]);
    st_periods_free(&run->periods);
    free(run);
}

static void the_order_is_what_can_be_reached(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        play(seed, false);
}

static void threads_that_run_again_keep_their_order(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        play(seed, true);
}

static void who_comes_after_a_joined_thread_goes_on_with_its_chain(void **state) {
    struct st_periods periods;
    (void)state;
    st_periods_init(&periods);
    for (uint32_t child = 1; child <= 1000; child++) {
        st_periods_fork(&periods, 0, child);
        st_periods_join(&periods, 0, child);
    }
    assert_int_equal(periods.chain_count, 2);
    st_periods_free(&periods);
}

static void who_does_not_know_of_a_join_does_not(void **state) {
    struct st_periods periods;
    (void)state;
    st_periods_init(&periods);
    st_periods_fork(&periods, 0, 1);
    st_periods_fork(&periods, 0, 2);
    st_periods_fork(&periods, 1, 3);
    uint32_t first = st_periods_now(&periods, 3);
    st_periods_join(&periods, 1, 3);
    st_periods_fork(&periods, 2, 4);
    assert_true(st_periods_concurrent(&periods, first, st_periods_now(&periods, 4)));
    assert_int_equal(periods.chain_count, 5);
    st_periods_free(&periods);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_what_can_be_reached),
        cmocka_unit_test(threads_that_run_again_keep_their_order),
        cmocka_unit_test(who_comes_after_a_joined_thread_goes_on_with_its_chain),
        cmocka_unit_test(who_does_not_know_of_a_join_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
