#include "reference/avp.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = SAMPLE_EVENTS + 1 };

/* The terms of the definition, event by event. Sets have bit i for events[i]. */
struct rules {
    const struct sample *sample;
    uint32_t threads;
    size_t lists[SAMPLE_THREADS][SAMPLE_EVENTS], counts[SAMPLE_THREADS];
    uint64_t first[SAMPLE_EVENTS];  /* what must have been executed, other threads' events only */
    uint64_t intact[SAMPLE_EVENTS]; /* ... with all reads of it seeing their couples */
    unsigned couple[SAMPLE_EVENTS]; /* of a read: number of the write, 0 for the initial value */
    uint32_t value[SAMPLE_EVENTS + 1][SAMPLE_VARIABLES]; /* of write number n to x; 0: unknown; of
                                                          * write 0: the initial value */
    bool update[SAMPLE_EVENTS]; /* a read that is one step with the next event of its thread */
    uint64_t conflicts[SAMPLE_EVENTS];
};

/* How far a run has come. */
struct state {
    uint8_t next[SAMPLE_THREADS];
    uint64_t broken;                   /* threads */
    uint8_t written[SAMPLE_VARIABLES]; /* number of the last write; 0: none; UNKNOWN */
    uint8_t holder[SAMPLE_LOCKS];      /* thread + 1 */
    uint64_t executed, after; /* after: events of other threads that come after the block's */
};

static uint64_t bit(size_t i) {
    return UINT64_C(1) << i;
}

static const struct st_event *event_at(const struct rules *rules, size_t i) {
    return &rules->sample->events[i];
}

static bool is_access(const struct st_event *e) {
    return e->op == ST_READ || e->op == ST_WRITE;
}

/* ---- the rules of a sample ---- */

static bool matters(const struct st_event *e) {
    return e->op < ST_OP_COUNT && e->op != ST_BEGIN && e->op != ST_END;
}

/* The event of the thread that matters and comes `back` such events before the given place. */
static const struct st_event *neighbour(const struct rules *rules, size_t i, int step) {
    size_t at = i;
    const struct st_event *self = event_at(rules, i);
    for (;;) {
        if ((step < 0 && at == 0) || (step > 0 && at + 1 == rules->sample->count))
            return NULL;
        at = step < 0 ? at - 1 : at + 1;
        if (event_at(rules, at)->thread == self->thread && matters(event_at(rules, at)))
            return event_at(rules, at);
    }
}

/* Where the wait that ends with this receive began, or NULL when it ends no wait. */
static const struct st_event *wait_begin(const struct rules *rules, size_t receive) {
    const struct st_event *base = rules->sample->events;
    const struct st_event *before = neighbour(rules, receive, -1);
    const struct st_event *behind = neighbour(rules, receive, 1);
    if (!before)
        return NULL;
    if (before->op == ST_RELEASE && behind && behind->op == ST_ACQUIRE &&
        behind->target == before->target)
        return before;
    const struct st_event *earlier = neighbour(rules, (size_t)(before - base), -1);
    if (before->op == ST_ACQUIRE && earlier && earlier->op == ST_RELEASE &&
        earlier->target == before->target)
        return earlier;
    return NULL;
}

static void rule_for_receive(struct rules *rules, size_t i) {
    const struct st_event *wait = wait_begin(rules, i);
    for (size_t j = 0; j < i; j++) {
        const struct st_event *e = event_at(rules, j);
        if (e->op != ST_SEND || e->target != event_at(rules, i)->target)
            continue;
        rules->first[i] |= bit(j);
        if (wait && wait < e)
            rules->first[j] |= bit((size_t)(wait - rules->sample->events));
    }
}

