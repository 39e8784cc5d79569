/* The paper's search: dynamic partial-order reduction (Flanagan and Godefroid, 2005) with sleep sets
 * over the steps of the window. It makes schedules that cannot be continued, one of each class with
 * the same order of conflicts, until one violates the block.
 *
 * Two steps of different threads depend on each other when they access the same variable and one
 * may write it, or when they are of the same lock. A violation of a part of a schedule is one of
 * every schedule that continues it, so schedules to the end are enough; and a read sees the same in
 * all schedules of a class, so it breaks in all or in none. */
#include "predict/tas_taint.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A state of the search and the step taken there. Sets of actors are arrays of bytes, one behind the
 * other in search.sets: those to try; those tried (bit TRIED_HERE) and those that can make a step
 * (bit POSSIBLE); those asleep, whose steps now would only repeat a class. */
struct frame {
    uint32_t actor;         /* TAS_NONE: no step is taken */
    uint32_t step, before;  /* before: for taking it back */
    struct tas_stain stain; /* the same */
    uint32_t previous;      /* frame + 1 of the last step on the same object before */
    uint32_t own;           /* frame + 1 of the last step of the same actor before */
    uint32_t running;       /* actor of the step before */
    uint64_t switches;
};

struct search {
    struct tas_worker *worker;
    const struct st_tas *tas;
    struct tas_program program;
    struct tas_progress progress;
    struct tas_taint taint;
    struct frame *frames;
    size_t depth, frame_capacity;
    uint8_t *sets;
    size_t set_capacity;
    uint32_t *clocks; /* by frame and actor: how many frames of each must come before */
    size_t clock_capacity;
    uint32_t *actor_frame;             /* by actor: frame + 1 of its last step */
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

static bool is_lock(const struct tas_step *step) {
    return step->kind == TAS_ACQUIRE || step->kind == TAS_RELEASE;
}

static bool depend(const struct tas_step *a, const struct tas_step *b) {
    if (is_lock(a) != is_lock(b) || a->object != b->object)
        return false;
    return is_lock(a) || a->kind != TAS_READ || b->kind != TAS_READ;
}

/* Can two steps that depend on each other be possible in the same state? */
static bool can_meet(const struct tas_step *a, const struct tas_step *b) {
    return !is_lock(a) || (a->kind == TAS_ACQUIRE && b->kind == TAS_ACQUIRE);
}

static uint32_t *object_frame(const struct search *s, const struct tas_step *step) {
    return is_lock(step) ? &s->lock_frame[step->object] : &s->variable_frame[step->object];
}

/* Must the step of a frame come before the next one of an actor, by what was executed? */
static bool precedes(const struct search *s, uint32_t frame, uint32_t actor) {
    uint32_t last = s->actor_frame[actor];
    if (!last)
        return false;
    return s->frames[frame].actor == actor ||
           clock_of(s, last - 1)[s->frames[frame].actor] > frame;
}

/* Before the step of `frame` something else must be tried, so that the next step of the actor can
 * come before it: the actor itself, or anyone when it could not make a step there. */
static void add_alternative(struct search *s, uint32_t frame, uint32_t actor) {
    uint8_t *to_try = set_of(s, frame, TO_TRY);
    const uint8_t *tried = set_of(s, frame, TRIED);
    if (tried[actor] & POSSIBLE) {
        to_try[actor] = 1;
        return;
    }
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        if (tried[a] & POSSIBLE)
            to_try[a] = 1;
}

/* Looks for the last step that the next one of the actor races with. Behind a step that is not a
 * read and comes before the actor anyway, there is none. */
static void look_for_races(struct search *s, uint32_t actor) {
    const struct tas_step *step = tas_next(&s->program, &s->progress, actor);
    if (!step)
        return;
    for (uint32_t at = *object_frame(s, step); at; at = s->frames[at - 1].previous) {
        const struct tas_step *other = &s->program.steps[s->frames[at - 1].step];
        if (precedes(s, at - 1, actor)) {
            if (other->kind != TAS_READ)
                return;
        } else if (depend(step, other) && can_meet(step, other)) {
            add_alternative(s, at - 1, actor);
            return;
        }
    }
}

static void grow(struct search *s) {
    size_t actors = s->program.actor_count, need = s->depth + 1;
    st_reserve(&s->frames, &s->frame_capacity, need);
    st_reserve(&s->sets, &s->set_capacity, need * SETS * actors);
    st_reserve(&s->clocks, &s->clock_capacity, need * actors);
}

/* Those that stay asleep behind a step: who was, or was tried before, and does not depend on it. */
static void fall_asleep(struct search *s, const struct tas_step *step) {
    const uint8_t *asleep = set_of(s, s->depth - 1, ASLEEP);
    const uint8_t *tried = set_of(s, s->depth - 1, TRIED);
    uint8_t *next = set_of(s, s->depth, ASLEEP);
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        const struct tas_step *other = tas_next(&s->program, &s->progress, a);
        next[a] = (asleep[a] || tried[a] & TRIED_HERE) && other && !depend(step, other);
    }
}

