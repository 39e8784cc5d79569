/* The engine witness with deferred accesses. Random small traces are in build/differential
 * --deferred; here are longer ones, and what small ones do not show. */
#include "base/memory.h"
#include "check/witness/witness.h"
#include "reference/generate.h"
#include "reference/deferred.h"
#include "trace/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- events by hand ---- */

struct feeder {
    struct st_findings findings;
    const struct st_engine *engine;
    void *state;
    uint64_t number;
    uint64_t at[64]; /* by thread: the position of its last event */
};

static void open_feeder(struct feeder *f) {
    memset(f, 0, sizeof *f);
    st_findings_init(&f->findings, 0);
    f->engine = st_engine_find("witness");
    f->state = f->engine->create(&f->findings);
}

static void close_feeder(struct feeder *f) {
    f->engine->destroy(f->state);
    st_findings_free(&f->findings);
}

static void feed_one(struct feeder *f, uint32_t thread, enum st_op op, uint32_t target,
                     uint64_t at) {
    enum st_op written = op < ST_DEFERRED_READ ? op : op == ST_DEFERRED_READ ? ST_READ : ST_WRITE;
    struct st_event event = {
        .thread = thread, .target = target, .loc = ++f->number, .written = written, .op = op};
    st_witness_feed_at(f->state, &event, &at, 1, f->number);
}

/* An event at the next position of its thread, which is returned. */
static uint64_t now(struct feeder *f, uint32_t thread, enum st_op op, uint32_t target) {
    feed_one(f, thread, op, target, ++f->at[thread]);
    return f->at[thread];
}

static void deferred(struct feeder *f, uint32_t thread, enum st_op op, uint32_t target,
                     uint64_t at) {
    feed_one(f, thread, op, target, at);
}

static void a_deferred_read_counts_in_the_block_that_it_was_in(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    uint64_t begin = now(&f, 0, ST_BEGIN, 0);
    now(&f, 0, ST_RELEASE, 0);
    deferred(&f, 0, ST_DEFERRED_READ, 0, begin);
    now(&f, 1, ST_WRITE, 0);
    now(&f, 0, ST_READ, 0);
    assert_int_equal(f.findings.violation_count, 1);
    assert_int_equal(f.findings.violations[0].path_length, 2);
    assert_int_equal(f.findings.violations[0].path[0].from.number, 1); /* the begin */
    assert_int_equal(f.findings.violations[0].path[0].from.event.loc, 3);
    assert_int_equal(f.findings.violations[0].path[0].from.event.op, ST_READ);
    close_feeder(&f);
}

static void a_deferred_read_before_the_block_does_not(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    uint64_t before = now(&f, 0, ST_RELEASE, 0);
    now(&f, 0, ST_BEGIN, 0);
    deferred(&f, 0, ST_DEFERRED_READ, 0, before);
    now(&f, 1, ST_WRITE, 0);
    now(&f, 0, ST_READ, 0);
    assert_int_equal(f.findings.violation_count, 0);
    assert_int_equal(f.findings.verdict, ST_UNDECIDED);
    close_feeder(&f);
}

static void a_deferred_read_does_not_replace_a_later_one(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    uint64_t outer = now(&f, 0, ST_BEGIN, 0);
    now(&f, 0, ST_BEGIN, 1);
    now(&f, 0, ST_READ, 0); /* in both blocks */
    deferred(&f, 0, ST_DEFERRED_READ, 0, outer);
    now(&f, 1, ST_WRITE, 0);
    now(&f, 0, ST_READ, 0);
    assert_int_equal(f.findings.kept, 2);
    close_feeder(&f);
}

static void what_is_dead_follows_the_blocks(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    assert_int_equal(st_witness_dead_before(f.state, 0), 0);
    uint64_t outside = now(&f, 0, ST_RELEASE, 0);
    assert_int_equal(st_witness_dead_before(f.state, 0), outside + 1);
    uint64_t begin = now(&f, 0, ST_BEGIN, 0);
    assert_int_equal(st_witness_dead_before(f.state, 0), begin);
    now(&f, 0, ST_WRITE, 0);
    uint64_t read = now(&f, 1, ST_READ, 0);
    assert_int_equal(st_witness_dead_before(f.state, 1), read);
    uint64_t end = now(&f, 0, ST_END, 0);
    assert_int_equal(st_witness_dead_before(f.state, 0), end + 1);
    assert_int_equal(st_witness_dead_before(f.state, 1), read + 1);
    close_feeder(&f);
}

