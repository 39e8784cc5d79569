/* What analyses want to see event by event, in the order of the trace: the model shows it to them
 * in its last pass, while it makes units. By then the facts of variables and locks are known. */
#ifndef SERIATIM_PREDICT_MODEL_OBSERVERS_H
#define SERIATIM_PREDICT_MODEL_OBSERVERS_H

#include "trace/event.h"

#include <stddef.h>

struct st_model;
struct st_order;

/* A lock that a thread holds, and the event with which it took it. */
struct st_held_lock {
    uint32_t lock;
    uint64_t number, loc;
};

/* An event, and what is known of its thread just before it. Accesses to variables that only one
 * thread accesses, or that are never written, are not shown. */
struct st_observed {
    const struct st_event *event;
    uint64_t number;
    uint32_t period; /* of an access, or of an acquire while locks are held; else of no meaning */
    bool splits;     /* transactions: it is a fork, a join or an operation of a barrier */
    bool joined;     /* it is of the same atomic operation as the event before it */
    const struct st_held_lock *held; /* in the order of acquiring */
    size_t held_count;
    uint32_t held_set;
};

/* A kind of observer. */
struct st_observer {
    /* The first event is about to be shown. `flags` are those of the model's options; the model
     * outlives the observer, and has the state of those that come before it there. */
    void *(*create)(struct st_model *model, unsigned flags);
    void (*event)(void *state, const struct st_observed *observed);
    void (*finish)(void *state); /* the trace is over; NULL: nothing to do */
    void (*destroy)(void *state);
};

/* Which observers a model has. */
enum { ST_MOST_OBSERVERS = 4 };
struct st_observer_list {
    struct {
        const struct st_observer *observer;
        unsigned flags; /* for the observer */
    } items[ST_MOST_OBSERVERS];
    size_t count;
};

/* Adds an observer, unless it is there already. */
void st_observers_add(struct st_observer_list *list, const struct st_observer *observer,
                      unsigned flags);

/* The observers of the model's options at work. */
struct st_observers;
struct st_observers *st_observers_new(struct st_model *model, struct st_order *order);
void st_observers_free(struct st_observers *observers);

/* All events of the trace, in order. The order must not have been given the event yet. */
void st_observers_event(struct st_observers *observers, const struct st_event *event,
                        uint64_t number);
void st_observers_finish(struct st_observers *observers);

/* The state of the model's observer of this kind; NULL: it has none. */
void *st_model_observer(const struct st_model *model, const struct st_observer *observer);

#endif
