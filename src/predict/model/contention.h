/* What must be known of variables and locks before units can be made of a trace: which variables
 * threads can really quarrel about, and how locks are used. */
#ifndef SERIATIM_PREDICT_MODEL_CONTENTION_H
#define SERIATIM_PREDICT_MODEL_CONTENTION_H

#include "predict/model/locksets.h"
#include "predict/model/order.h"

/* When a thread used something last: periods plus 1, or 0 for never. */
struct st_last_use {
    uint32_t thread;
    uint32_t read, written;
};

struct st_variable_facts {
    bool shared;      /* by two threads at least */
    bool written;     /* at least once */
    bool contended;   /* by concurrent accesses of two threads, one of them a write */
    bool indivisible; /* by an atomic operation that does more than one access */
    bool plain;       /* by what is no atomic operation */
    struct st_last_use first, *others; /* until it is contended */
    uint32_t other_count;
};

struct st_lock_facts {
    bool shared;    /* two threads at least acquire it */
    bool contended; /* and at least once in concurrent periods */
    bool used;
    uint32_t protectors; /* the set of locks that are held whenever it is */
    struct st_last_use first, *others;
    uint32_t other_count;
};

/* What a thread does. */
struct st_survey_thread {
    uint32_t *held; /* locks, in the order in which they were acquired */
    size_t held_count, held_capacity;
    uint32_t atomic; /* the variable of its last event plus 1, if that was an atomic access */
};

struct st_survey {
    struct st_variable_facts *variables;
    size_t variable_count, variable_capacity;
    struct st_lock_facts *locks;
    size_t lock_count, lock_capacity;
    struct st_survey_thread *threads;
    size_t thread_capacity;
    uint64_t channel_events; /* of channels that make no order in every schedule */
    struct st_order order;
    struct st_locksets *locksets;
};

void st_survey_init(struct st_survey *survey, enum st_model_order mode,
                    const struct st_barriers *barriers, const struct st_onces *onces,
                    struct st_locksets *locksets);
void st_survey_free(struct st_survey *survey);
size_t st_survey_memory(const struct st_survey *survey);

/* All events of the trace, in order. */
void st_survey_event(struct st_survey *survey, const struct st_event *event);

#endif
