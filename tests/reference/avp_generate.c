/* Like generate.c: a program for each thread, then a scheduler that interleaves them. */
#include "reference/avp_generate.h"

#include <assert.h>
#include <string.h>

enum { MAX_STEPS = 96, MAX_THREADS = 5 };

struct step {
    enum st_op op;
    uint32_t target;
    bool joined; /* with the step before it: one atomic operation */
};

struct program {
    size_t count, next;
    struct step steps[MAX_STEPS];
    bool forked;
};

struct generator {
    struct chance chance;
    uint32_t threads, variables, locks;
    size_t limit;
    unsigned writes, sections, atomics, messages, sticky; /* percent */
    uint32_t barrier_round;                               /* channel of the next round */
    bool lives;                                           /* threads live one after another */
    bool walks; /* threads walk through the variables hand over hand */
    struct program programs[MAX_THREADS];
};

static uint32_t below(struct generator *g, uint32_t limit) {
    return chance_below(&g->chance, limit);
}

static bool percent(struct generator *g, unsigned value) {
    return chance_percent(&g->chance, value);
}

static void add(struct program *program, enum st_op op, uint32_t target) {
    if (program->count < MAX_STEPS)
        program->steps[program->count++] = (struct step){op, target, false};
}

/* ---- programs ---- */

static void add_access(struct generator *g, struct program *program) {
    uint32_t x = below(g, g->variables);
    if (percent(g, g->atomics)) {
        add(program, ST_READ, x);
        add(program, ST_WRITE, x);
        program->steps[program->count - 1].joined = percent(g, 70);
        return;
    }
    add(program, percent(g, g->writes) ? ST_WRITE : ST_READ, x);
}

/* Channel 0 is a condition; 1 and 2 are a barrier. */
static void add_message(struct generator *g, struct program *program, bool locked) {
    uint32_t lock = below(g, g->locks);
    switch (below(g, locked ? 2 : 4)) {
    case 0:
        add(program, ST_SEND, 0);
        break;
    case 1:
        add(program, ST_RECEIVE, 0);
        break;
    default: /* a wait, as recorded or as the documentation has it */
        add(program, ST_ACQUIRE, lock);
        add(program, ST_RELEASE, lock);
        if (percent(g, 50)) {
            add(program, ST_RECEIVE, 0);
            add(program, ST_ACQUIRE, lock);
        } else {
            add(program, ST_ACQUIRE, lock);
            add(program, ST_RECEIVE, 0);
        }
        add(program, ST_RELEASE, lock);
    }
}

/* `held` has the locks of the sections around it. */
static void add_item(struct generator *g, struct program *program, uint32_t held) {
    uint32_t lock = g->locks ? below(g, g->locks) : 0;
    if (program->count > MAX_STEPS - 24)
        return;
    if (g->locks && !(held >> lock & 1) && percent(g, g->sections)) {
        add(program, ST_ACQUIRE, lock);
        for (uint32_t i = below(g, 4); i > 0; i--)
            add_item(g, program, held | 1u << lock);
        add(program, ST_RELEASE, lock);
    } else if (g->locks && percent(g, g->messages)) {
        add_message(g, program, held != 0);
    } else {
        add_access(g, program);
    }
}

static void add_block(struct generator *g, struct program *program) {
    add(program, ST_BEGIN, below(g, 2) ? below(g, 2) : ST_NO_NAME);
    for (uint32_t i = 1 + below(g, 4); i > 0; i--)
        add_item(g, program, 0);
    add(program, ST_END, ST_NO_NAME);
}

