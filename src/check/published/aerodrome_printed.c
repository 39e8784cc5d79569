/* AeroDrome as printed: Mathur, Viswanathan, ASPLOS 2020. For comparison with check/aerodrome.c,
 * which answers the same question without the errors below.
 *
 * Two engines. `aerodrome-basic` is Algorithm 1: a clock for each thread, lock and variable, one
 * for the last read of each variable by each thread, and a sweep over all of them whenever a block
 * ends. `aerodrome-reads` is the same with the reduction of section 4.3: the reads of a variable
 * share a clock for updates (R) and one for checks (chR), which leaves out what each reader says
 * of itself. The paper leaves open how END updates chR; here it joins the clock of the block's
 * thread without its own entry, as the public implementation does.
 *
 * Functions are named and ordered as in the paper. Known errors, kept on purpose:
 * - Joining a child without events is a false alarm, since the child's clock holds its fork.
 * - On a trace that ends inside of blocks, cycles through several of them are missed.
 * - With shared read clocks, comparing whole clocks with chR misses violations.
 *
 * What the paper does not have, and is done as in our engines: a receive depends on all sends of
 * its channel. */
#include "check/engine.h"
#include "check/published/dense_clock.h"

#include "base/memory.h"

#include <stdlib.h>

struct thread {
    struct st_dense_clock now, begin; /* C and C▷ */
    uint32_t depth;
};

struct lock {
    struct st_dense_clock released; /* L */
    int64_t last;                   /* who released it last, plus 1: 0 is nobody */
};

/* A channel is a variable without writes, and its sends are the reads. */
struct variable {
    struct st_dense_clock written; /* W */
    int64_t last;                  /* who wrote it last, plus 1 */
    struct st_dense_clock *reads;  /* of each thread, in Algorithm 1 */
    size_t read_capacity;
    struct st_dense_clock all_reads, check_reads; /* R and chR, in section 4.3 */
};

struct aerodrome {
    struct st_findings *findings;
    bool shares_reads; /* section 4.3 */
    struct thread *threads;
    struct lock *locks;
    struct variable *variables, *channels;
    size_t thread_count, lock_count, variable_count, channel_count; /* seen so far */
    size_t thread_capacity, lock_capacity, variable_capacity, channel_capacity;
    size_t bytes; /* of clocks */
    uint64_t ends, sweeps;
    bool declared;
    uint64_t number; /* of the current event */
};

static void *create(struct st_findings *findings, bool shares_reads) {
    struct aerodrome *ad = st_alloc(1, sizeof *ad);
    ad->findings = findings;
    ad->shares_reads = shares_reads;
    return ad;
}

static void *create_basic(struct st_findings *findings) {
    return create(findings, false);
}

static void *create_reads(struct st_findings *findings) {
    return create(findings, true);
}

static void clear_variable(struct aerodrome *ad, struct variable *variable) {
    st_dense_clear(&variable->written, &ad->bytes);
    st_dense_clear(&variable->all_reads, &ad->bytes);
    st_dense_clear(&variable->check_reads, &ad->bytes);
    for (size_t t = 0; t < variable->read_capacity; t++)
        st_dense_clear(&variable->reads[t], &ad->bytes);
    ad->bytes -= variable->read_capacity * sizeof *variable->reads;
    free(variable->reads);
    *variable = (struct variable){.last = 0};
}

static void destroy(void *state) {
    struct aerodrome *ad = state;
    for (size_t t = 0; t < ad->thread_count; t++) {
        st_dense_clear(&ad->threads[t].now, &ad->bytes);
        st_dense_clear(&ad->threads[t].begin, &ad->bytes);
    }
    for (size_t l = 0; l < ad->lock_count; l++)
        st_dense_clear(&ad->locks[l].released, &ad->bytes);
    for (size_t x = 0; x < ad->variable_count; x++)
        clear_variable(ad, &ad->variables[x]);
    for (size_t c = 0; c < ad->channel_count; c++)
        clear_variable(ad, &ad->channels[c]);
    free(ad->threads);
    free(ad->locks);
    free(ad->variables);
    free(ad->channels);
    free(ad);
}

static size_t memory(const void *state) {
    const struct aerodrome *ad = state;
    return sizeof *ad + ad->bytes + ad->thread_capacity * sizeof *ad->threads +
           ad->lock_capacity * sizeof *ad->locks +
           (ad->variable_capacity + ad->channel_capacity) * sizeof(struct variable);
}

