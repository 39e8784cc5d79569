/* For analyses that need single events in trace order: the model shows them each event in its last
 * pass, while it makes units. By then it knows the facts about variables and locks. */
#ifndef SERIATIM_PREDICT_MODEL_OBSERVERS_H
#define SERIATIM_PREDICT_MODEL_OBSERVERS_H

#include "trace/event.h"

#include <stddef.h>

struct st_model;
struct st_order;

/* A lock that a thread holds, and the event that acquired it. */
struct st_held_lock {
    uint32_t lock;
    uint64_t number, loc;
};

/* An event, and what is known about its thread just before it. Accesses to variables that only one
 * thread accesses, or that are never written, are not shown. */
struct st_observed {
    const struct st_event *event;
    uint64_t number;
    uint32_t period; /* of an access, or of an acquire while locks are held; otherwise
                      * meaningless */
    bool splits;     /* it splits transactions: a fork, a join or a barrier operation */
    bool joined;     /* it belongs to the same atomic operation as the event before it */
    const struct st_held_lock *held; /* in the order of their acquires */
    size_t held_count;
    uint32_t held_set;
};

/* A kind of observer. */
struct st_observer {
    /* Called before the first event. `flags` are those of the model's options. The model outlives
     * the observer and already has the state of earlier observers. */
    void *(*create)(struct st_model *model, unsigned flags);
    void (*event)(void *state, const struct st_observed *observed);
    void (*finish)(void *state); /* called at the end of the trace; may be NULL */
    void (*destroy)(void *state);
};

/* The observers of a model. */
enum { ST_MOST_OBSERVERS = 4 };
struct st_observer_list {
    struct {
        const struct st_observer *observer;
        unsigned flags; /* for the observer */
    } items[ST_MOST_OBSERVERS];
    size_t count;
};

/* Adds an observer, unless it is already in the list. */
void st_observers_add(struct st_observer_list *list, const struct st_observer *observer,
                      unsigned flags);

/* The running observers of the model's options. */
struct st_observers;
struct st_observers *st_observers_new(struct st_model *model, struct st_order *order);
void st_observers_free(struct st_observers *observers);

/* Takes all events of the trace, in order. The order must not have processed the event yet. */
void st_observers_event(struct st_observers *observers, const struct st_event *event,
                        uint64_t number);
void st_observers_finish(struct st_observers *observers);

/* The state of the model's observer of this kind, or NULL if it has none. */
void *st_model_observer(const struct st_model *model, const struct st_observer *observer);

#endif
