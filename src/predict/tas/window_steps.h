/* The events of a window that a schedule can reorder: accesses to shared variables and lock events,
 * as steps of strands. A read-modify-write is one step. All other events only carry order, which
 * the vectors of later steps contain. */
#ifndef SERIATIM_PREDICT_TAS_WINDOW_STEPS_H
#define SERIATIM_PREDICT_TAS_WINDOW_STEPS_H

#include "predict/tas/search.h"

enum tas_kind { TAS_READ, TAS_WRITE, TAS_UPDATE, TAS_ACQUIRE, TAS_RELEASE };

struct tas_step {
    uint32_t event; /* for an update, its read */
    enum tas_kind kind;
    bool inside;     /* an access of the block */
    bool starts;     /* the first access of its thread */
    uint32_t object; /* variable or lock, numbered from 0 in the program */
    bool open;       /* a read or update that can see its value from several writes */
    uint32_t wants;  /* for a read or update: the content that it must see, numbered in the
                      * program */
    uint32_t leaves; /* for a write or update: the content that the variable has after it */
    uint32_t clock;  /* the vector that must be met; TAS_NONE: the same as before */
};

static inline bool tas_is_lock(const struct tas_step *step) {
    return step->kind == TAS_ACQUIRE || step->kind == TAS_RELEASE;
}

struct tas_actor {
    uint32_t strand;
    uint32_t first, count; /* its steps are steps[first] up to steps[first + count] */
};

struct tas_program {
    struct tas_actor *actors;
    uint32_t actor_count, block_actor;
    struct tas_step *steps;
    size_t step_count, step_capacity;
    uint32_t variable_count, lock_count;
    uint32_t content_count; /* what all variables can hold; numbers are below */
    uint32_t *held;  /* by lock: actor + 1 that holds it at the start; TAS_NONE: the holder is no
                      * actor */
    uint32_t *start; /* by variable: the content that it has at the start */
    uint32_t *end;   /* by strand: the position reached when all steps are executed */
};

void tas_program_make(struct tas_program *program, const struct tas_worker *worker);
void tas_program_free(struct tas_program *program);

/* How far the actors are. `next` counts steps within each actor's list. The last event of a broken
 * actor was a read that did not see its couple. */
struct tas_progress {
    const struct tas_program *program;
    const struct st_tas_graph *graph;
    uint32_t *path; /* the actors of the steps taken and not undone, in order */
    size_t taken;
    uint32_t *next;    /* by actor */
    bool *broken;      /* by actor */
    uint32_t *reached; /* by strand: the position up to which all events are executed and intact */
    uint32_t *written; /* by variable: its content; TAS_NONE: unknown, after a broken update */
    uint32_t *holder;  /* by lock: actor + 1; TAS_NONE: a thread that has stopped */
};

void tas_progress_init(struct tas_progress *progress, const struct tas_program *program,
                       const struct tas_worker *worker);
void tas_progress_free(struct tas_progress *progress);

/* The next step of an actor, or NULL when it has no more. */
const struct tas_step *tas_next(const struct tas_progress *progress, uint32_t actor);

/* Its thread; there must be a next step. */
static inline uint32_t tas_next_thread(const struct tas_progress *progress, uint32_t actor) {
    return progress->graph->events[tas_next(progress, actor)->event].thread;
}

/* Has everything been executed that the actor's next step waits for, apart from locks? The actor
 * must have a next step. */
bool tas_needs_met(const struct tas_progress *progress, uint32_t actor);

/* Can the actor's next step be taken now? */
bool tas_enabled(const struct tas_progress *progress, uint32_t actor);

/* Would the step, a read or an update, fail to see its couple? */
static inline bool tas_breaks(const struct tas_progress *progress, const struct tas_step *step) {
    return (step->kind == TAS_READ || step->kind == TAS_UPDATE) &&
           progress->written[step->object] != step->wants;
}

/* Takes the next step of an actor. Returns what tas_retract needs to undo it. */
uint32_t tas_advance(struct tas_progress *progress, uint32_t actor);
void tas_retract(struct tas_progress *progress, uint32_t actor, uint32_t before);

/* Writes the schedule of the steps taken to worker->schedule. */
void tas_progress_schedule(const struct tas_progress *progress, struct tas_worker *worker);

#endif