static void deferred_events_pass_the_validator_after_a_join(void **state) {
    (void)state;
    struct st_event events[] = {{.thread = 0, .target = 1, .written = ST_FORK, .op = ST_FORK},
                                {.thread = 1, .target = 0, .written = ST_READ, .op = ST_READ},
                                {.thread = 0, .target = 1, .written = ST_JOIN, .op = ST_JOIN},
                                {.thread = 1, .written = ST_WRITE, .op = ST_DEFERRED_WRITE}};
    struct st_validator *validator = st_validator_new(false);
    assert_int_equal(st_validate(validator, events, 4, 2, 0), 0);
    const struct st_facts *facts = st_validator_facts(validator);
    assert_int_equal(facts->events, 4);
    assert_int_equal(facts->dropped, 0);
    assert_int_equal(facts->unary, 3);
    assert_int_equal(facts->ops[ST_WRITE], 1);
    assert_int_equal(events[3].op, ST_DEFERRED_WRITE);
    st_validator_free(validator);
}

/* ---- histories stay small ---- */

/* Thread 63 is in a block, which comes to happen before thread t; then the block is over. */
static void order_after_block(struct feeder *f, uint32_t t) {
    now(f, 63, ST_BEGIN, ST_NO_NAME);
    now(f, 63, ST_SEND, 0);
    now(f, t, ST_RECEIVE, 0);
    now(f, 63, ST_END, ST_NO_NAME);
}

/* What is known is collected every few megabytes, so the first rounds are for that. A history that
 * grows has 32 bytes more with each round. */
static void stays_small(void (*round)(struct feeder *f), struct feeder *f) {
    for (int i = 0; i < 100000; i++)
        round(f);
    size_t before = f->engine->memory(f->state);
    for (int i = 0; i < 100000; i++)
        round(f);
    assert_true(f->engine->memory(f->state) < before + 100000);
    assert_int_equal(f->findings.first_bad_event, 0);
    close_feeder(f);
}

static void learn_outside(struct feeder *f) {
    order_after_block(f, 0);
}

static void nest(struct feeder *f) {
    now(f, 0, ST_BEGIN, 1);
    now(f, 0, ST_BEGIN, 2);
    now(f, 0, ST_RELEASE, 0);
    now(f, 0, ST_END, 2);
    now(f, 0, ST_END, 1);
}

static void learn_in_block(struct feeder *f) {
    now(f, 0, ST_BEGIN, 1);
    order_after_block(f, 0);
    now(f, 0, ST_END, 1);
}

static void history_of_what_is_dead_is_forgotten(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    stays_small(learn_outside, &f);
}

static void history_of_inner_blocks_is_forgotten(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    now(&f, 0, ST_BEGIN, 0);
    stays_small(nest, &f);
}

static void history_of_a_block_without_end_is_thinned(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    now(&f, 0, ST_BEGIN, 0);
    stays_small(learn_outside, &f);
    open_feeder(&f);
    now(&f, 0, ST_BEGIN, 0);
    stays_small(learn_in_block, &f);
}

/* Thread 0 is reached by a block of thread 1 that does not end, so that all it does is alive. */
static void history_of_blocks_that_stay_reached_is_thinned(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    now(&f, 1, ST_BEGIN, 0);
    now(&f, 1, ST_WRITE, 9);
    now(&f, 0, ST_READ, 9);
    stays_small(nest, &f);
    open_feeder(&f);
    now(&f, 1, ST_BEGIN, 0);
    now(&f, 1, ST_WRITE, 9);
    now(&f, 0, ST_READ, 9);
    stays_small(learn_in_block, &f);
}

/* Thread 3 reaches the block of thread 0, through an edge that came into a block of thread 2 after
 * that one had passed on its own; but not what was before, and it happens before neither. */
