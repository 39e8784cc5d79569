/* The search over states: visits every state that a schedule of the window can reach, once.
 *
 * A state consists of how far each thread is, which threads are broken, which write each variable
 * holds (as far as a later read wants it), and the taint. Two schedules with the same state have
 * the same futures. Some steps need no alternative: a release, and a read of another thread that
 * sees its couple, since waiting could only make it see something else. The exceptions: a variable
 * that the block will still write twice, since a read broken between the two writes would come
 * after the block and before it, which is what the search wants; and a read that can see the same
 * value from a write that comes after the block. With a bound on switches, all alternatives are
 * tried. */
#include "base/intern.h"
#include "base/memory.h"
#include "predict/tas/taint.h"

#include <stdlib.h>

enum { MAX_STATE_BYTES = 1 << 27 }; /* memory for states, beyond which the search gives up */

/* A step taken, and the last event tried instead of it. */
struct frame {
    uint32_t actor, before, tried;
    struct tas_stain stain;
    bool only;        /* the step needs no alternative */
    uint32_t running; /* thread of the previous step */
    uint64_t switches;
};

struct search {
    struct tas_worker *worker;
    struct tas_program program;
    struct tas_progress progress;
    struct tas_taint taint;
    uint32_t *wanted;        /* by content: later reads that want it */
    uint32_t *writes_left;   /* by variable: remaining writes of the block */
    uint32_t accesses_left;  /* of the block */
    struct st_intern states; /* their keys */
    struct frame *frames;
    size_t depth, frame_capacity;
    uint32_t *key;
};

/* ---- the set of states ---- */

/* False if the state is already in the set. */
static bool add_state(struct search *s) {
    uint32_t known = s->states.count;
    return st_intern_add(&s->states, s->key, s->states.key_size) == known;
}

static void make_key(struct search *s, uint32_t running, uint64_t switches) {
    uint32_t *word = s->key;
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        *word++ =
            s->progress.next[a] << 2 | (uint32_t)s->progress.broken[a] << 1 | s->taint.threads[a];
    for (uint32_t x = 0; x < s->program.variable_count; x++) {
        uint32_t written = s->progress.written[x];
        *word++ = written != TAS_NONE && s->wanted[written] ? written : TAS_NONE;
        *word++ = s->taint.variables[x] & (TAINT_READ | TAINT_WRITE);
    }
    if (s->worker->setup->max_switches) {
        *word++ = running;
        *word++ = (uint32_t)switches;
    }
}

/* ---- moves ---- */

/* Marks the read that wants a write as still to come, or as done. */
static void want(struct search *s, const struct tas_step *step, uint32_t by) {
    if (step->kind == TAS_READ || step->kind == TAS_UPDATE)
        s->wanted[step->wants] += by;
}

static bool writes(const struct tas_step *step) {
    return step->kind == TAS_WRITE || step->kind == TAS_UPDATE;
}

/* Is this step as good as any other that could be taken now? */
static bool is_eager(const struct search *s, uint32_t actor) {
    const struct tas_step *step = tas_next(&s->progress, actor);
    if (!step || !tas_enabled(&s->progress, actor))
        return false;
    if (step->kind == TAS_RELEASE)
        return true;
    if (step->kind != TAS_READ || step->inside || tas_breaks(&s->progress, step))
        return false;
    return actor == s->program.block_actor || tas_is_tainted(&s->taint, step, actor) ||
           (s->taint.variables[step->object] & BLOCK_WRITE) ||
           (!step->open && s->writes_left[step->object] < 2);
}

/* The actor to move next: the one with the earliest event after `tried`, or TAS_NONE. */
static uint32_t next_move(const struct search *s, uint32_t tried) {
    uint32_t best = TAS_NONE, best_event = TAS_NONE;
    for (uint32_t a = 0; a < s->program.actor_count; a++) {
        const struct tas_step *step = tas_next(&s->progress, a);
        if (!step || (tried != TAS_NONE && step->event <= tried) || step->event >= best_event)
            continue;
        if (tas_enabled(&s->progress, a)) {
            best = a;
            best_event = step->event;
        }
    }
    return best;
}