/* INITIALIZATION, for threads as they appear. */
static void make_room(struct aerodrome *ad, struct st_extent need) {
    st_reserve(&ad->threads, &ad->thread_capacity, need.threads);
    st_reserve(&ad->locks, &ad->lock_capacity, need.locks);
    st_reserve(&ad->variables, &ad->variable_capacity, need.variables);
    ad->lock_count = need.locks > ad->lock_count ? need.locks : ad->lock_count;
    ad->variable_count = need.variables > ad->variable_count ? need.variables : ad->variable_count;
    for (; ad->thread_count < need.threads; ad->thread_count++) {
        uint32_t t = (uint32_t)ad->thread_count;
        st_dense_set(&ad->threads[t].now, t, 1, &ad->bytes);
    }
}

static struct variable *channel(struct aerodrome *ad, uint32_t c) {
    st_reserve(&ad->channels, &ad->channel_capacity, (size_t)c + 1);
    if (c >= ad->channel_count)
        ad->channel_count = (size_t)c + 1;
    return &ad->channels[c];
}

/* The paper calls it with one clock. In section 4.3 the clock to check and the clock to learn
 * from are two. */
static void check_and_get(struct aerodrome *ad, const struct st_dense_clock *check,
                          const struct st_dense_clock *clock, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    if (thread->depth && st_dense_below(&thread->begin, check)) {
        if (!ad->declared)
            st_findings_bad_event(ad->findings, ad->number);
        ad->declared = true;
    }
    st_dense_join(&thread->now, clock, &ad->bytes);
}

static void acquire(struct aerodrome *ad, uint32_t t, uint32_t l) {
    const struct lock *lock = &ad->locks[l];
    if (lock->last != (int64_t)t + 1)
        check_and_get(ad, &lock->released, &lock->released, t);
}

static void release(struct aerodrome *ad, uint32_t t, uint32_t l) {
    st_dense_assign(&ad->locks[l].released, &ad->threads[t].now, &ad->bytes);
    ad->locks[l].last = (int64_t)t + 1;
}

static void fork_thread(struct aerodrome *ad, uint32_t t, uint32_t u) {
    st_dense_join(&ad->threads[u].now, &ad->threads[t].now, &ad->bytes);
}

static void join_thread(struct aerodrome *ad, uint32_t t, uint32_t u) {
    check_and_get(ad, &ad->threads[u].now, &ad->threads[u].now, t);
}

/* The last line of READ; of a channel, a send. */
static void store_read(struct aerodrome *ad, uint32_t t, struct variable *variable) {
    const struct st_dense_clock *now = &ad->threads[t].now;
    if (ad->shares_reads) {
        st_dense_join(&variable->all_reads, now, &ad->bytes);
        st_dense_join_but(&variable->check_reads, now, t, &ad->bytes);
        return;
    }
    size_t before = variable->read_capacity;
    st_reserve(&variable->reads, &variable->read_capacity, (size_t)t + 1);
    ad->bytes += (variable->read_capacity - before) * sizeof *variable->reads;
    st_dense_assign(&variable->reads[t], now, &ad->bytes);
}

static void read_variable(struct aerodrome *ad, uint32_t t, uint32_t x) {
    struct variable *variable = &ad->variables[x];
    if (variable->last != (int64_t)t + 1)
        check_and_get(ad, &variable->written, &variable->written, t);
    store_read(ad, t, variable);
}

/* The reads of a variable that is written, or the sends of a channel that is received from. */
static void get_reads(struct aerodrome *ad, uint32_t t, const struct variable *variable) {
    if (ad->shares_reads)
        check_and_get(ad, &variable->check_reads, &variable->all_reads, t);
    for (size_t u = 0; u < variable->read_capacity; u++)
        if (u != t)
            check_and_get(ad, &variable->reads[u], &variable->reads[u], t);
}

static void write_variable(struct aerodrome *ad, uint32_t t, uint32_t x) {
    struct variable *variable = &ad->variables[x];
    if (variable->last != (int64_t)t + 1)
        check_and_get(ad, &variable->written, &variable->written, t);
    get_reads(ad, t, variable);
    st_dense_assign(&variable->written, &ad->threads[t].now, &ad->bytes);
    variable->last = (int64_t)t + 1;
}

