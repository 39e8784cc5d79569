/* The paper's search: dynamic partial-order reduction with sleep sets over the steps of the window.
 * It generates maximal schedules, one of each class with the same order of conflicts, until one
 * violates the block.
 *
 * The paper uses the reduction of Flanagan and Godefroid (2005), which looks only at the last step
 * that races with a new one. Combined with sleep sets, that misses classes. Of `T1.w(x) T2.r(y)
 * T2.r(x) T3.w(y) T3.r(x)`, for example, it misses the class with T3.r(x) first, then T1.w(x), and
 * T2.r(x) last. So ours looks at all steps that race with the new one. For each, it tries a step
 * that can come first among those that do not depend on the racing step (source sets: Abdulla,
 * Aronis, Jonsson and Sagonas, 2014).
 *
 * Two steps of different threads depend on each other if they access the same variable and one may
 * write it, or if they operate on the same lock. If part of a schedule violates the block, so does
 * every schedule that continues it, so maximal schedules are enough. A read sees the same write in
 * all schedules of a class, so it breaks in all of them or in none. */
#include "base/memory.h"
#include "predict/tas/taint.h"

#include <stdlib.h>
#include <string.h>

/* A state of the search and the step taken there. Sets of actors are byte arrays, stored one after
 * another in search.sets: the actors to try; those tried (bit TRIED_HERE) and those that can make a
 * step (bit POSSIBLE); those asleep, whose steps now would only repeat a class. */
struct frame {
    uint32_t actor;         /* TAS_NONE: no step taken */
    uint32_t step, before;  /* before: for undoing the step */
    struct tas_stain stain; /* for undoing the step */
    uint32_t previous;      /* frame + 1 of the previous step on the same object */
    uint32_t own;           /* frame + 1 of the previous step of the same actor */
    uint32_t running;       /* thread of the previous step */
    uint64_t switches;
};

struct search {
    struct tas_worker *worker;
    struct tas_program program;
    struct tas_progress progress;
    struct tas_taint taint;
    struct frame *frames;
    size_t depth, frame_capacity;
    uint8_t *sets;
    size_t set_capacity;
    uint32_t *clocks; /* by frame and actor: how many frames of each must come before */
    size_t clock_capacity;
    uint32_t *past, *firsts;               /* by actor: scratch */
    uint32_t *actor_frame;                 /* by actor: frame + 1 of its last step */
    uint32_t *variable_frame, *lock_frame; /* by object: the same */
};

enum { TO_TRY, TRIED, ASLEEP, SETS };
enum { TRIED_HERE = 1, POSSIBLE = 2 };

static uint8_t *set_of(const struct search *s, size_t frame, int which) {
    return s->sets + (frame * SETS + (size_t)which) * s->program.actor_count;
}

static uint32_t *clock_of(const struct search *s, size_t frame) {
    return s->clocks + frame * s->program.actor_count;
}

static bool depend(const struct tas_step *a, const struct tas_step *b) {
    if (tas_is_lock(a) != tas_is_lock(b) || a->object != b->object)
        return false;
    return tas_is_lock(a) || a->kind != TAS_READ || b->kind != TAS_READ;
}

static uint32_t *object_frame(const struct search *s, const struct tas_step *step) {
    return tas_is_lock(step) ? &s->lock_frame[step->object] : &s->variable_frame[step->object];
}

/* Does the step of a frame come before the event that has this clock? */
static bool precedes(const struct search *s, uint32_t frame, const uint32_t *clock) {
    return clock[s->frames[frame].actor] > frame;
}

/* ---- races ---- */

static void join_clock(const struct search *s, uint32_t *clock, uint32_t frame) {
    const uint32_t *from = clock_of(s, frame);
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        clock[a] = clock[a] > from[a] ? clock[a] : from[a];
}

/* Can the event with this clock come first in a sequence, that is, does nothing in the sequence
 * have to come before it? `firsts` has, by actor, frame + 1 of its first step in the sequence. */
