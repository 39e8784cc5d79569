#include "predict/tas/window_steps.h"

#include "base/map64.h"
#include "base/memory.h"

#include <stdlib.h>

struct making {
    const struct tas_worker *worker;
    struct tas_program *program;
    struct st_map64 variables, locks, contents;
};

static bool is_inside(const struct tas_worker *worker, uint32_t event) {
    const struct tas_block *block = worker->segment.block;
    uint32_t position = worker->graph->position[event];
    return tas_strand_of(worker->graph, event) == block->strand && position >= block->first &&
           position <= block->last;
}

/* The number of a content in the program. Each variable has an initial one of its own. */
static uint32_t number_content(struct making *m, uint32_t variable, uint32_t content) {
    return st_map64_number(&m->contents, content ? content : (UINT64_C(1) << 32 | variable));
}

static uint32_t content_of(struct making *m, uint32_t event) {
    const struct st_tas_graph *graph = m->worker->graph;
    return number_content(m, graph->events[event].target, tas_content(graph, event));
}

/* Makes the step of an event. False if the event has none. */
static bool make_step(struct making *m, uint32_t event, struct tas_step *step) {
    const struct st_tas_graph *graph = m->worker->graph;
    const struct st_event *e = &graph->events[event];
    *step = (struct tas_step){.event = event, .clock = TAS_NONE};
    if (e->op == ST_ACQUIRE || e->op == ST_RELEASE) {
        step->kind = e->op == ST_ACQUIRE ? TAS_ACQUIRE : TAS_RELEASE;
        step->object = st_map64_number(&m->locks, e->target);
        return true;
    }
    if (!tas_is_access(e) || !graph->shared[e->target])
        return false;
    step->kind = e->op == ST_READ ? TAS_READ : TAS_WRITE;
    step->object = st_map64_number(&m->variables, e->target);
    step->inside = is_inside(m->worker, event);
    step->open = e->op == ST_READ && tas_is_open(graph, event);
    *(e->op == ST_READ ? &step->wants : &step->leaves) = content_of(m, event);
    return true;
}

/* The vector that must be met before a step, if it adds anything for its strand. */
static uint32_t news(const struct st_tas_graph *graph, uint32_t event, uint32_t *last) {
    uint32_t clock = tas_free_clock(graph, event);
    if (clock == *last)
        return TAS_NONE;
    *last = clock;
    return clock;
}

static void make_actor(struct making *m, uint32_t t) {
    const struct st_tas_graph *graph = m->worker->graph;
    struct tas_program *program = m->program;
    const struct tas_window *window = &m->worker->window;
    uint32_t clock = TAS_NONE;
    uint32_t thread = TAS_NONE; /* of the last access */
    struct tas_actor actor = {.strand = t, .first = (uint32_t)program->step_count};
    for (uint32_t p = window->from[t] + 1; p <= window->to[t]; p++) {
        uint32_t event = tas_event_at(graph, t, p);
        struct tas_step step;
        if (!make_step(m, event, &step))
            continue;
        step.clock = news(graph, event, &clock);
        if (!tas_is_lock(&step)) {
            step.starts = graph->events[event].thread != thread;
            thread = graph->events[event].thread;
        }
        if (p < window->to[t] && tas_is_update(graph, event)) {
            step.kind = TAS_UPDATE;
            step.leaves = content_of(m, tas_event_at(graph, t, ++p));
        }
        st_reserve(&program->steps, &program->step_capacity, program->step_count + 1);
        program->steps[program->step_count++] = step;
        actor.count++;
    }
    program->end[t] = window->to[t] > window->from[t] ? window->to[t] : window->from[t];
    if (!actor.count)
        return;
    if (t == m->worker->segment.block->strand)
        program->block_actor = program->actor_count;
    program->actors[program->actor_count++] = actor;
}

/* The content that the frozen part leaves in a variable. */
static uint32_t frozen_content(struct making *m, uint32_t variable) {
    const struct st_tas_graph *graph = m->worker->graph;
    uint32_t write = tas_window_last_write(&m->worker->window, graph, variable);
    return number_content(m, variable, write ? tas_content(graph, write - 1) : 0);
}

static void find_start(struct making *m) {
    struct tas_program *program = m->program;
    program->start = st_alloc((size_t)program->variable_count + 1, sizeof *program->start);
    for (uint32_t x = 0; x < program->variable_count; x++)
        program->start[x] = frozen_content(m, (uint32_t)m->variables.ids[x]);
}

static void find_held(struct making *m) {
    struct tas_program *program = m->program;
    const struct st_tas_graph *graph = m->worker->graph;
    program->held = st_alloc((size_t)program->lock_count + 1, sizeof *program->held);
    for (uint32_t l = 0; l < program->lock_count; l++) {
        uint32_t acquire = tas_window_holder(&m->worker->window, graph, (uint32_t)m->locks.ids[l]);
        if (acquire == TAS_NONE)
            continue;
        program->held[l] = TAS_NONE;
        for (uint32_t a = 0; a < program->actor_count; a++)
            if (program->actors[a].strand == tas_strand_of(graph, acquire))
                program->held[l] = a + 1;
    }
}

void tas_program_make(struct tas_program *program, const struct tas_worker *worker) {
    const struct st_tas_graph *graph = worker->graph;
    struct making m = {.worker = worker, .program = program};
    *program = (struct tas_program){.block_actor = TAS_NONE};
    program->actors = st_alloc((size_t)graph->strand_count + 1, sizeof *program->actors);
    program->end = st_alloc((size_t)graph->strand_count + 1, sizeof *program->end);
    st_map64_init(&m.variables);
    st_map64_init(&m.locks);
    st_map64_init(&m.contents);
    for (uint32_t t = 0; t < graph->strand_count; t++)
        make_actor(&m, t);
    program->variable_count = m.variables.count;
    program->lock_count = m.locks.count;
    find_start(&m);
    find_held(&m);
    st_map64_free(&m.variables);
    st_map64_free(&m.locks);
    program->content_count = m.contents.count;
    st_map64_free(&m.contents);
}

