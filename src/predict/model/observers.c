#include "predict/model/observers.h"

#include "base/memory.h"
#include "predict/model/model.h"
#include "predict/model/order.h"

#include <stdlib.h>
#include <string.h>

struct thread {
    struct st_held_lock *held;
    size_t held_count, held_capacity;
    uint32_t held_set;
};

struct st_observers {
    struct st_model *model;
    struct st_order *order;
    struct thread *threads;
    size_t thread_capacity;
    void *states[ST_MOST_OBSERVERS]; /* of those in the options of the model */
    size_t count;
};

void st_observers_add(struct st_observer_list *list, const struct st_observer *observer,
                      unsigned flags) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].observer == observer)
            return;
    if (list->count == ST_MOST_OBSERVERS)
        abort(); /* the constant is too small for what the analyses ask for */
    list->items[list->count].observer = observer;
    list->items[list->count++].flags = flags;
}

struct st_observers *st_observers_new(struct st_model *model, struct st_order *order) {
    const struct st_observer_list *list = &model->options.observers;
    struct st_observers *observers = st_alloc(1, sizeof *observers);
    observers->model = model;
    observers->order = order;
    model->observers = observers;
    for (; observers->count < list->count; observers->count++)
        observers->states[observers->count] = list->items[observers->count].observer->create(
            model, list->items[observers->count].flags);
    return observers;
}

void st_observers_free(struct st_observers *observers) {
    if (!observers)
        return;
    for (size_t i = 0; i < observers->count; i++)
        observers->model->options.observers.items[i].observer->destroy(observers->states[i]);
    for (size_t i = 0; i < observers->thread_capacity; i++)
        free(observers->threads[i].held);
    free(observers->threads);
    free(observers);
}

void *st_model_observer(const struct st_model *model, const struct st_observer *observer) {
    for (size_t i = 0; model->observers && i < model->observers->count; i++)
        if (model->options.observers.items[i].observer == observer)
            return model->observers->states[i];
    return NULL;
}

/* ---- who holds what ---- */

static void hold(struct st_observers *observers, struct thread *thread,
                 const struct st_event *event, uint64_t number) {
    st_reserve(&thread->held, &thread->held_capacity, thread->held_count + 1);
    thread->held[thread->held_count++] = (struct st_held_lock){event->target, number, event->loc};
    thread->held_set =
        st_lockset_with(&observers->model->locksets, thread->held_set, event->target);
}

static void let_go(struct st_observers *observers, struct thread *thread,
                   const struct st_event *event) {
    size_t place = 0;
    while (place < thread->held_count && thread->held[place].lock != event->target)
        place++;
    if (place == thread->held_count)
        return;
    thread->held_count--;
    memmove(thread->held + place, thread->held + place + 1,
            (thread->held_count - place) * sizeof *thread->held);
    thread->held_set =
        st_lockset_without(&observers->model->locksets, thread->held_set, event->target);
}

/* ---- events ---- */

static bool is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

static bool is_shown(const struct st_observers *observers, const struct st_event *event) {
    if (!is_access(event))
        return true;
    const struct st_model_variable *facts = &observers->model->variables[event->target];
    return facts->shared && facts->written;
}

static void show(struct st_observers *observers, const struct thread *thread,
                 const struct st_event *event, uint64_t number) {
    struct st_observed observed = {.event = event,
                                   .number = number,
                                   .splits = st_order_splits(observers->order, event),
                                   .joined = is_access(event) && event->joined,
                                   .held = thread->held,
                                   .held_count = thread->held_count,
                                   .held_set = thread->held_set};
    if (is_access(event) || (event->op == ST_ACQUIRE && thread->held_count))
        observed.period = st_periods_now(&observers->order->periods, event->thread);
    for (size_t i = 0; i < observers->count; i++)
        observers->model->options.observers.items[i].observer->event(observers->states[i],
                                                                     &observed);
}

void st_observers_event(struct st_observers *observers, const struct st_event *event,
                        uint64_t number) {
    if (event->op == ST_DROPPED || !observers->count)
        return;
    st_reserve(&observers->threads, &observers->thread_capacity, (size_t)event->thread + 1);
    struct thread *thread = &observers->threads[event->thread];
    if (is_shown(observers, event))
        show(observers, thread, event, number);
    if (event->op == ST_ACQUIRE)
        hold(observers, thread, event, number);
    else if (event->op == ST_RELEASE)
        let_go(observers, thread, event);
}

void st_observers_finish(struct st_observers *observers) {
    for (size_t i = 0; i < observers->count; i++) {
        const struct st_observer *observer = observers->model->options.observers.items[i].observer;
        if (observer->finish)
            observer->finish(observers->states[i]);
    }
}