static bool is_initial(const struct search *s, const uint32_t *clock, const uint32_t *firsts) {
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        if (firsts[a] && clock[a] >= firsts[a])
            return false;
    return true;
}

/* The actor's step with this clock could come before the step of the frame. The steps after the
 * frame that do not depend on its step, followed by the actor's step, may be a schedule from there
 * on. One of the steps that can come first in it must be tried. */
static void reverse(struct search *s, uint32_t frame, uint32_t actor, const uint32_t *clock) {
    uint8_t *to_try = set_of(s, frame, TO_TRY);
    uint32_t *firsts = s->firsts, chosen = TAS_NONE, end = (uint32_t)s->depth - 1;
    memset(firsts, 0, s->program.actor_count * sizeof *firsts);
    for (uint32_t f = frame + 1; f < end; f++) {
        uint32_t other = s->frames[f].actor;
        if (precedes(s, frame, clock_of(s, f)))
            continue;
        if (!firsts[other] && is_initial(s, clock_of(s, f), firsts)) {
            if (to_try[other])
                return;
            chosen = chosen == TAS_NONE ? other : chosen;
        }
        if (!firsts[other])
            firsts[other] = f + 1;
    }
    if (!firsts[actor] && is_initial(s, clock, firsts))
        chosen = to_try[actor] ? TAS_NONE : actor;
    if (chosen != TAS_NONE)
        to_try[chosen] = 1;
}

/* Among the steps on the same object, is one ordered between the step of the frame and the step
 * with this clock? */
static bool is_apart(const struct search *s, uint32_t frame, const struct tas_step *step,
                     uint32_t actor) {
    for (uint32_t at = *object_frame(s, step); at > frame + 1; at = s->frames[at - 1].previous)
        if (s->frames[at - 1].actor != actor &&
            depend(step, &s->program.steps[s->frames[at - 1].step]) &&
            precedes(s, frame, clock_of(s, at - 1)))
            return true;
    return false;
}

/* The actor makes an access with this clock. `past` is the clock without the conflicts of the
 * access. All steps since the last write may race with it. */
static void look_for_races(struct search *s, const struct tas_step *step, uint32_t actor,
                           const uint32_t *past, const uint32_t *clock) {
    for (uint32_t at = *object_frame(s, step); at; at = s->frames[at - 1].previous) {
        const struct tas_step *other = &s->program.steps[s->frames[at - 1].step];
        if (depend(step, other) && !precedes(s, at - 1, past) && !is_apart(s, at - 1, step, actor))
            reverse(s, at - 1, actor, clock);
        if (other->kind != TAS_READ)
            return;
    }
}

/* The actor acquires a lock, or would if it could. It races with the last acquire. */
static void look_for_sections(struct search *s, const struct tas_step *step, uint32_t actor,
                              const uint32_t *past) {
    for (uint32_t at = *object_frame(s, step); at; at = s->frames[at - 1].previous)
        if (s->program.steps[s->frames[at - 1].step].kind == TAS_ACQUIRE) {
            if (!precedes(s, at - 1, past))
                reverse(s, at - 1, actor, past);
            return;
        }
}

static void grow(struct search *s) {
    size_t actors = s->program.actor_count, need = s->depth + 1;
    st_reserve(&s->frames, &s->frame_capacity, need);
    st_reserve(&s->sets, &s->set_capacity, need * SETS * actors);
    st_reserve(&s->clocks, &s->clock_capacity, need * actors);
}

/* Computes which actors stay asleep after a step: those that were asleep or already tried, and do
 * not depend on the step. */
static void fall_asleep(struct search *s, const struct tas_step *step) {
    const uint8_t *asleep = set_of(s, s->depth - 1, ASLEEP);
    const uint8_t *tried = set_of(s, s->depth - 1, TRIED);
    uint8_t *next = set_of(s, s->depth, ASLEEP);
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        const struct tas_step *other = tas_next(&s->progress, a);
        next[a] = (asleep[a] || tried[a] & TRIED_HERE) && other && !depend(step, other);
    }
}

/* ---- clocks ---- */