static void rule_for_read(struct rules *rules, size_t i) {
    const struct st_event *e = event_at(rules, i);
    for (size_t j = 0; j < i; j++)
        if (event_at(rules, j)->op == ST_WRITE && event_at(rules, j)->target == e->target)
            rules->couple[i] = (unsigned)j + 1;
    /* Is it a read-modify-write with the next event of its thread? */
    for (size_t j = i + 1; j < rules->sample->count; j++) {
        const struct st_event *other = event_at(rules, j);
        if (other->op == ST_DROPPED)
            continue;
        if (other->thread == e->thread) {
            rules->update[i] = other->op == ST_WRITE && other->target == e->target && other->joined;
            return;
        }
        if (is_access(other) && other->target == e->target)
            return;
    }
}

static void add_rules(struct rules *rules, size_t i) {
    const struct st_event *e = event_at(rules, i);
    for (size_t j = 0; j < rules->sample->count; j++) {
        const struct st_event *other = event_at(rules, j);
        if (other->op == ST_FORK && other->target == e->thread && j < i)
            rules->first[i] |= bit(j);
        if (e->op == ST_JOIN && other->thread == e->target && j < i && other->op != ST_DROPPED)
            rules->intact[i] |= bit(j);
        if (e->op == ST_JOIN && other->op == ST_FORK && other->target == e->target && j < i)
            rules->first[i] |= bit(j);
        if (is_access(e) && is_access(other) && e->target == other->target &&
            e->thread != other->thread && (e->op == ST_WRITE || other->op == ST_WRITE))
            rules->conflicts[i] |= bit(j);
    }
    if (e->op == ST_RECEIVE)
        rule_for_receive(rules, i);
    if (e->op == ST_READ)
        rule_for_read(rules, i);
}

/* The write to the variable that comes last before event i: its number, or 0. */
static unsigned write_before(const struct rules *rules, size_t i, uint32_t variable) {
    while (i-- > 0)
        if (event_at(rules, i)->op == ST_WRITE && event_at(rules, i)->target == variable)
            return (unsigned)i + 1;
    return 0;
}

/* The value of a write, or of none: what it is said to have left, and what the variable is said to
 * have held up to the next write, if all that is the same. */
static uint32_t find_value(const struct rules *rules, unsigned write, uint32_t variable) {
    uint32_t value = write ? rules->sample->values[write - 1].left : 0;
    for (size_t i = 0; i < rules->sample->count; i++) {
        const struct st_event *e = event_at(rules, i);
        uint32_t says = rules->sample->values[i].held;
        if (!is_access(e) || e->target != variable || !says ||
            write_before(rules, i, variable) != write)
            continue;
        if (value && value != says)
            return 0;
        value = says;
    }
    return value;
}

static void find_values(struct rules *rules) {
    for (uint32_t x = 0; x < SAMPLE_VARIABLES; x++)
        rules->value[0][x] = find_value(rules, 0, x);
    for (size_t i = 0; i < rules->sample->count; i++)
        if (event_at(rules, i)->op == ST_WRITE)
            rules->value[i + 1][event_at(rules, i)->target] =
                find_value(rules, (unsigned)i + 1, event_at(rules, i)->target);
}

/* Does the read see its couple, or the same value from elsewhere? */
static bool sees_couple(const struct rules *rules, const struct state *state, size_t read) {
    uint32_t x = event_at(rules, read)->target;
    unsigned written = state->written[x], couple = rules->couple[read];
    return written == couple || (written != UNKNOWN && rules->value[written][x] &&
                                 rules->value[written][x] == rules->value[couple][x]);
}

static void make_rules(struct rules *rules, const struct sample *sample) {
    memset(rules, 0, sizeof *rules);
    rules->sample = sample;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *e = &sample->events[i];
        if (e->op == ST_DROPPED)
            continue;
        if (e->thread >= rules->threads)
            rules->threads = e->thread + 1;
        rules->lists[e->thread][rules->counts[e->thread]++] = i;
        add_rules(rules, i);
    }
    find_values(rules);
}

/* ---- steps ---- */

