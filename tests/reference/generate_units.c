/* Each thread gets a small program, written without regard for the others. Then a scheduler
 * interleaves the programs. The trace ends where the scheduler stops, usually at the end of all
 * programs. */
#include "reference/generate_units.h"

#include "reference/generate.h"
#include "reference/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 128, MAX_THREADS = 4, MAX_LOCKS = 3, MAX_ROUNDS = 3 };

/* How blocks guard what they access. A block may deviate by mistake. */
enum style {
    STYLE_FREE,      /* a critical section here and there, of any lock */
    STYLE_WHOLE,     /* one lock around the whole block */
    STYLE_TWO_PHASE, /* the locks of all its variables around the whole block */
    STYLE_EACH,      /* the variable's lock around each access */
    STYLES
};

struct step {
    enum st_op op;
    uint32_t target;
};

/* Invariant: held[l] is how often the program holds lock l where it ends so far. */
struct program {
    size_t count, next;
    struct step steps[MAX_STEPS];
    uint32_t held[MAX_LOCKS];
    bool forked; /* starts only when its fork was taken */
};

struct generator {
    struct chance chance;
    enum unit_kind kind;
    enum style style;
    uint32_t threads, variables, locks;
    unsigned writes, slips, sections, again, sticky; /* percent */
    size_t limit;                                    /* events in the trace */
    struct program programs[MAX_THREADS];
};

const char *unit_kind_name(enum unit_kind kind) {
    static const char *const names[UNITS_KINDS] = {
        [UNITS_PAIR] = "pair",         [UNITS_TWO_THREADS] = "two threads",
        [UNITS_MANY] = "many",         [UNITS_RING] = "ring",
        [UNITS_SECTIONS] = "sections", [UNITS_FORK_JOIN] = "fork-join",
        [UNITS_BARRIER] = "barrier",   [UNITS_LARGE] = "large",
    };
    return names[kind];
}

static uint32_t below(struct generator *g, uint32_t limit) {
    return chance_below(&g->chance, limit);
}

static uint32_t between(struct generator *g, uint32_t low, uint32_t high) {
    return low + below(g, high - low + 1);
}

static bool percent(struct generator *g, unsigned value) {
    return chance_percent(&g->chance, value);
}

/* ---- locks and accesses ---- */

static void add(struct program *program, enum st_op op, uint32_t target) {
    assert(program->count < MAX_STEPS);
    program->steps[program->count++] = (struct step){op, target};
}

/* Locks are taken in the order of their numbers, but what is held may be taken again. */
static bool take(struct program *program, uint32_t lock) {
    if (!program->held[lock])
        for (uint32_t other = lock + 1; other < MAX_LOCKS; other++)
            if (program->held[other])
                return false;
    add(program, ST_ACQUIRE, lock);
    program->held[lock]++;
    return true;
}

static void give_back(struct program *program, uint32_t lock) {
    add(program, ST_RELEASE, lock);
    program->held[lock]--;
}

static void add_access(struct generator *g, struct program *program, uint32_t variable) {
    add(program, percent(g, g->writes) ? ST_WRITE : ST_READ, variable);
}

/* Sometimes one that no other thread accesses. */
static uint32_t any_variable(struct generator *g, const struct program *program) {
    if (percent(g, 6))
        return g->variables + (uint32_t)(program - g->programs);
    return below(g, g->variables);
}

/* An access in a critical section of the lock, if the order of locks allows that. */
static void add_guarded(struct generator *g, struct program *program, uint32_t lock,
                        uint32_t variable) {
    bool locked = g->locks && take(program, lock);
    bool again = locked && percent(g, g->again) && take(program, lock);
    add_access(g, program, variable);
    if (again)
        give_back(program, lock);
    if (locked)
        give_back(program, lock);
}

static uint32_t lock_of(const struct generator *g, uint32_t variable) {
    return g->locks ? variable % g->locks : 0;
}

/* ---- blocks ---- */

/* Accesses, now and then in critical sections that may be nested. */
static void add_freely(struct generator *g, struct program *program, uint32_t accesses) {
    while (accesses) {
        uint32_t lock = g->locks ? below(g, g->locks) : 0;
        uint32_t part = percent(g, 50) ? 1 : between(g, 1, accesses);
        bool locked = g->locks && percent(g, g->sections) && take(program, lock);
        for (uint32_t i = 0; i < part; i++) {
            uint32_t variable = any_variable(g, program); /* before the lock, with every compiler */
            if (percent(g, g->sections / 2))
                add_guarded(g, program, g->locks ? below(g, g->locks) : 0, variable);
            else
                add_access(g, program, variable);
        }
        if (locked)
            give_back(program, lock);
        accesses -= part;
    }
}

/* All accesses are inside critical sections of the locks in the set, which has all the locks that
 * are needed or, by mistake, not all. */