/* Blocks may lie inside a section, and begin or end in the middle of one. */
static void add_body(struct generator *g, struct program *program) {
    uint32_t dice = below(g, 100), lock = g->locks ? below(g, g->locks) : 0;
    if (dice < 45) {
        add_block(g, program);
    } else if (dice < 60 && g->locks) {
        add(program, ST_ACQUIRE, lock);
        add(program, ST_BEGIN, ST_NO_NAME);
        for (uint32_t i = 1 + below(g, 3); i > 0; i--)
            add_item(g, program, 1u << lock);
        bool end_first = percent(g, 60);
        add(program, end_first ? ST_END : ST_RELEASE, end_first ? ST_NO_NAME : lock);
        if (!end_first)
            add_item(g, program, 0);
        add(program, end_first ? ST_RELEASE : ST_END, end_first ? lock : ST_NO_NAME);
    } else {
        add_item(g, program, 0);
    }
}

/* Each variable has a lock. Who has taken the next one lets go of the last, unless it is careless.
 */
static void add_walk(struct generator *g, struct program *program) {
    uint32_t careless = percent(g, 30) ? below(g, g->locks) : g->locks;
    if (program->count > MAX_STEPS - 24)
        return;
    add(program, ST_BEGIN, ST_NO_NAME);
    for (uint32_t i = 0; i < g->locks; i++) {
        if (!i || careless == i)
            add(program, ST_ACQUIRE, i);
        if (percent(g, 80))
            add(program, percent(g, g->writes) ? ST_WRITE : ST_READ, i);
        if (i + 1 < g->locks && careless != i + 1)
            add(program, ST_ACQUIRE, i + 1);
        add(program, ST_RELEASE, i);
    }
    add(program, ST_END, ST_NO_NAME);
}

/* All threads meet: each sends and then receives. */
static void add_barrier(struct generator *g) {
    uint32_t channel = 1 + g->barrier_round++ % 2;
    for (uint32_t t = 0; t < g->threads; t++) {
        add(&g->programs[t], ST_SEND, channel);
        add(&g->programs[t], ST_RECEIVE, channel);
    }
}

static void insert(struct program *program, size_t at, enum st_op op, uint32_t target) {
    if (program->count >= MAX_STEPS)
        return;
    memmove(&program->steps[at + 1], &program->steps[at],
            (program->count - at) * sizeof program->steps[0]);
    program->count++;
    program->steps[at] = (struct step){op, target, false};
}

/* The place behind the last join of a program, or anywhere if it has none. */
static size_t after_joins(struct generator *g, const struct program *program) {
    for (size_t at = program->count; at > 0; at--)
        if (program->steps[at - 1].op == ST_JOIN)
            return at + below(g, (uint32_t)(program->count - at) + 1);
    return below(g, (uint32_t)program->count + 1);
}

static void make_child(struct generator *g, uint32_t t) {
    struct program *parent = &g->programs[g->lives && percent(g, 70) ? 0 : below(g, t)];
    size_t at =
        g->lives && percent(g, 70) ? after_joins(g, parent) : below(g, (uint32_t)parent->count + 1);
    g->programs[t].forked = true;
    insert(parent, at, ST_FORK, t);
    if (percent(g, g->lives ? 90 : 60))
        insert(parent, at + 1 + below(g, (uint32_t)(parent->count - at)), ST_JOIN, t);
}

static void write_programs(struct generator *g) {
    bool barriers = !g->lives && percent(g, 12);
    uint32_t rounds = barriers ? 2 : 1;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t t = 0; t < g->threads; t++)
            for (uint32_t i = 1 + below(g, 2 + (uint32_t)g->limit / 10); i > 0; i--)
                (g->walks && percent(g, 80) ? add_walk : add_body)(g, &g->programs[t]);
        if (barriers && round + 1 < rounds)
            add_barrier(g);
    }
    if (g->lives || (!barriers && percent(g, 40)))
        for (uint32_t t = 1; t < g->threads; t++)
            if (percent(g, g->lives ? 85 : 60))
                make_child(g, t);
}

/* ---- the scheduler ---- */

struct schedule {
    bool forked[MAX_THREADS], started[MAX_THREADS];
    uint32_t holder[SAMPLE_LOCKS]; /* thread + 1 */
    uint32_t arrived[3];           /* sends on each channel of the barrier */
};