/* A new state on top, whose set ASLEEP is made. Only one actor is to be tried, until a race says
 * otherwise: the one with the earliest event. */
static void push(struct search *s, uint32_t running, uint64_t switches) {
    uint32_t best = TAS_NONE, best_event = TAS_NONE;
    bool possible = false;
    s->frames[s->depth] =
        (struct frame){.actor = TAS_NONE, .running = running, .switches = switches};
    memset(set_of(s, s->depth, TO_TRY), 0, s->program.actor_count);
    memset(set_of(s, s->depth, TRIED), 0, s->program.actor_count);
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        look_for_races(s, a);
        if (!tas_enabled(&s->program, &s->progress, s->tas, a))
            continue;
        possible = true;
        set_of(s, s->depth, TRIED)[a] = POSSIBLE;
        uint32_t event = tas_next(&s->program, &s->progress, a)->event;
        if (!set_of(s, s->depth, ASLEEP)[a] && event < best_event) {
            best = a;
            best_event = event;
        }
    }
    if (best != TAS_NONE)
        set_of(s, s->depth, TO_TRY)[best] = 1;
    s->worker->budget.steps += !possible; /* a schedule is complete */
    s->depth++;
}

/* ---- steps ---- */

static void join_clock(const struct search *s, uint32_t *clock, uint32_t frame) {
    const uint32_t *from = clock_of(s, frame);
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        clock[a] = clock[a] > from[a] ? clock[a] : from[a];
}

/* What a thread waits for (fork, join, channels) comes before its step, too. */
static void join_needs(const struct search *s, uint32_t *clock, const struct tas_step *step,
                       uint32_t actor) {
    const uint32_t *needs = tas_clock(s->tas, step->clock);
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        uint32_t limit = needs[s->program.actors[a].thread], f = s->actor_frame[a];
        if (a == actor)
            continue;
        while (f && s->tas->position[s->program.steps[s->frames[f - 1].step].event] > limit)
            f = s->frames[f - 1].own;
        if (f)
            join_clock(s, clock, f - 1);
    }
}

static void make_clock(struct search *s, size_t at, const struct tas_step *step, uint32_t actor) {
    uint32_t *clock = clock_of(s, at), last = s->actor_frame[actor];
    memset(clock, 0, s->program.actor_count * sizeof *clock);
    if (last)
        join_clock(s, clock, last - 1);
    for (uint32_t f = *object_frame(s, step); f; f = s->frames[f - 1].previous) {
        const struct tas_step *other = &s->program.steps[s->frames[f - 1].step];
        if (depend(step, other))
            join_clock(s, clock, f - 1);
        if (other->kind != TAS_READ)
            break; /* it comes after all before it */
    }
    if (step->clock != TAS_NONE)
        join_needs(s, clock, step, actor);
    clock[actor] = (uint32_t)at + 1;
}