static void add_inside(struct generator *g, struct program *program, unsigned locks,
                       const uint32_t *variables, uint32_t count) {
    uint32_t taken[MAX_LOCKS], depth = 0;
    for (uint32_t lock = 0; lock < g->locks; lock++)
        if (locks >> lock & 1 && take(program, lock))
            taken[depth++] = lock;
    for (uint32_t i = 0; i < count; i++)
        if (percent(g, g->again / 2))
            add_guarded(g, program, lock_of(g, variables[i]), variables[i]);
        else
            add_access(g, program, variables[i]);
    while (depth)
        give_back(program, taken[--depth]);
}

static void add_disciplined(struct generator *g, struct program *program, uint32_t accesses) {
    uint32_t variables[8];
    unsigned locks = g->style == STYLE_WHOLE;
    for (uint32_t i = 0; i < accesses; i++) {
        variables[i] = any_variable(g, program);
        if (g->style == STYLE_TWO_PHASE)
            locks |= 1u << lock_of(g, variables[i]);
    }
    if (g->style != STYLE_EACH) {
        add_inside(g, program, locks, variables, accesses);
        return;
    }
    for (uint32_t i = 0; i < accesses; i++)
        add_guarded(g, program, lock_of(g, variables[i]), variables[i]);
}

static void add_block(struct generator *g, struct program *program, uint32_t accesses) {
    bool nested = percent(g, 6);
    add(program, ST_BEGIN, percent(g, 70) ? below(g, 3) : ST_NO_NAME);
    if (nested)
        add(program, ST_BEGIN, ST_NO_NAME);
    if (g->style == STYLE_FREE || percent(g, g->slips))
        add_freely(g, program, accesses);
    else
        add_disciplined(g, program, accesses);
    if (nested)
        add(program, ST_END, ST_NO_NAME);
    add(program, ST_END, ST_NO_NAME);
}

/* ---- programs ---- */

/* A critical section with accesses or blocks, or both, in it. */
static void add_loose_section(struct generator *g, struct program *program, bool with_block) {
    uint32_t lock = g->locks ? below(g, g->locks) : 0;
    bool locked = g->locks && take(program, lock);
    if (percent(g, with_block ? 40 : 100))
        add_access(g, program, any_variable(g, program));
    if (with_block)
        add_block(g, program, between(g, 1, 3));
    if (percent(g, 40))
        add_access(g, program, any_variable(g, program));
    if (locked)
        give_back(program, lock);
}

/* An access outside blocks, guarded as the style of the sample says. */
static void add_unary(struct generator *g, struct program *program) {
    uint32_t variable = any_variable(g, program);
    if (g->style == STYLE_FREE || percent(g, 50))
        add_access(g, program, variable);
    else
        add_guarded(g, program, g->style == STYLE_WHOLE ? 0 : lock_of(g, variable), variable);
}

/* One of the things that a thread of the kinds with events outside blocks does. */
static void add_something(struct generator *g, struct program *program) {
    uint32_t dice = below(g, 100);
    if (dice < 50)
        add_block(g, program, between(g, 1, 3));
    else if (dice < 70)
        add_unary(g, program);
    else if (dice < 85)
        add_loose_section(g, program, false);
    else
        add_loose_section(g, program, true);
}

static void write_program(struct generator *g, struct program *program) {
    switch (g->kind) {
    case UNITS_PAIR:
        add_block(g, program, between(g, 1, 6));
        break;
    case UNITS_TWO_THREADS:
        for (uint32_t i = between(g, 1, 3); i > 0; i--)
            add_block(g, program, between(g, 1, 3));
        break;
    case UNITS_MANY:
        for (uint32_t i = between(g, 1, g->threads == 3 ? 2 : 1); i > 0; i--)
            add_block(g, program, between(g, 1, 3));
        break;
    case UNITS_LARGE:
        add_block(g, program, between(g, 2, 4));
        add_something(g, program);
        if (percent(g, 30))
            add_something(g, program);
        break;
    case UNITS_BARRIER:
        for (uint32_t i = g->threads == 2 ? 3 : 2; i > 0; i--)
            add_something(g, program);
        break;
    default:
        for (uint32_t i = between(g, 1, g->threads == 2 ? 3 : 2); i > 0; i--)
            add_something(g, program);
        break;
    }
}

/* Two accesses, in either order: the first variable is shared with the thread before, the second
 * with the next one. By mistake they may be in two transactions, which thread order connects. */