static void take(struct search *s, struct frame *frame, uint32_t actor, bool *violated,
                 bool *useless) {
    const struct tas_step *step = tas_next(&s->progress, actor);
    bool broken = tas_breaks(&s->progress, step);
    *violated = *useless = false;
    frame->actor = actor;
    if (!tas_is_lock(step))
        *violated = tas_taint_step(&s->taint, &s->program, step, actor, broken, &frame->stain);
    want(s, step, (uint32_t)-1);
    if (step->inside) {
        s->accesses_left--;
        s->writes_left[step->object] -= writes(step);
    }
    frame->before = tas_advance(&s->progress, actor);
    /* Nothing can come of a finished block, nor of a thread that stops without taint. */
    *useless = !s->accesses_left ||
               (broken && (actor == s->program.block_actor || !s->taint.threads[actor]));
}

static void take_back(struct search *s, const struct frame *frame) {
    tas_retract(&s->progress, frame->actor, frame->before);
    const struct tas_actor *actor = &s->program.actors[frame->actor];
    const struct tas_step *step = &s->program.steps[actor->first + s->progress.next[frame->actor]];
    if (step->inside) {
        s->accesses_left++;
        s->writes_left[step->object] += writes(step);
    }
    want(s, step, 1);
    if (!tas_is_lock(step))
        tas_taint_undo(&s->taint, step, frame->actor, frame->stain);
}

static void push(struct search *s, uint32_t running, uint64_t switches) {
    st_reserve(&s->frames, &s->frame_capacity, s->depth + 1);
    struct frame *frame = &s->frames[s->depth++];
    *frame = (struct frame){
        .actor = TAS_NONE, .tried = TAS_NONE, .running = running, .switches = switches};
    if (s->worker->setup->max_switches)
        return;
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        if (is_eager(s, a)) {
            frame->only = true;
            frame->actor = a;
            return;
        }
}

/* The next actor to try at the top of the stack, or TAS_NONE. */
static uint32_t choose(struct search *s, struct frame *frame) {
    if (frame->only) {
        uint32_t actor = frame->tried == TAS_NONE ? frame->actor : TAS_NONE;
        frame->tried = 0;
        return actor;
    }
    uint32_t actor = next_move(s, frame->tried);
    if (actor != TAS_NONE)
        frame->tried = tas_next(&s->progress, actor)->event;
    return actor;
}

static bool explore(struct search *s) {
    uint64_t bound = s->worker->setup->max_switches;
    push(s, TAS_NONE, 0);
    while (s->depth) {
        struct frame *frame = &s->frames[s->depth - 1];
        uint32_t actor = choose(s, frame);
        if (actor == TAS_NONE) {
            if (--s->depth)
                take_back(s, &s->frames[s->depth - 1]);
            continue;
        }
        uint32_t thread = tas_next_thread(&s->progress, actor);
        uint64_t switches =
            frame->switches + (frame->running != TAS_NONE && frame->running != thread);
        if (bound && switches > bound)
            continue;
        bool violated, useless;
        take(s, frame, actor, &violated, &useless);
        if (violated)
            return true;
        make_key(s, thread, switches);
        if (useless || !add_state(s)) {
            take_back(s, frame);
            continue;
        }
        s->worker->budget.steps++;
        if (s->states.count * s->states.key_size > MAX_STATE_BYTES)
            s->worker->budget.expired = true;
        if (!tas_spend(&s->worker->budget, 64))
            return false;
        push(s, thread, switches);
    }
    return false;
}

static void count_wants(struct search *s) {
    for (size_t i = 0; i < s->program.step_count; i++) {
        const struct tas_step *step = &s->program.steps[i];
        want(s, step, 1);
        if (step->inside) {
            s->accesses_left++;
            s->writes_left[step->object] += writes(step);
        }
    }
}

bool tas_search_states(struct tas_worker *worker) {
    struct search s = {.worker = worker};
    tas_program_make(&s.program, worker);
    tas_progress_init(&s.progress, &s.program, worker);
    tas_taint_init(&s.taint, &s.program);
    size_t variables = (size_t)s.program.variable_count + 1;
    s.wanted = st_alloc((size_t)s.program.content_count + 1, sizeof *s.wanted);
    s.writes_left = st_alloc(variables, sizeof *s.writes_left);
    size_t width = s.program.actor_count + 2 * variables + 2;
    s.key = st_alloc(width, sizeof *s.key);
    st_intern_init(&s.states, width * sizeof *s.key);
    count_wants(&s);
    bool violated = explore(&s);
    if (violated)
        tas_progress_schedule(&s.progress, worker);
    tas_progress_free(&s.progress);
    tas_program_free(&s.program);
    tas_taint_free(&s.taint);
    free(s.wanted);
    free(s.writes_left);
    st_intern_free(&s.states);
    free(s.frames);
    free(s.key);
    return violated;
}
