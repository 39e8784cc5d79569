/* Each thread gets a small program, written without regard for the others. Then a scheduler
 * interleaves the programs; a step waits while a lock is held, a child is not forked or not
 * finished, or a planted order is not met yet. The trace ends where the scheduler stops: at the
 * end, in a deadlock, or at its limit of events. The last two give truncated traces. */
#include "reference/generate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 64, MAX_THREADS = 20, MAX_DEPTH = 3, MAX_RING = 6 };

uint64_t chance_next(struct chance *chance) {
    uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t chance_below(struct chance *chance, uint32_t limit) {
    return (uint32_t)((chance_next(chance) >> 32) * limit >> 32);
}

bool chance_percent(struct chance *chance, unsigned percent) {
    return chance_below(chance, 100) < percent;
}

const char *kind_name(enum kind kind) {
    static const char *const names[KIND_COUNT] = {
        [KIND_FREE] = "free",           [KIND_GUARDED] = "guarded",
        [KIND_TWO_PHASE] = "two-phase", [KIND_FORK_JOIN] = "fork-join",
        [KIND_SHORT] = "short threads", [KIND_RING] = "ring",
        [KIND_BROKEN_RING] = "no ring",
    };
    return names[kind];
}

/* One future event. It waits until the step with mark `waits_for` was taken (0: for nothing). */
struct step {
    enum st_op op;
    uint32_t target;
    unsigned mark, waits_for;
};

struct program {
    size_t count, next;
    struct step steps[MAX_STEPS];
    bool forked; /* starts only when its fork was taken */
};

struct generator {
    struct chance chance;
    enum kind kind;
    uint32_t threads, variables, locks, channels;
    size_t budget;                                                /* steps for all programs */
    size_t limit;                                                 /* events in the trace */
    unsigned writes, blocks, nesting, sections, messages, sticky; /* percent */
    struct program programs[MAX_THREADS];
    unsigned marks;
};

static uint32_t below(struct generator *g, uint32_t limit) {
    return chance_below(&g->chance, limit);
}

static uint32_t between(struct generator *g, uint32_t low, uint32_t high) {
    return low + below(g, high - low + 1);
}

static bool percent(struct generator *g, unsigned value) {
    return chance_percent(&g->chance, value);
}

/* ---- programs ---- */

static struct step *add(struct program *program, enum st_op op, uint32_t target) {
    assert(program->count < MAX_STEPS);
    struct step *step = &program->steps[program->count++];
    *step = (struct step){.op = op, .target = target};
    return step;
}

static void insert(struct program *program, size_t at, enum st_op op, uint32_t target) {
    assert(program->count < MAX_STEPS && at <= program->count);
    memmove(&program->steps[at + 1], &program->steps[at],
            (program->count - at) * sizeof program->steps[0]);
    program->count++;
    program->steps[at] = (struct step){.op = op, .target = target};
}

static enum st_op access_op(struct generator *g) {
    return percent(g, g->writes) ? ST_WRITE : ST_READ;
}

static void add_access(struct generator *g, struct program *program) {
    uint32_t variable = below(g, g->variables); /* before the operation, with every compiler */
    add(program, access_op(g), variable);
}

static void add_begin(struct generator *g, struct program *program) {
    add(program, ST_BEGIN, percent(g, 70) ? below(g, 3) : ST_NO_NAME);
}

static void add_end(struct generator *g, struct program *program) {
    add(program, ST_END, percent(g, 50) ? below(g, 3) : ST_NO_NAME);
}

/* A critical section of one lock. With discipline, it accesses only the variables of that lock. */
static void add_section(struct generator *g, struct program *program) {
    uint32_t lock = below(g, g->locks);
    bool again = percent(g, 20);
    add(program, ST_ACQUIRE, lock);
    if (again)
        add(program, ST_ACQUIRE, lock);
    for (uint32_t i = between(g, 0, 2); i > 0; i--) {
        uint32_t variable = below(g, g->variables);
        if (g->kind == KIND_GUARDED)
            variable = variable / g->locks * g->locks + lock;
        add(program, access_op(g), variable);
    }
    if (again)
        add(program, ST_RELEASE, lock);
    add(program, ST_RELEASE, lock);
}

static void add_send_or_receive(struct generator *g, struct program *program, uint32_t channel) {
    add(program, percent(g, 50) ? ST_SEND : ST_RECEIVE, channel);
}

/* A send, a receive, or both, as at a barrier. */
static void add_message(struct generator *g, struct program *program) {
    uint32_t channel = below(g, g->channels);
    if (percent(g, 80)) {
        add_send_or_receive(g, program, channel);
    } else {
        add(program, ST_SEND, channel);
        add(program, ST_RECEIVE, channel);
    }
}

static void add_body(struct generator *g, struct program *program, unsigned depth);

static void add_block(struct generator *g, struct program *program, unsigned depth) {
    add_begin(g, program);
    for (uint32_t i = between(g, 0, 3); i > 0; i--)
        add_body(g, program, depth + 1);
    add_end(g, program);
}

static void add_body(struct generator *g, struct program *program, unsigned depth) {
    /* Leave room for the steps that close what is open. */
    if (program->count > MAX_STEPS - 20)
        return;
    if (depth < MAX_DEPTH && percent(g, depth ? g->nesting : g->blocks))
        add_block(g, program, depth);
    else if (percent(g, g->messages))
        add_message(g, program);
    else if (g->kind == KIND_GUARDED || percent(g, g->sections))
        add_section(g, program);
    else
        add_access(g, program);
}

/* Acquires in any order and accesses in between, then all releases. */
static void add_two_phase_block(struct generator *g, struct program *program) {
    bool held[SAMPLE_LOCKS] = {false};
    bool inner = percent(g, g->nesting), named = percent(g, 85);
    if (named)
        add_begin(g, program);
    uint32_t accesses = named ? between(g, 1, 4) : 1;
    for (uint32_t i = 0; i < accesses; i++) {
        uint32_t variable = below(g, g->variables), lock = variable % g->locks;
        if (inner && i == 1)
            add_begin(g, program);
        if (!held[lock])
            add(program, ST_ACQUIRE, lock);
        held[lock] = true;
        add(program, access_op(g), variable);
        if (percent(g, g->messages / 2))
            add_send_or_receive(g, program, below(g, g->channels));
    }
    if (inner && named && accesses > 1)
        add_end(g, program);
    for (uint32_t lock = 0; lock < g->locks; lock++)
        if (held[lock])
            add(program, ST_RELEASE, lock);
    if (named)
        add_end(g, program);
}

static void write_programs(struct generator *g) {
    for (uint32_t t = 0; t < g->threads; t++) {
        struct program *program = &g->programs[t];
        size_t want = g->budget / g->threads;
        want += want ? below(g, (uint32_t)want) : 1;
        while (program->count < want && program->count < MAX_STEPS - 20) {
            if (g->kind == KIND_TWO_PHASE)
                add_two_phase_block(g, program);
            else
                add_body(g, program, 0);
        }
    }
}

/* ---- threads that come and go ---- */

/* Thread t becomes a child of an earlier thread, is usually joined, and sometimes does nothing. */
static void make_child(struct generator *g, uint32_t t, unsigned silent) {
    struct program *parent = &g->programs[below(g, t)];
    if (parent->count >= MAX_STEPS - 4)
        return;
    /* Late forks come after joins: the child can take over what a joined thread left behind. */
    bool late = (g->kind == KIND_FORK_JOIN || g->kind == KIND_SHORT) && percent(g, 50);
    size_t at = below(g, (uint32_t)parent->count / (late ? 1 : 2) + 1);
    /* A trace may begin after its threads did: then there is only the join. */
    g->programs[t].forked = percent(g, 92);
    if (g->programs[t].forked) {
        insert(parent, at, ST_FORK, t);
        if (percent(g, silent))
            g->programs[t].count = 0;
    }
    if (percent(g, g->kind == KIND_SHORT ? 25 : 75) && at < parent->count)
        insert(parent, between(g, (uint32_t)at + 1, (uint32_t)parent->count), ST_JOIN, t);
    /* Any thread may join a thread, even a second time. */
    uint32_t other = below(g, g->threads);
    struct program *waiting = &g->programs[other];
    if (other != t && percent(g, 10) && waiting->count < MAX_STEPS - 4)
        insert(waiting, between(g, (uint32_t)waiting->count / 2, (uint32_t)waiting->count), ST_JOIN,
               t);
}

static void make_children(struct generator *g, unsigned share, unsigned silent) {
    for (uint32_t t = 1; t < g->threads; t++)
        if (percent(g, share))
            make_child(g, t, silent);
}

/* ---- planted cycles ---- */

/* How the edge from one member of the ring to the next is made. */
struct link {
    enum { BY_WRITE_READ, BY_READ_WRITE, BY_WRITES, BY_LOCK, BY_CHANNEL, LINKS } how;
    uint32_t on;
    unsigned mark; /* of the event it leaves from */
};

static void add_source(struct program *program, const struct link *link) {
    if (link->how == BY_LOCK) {
        add(program, ST_ACQUIRE, link->on);
        add(program, ST_RELEASE, link->on)->mark = link->mark;
    } else if (link->how == BY_CHANNEL) {
        add(program, ST_SEND, link->on)->mark = link->mark;
    } else {
        enum st_op op = link->how == BY_READ_WRITE ? ST_READ : ST_WRITE;
        add(program, op, link->on)->mark = link->mark;
    }
}

static void add_sink(struct program *program, const struct link *link, bool broken) {
    if (link->how == BY_LOCK) {
        uint32_t lock = broken ? SAMPLE_LOCKS - 1 : link->on;
        add(program, ST_ACQUIRE, lock)->waits_for = link->mark;
        add(program, ST_RELEASE, lock);
    } else if (link->how == BY_CHANNEL) {
        uint32_t channel = broken ? SAMPLE_CHANNELS - 1 : link->on;
        add(program, ST_RECEIVE, channel)->waits_for = link->mark;
    } else {
        enum st_op op = link->how == BY_WRITE_READ ? ST_READ : ST_WRITE;
        uint32_t variable = broken ? SAMPLE_VARIABLES - 1 : link->on;
        add(program, op, variable)->waits_for = link->mark;
    }
}

/* Events that make the ring harder to see: mostly private, sometimes an edge of their own. */
static void add_noise(struct generator *g, struct program *program, uint32_t thread) {
    uint32_t dice = below(g, 100);
    if (dice < 55 || program->count > MAX_STEPS - 40)
        return;
    if (dice < 75)
        add(program, access_op(g), MAX_RING + 1 + thread);
    else if (dice < 85)
        add(program, ST_READ, MAX_RING);
    else if (dice < 88)
        add(program, ST_WRITE, MAX_RING);
    else if (dice < 92)
        add_send_or_receive(g, program, MAX_RING);
    else if (dice < 96)
        add_block(g, program, MAX_DEPTH - 1);
    else
        add_section(g, program);
}

/* A member of the ring: the edge `in` arrives in its transaction and the edge `out` leaves it.
 * Leaving first makes the cycle go back in time; `split` puts the two into two transactions of one
 * thread, so that only program order connects them. */
static void write_member(struct generator *g, uint32_t thread, const struct link *in,
                         const struct link *out, bool leaves_first, bool split, bool broken) {
    struct program *program = &g->programs[thread];
    add_noise(g, program, thread);
    add_begin(g, program);
    add_noise(g, program, thread);
    if (leaves_first)
        add_source(program, out);
    else
        add_sink(program, in, broken);
    add_noise(g, program, thread);
    if (split && !leaves_first) {
        add_end(g, program);
        add_noise(g, program, thread);
        if (percent(g, 50))
            split = false; /* the rest is unary */
        else
            add_begin(g, program);
    } else {
        split = true;
    }
    if (leaves_first)
        add_sink(program, in, broken);
    else
        add_source(program, out);
    add_noise(g, program, thread);
    if (split)
        add_end(g, program);
    add_noise(g, program, thread);
}

static void write_ring(struct generator *g) {
    uint32_t size = between(g, 2, MAX_RING);
    unsigned forward = below(g, 60); /* percent of members through which time goes forward */
    struct link links[MAX_RING];
    g->threads = size + (size < MAX_RING ? below(g, 2) : 0);
    for (uint32_t i = 0; i < size; i++) {
        links[i] = (struct link){.how = below(g, LINKS), .on = i, .mark = ++g->marks};
        if (links[i].how == BY_LOCK)
            links[i].on += 2; /* noise uses the locks below */
    }
    for (uint32_t i = 0; i < size; i++) {
        const struct link *in = &links[(i + size - 1) % size], *out = &links[i];
        bool broken = g->kind == KIND_BROKEN_RING && i == 0;
        bool split = percent(g, 30);
        write_member(g, i, in, out, i == 0 || !percent(g, forward), split, broken);
    }
    for (uint32_t t = size; t < g->threads; t++)
        for (uint32_t i = between(g, 1, 3); i > 0; i--)
            add_access(g, &g->programs[t]);
}

/* ---- the scheduler ---- */

struct schedule {
    bool taken[MAX_STEPS], started[MAX_THREADS], forked[MAX_THREADS];
    uint32_t holder[SAMPLE_LOCKS], held[SAMPLE_LOCKS];
};

static bool is_finished(const struct generator *g, const struct schedule *s, uint32_t t) {
    const struct program *program = &g->programs[t];
    return program->next == program->count && (s->started[t] || (program->forked && s->forked[t]));
}

static bool can_step(const struct generator *g, const struct schedule *s, uint32_t t) {
    const struct program *program = &g->programs[t];
    if (program->next == program->count || (program->forked && !s->forked[t]))
        return false;
    const struct step *step = &program->steps[program->next];
    if (step->waits_for && !s->taken[step->waits_for])
        return false;
    if (step->op == ST_ACQUIRE)
        return !s->held[step->target] || s->holder[step->target] == t;
    if (step->op == ST_JOIN)
        return is_finished(g, s, step->target);
    return true;
}

static void take_step(struct generator *g, struct schedule *s, uint32_t t, struct sample *sample) {
    const struct step *step = &g->programs[t].steps[g->programs[t].next++];
    s->started[t] = true;
    s->taken[step->mark] = true;
    if (step->op == ST_ACQUIRE) {
        s->holder[step->target] = t;
        s->held[step->target]++;
    } else if (step->op == ST_RELEASE) {
        s->held[step->target]--;
    } else if (step->op == ST_FORK) {
        s->forked[step->target] = true;
    }
    sample_add(sample, t, step->op, step->target);
}

static void interleave(struct generator *g, struct sample *sample) {
    struct schedule s = {0};
    uint32_t current = 0;
    while (sample->count < g->limit) {
        uint32_t ready[MAX_THREADS], count = 0;
        for (uint32_t t = 0; t < g->threads; t++)
            if (can_step(g, &s, t))
                ready[count++] = t;
        if (!count)
            return;
        if (!can_step(g, &s, current) || !percent(g, g->sticky))
            current = ready[below(g, count)];
        take_step(g, &s, current, sample);
    }
}

/* ---- recipes ---- */

static void choose_recipe(struct generator *g) {
    static const unsigned stickiness[] = {0, 10, 30, 60, 85};
    g->threads = between(g, 2, 6);
    g->variables = between(g, 1, 4);
    g->locks = between(g, 1, 2);
    g->channels = between(g, 1, 2);
    g->budget = between(g, 4, 32);
    g->limit = percent(g, 70) ? SAMPLE_EVENTS - 16 : between(g, 4, 30);
    g->writes = between(g, 20, 70);
    g->blocks = between(g, 30, 90);
    g->nesting = percent(g, 50) ? 0 : between(g, 5, 40);
    g->sections = percent(g, 50) ? 0 : between(g, 10, 60);
    g->messages = percent(g, 40) ? 0 : between(g, 15, 85);
    g->sticky = stickiness[below(g, 5)];
    if (g->kind == KIND_SHORT) {
        g->threads = between(g, 8, MAX_THREADS);
        g->budget = between(g, 20, 50);
        g->limit = SAMPLE_EVENTS - 16;
    }
}

static enum kind choose_kind(struct generator *g) {
    static const unsigned shares[KIND_COUNT] = {
        [KIND_FREE] = 18,  [KIND_GUARDED] = 12, [KIND_TWO_PHASE] = 10,  [KIND_FORK_JOIN] = 14,
        [KIND_SHORT] = 16, [KIND_RING] = 23,    [KIND_BROKEN_RING] = 7,
    };
    uint32_t dice = below(g, 100);
    unsigned kind = 0;
    while (kind + 1 < KIND_COUNT && dice >= shares[kind])
        dice -= shares[kind++];
    return kind;
}

static void make_trace(struct generator *g, struct sample *sample) {
    g->kind = choose_kind(g);
    choose_recipe(g);
    if (g->kind == KIND_RING || g->kind == KIND_BROKEN_RING) {
        write_ring(g);
        make_children(g, percent(g, 20) ? 40 : 0, 0);
    } else {
        write_programs(g);
        if (g->kind == KIND_FORK_JOIN)
            make_children(g, 80, 25);
        else if (g->kind == KIND_SHORT)
            make_children(g, 60, 5);
        else
            make_children(g, percent(g, 30) ? 30 : 0, 20);
    }
    sample->count = 0;
    sample->repair = false;
    sample->team_channels = 0;
    sample->relation = ST_LOCKS;
    interleave(g, sample);
    sample->lock_channels = percent(g, 40) ? 0 : below(g, 1 << SAMPLE_CHANNELS);
}

/* Loses an event, repeats one, or swaps one with the last. */
static void damage(struct generator *g, struct sample *sample) {
    uint32_t at = below(g, (uint32_t)sample->count);
    struct st_event event = sample->events[at];
    switch (below(g, 3)) {
    case 0:
        sample_without(sample, UINT64_C(1) << at, sample);
        break;
    case 1:
        sample_add(sample, event.thread, event.written, event.target);
        break;
    default:
        sample->events[at] = sample->events[sample->count - 1];
        sample->events[sample->count - 1] = event;
        break;
    }
}

static void finish(struct sample *sample, uint64_t seed) {
    struct st_error error;
    sample_renumber(sample);
    if (sample_check(sample, &error) < 0) {
        fprintf(stderr, "seed %llu: the generator made a malformed trace: %s\n",
                (unsigned long long)seed, error.cause);
        abort();
    }
}

enum kind generate(struct sample *sample, uint64_t seed) {
    struct generator g = {.chance = {seed}};
    make_trace(&g, sample);
    finish(sample, seed);
    return g.kind;
}

enum kind generate_damaged(struct sample *sample, uint64_t seed) {
    struct generator g = {.chance = {seed}};
    make_trace(&g, sample);
    for (uint32_t i = between(&g, 1, 5); i > 0 && sample->count > 1; i--)
        damage(&g, sample);
    sample->repair = true;
    finish(sample, seed);
    return g.kind;
}