static void write_member(struct generator *g, uint32_t t, enum st_op before, enum st_op next) {
    struct program *program = &g->programs[t];
    struct step steps[2] = {{before, t}, {next, (t + 1) % g->threads}};
    bool split = percent(g, g->slips), turned = percent(g, 50);
    bool whole = g->style == STYLE_WHOLE && percent(g, 50);
    if (percent(g, g->slips))
        add_unary(g, program);
    add(program, ST_BEGIN, ST_NO_NAME);
    if (whole)
        take(program, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const struct step *step = &steps[turned ? 1 - i : i];
        uint32_t lock = lock_of(g, step->target);
        bool locked = g->style == STYLE_EACH && take(program, lock);
        add(program, step->op, step->target);
        if (locked)
            give_back(program, lock);
        if (split && !whole && i == 0) {
            add(program, ST_END, ST_NO_NAME);
            add(program, ST_BEGIN, ST_NO_NAME);
        }
    }
    if (whole)
        give_back(program, 0);
    add(program, ST_END, ST_NO_NAME);
}

static void write_ring(struct generator *g) {
    enum st_op before[MAX_THREADS], next[MAX_THREADS];
    for (uint32_t t = 0; t < g->threads; t++) {
        uint32_t dice = below(g, 100), other = (t + 1) % g->threads;
        next[t] = dice < 50 ? ST_WRITE : ST_READ;
        before[other] = dice >= 40 && dice < 90 ? ST_WRITE : ST_READ;
    }
    for (uint32_t t = 0; t < g->threads; t++)
        write_member(g, t, before[t], next[t]);
}

/* ---- threads that come and go, and barriers ---- */

static void insert(struct program *program, size_t at, enum st_op op, uint32_t target) {
    assert(program->count < MAX_STEPS);
    memmove(&program->steps[at + 1], &program->steps[at],
            (program->count - at) * sizeof *program->steps);
    program->steps[at] = (struct step){op, target};
    program->count++;
}

/* A place in the program, not before `from`, where no lock is held; or, rarely, any place. */
static size_t choose_place(struct generator *g, const struct program *program, size_t from) {
    size_t places[MAX_STEPS + 1], count = 0, held = 0;
    bool any = percent(g, 4);
    for (size_t at = 0; at <= program->count; at++) {
        if (at >= from && (any || !held))
            places[count++] = at;
        if (at < program->count)
            held += (size_t)(program->steps[at].op == ST_ACQUIRE) -
                    (size_t)(program->steps[at].op == ST_RELEASE);
    }
    return places[below(g, (uint32_t)count)];
}

/* Thread t becomes a child of an earlier thread, which usually joins it. */
static void make_child(struct generator *g, uint32_t t) {
    uint32_t p = below(g, t);
    bool early = percent(g, 50), late = percent(g, 50);
    size_t at = early ? 0 : choose_place(g, &g->programs[p], 0);
    insert(&g->programs[p], at, ST_FORK, t);
    g->programs[t].forked = true;
    if (percent(g, 5))
        g->programs[t].count = 0;
    if (percent(g, 60))
        insert(&g->programs[p],
               late ? g->programs[p].count : choose_place(g, &g->programs[p], at + 1), ST_JOIN, t);
    else if (percent(g, 10) && t + 1 < g->threads)
        insert(&g->programs[t + 1], choose_place(g, &g->programs[t + 1], 0), ST_JOIN, t);
}

static void make_children(struct generator *g) {
    for (uint32_t t = 1; t < g->threads; t++)
        if (t == 1 || percent(g, 70))
            make_child(g, t);
}

/* All threads, or all but one, meet at a barrier; its two channels take turns. */
static void add_barriers(struct generator *g) {
    uint32_t absent = g->threads > 2 && percent(g, 40) ? below(g, g->threads) : g->threads;
    uint32_t rounds = percent(g, 60) ? 1 : between(g, 2, MAX_ROUNDS);
    for (uint32_t t = 0; t < g->threads; t++) {
        struct program *program = &g->programs[t];
        size_t from = 0;
        for (uint32_t round = 0; t != absent && round < rounds; round++) {
            size_t at = choose_place(g, program, from);
            insert(program, at, ST_SEND, round % 2);
            insert(program, at + 1, ST_RECEIVE, round % 2);
            from = at + 2;
        }
    }
}

/* The first thread starts the others and waits for them, as a main program does. */
static void add_main_thread(struct generator *g) {
    for (uint32_t t = 1; t < g->threads; t++) {
        insert(&g->programs[0], 0, ST_FORK, t);
        g->programs[t].forked = true;
        add(&g->programs[0], ST_JOIN, t);
    }
}

/* ---- the scheduler ---- */

struct schedule {
    bool started[MAX_THREADS], forked[MAX_THREADS];
    uint32_t holder[MAX_LOCKS], held[MAX_LOCKS];
};

/* How many steps with this operation and target a program has, and how many of them were taken. */
static size_t steps_like(const struct program *program, const struct step *like, size_t end) {
    size_t count = 0;
    for (size_t i = 0; i < end; i++)
        count += program->steps[i].op == like->op && program->steps[i].target == like->target;
    return count;
}