/* Adds what a thread waits for (fork, join, channels), which comes before its step, too. */
static void join_needs(const struct search *s, uint32_t *clock, const struct tas_step *step,
                       uint32_t actor) {
    const struct st_shared_row *needs = tas_clock(s->progress.graph, step->clock);
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        uint32_t limit = st_row_get(needs, s->program.actors[a].strand), f = s->actor_frame[a];
        if (a == actor)
            continue;
        while (f &&
               s->progress.graph->position[s->program.steps[s->frames[f - 1].step].event] > limit)
            f = s->frames[f - 1].own;
        if (f)
            join_clock(s, clock, f - 1);
    }
}

/* Computes what comes before a step of the actor, apart from conflicts. */
static void make_past(const struct search *s, uint32_t *clock, const struct tas_step *step,
                      uint32_t actor) {
    uint32_t last = s->actor_frame[actor];
    memset(clock, 0, s->program.actor_count * sizeof *clock);
    if (last)
        join_clock(s, clock, last - 1);
    if (step->clock != TAS_NONE)
        join_needs(s, clock, step, actor);
}

/* Adds conflicts. A step that is not a read comes after all earlier steps on its object, so one of
 * those is enough. */
static void join_conflicts(const struct search *s, uint32_t *clock, const struct tas_step *step) {
    for (uint32_t f = *object_frame(s, step); f; f = s->frames[f - 1].previous) {
        const struct tas_step *other = &s->program.steps[s->frames[f - 1].step];
        if (depend(step, other))
            join_clock(s, clock, f - 1);
        if (other->kind != TAS_READ)
            return;
    }
}

/* ---- states ---- */

/* The schedule ends here: it is complete, or would only repeat a class. Actors that wait for a lock
 * could have acquired it first. */
static void end_schedule(struct search *s) {
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        const struct tas_step *step = tas_next(&s->progress, a);
        if (!step || step->kind != TAS_ACQUIRE || !tas_needs_met(&s->progress, a))
            continue;
        make_past(s, s->past, step, a);
        look_for_sections(s, step, a, s->past);
    }
}

/* Pushes a new state, whose set ASLEEP is already computed. Until a race demands more, only one
 * actor is to be tried: the one with the earliest event. */
static void push(struct search *s, uint32_t running, uint64_t switches) {
    uint32_t best = TAS_NONE, best_event = TAS_NONE;
    bool possible = false;
    s->frames[s->depth] =
        (struct frame){.actor = TAS_NONE, .running = running, .switches = switches};
    memset(set_of(s, s->depth, TO_TRY), 0, s->program.actor_count);
    memset(set_of(s, s->depth, TRIED), 0, s->program.actor_count);
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        if (!tas_enabled(&s->progress, a))
            continue;
        possible = true;
        set_of(s, s->depth, TRIED)[a] = POSSIBLE;
        uint32_t event = tas_next(&s->progress, a)->event;
        if (!set_of(s, s->depth, ASLEEP)[a] && event < best_event) {
            best = a;
            best_event = event;
        }
    }
    if (best != TAS_NONE)
        set_of(s, s->depth, TO_TRY)[best] = 1;
    s->depth++;
    s->worker->budget.steps += !possible;
    if (best == TAS_NONE)
        end_schedule(s);
}

/* ---- steps ---- */

/* True if the step violates the block. */
static bool take(struct search *s, uint32_t actor) {
    size_t at = s->depth - 1;
    struct frame *frame = &s->frames[at];
    const struct tas_step *step = tas_next(&s->progress, actor);
    bool violated = false;
    frame->actor = actor;
    frame->step = s->program.actors[actor].first + s->progress.next[actor];
    make_past(s, s->past, step, actor);
    memcpy(clock_of(s, at), s->past, s->program.actor_count * sizeof *s->past);
    join_conflicts(s, clock_of(s, at), step);
    if (step->kind == TAS_ACQUIRE)
        look_for_sections(s, step, actor, s->past);
    else if (step->kind != TAS_RELEASE)
        look_for_races(s, step, actor, s->past, clock_of(s, at));
    clock_of(s, at)[actor] = (uint32_t)at + 1;
    frame->previous = *object_frame(s, step);
    frame->own = s->actor_frame[actor];
    *object_frame(s, step) = s->actor_frame[actor] = (uint32_t)at + 1;
    if (!tas_is_lock(step))
        violated = tas_taint_step(&s->taint, &s->program, step, actor,
                                  tas_breaks(&s->progress, step), &frame->stain);
    frame->before = tas_advance(&s->progress, actor);
    return violated;
}