static void thinning_keeps_apart_what_is_reached_apart(void **state) {
    (void)state;
    struct feeder f;
    open_feeder(&f);
    now(&f, 1, ST_BEGIN, 0);
    now(&f, 1, ST_WRITE, 0);
    now(&f, 0, ST_READ, 0); /* alive from here on */
    now(&f, 2, ST_BEGIN, 0);
    now(&f, 2, ST_WRITE, 1);
    now(&f, 0, ST_BEGIN, 0);
    uint64_t access = now(&f, 0, ST_READ, 1);
    now(&f, 0, ST_END, 0);
    now(&f, 3, ST_BEGIN, 0);
    now(&f, 3, ST_WRITE, 2);
    now(&f, 2, ST_READ, 2);
    now(&f, 2, ST_END, 0);
    for (int i = 0; i < 100; i++)
        order_after_block(&f, 0);
    deferred(&f, 0, ST_DEFERRED_WRITE, 4, access);
    assert_int_equal(f.findings.first_bad_event, 0);
    now(&f, 3, ST_READ, 4);
    assert_int_equal(f.findings.first_bad_event, f.number);
    close_feeder(&f);
}

/* The same, but the moment at which thread 0 was reached has become one with that of the begin of
 * its block, which must not go when the block ends. The inner block makes thinning come last. */
static void the_end_of_a_block_keeps_apart_what_is_reached_apart(void **state) {
    (void)state;
    for (int lessons = 0; lessons < 100; lessons++) {
        struct feeder f;
        open_feeder(&f);
        now(&f, 1, ST_BEGIN, 0);
        now(&f, 1, ST_WRITE, 0);
        now(&f, 0, ST_READ, 0); /* alive from here on */
        now(&f, 3, ST_BEGIN, 0);
        now(&f, 3, ST_WRITE, 2);
        now(&f, 2, ST_BEGIN, 0);
        now(&f, 2, ST_WRITE, 1);
        now(&f, 2, ST_READ, 2);
        now(&f, 2, ST_END, 0);
        uint64_t access = now(&f, 0, ST_BEGIN, 0);
        now(&f, 0, ST_READ, 1);
        for (int i = 0; i < lessons; i++)
            order_after_block(&f, 0);
        now(&f, 0, ST_BEGIN, 1);
        now(&f, 0, ST_END, 1);
        now(&f, 0, ST_END, 0);
        deferred(&f, 0, ST_DEFERRED_WRITE, 4, access);
        assert_int_equal(f.findings.first_bad_event, 0);
        now(&f, 3, ST_READ, 4);
        assert_int_equal(f.findings.first_bad_event, f.number);
        close_feeder(&f);
    }
}

/* ---- long random traces ---- */

enum { THREADS = 8, LOCKS = 4, EVENTS = 800 };

/* Blocks and accesses to the variables of a thread's own and of the locks that it holds, which it
 * keeps to the end of its block; with that many in a thousand accesses to anything. */
struct writer {
    struct chance chance;
    struct st_event events[EVENTS];
    size_t count;
    uint32_t threads, loose;
    uint32_t depth[THREADS], held[THREADS]; /* held: bit by lock */
};

static void put(struct writer *w, uint32_t thread, enum st_op op, uint32_t target) {
    if (w->count == EVENTS)
        return;
    struct st_event *event = &w->events[w->count++];
    *event = (struct st_event){
        .thread = thread, .target = target, .loc = w->count, .written = op, .op = op};
}

static void release_all(struct writer *w, uint32_t t) {
    for (uint32_t lock = 0; lock < LOCKS; lock++)
        if (w->held[t] >> lock & 1)
            put(w, t, ST_RELEASE, lock);
    w->held[t] = 0;
}

static void acquire(struct writer *w, uint32_t t, uint32_t lock) {
    for (uint32_t u = 0; u < w->threads; u++)
        if (w->held[u] >> lock & 1)
            return;
    put(w, t, ST_ACQUIRE, lock);
    w->held[t] |= 1U << lock;
}

static void step(struct writer *w, uint32_t t) {
    uint32_t dice = chance_below(&w->chance, 100), lock = chance_below(&w->chance, LOCKS);
    enum st_op op = chance_below(&w->chance, 2) ? ST_READ : ST_WRITE;
    if (dice < 12 && w->depth[t] < 3) {
        put(w, t, ST_BEGIN, chance_below(&w->chance, 3));
        w->depth[t]++;
    } else if (dice < 24 && w->depth[t]) {
        if (w->depth[t] == 1)
            release_all(w, t);
        put(w, t, ST_END, ST_NO_NAME);
        w->depth[t]--;
    } else if (dice < 34 && !(w->held[t] >> lock & 1)) {
        acquire(w, t, lock);
    } else if (chance_below(&w->chance, 1000) < w->loose) {
        put(w, t, op, chance_below(&w->chance, 2 * THREADS + 2 * LOCKS));
    } else if (w->held[t] >> lock & 1) {
        put(w, t, op, 2 * THREADS + 2 * lock + chance_below(&w->chance, 2));
    } else {
        put(w, t, op, 2 * t + chance_below(&w->chance, 2));
    }
    if (!w->depth[t])
        release_all(w, t);
}