static bool can_step(const struct generator *g, const struct schedule *s, uint32_t t) {
    const struct program *program = &g->programs[t];
    if (program->next == program->count || (program->forked && !s->forked[t]))
        return false;
    const struct step *step = &program->steps[program->next];
    if (step->op == ST_ACQUIRE)
        return !s->holder[step->target];
    if (step->op == ST_JOIN)
        return g->programs[step->target].next == g->programs[step->target].count &&
               (s->started[step->target] || s->forked[step->target]);
    if (step->op == ST_RECEIVE && step->target)
        return s->arrived[step->target] % g->threads == 0;
    return true;
}

static void take_step(struct generator *g, struct schedule *s, uint32_t t, struct sample *sample) {
    const struct step *step = &g->programs[t].steps[g->programs[t].next++];
    s->started[t] = true;
    if (step->op == ST_ACQUIRE)
        s->holder[step->target] = t + 1;
    else if (step->op == ST_RELEASE)
        s->holder[step->target] = 0;
    else if (step->op == ST_FORK)
        s->forked[step->target] = true;
    else if (step->op == ST_SEND && step->target)
        s->arrived[step->target]++;
    sample_add(sample, t, step->op, step->target);
    sample->events[sample->count - 1].joined = step->joined;
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

static void make(struct sample *sample, uint64_t seed, size_t limit, bool lives, bool walks) {
    struct generator g = {.chance = {seed}, .lives = lives, .walks = walks};
    struct st_error error;
    sample->count = 0;
    sample->repair = false;
    sample->team_channels = 0;
    g.threads = lives ? 3 + below(&g, MAX_THREADS - 2) : 2 + below(&g, 3);
    g.variables = 1 + below(&g, 3);
    g.locks = below(&g, 4);
    if (walks)
        g.locks = g.variables = 2 + below(&g, 2);
    g.limit = limit;
    g.writes = 20 + below(&g, 70);
    g.sections = g.locks ? below(&g, 60) : 0;
    g.atomics = percent(&g, 20) ? 40 : 0;
    g.messages = percent(&g, 20) ? 20 : 0;
    g.sticky = below(&g, 95);
    write_programs(&g);
    interleave(&g, sample);
    sample_renumber(sample);
    int status = sample_check(sample, &error);
    assert(status == 0);
    (void)status;
}

void avp_generate(struct sample *sample, uint64_t seed, size_t limit) {
    make(sample, seed, limit, false, false);
}

void avp_generate_lives(struct sample *sample, uint64_t seed, size_t limit) {
    make(sample, seed, limit, true, false);
}

void avp_generate_walks(struct sample *sample, uint64_t seed, size_t limit) {
    make(sample, seed, limit, seed % 2, true);
}

void avp_generate_values(struct sample *sample, uint64_t seed) {
    struct chance chance = {seed ^ UINT64_C(0x5a17e5)};
    uint32_t held[SAMPLE_VARIABLES], different = 1 + chance_below(&chance, 3);
    unsigned known = 50 + chance_below(&chance, 51), wrong = chance_percent(&chance, 20) ? 10 : 0;
    for (size_t x = 0; x < SAMPLE_VARIABLES; x++)
        held[x] = 1 + chance_below(&chance, different);
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *e = &sample->events[i];
        if (e->op != ST_READ && e->op != ST_WRITE)
            continue;
        struct st_value_numbers *values = &sample->values[i];
        values->held = held[e->target];
        if (e->op == ST_WRITE)
            values->left = held[e->target] = 1 + chance_below(&chance, different);
        if (chance_percent(&chance, wrong))
            values->held = 1 + chance_below(&chance, 3);
        if (!chance_percent(&chance, known))
            values->held = 0;
        if (!chance_percent(&chance, known / 2))
            values->left = 0;
    }
}