/* True when the step violates the block. */
static bool take(struct search *s, uint32_t actor) {
    size_t at = s->depth - 1;
    struct frame *frame = &s->frames[at];
    const struct tas_step *step = tas_next(&s->program, &s->progress, actor);
    bool violated = false;
    frame->actor = actor;
    frame->step = s->program.actors[actor].first + s->progress.next[actor];
    make_clock(s, at, step, actor);
    frame->previous = *object_frame(s, step);
    frame->own = s->actor_frame[actor];
    *object_frame(s, step) = s->actor_frame[actor] = (uint32_t)at + 1;
    if (!is_lock(step))
        violated = tas_taint_step(&s->taint, &s->program, step, actor,
                                  tas_breaks(&s->progress, step), &frame->stain);
    frame->before = tas_advance(&s->program, &s->progress, s->tas, actor);
    return violated;
}

static void take_back(struct search *s) {
    struct frame *frame = &s->frames[s->depth - 1];
    const struct tas_step *step = &s->program.steps[frame->step];
    tas_retract(&s->program, &s->progress, s->tas, frame->actor, frame->before);
    if (!is_lock(step))
        tas_taint_undo(&s->taint, step, frame->actor, frame->stain);
    *object_frame(s, step) = frame->previous;
    s->actor_frame[frame->actor] = frame->own;
    frame->actor = TAS_NONE;
}

/* Who is to be tried next in the state on top, the one with the earliest event first. */
static uint32_t choose(struct search *s) {
    size_t at = s->depth - 1;
    uint32_t best = TAS_NONE, best_event = TAS_NONE;
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        if (!set_of(s, at, TO_TRY)[a] || set_of(s, at, TRIED)[a] & TRIED_HERE ||
            set_of(s, at, ASLEEP)[a])
            continue;
        uint32_t event = tas_next(&s->program, &s->progress, a)->event;
        if (event < best_event) {
            best = a;
            best_event = event;
        }
    }
    return best;
}

static bool explore(struct search *s) {
    uint64_t bound = s->worker->options->max_switches;
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
        uint64_t switches =
            frame->switches + (frame->running != TAS_NONE && frame->running != actor);
        if (bound && switches > bound) {
            set_of(s, s->depth - 1, TRIED)[actor] |= TRIED_HERE;
            continue;
        }
        const struct tas_step *step = tas_next(&s->program, &s->progress, actor);
        if (take(s, actor))
            return true;
        if (!tas_spend(&s->worker->budget, 64))
            return false;
        grow(s);
        fall_asleep(s, step);
        set_of(s, s->depth - 1, TRIED)[actor] |= TRIED_HERE;
        push(s, actor, switches);
    }
    return false;
}

static void write_schedule(struct search *s) {
    struct tas_progress again;
    tas_progress_init(&again, &s->program, s->worker);
    s->worker->schedule.frozen = s->worker->window.frozen;
    for (size_t i = 0; i < s->depth; i++) {
        const struct tas_step *step = tas_next(&s->program, &again, s->frames[i].actor);
        tas_schedule_step(&s->worker->schedule, s->tas, step, tas_breaks(&again, step));
        tas_advance(&s->program, &again, s->tas, s->frames[i].actor);
    }
    tas_progress_free(&again);
}

bool tas_search_dpor(struct tas_worker *worker) {
    struct search s = {.worker = worker, .tas = worker->tas};
    tas_program_make(&s.program, worker);
    tas_progress_init(&s.progress, &s.program, worker);
    tas_taint_init(&s.taint, &s.program);
    s.actor_frame = st_alloc((size_t)s.program.actor_count + 1, sizeof(uint32_t));
    s.variable_frame = st_alloc((size_t)s.program.variable_count + 1, sizeof(uint32_t));
    s.lock_frame = st_alloc((size_t)s.program.lock_count + 1, sizeof(uint32_t));
    bool violated = explore(&s);
    if (violated)
        write_schedule(&s);
    tas_progress_free(&s.progress);
    tas_program_free(&s.program);
    tas_taint_free(&s.taint);
    free(s.frames);
    free(s.sets);
    free(s.clocks);
    free(s.actor_frame);
    free(s.variable_frame);
    free(s.lock_frame);
    return violated;
}