static void write_trace(struct writer *w, uint64_t seed) {
    static const uint32_t loose[] = {0, 2, 20, 300};
    *w = (struct writer){.chance = {seed}};
    w->threads = 2 + chance_below(&w->chance, THREADS - 1);
    w->loose = loose[chance_below(&w->chance, 4)];
    uint32_t sticky = chance_below(&w->chance, 90), t = 0;
    while (w->count < EVENTS) {
        if (!chance_percent(&w->chance, sticky))
            t = chance_below(&w->chance, w->threads);
        step(w, t);
    }
}

static const struct st_violation *find_block(const struct st_findings *findings, uint64_t begin) {
    for (size_t i = 0; i < findings->kept; i++)
        if (findings->violations[i].begin == begin)
            return &findings->violations[i];
    return NULL;
}

static void check_same(const struct st_findings *plain, const struct st_findings *found) {
    assert_int_equal(plain->verdict, found->verdict);
    assert_int_equal(plain->first_bad_event, found->first_bad_event);
    assert_int_equal(plain->violation_count, found->violation_count);
    assert_int_equal(plain->kept, found->kept);
    for (size_t i = 0; i < plain->kept; i++) {
        const struct st_violation *one = &plain->violations[i];
        const struct st_violation *other = find_block(found, one->begin);
        assert_non_null(other);
        assert_int_equal(one->event.number, other->event.number);
        assert_int_equal(one->depth, other->depth);
        assert_int_equal(one->end, other->end);
    }
}

static void long_traces_give_the_same_findings(void **state) {
    (void)state;
    struct writer *w = st_alloc(1, sizeof *w);
    const struct st_engine *engine = st_engine_find("witness");
    const char *seeds = getenv("SERIATIM_LATE_SEEDS");
    unsigned long last = seeds ? strtoul(seeds, NULL, 10) : 2000;
    size_t bad = 0, late_bad = 0;
    for (uint64_t seed = 1; seed <= last; seed++) {
        struct st_findings plain, found;
        write_trace(w, seed);
        st_findings_init(&plain, 0);
        void *witness = engine->create(&plain);
        engine->feed(witness, w->events, w->count, 1);
        engine->finish(witness, w->count);
        engine->destroy(witness);
        deferred_run(w->events, w->count, seed, &found);
        check_same(&plain, &found);
        bad += plain.verdict == ST_NOT_SERIALIZABLE;
        late_bad += plain.first_bad_event > EVENTS / 4;
        st_findings_free(&plain);
        st_findings_free(&found);
    }
    print_message("%lu traces, %zu not serializable, %zu of them late; %.1f%% of the accesses at "
                  "once, %.1f%% deferred\n",
                  last, bad, late_bad,
                  100.0 * (double)deferred_tally.eager / (double)deferred_tally.accesses,
                  100.0 * (double)deferred_tally.deferred / (double)deferred_tally.accesses);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deferred_read_counts_in_the_block_that_it_was_in),
        cmocka_unit_test(a_deferred_read_before_the_block_does_not),
        cmocka_unit_test(a_deferred_read_does_not_replace_a_later_one),
        cmocka_unit_test(what_is_dead_follows_the_blocks),
        cmocka_unit_test(deferred_events_pass_the_validator_after_a_join),
        cmocka_unit_test(history_of_what_is_dead_is_forgotten),
        cmocka_unit_test(history_of_inner_blocks_is_forgotten),
        cmocka_unit_test(history_of_a_block_without_end_is_thinned),
        cmocka_unit_test(history_of_blocks_that_stay_reached_is_thinned),
        cmocka_unit_test(thinning_keeps_apart_what_is_reached_apart),
        cmocka_unit_test(the_end_of_a_block_keeps_apart_what_is_reached_apart),
        cmocka_unit_test(long_traces_give_the_same_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