static void take_back(struct search *s) {
    struct frame *frame = &s->frames[s->depth - 1];
    const struct tas_step *step = &s->program.steps[frame->step];
    tas_retract(&s->progress, frame->actor, frame->before);
    if (!tas_is_lock(step))
        tas_taint_undo(&s->taint, step, frame->actor, frame->stain);
    *object_frame(s, step) = frame->previous;
    s->actor_frame[frame->actor] = frame->own;
    frame->actor = TAS_NONE;
}

/* The next actor to try in the top state: the one with the earliest event. */
static uint32_t choose(struct search *s) {
    size_t at = s->depth - 1;
    uint32_t best = TAS_NONE, best_event = TAS_NONE;
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        if (!set_of(s, at, TO_TRY)[a] || set_of(s, at, TRIED)[a] & TRIED_HERE ||
            set_of(s, at, ASLEEP)[a])
            continue;
        uint32_t event = tas_next(&s->progress, a)->event;
        if (event < best_event) {
            best = a;
            best_event = event;
        }
    }
    return best;
}

static bool explore(struct search *s) {
    uint64_t bound = s->worker->setup->max_switches;
    grow(s);
    memset(set_of(s, 0, ASLEEP), 0, s->program.actor_count);
    push(s, TAS_NONE, 0);
    while (s->depth) {
        struct frame *frame = &s->frames[s->depth - 1];
        uint32_t actor = choose(s);
        if (actor == TAS_NONE) {
            if (--s->depth)
                take_back(s);
            continue;
        }
        uint32_t thread = tas_next_thread(&s->progress, actor);
        uint64_t switches =
            frame->switches + (frame->running != TAS_NONE && frame->running != thread);
        if (bound && switches > bound) {
            set_of(s, s->depth - 1, TRIED)[actor] |= TRIED_HERE;
            continue;
        }
        const struct tas_step *step = tas_next(&s->progress, actor);
        if (take(s, actor))
            return true;
        if (!tas_spend(&s->worker->budget, 64))
            return false;
        grow(s);
        fall_asleep(s, step);
        set_of(s, s->depth - 1, TRIED)[actor] |= TRIED_HERE;
        push(s, thread, switches);
    }
    return false;
}

bool tas_search_dpor(struct tas_worker *worker) {
    struct search s = {.worker = worker};
    tas_program_make(&s.program, worker);
    tas_progress_init(&s.progress, &s.program, worker);
    tas_taint_init(&s.taint, &s.program);
    s.past = st_alloc((size_t)s.program.actor_count + 1, sizeof *s.past);
    s.firsts = st_alloc((size_t)s.program.actor_count + 1, sizeof *s.firsts);
    s.actor_frame = st_alloc((size_t)s.program.actor_count + 1, sizeof(uint32_t));
    s.variable_frame = st_alloc((size_t)s.program.variable_count + 1, sizeof(uint32_t));
    s.lock_frame = st_alloc((size_t)s.program.lock_count + 1, sizeof(uint32_t));
    bool violated = explore(&s);
    if (violated)
        tas_progress_schedule(&s.progress, worker);
    tas_progress_free(&s.progress);
    tas_program_free(&s.program);
    tas_taint_free(&s.taint);
    free(s.frames);
    free(s.sets);
    free(s.clocks);
    free(s.past);
    free(s.firsts);
    free(s.actor_frame);
    free(s.variable_frame);
    free(s.lock_frame);
    return violated;
}
