/* What needs the trace in its order, event by event, and is done while units are made of it:
 * lockset races, online reduction, and locks that are taken while others are held. */
#ifndef SERIATIM_PREDICT_MODEL_OBSERVERS_H
#define SERIATIM_PREDICT_MODEL_OBSERVERS_H

#include "predict/model/locksets.h"
#include "predict/model/order.h"

#include "trace/event.h"

struct st_atomizer;
struct st_deadlock_watch;
struct st_lockset_races;
struct st_model;

/* A lock that a thread holds, and the event with which it took it. */
struct st_held_lock {
    uint32_t lock;
    uint64_t number, loc;
};

/* An event, and what is known of its thread just before it. */
struct st_followed {
    const struct st_event *event;
    uint64_t number;
    bool splits; /* transactions: it is a fork, a join or an operation of a barrier */
    bool joined; /* it is of the same atomic operation as the event before it */
    const struct st_held_lock *held; /* in the order of acquiring */
    size_t held_count;
    uint32_t held_set;
};

struct st_followed_thread {
    struct st_held_lock *held;
    size_t held_count, held_capacity;
    uint32_t held_set;
};

struct st_followers {
    struct st_model *model;
    struct st_order *order;
    struct st_followed_thread *threads;
    size_t thread_capacity;
    struct st_lockset_races *races;
    struct st_atomizer *atomizer;
    struct st_deadlock_watch *deadlocks;
};

/* The model must know the facts of variables and locks, and outlive it; so must the order, which
 * must not have been told the event yet when it is followed. */
struct st_followers *st_followers_new(struct st_model *model, struct st_order *order);
void st_followers_free(struct st_followers *followers);
size_t st_followers_memory(const struct st_followers *followers);

/* All events of the trace, in order. */
void st_followers_event(struct st_followers *followers, const struct st_event *event,
                        uint64_t number);

/* The trace is over: puts the races of variables into the model. */
void st_followers_finish(struct st_followers *followers);

#endif