/* Are all events of the set executed, except perhaps the last one of a broken thread? */
static bool are_intact(const struct rules *rules, const struct state *state, uint64_t set) {
    uint64_t executed = state->executed;
    for (uint32_t t = 0; t < rules->threads; t++)
        if (state->broken & bit(t))
            executed &= ~bit(rules->lists[t][state->next[t] - 1]);
    return (set & ~executed) == 0;
}

static bool can_step(const struct rules *rules, const struct state *state, uint32_t t) {
    if (state->next[t] == rules->counts[t] || state->broken & bit(t))
        return false;
    size_t i = rules->lists[t][state->next[t]];
    const struct st_event *e = event_at(rules, i);
    if ((rules->first[i] & ~state->executed) || !are_intact(rules, state, rules->intact[i]))
        return false;
    return e->op != ST_ACQUIRE || !state->holder[e->target];
}

/* The block whose paths are searched for: a set of events. */
struct goal {
    uint64_t inside;
    uint32_t thread;
    bool violated;
};

/* Executes one event, and updates the order of conflicts. */
static void execute(const struct rules *rules, struct state *state, size_t i, struct goal *goal) {
    const struct st_event *e = event_at(rules, i);
    state->next[e->thread]++;
    if (goal && is_access(e)) {
        uint64_t earlier = rules->conflicts[i] & state->executed, own = 0;
        for (size_t n = 0; n < rules->counts[e->thread]; n++)
            own |= bit(rules->lists[e->thread][n]);
        if (goal->inside & bit(i)) {
            if (earlier & state->after)
                goal->violated = true;
        } else if (e->thread != goal->thread) {
            if ((earlier & goal->inside) || ((earlier | own) & state->after))
                state->after |= bit(i);
        }
    }
    state->executed |= bit(i);
    if (e->op == ST_WRITE)
        state->written[e->target] = (uint8_t)(i + 1);
    else if (e->op == ST_ACQUIRE)
        state->holder[e->target] = (uint8_t)(e->thread + 1);
    else if (e->op == ST_RELEASE)
        state->holder[e->target] = 0;
}

/* One step of a thread that can make one: an event, or both of a read-modify-write. */
static void step(const struct rules *rules, struct state *state, uint32_t t, struct goal *goal) {
    size_t i = rules->lists[t][state->next[t]];
    const struct st_event *e = event_at(rules, i);
    execute(rules, state, i, goal);
    if (e->op != ST_READ)
        return;
    if (!sees_couple(rules, state, i)) {
        state->broken |= bit(t);
        if (rules->update[i])
            state->written[e->target] = UNKNOWN;
    } else if (rules->update[i]) {
        execute(rules, state, rules->lists[t][state->next[t]], goal);
    }
}

/* ---- all runs, one by one ---- */

struct runs {
    const struct rules *rules;
    bool (*visit)(void *context, const unsigned *run, size_t length);
    void *context;
    unsigned run[SAMPLE_EVENTS];
};

static bool visit_runs(struct runs *runs, const struct state *state, size_t length) {
    bool stuck = true;
    for (uint32_t t = 0; t < runs->rules->threads; t++)
        if (can_step(runs->rules, state, t)) {
            struct state then = *state;
            size_t longer = length;
            step(runs->rules, &then, t, NULL);
            for (uint8_t n = state->next[t]; n < then.next[t]; n++)
                runs->run[longer++] = (unsigned)runs->rules->lists[t][n] + 1;
            if (!visit_runs(runs, &then, longer))
                return false;
            stuck = false;
        }
    return !stuck || runs->visit(runs->context, runs->run, length);
}

void avp_runs(const struct sample *sample,
              bool (*visit)(void *context, const unsigned *run, size_t length), void *context) {
    struct rules rules;
    make_rules(&rules, sample);
    struct runs runs = {.rules = &rules, .visit = visit, .context = context};
    struct state start = {.next = {0}};
    visit_runs(&runs, &start, 0);
}

/* ---- all states, once each ---- */

