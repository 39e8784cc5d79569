/* The search over states: every state that a schedule of the window can reach, once.
 *
 * A state is how far each thread is, which threads are broken, which write each variable holds as
 * far as a read to come wants it, and the taint. Two schedules with the same state have the same
 * futures. Some steps need no alternative: a release, and a read of another thread that sees its
 * couple, since waiting could only make it see something else (but that is wanted when the block is
 * still to write the variable twice: between the two, the broken read would come after the block
 * and before it). With a bound on switches all alternatives are tried. */
#include "predict/tas/taint.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STATE_WORDS = 1 << 25 }; /* 128 megabytes of states: then the search gives up */

/* Open addressing; the words of the states lie one behind the other. */
struct states {
    uint32_t *words;
    size_t width, count, capacity;
    uint32_t *slots; /* number + 1 */
    size_t slot_count;
};

/* A step that was taken, and the last event that was tried instead of it. */
struct frame {
    uint32_t actor, before, tried;
    struct tas_stain stain;
    bool only; /* the step needs no alternative */
    uint32_t running;
    uint64_t switches;
};

struct search {
    struct tas_worker *worker;
    struct tas_program program;
    struct tas_progress progress;
    struct tas_taint taint;
    uint32_t *wanted;       /* by step + 1: reads to come that want it */
    uint32_t *wanted_old;   /* by variable: reads to come that want what it held at the start */
    uint32_t *writes_left;  /* by variable: writes of the block to come */
    uint32_t accesses_left; /* of the block */
    struct states states;
    struct frame *frames;
    size_t depth, frame_capacity;
    uint32_t *key;
};

/* ---- the set of states ---- */

static uint64_t hash_words(const uint32_t *words, size_t count) {
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < count; i++)
        h = (h ^ words[i]) * UINT64_C(0xff51afd7ed558ccd) ^ h >> 31;
    return h ^ h >> 29;
}

static void place(struct states *states, uint32_t number) {
    size_t at = hash_words(states->words + number * states->width, states->width);
    for (at &= states->slot_count - 1; states->slots[at]; at = (at + 1) & (states->slot_count - 1))
        ;
    states->slots[at] = number + 1;
}

static bool is_known(const struct states *states, const uint32_t *key) {
    if (!states->slot_count)
        return false;
    size_t at = hash_words(key, states->width) & (states->slot_count - 1);
    for (; states->slots[at]; at = (at + 1) & (states->slot_count - 1))
        if (memcmp(states->words + (size_t)(states->slots[at] - 1) * states->width, key,
                   states->width * sizeof *key) == 0)
            return true;
    return false;
}

/* False when the state was there. */
static bool add_state(struct states *states, const uint32_t *key) {
    if (is_known(states, key))
        return false;
    st_reserve(&states->words, &states->capacity, (states->count + 1) * states->width);
    memcpy(states->words + states->count * states->width, key, states->width * sizeof *key);
    states->count++;
    if (2 * states->count > states->slot_count) {
        free(states->slots);
        states->slot_count = states->slot_count ? 2 * states->slot_count : 1024;
        states->slots = st_alloc(states->slot_count, sizeof *states->slots);
        for (uint32_t i = 0; i < states->count; i++)
            place(states, i);
    } else {
        place(states, (uint32_t)states->count - 1);
    }
    return true;
}

static void make_key(struct search *s, uint32_t running, uint64_t switches) {
    uint32_t *word = s->key;
    for (uint32_t a = 0; a < s->program.actor_count; a++)
        *word++ =
            s->progress.next[a] << 2 | (uint32_t)s->progress.broken[a] << 1 | s->taint.threads[a];
    for (uint32_t x = 0; x < s->program.variable_count; x++) {
        uint32_t written = s->progress.written[x];
        bool wanted = written == 0          ? s->wanted_old[x] != 0
                      : written != TAS_NONE ? s->wanted[written] != 0
                                            : false;
        *word++ = wanted ? written : TAS_NONE;
        *word++ = s->taint.variables[x] & (TAINT_READ | TAINT_WRITE);
    }
    if (s->worker->setup->max_switches) {
        *word++ = running;
        *word++ = (uint32_t)switches;
    }
}

/* ---- moves ---- */

/* Counts the read that wants a write as to come, or as no longer to come. */
static void want(struct search *s, const struct tas_step *step, uint32_t by) {
    if (step->kind != TAS_READ && step->kind != TAS_UPDATE)
        return;
    if (!step->couple)
        s->wanted_old[step->object] += by;
    else if (step->couple <= s->program.step_count)
        s->wanted[step->couple] += by;
}

static bool writes(const struct tas_step *step) {
    return step->kind == TAS_WRITE || step->kind == TAS_UPDATE;
}

/* A step that is as good as any other that could be taken now. */
static bool is_eager(const struct search *s, uint32_t actor) {
    const struct tas_step *step = tas_next(&s->progress, actor);
    if (!step || !tas_enabled(&s->progress, actor))
        return false;
    if (step->kind == TAS_RELEASE)
        return true;
    if (step->kind != TAS_READ || step->inside || tas_breaks(&s->progress, step))
        return false;
    return actor == s->program.block_actor || s->taint.threads[actor] ||
           (s->taint.variables[step->object] & BLOCK_WRITE) || s->writes_left[step->object] < 2;
}

/* The actor to move next: the one with the earliest event behind `tried`, or TAS_NONE. */
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
    /* Nothing comes of a block that is through, nor of a thread that stops without taint. */
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
        uint64_t switches =
            frame->switches + (frame->running != TAS_NONE && frame->running != actor);
        if (bound && switches > bound)
            continue;
        bool violated, useless;
        take(s, frame, actor, &violated, &useless);
        if (violated)
            return true;
        make_key(s, actor, switches);
        if (useless || !add_state(&s->states, s->key)) {
            take_back(s, frame);
            continue;
        }
        s->worker->budget.steps++;
        if (s->states.count * s->states.width > MAX_STATE_WORDS)
            s->worker->budget.expired = true;
        if (!tas_spend(&s->worker->budget, 64))
            return false;
        push(s, actor, switches);
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
    s.wanted = st_alloc(s.program.step_count + 1, sizeof *s.wanted);
    s.wanted_old = st_alloc(variables, sizeof *s.wanted_old);
    s.writes_left = st_alloc(variables, sizeof *s.writes_left);
    s.states.width = s.program.actor_count + 2 * variables + 2;
    s.key = st_alloc(s.states.width, sizeof *s.key);
    count_wants(&s);
    bool violated = explore(&s);
    if (violated)
        tas_progress_tell(&s.progress, worker);
    tas_progress_free(&s.progress);
    tas_program_free(&s.program);
    tas_taint_free(&s.taint);
    free(s.wanted);
    free(s.wanted_old);
    free(s.writes_left);
    free(s.states.words);
    free(s.states.slots);
    free(s.frames);
    free(s.key);
    return violated;
}