/* Have all threads that meet at this barrier arrived as often as this one? */
static bool all_arrived(const struct generator *g, uint32_t t) {
    const struct program *mine = &g->programs[t];
    const struct step send = {ST_SEND, mine->steps[mine->next].target};
    size_t round = steps_like(mine, &send, mine->next);
    for (uint32_t other = 0; other < g->threads; other++) {
        const struct program *program = &g->programs[other];
        bool meets = steps_like(program, &send, program->count) > 0;
        if (meets && steps_like(program, &send, program->next) < round)
            return false;
    }
    return true;
}

static bool is_finished(const struct generator *g, const struct schedule *s, uint32_t t) {
    const struct program *program = &g->programs[t];
    return program->next == program->count && (s->started[t] || (program->forked && s->forked[t]));
}

static bool can_step(const struct generator *g, const struct schedule *s, uint32_t t) {
    const struct program *program = &g->programs[t];
    if (program->next == program->count || (program->forked && !s->forked[t]))
        return false;
    const struct step *step = &program->steps[program->next];
    if (step->op == ST_ACQUIRE)
        return !s->held[step->target] || s->holder[step->target] == t;
    if (step->op == ST_JOIN)
        return is_finished(g, s, step->target);
    return step->op != ST_RECEIVE || all_arrived(g, t);
}

static void take_step(struct generator *g, struct schedule *s, uint32_t t, struct sample *sample) {
    const struct step *step = &g->programs[t].steps[g->programs[t].next++];
    s->started[t] = true;
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

static enum unit_kind choose_kind(struct generator *g) {
    static const unsigned shares[UNITS_KINDS] = {
        [UNITS_PAIR] = 18,     [UNITS_TWO_THREADS] = 13, [UNITS_MANY] = 15,    [UNITS_RING] = 10,
        [UNITS_SECTIONS] = 15, [UNITS_FORK_JOIN] = 11,   [UNITS_BARRIER] = 10, [UNITS_LARGE] = 8,
    };
    uint32_t dice = below(g, 100);
    unsigned kind = 0;
    while (kind + 1 < UNITS_KINDS && dice >= shares[kind])
        dice -= shares[kind++];
    return kind;
}

static void choose_recipe(struct generator *g) {
    static const unsigned stickiness[] = {0, 30, 60, 85};
    bool two = g->kind == UNITS_PAIR || g->kind == UNITS_TWO_THREADS;
    bool free = percent(g, 35);
    g->style = free ? STYLE_FREE : between(g, STYLE_WHOLE, STYLES - 1);
    bool many = g->kind == UNITS_MANY || g->kind == UNITS_RING;
    g->threads = two ? 2 : many ? between(g, 3, 4) : between(g, 2, 3);
    g->variables = g->kind == UNITS_RING ? g->threads : between(g, 1, 3);
    g->locks = free ? below(g, MAX_LOCKS + 1) : between(g, 1, MAX_LOCKS);
    g->writes = percent(g, 15) ? 90 : between(g, 20, 75);
    g->slips = percent(g, 35) ? 0 : between(g, 10, 60);
    g->sections = between(g, 20, 80);
    g->again = percent(g, 70) ? 0 : 30;
    g->sticky = stickiness[below(g, 4)];
    g->limit = percent(g, 93) ? SAMPLE_EVENTS : between(g, 4, 16);
}

static void make_trace(struct generator *g, struct sample *sample) {
    g->kind = choose_kind(g);
    choose_recipe(g);
    for (uint32_t t = 0; t < g->threads && g->kind != UNITS_RING; t++)
        write_program(g, &g->programs[t]);
    if (g->kind == UNITS_RING)
        write_ring(g);
    if (g->kind == UNITS_FORK_JOIN)
        make_children(g);
    if (g->kind == UNITS_BARRIER)
        add_barriers(g);
    if (g->kind == UNITS_BARRIER && percent(g, 30))
        add_main_thread(g);
    sample->count = 0;
    sample->repair = false;
    sample->team_channels = 0;
    interleave(g, sample);
    /* If a thread has arrived at a barrier alone when the trace ends, it is not a barrier. */
    while (!units_are_tidy(sample))
        sample->count--;
}

enum unit_kind generate_units(struct sample *sample, uint64_t seed) {
    struct generator g = {.chance = {seed}};
    struct st_error error;
    make_trace(&g, sample);
    while (!sample->count) { /* nobody came further than the first arrival at a barrier */
        g = (struct generator){.chance = g.chance};
        make_trace(&g, sample);
    }
    sample_renumber(sample);
    if (sample_check(sample, &error) < 0) {
        fprintf(stderr, "seed %llu: the generator made a malformed trace: %s\n",
                (unsigned long long)seed, error.cause);
        abort();
    }
    return g.kind;
}