/* Two runs in the same state have the same futures. `executed` says how far each thread is,
 * because threads execute prefixes. */
struct key {
    uint64_t executed, after, broken;
    uint8_t written[SAMPLE_VARIABLES];
};

struct seen {
    struct key *table;
    bool *used;
    size_t slots, count;
};

static uint64_t hash(const struct key *key) {
    uint64_t h = key->executed * UINT64_C(0x9e3779b97f4a7c15) ^
                 (key->after + 1) * UINT64_C(0xbf58476d1ce4e5b9) ^
                 (key->broken + 1) * UINT64_C(0x94d049bb133111eb);
    for (size_t x = 0; x < SAMPLE_VARIABLES; x++)
        h = (h ^ key->written[x]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

static bool add_key(struct seen *seen, const struct key *key) {
    size_t at = hash(key) & (seen->slots - 1);
    for (; seen->used[at]; at = (at + 1) & (seen->slots - 1))
        if (memcmp(&seen->table[at], key, sizeof *key) == 0)
            return false;
    seen->used[at] = true;
    seen->table[at] = *key;
    seen->count++;
    return true;
}

static void grow_seen(struct seen *seen) {
    struct seen old = *seen;
    seen->slots = old.slots ? old.slots * 2 : 1024;
    seen->table = st_alloc(seen->slots, sizeof *seen->table);
    seen->used = st_alloc(seen->slots, sizeof *seen->used);
    seen->count = 0;
    for (size_t i = 0; i < old.slots; i++)
        if (old.used[i])
            add_key(seen, &old.table[i]);
    free(old.table);
    free(old.used);
}

static bool is_new(struct seen *seen, const struct state *state) {
    struct key key;
    memset(&key, 0, sizeof key);
    key.executed = state->executed;
    key.after = state->after;
    key.broken = state->broken;
    memcpy(key.written, state->written, sizeof key.written);
    if (2 * seen->count >= seen->slots)
        grow_seen(seen);
    return add_key(seen, &key);
}

struct search {
    const struct rules *rules;
    struct avp *avp;
    struct avp_block *block;
    struct goal goal;
    struct seen seen;
    uint64_t limit;
};

static void visit_states(struct search *search, const struct state *state) {
    for (uint32_t t = 0; t < search->rules->threads; t++) {
        if (search->avp->gave_up || search->block->violated)
            return;
        if (!can_step(search->rules, state, t))
            continue;
        struct state then = *state;
        search->goal.violated = false;
        step(search->rules, &then, t, &search->goal);
        search->block->violated |= search->goal.violated;
        if (!is_new(&search->seen, &then))
            continue;
        if (++search->avp->states > search->limit)
            search->avp->gave_up = true;
        visit_states(search, &then);
    }
}

static void find_blocks(struct avp *avp, const struct sample *sample) {
    unsigned depth[SAMPLE_THREADS] = {0};
    size_t open[SAMPLE_THREADS] = {0};
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *e = &sample->events[i];
        struct avp_block *block = &avp->blocks[open[e->thread]];
        if (e->op == ST_BEGIN && depth[e->thread]++ == 0) {
            open[e->thread] = avp->block_count;
            avp->blocks[avp->block_count++] =
                (struct avp_block){.thread = e->thread, .begin = (unsigned)i + 1};
        } else if (e->op == ST_END && --depth[e->thread] == 0) {
            block->end = (unsigned)i + 1;
        } else if (is_access(e) && depth[e->thread]) {
            if (!block->first)
                block->first = (unsigned)i + 1;
            block->last = (unsigned)i + 1;
        }
    }
}

/* The events of a block. */
static uint64_t block_events(const struct avp_block *block, const struct sample *sample) {
    uint64_t inside = 0;
    for (size_t i = block->begin; i <= sample->count; i++)
        if (sample->events[i - 1].thread == block->thread && (!block->end || i <= block->end))
            inside |= bit(i - 1);
    return inside;
}

static void check_block(struct search *search, const struct sample *sample) {
    struct avp_block *block = search->block;
    struct state start = {.next = {0}};
    search->goal = (struct goal){.thread = block->thread, .inside = block_events(block, sample)};
    visit_states(search, &start);
    free(search->seen.table);
    free(search->seen.used);
    search->seen = (struct seen){0};
}

void avp_check(struct avp *avp, const struct sample *sample, uint64_t limit) {
    struct rules rules;
    memset(avp, 0, sizeof *avp);
    make_rules(&rules, sample);
    find_blocks(avp, sample);
    for (size_t b = 0; b < avp->block_count; b++) {
        struct search search = {
            .rules = &rules, .avp = avp, .block = &avp->blocks[b], .limit = limit};
        check_block(&search, sample);
    }
}

/* ---- paths in runs ---- */

struct paths {
    const struct rules *rules;
    struct avp *avp;
    uint64_t limit;
};

/* Is there an edge from the earlier to the later of two events of a run? */
static bool is_edge(const struct rules *rules, size_t from, size_t to) {
    const struct st_event *a = event_at(rules, from), *b = event_at(rules, to);
    return is_access(a) && is_access(b) &&
           (a->thread == b->thread || rules->conflicts[from] & bit(to));
}

/* Events of other threads that come after an access of the block and before another one, each by a
 * path through other threads only; such a path leaves and enters the block. */
static uint64_t paths_in_run(const struct rules *rules, const struct avp_block *block,
                             const unsigned *run, size_t length) {
    uint64_t inside = block_events(block, rules->sample), after = 0, before = 0, ends = 0;
    for (size_t n = 0; n < length; n++)
        for (size_t m = 0; m < n; m++)
            if (is_edge(rules, run[m] - 1, run[n] - 1) &&
                event_at(rules, run[n] - 1)->thread != block->thread &&
                (inside | after) & bit(run[m] - 1))
                after |= bit(run[n] - 1);
    for (size_t n = length; n-- > 0;)
        for (size_t m = n + 1; m < length; m++)
            if (is_edge(rules, run[n] - 1, run[m] - 1) &&
                event_at(rules, run[n] - 1)->thread != block->thread &&
                (inside | before) & bit(run[m] - 1))
                before |= bit(run[n] - 1);
    uint64_t on = after & before;
    for (size_t n = 0; n < length; n++)
        for (size_t m = 0; m < length; m++)
            if (inside & bit(run[n] - 1) && on & bit(run[m] - 1) &&
                (n < m ? is_edge(rules, run[n] - 1, run[m] - 1)
                       : is_edge(rules, run[m] - 1, run[n] - 1)))
                ends |= bit(run[n] - 1);
    return on ? on | ends : 0;
}

static bool visit_paths(void *context, const unsigned *run, size_t length) {
    struct paths *paths = context;
    if (++paths->avp->states > paths->limit) {
        paths->avp->gave_up = true;
        return false;
    }
    for (size_t b = 0; b < paths->avp->block_count; b++) {
        struct avp_block *block = &paths->avp->blocks[b];
        block->on_paths |= paths_in_run(paths->rules, block, run, length);
        block->violated |= block->on_paths != 0;
    }
    return true;
}

void avp_paths(struct avp *avp, const struct sample *sample, uint64_t limit) {
    struct rules rules;
    memset(avp, 0, sizeof *avp);
    make_rules(&rules, sample);
    find_blocks(avp, sample);
    struct paths paths = {&rules, avp, limit};
    avp_runs(sample, visit_paths, &paths);
}

void avp_print(FILE *file, const struct avp *avp) {
    for (size_t b = 0; b < avp->block_count; b++) {
        const struct avp_block *block = &avp->blocks[b];
        fprintf(file, "  block %u-%u of T%u is %s\n", block->begin, block->end, block->thread + 1,
                block->violated ? "violated" : "atomic");
    }
}