static void begin(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    if (thread->depth++)
        return;
    st_dense_set(&thread->now, t, st_dense_get(&thread->now, t) + 1, &ad->bytes);
    st_dense_assign(&thread->begin, &thread->now, &ad->bytes);
}

/* Does the stored clock know the begin of the block that ends? */
static bool knows(struct aerodrome *ad, const struct thread *thread,
                  const struct st_dense_clock *clock) {
    ad->sweeps++;
    return st_dense_below(&thread->begin, clock);
}

static void sweep(struct aerodrome *ad, const struct thread *thread, struct st_dense_clock *clock) {
    if (knows(ad, thread, clock))
        st_dense_join(clock, &thread->now, &ad->bytes);
}

static void sweep_reads(struct aerodrome *ad, uint32_t t, struct variable *variable) {
    const struct thread *thread = &ad->threads[t];
    if (ad->shares_reads && knows(ad, thread, &variable->all_reads)) {
        st_dense_join(&variable->all_reads, &thread->now, &ad->bytes);
        st_dense_join_but(&variable->check_reads, &thread->now, t, &ad->bytes);
    }
    for (size_t u = 0; u < variable->read_capacity; u++)
        sweep(ad, thread, &variable->reads[u]);
}

static void end(struct aerodrome *ad, uint32_t t) {
    struct thread *thread = &ad->threads[t];
    if (--thread->depth)
        return;
    ad->ends++;
    for (uint32_t u = 0; u < ad->thread_count; u++)
        if (u != t && knows(ad, thread, &ad->threads[u].now))
            check_and_get(ad, &thread->now, &thread->now, u);
    for (size_t l = 0; l < ad->lock_count; l++)
        sweep(ad, thread, &ad->locks[l].released);
    for (size_t x = 0; x < ad->variable_count; x++) {
        sweep(ad, thread, &ad->variables[x].written);
        sweep_reads(ad, t, &ad->variables[x]);
    }
    for (size_t c = 0; c < ad->channel_count; c++)
        sweep_reads(ad, t, &ad->channels[c]);
}

static void on_event(struct aerodrome *ad, const struct st_event *event) {
    uint32_t t = event->thread, target = event->target;
    switch (event->op) {
    case ST_READ:
        read_variable(ad, t, target);
        break;
    case ST_WRITE:
        write_variable(ad, t, target);
        break;
    case ST_ACQUIRE:
        acquire(ad, t, target);
        break;
    case ST_RELEASE:
        release(ad, t, target);
        break;
    case ST_FORK:
        fork_thread(ad, t, target);
        break;
    case ST_JOIN:
        join_thread(ad, t, target);
        break;
    case ST_BEGIN:
        begin(ad, t);
        break;
    case ST_END:
        end(ad, t);
        break;
    case ST_SEND:
        store_read(ad, t, channel(ad, target));
        break;
    case ST_RECEIVE:
        get_reads(ad, t, channel(ad, target));
        break;
    default:
        break;
    }
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct aerodrome *ad = state;
    if (ad->declared)
        return; /* the verdict is final, and it is all that this engine has to say */
    make_room(ad, st_batch_extent(events, count));
    for (size_t i = 0; i < count && !ad->declared; i++) {
        ad->number = first + i;
        on_event(ad, &events[i]);
    }
}

static void forget(void *state, uint32_t variable) {
    struct aerodrome *ad = state;
    if (variable < ad->variable_count)
        clear_variable(ad, &ad->variables[variable]);
}

static void finish(void *state, uint64_t events) {
    struct aerodrome *ad = state;
    (void)events;
    st_engine_finish(ad->findings);
}

static void count(const void *state, struct st_counters *counters) {
    const struct aerodrome *ad = state;
    st_count(counters, "ends", ad->ends);
    st_count(counters, "swept_clocks", ad->sweeps);
}

const struct st_engine st_aerodrome_basic = {
    .name = "aerodrome-basic",
    .summary = "AeroDrome's Algorithm 1 as printed, with its sweep at each end of a block",
    .published_form_of = "aerodrome",
    .create = create_basic,
    ST_ENGINE_FUNCTIONS,
};

const struct st_engine st_aerodrome_reads = {
    .name = "aerodrome-reads",
    .summary = "the same with the shared read clocks of its section 4.3, as printed",
    .published_form_of = "aerodrome",
    .create = create_reads,
    ST_ENGINE_FUNCTIONS,
};