void tas_program_free(struct tas_program *program) {
    free(program->actors);
    free(program->steps);
    free(program->held);
    free(program->start);
    free(program->end);
}

/* ---- progress ---- */

const struct tas_step *tas_next(const struct tas_progress *progress, uint32_t actor) {
    const struct tas_program *program = progress->program;
    const struct tas_actor *a = &program->actors[actor];
    if (progress->broken[actor] || progress->next[actor] == a->count)
        return NULL;
    return &program->steps[a->first + progress->next[actor]];
}

/* All events before the next step count as executed, because the step also waits for whatever they
 * wait for. */
static void set_reached(struct tas_progress *progress, uint32_t actor) {
    const struct tas_program *program = progress->program;
    const struct tas_actor *a = &program->actors[actor];
    uint32_t next = progress->next[actor];
    progress->reached[a->strand] =
        next == a->count ? program->end[a->strand]
                         : progress->graph->position[program->steps[a->first + next].event] - 1;
}

void tas_progress_init(struct tas_progress *progress, const struct tas_program *program,
                       const struct tas_worker *worker) {
    const struct st_tas_graph *graph = worker->graph;
    progress->program = program;
    progress->graph = graph;
    progress->taken = 0;
    progress->path = st_alloc(program->step_count + 1, sizeof *progress->path);
    progress->next = st_alloc((size_t)program->actor_count + 1, sizeof *progress->next);
    progress->broken = st_alloc((size_t)program->actor_count + 1, sizeof *progress->broken);
    progress->reached = st_alloc((size_t)graph->strand_count + 1, sizeof *progress->reached);
    progress->written = st_alloc((size_t)program->variable_count + 1, sizeof(uint32_t));
    progress->holder = st_alloc((size_t)program->lock_count + 1, sizeof *progress->holder);
    for (uint32_t t = 0; t < graph->strand_count; t++)
        progress->reached[t] = program->end[t];
    for (uint32_t a = 0; a < program->actor_count; a++)
        set_reached(progress, a);
    for (uint32_t l = 0; l < program->lock_count; l++)
        progress->holder[l] = program->held[l];
    for (uint32_t x = 0; x < program->variable_count; x++)
        progress->written[x] = program->start[x];
}

void tas_progress_free(struct tas_progress *progress) {
    free(progress->path);
    free(progress->next);
    free(progress->broken);
    free(progress->reached);
    free(progress->written);
    free(progress->holder);
}

bool tas_needs_met(const struct tas_progress *progress, uint32_t actor) {
    const struct st_tas_graph *graph = progress->graph;
    const struct tas_step *step = tas_next(progress, actor);
    if (step->clock == TAS_NONE)
        return true;
    uint32_t own = progress->program->actors[actor].strand;
    for (struct tas_walk walk = {.needs = tas_clock(graph, step->clock)}; tas_walk_next(&walk);)
        if (walk.strand != own && walk.position > progress->reached[walk.strand])
            return false;
    return true;
}

bool tas_enabled(const struct tas_progress *progress, uint32_t actor) {
    const struct tas_step *step = tas_next(progress, actor);
    if (!step || (step->kind == TAS_ACQUIRE && progress->holder[step->object]))
        return false;
    return tas_needs_met(progress, actor);
}

uint32_t tas_advance(struct tas_progress *progress, uint32_t actor) {
    const struct tas_program *program = progress->program;
    const struct tas_actor *a = &program->actors[actor];
    const struct tas_step *step = &program->steps[a->first + progress->next[actor]];
    bool lock = tas_is_lock(step);
    uint32_t before = (lock ? progress->holder : progress->written)[step->object];
    if (lock) {
        progress->holder[step->object] = step->kind == TAS_ACQUIRE ? actor + 1 : 0;
    } else if (tas_breaks(progress, step)) {
        progress->broken[actor] = true;
        if (step->kind == TAS_UPDATE)
            progress->written[step->object] = TAS_NONE;
    } else if (step->kind != TAS_READ) {
        progress->written[step->object] = step->leaves;
    }
    progress->next[actor]++;
    progress->path[progress->taken++] = actor;
    if (!progress->broken[actor])
        set_reached(progress, actor);
    return before;
}

void tas_retract(struct tas_progress *progress, uint32_t actor, uint32_t before) {
    const struct tas_program *program = progress->program;
    const struct tas_actor *a = &program->actors[actor];
    const struct tas_step *step = &program->steps[a->first + --progress->next[actor]];
    if (tas_is_lock(step))
        progress->holder[step->object] = before;
    else
        progress->written[step->object] = before;
    progress->broken[actor] = false;
    progress->taken--;
    set_reached(progress, actor);
}

void tas_progress_schedule(const struct tas_progress *taken, struct tas_worker *worker) {
    struct tas_progress progress;
    tas_progress_init(&progress, taken->program, worker);
    tas_schedule_start(&worker->schedule, worker->graph, &worker->window);
    for (size_t i = 0; i < taken->taken; i++) {
        uint32_t actor = taken->path[i];
        const struct tas_step *step = tas_next(&progress, actor);
        bool broken = tas_breaks(&progress, step);
        tas_schedule_add(&worker->schedule, step->event);
        if (step->kind == TAS_UPDATE && !broken)
            tas_schedule_add(&worker->schedule,
                             tas_event_at(worker->graph, taken->program->actors[actor].strand,
                                          worker->graph->position[step->event] + 1));
        tas_advance(&progress, actor);
    }
    tas_progress_free(&progress);
}
