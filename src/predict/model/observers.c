#include "predict/model/observers.h"

#include "base/memory.h"
#include "predict/reduction/atomizer.h"
#include "predict/deadlock.h"
#include "predict/reduction/lockset_races.h"
#include "predict/model/model.h"

#include <stdlib.h>
#include <string.h>

struct st_followers *st_followers_new(struct st_model *model, struct st_order *order) {
    struct st_followers *followers = st_alloc(1, sizeof *followers);
    followers->model = model;
    followers->order = order;
    followers->races =
        st_lockset_races_new(model->variable_count, &model->locksets, &order->periods);
    followers->atomizer = st_atomizer_new(model, followers->races);
    followers->deadlocks = st_deadlock_watch_new();
    return followers;
}

void st_followers_free(struct st_followers *followers) {
    if (!followers)
        return;
    for (size_t i = 0; i < followers->thread_capacity; i++)
        free(followers->threads[i].held);
    free(followers->threads);
    st_lockset_races_free(followers->races);
    st_atomizer_free(followers->atomizer);
    st_deadlock_watch_free(followers->deadlocks);
    free(followers);
}

size_t st_followers_memory(const struct st_followers *followers) {
    return (followers->races ? st_lockset_races_memory(followers->races) : 0) +
           st_atomizer_memory(followers->atomizer) + st_deadlock_watch_memory(followers->deadlocks);
}

/* ---- who holds what ---- */

static void hold(struct st_followers *followers, struct st_followed_thread *thread,
                 const struct st_event *event, uint64_t number) {
    st_reserve(&thread->held, &thread->held_capacity, thread->held_count + 1);
    thread->held[thread->held_count++] = (struct st_held_lock){event->target, number, event->loc};
    thread->held_set =
        st_lockset_with(&followers->model->locksets, thread->held_set, event->target);
}

static void let_go(struct st_followers *followers, struct st_followed_thread *thread,
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
        st_lockset_without(&followers->model->locksets, thread->held_set, event->target);
}

/* ---- events ---- */

static bool is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

/* What only one thread accesses, or nobody writes, is of no interest to anybody here. */
static bool is_dull(const struct st_followers *followers, const struct st_event *event) {
    const struct st_model_variable *facts = &followers->model->variables[event->target];
    return !facts->shared || !facts->written;
}

static void on_access(struct st_followers *followers, const struct st_followed *followed) {
    struct st_model *model = followers->model;
    const struct st_event *event = followed->event;
    uint32_t held = followed->held_set;
    if (model->variables[event->target].indivisible)
        held = st_lockset_with(&model->locksets, held, model->variables[event->target].lock);
    st_lockset_races_event(followers->races, event->target, event->op == ST_WRITE, event->thread,
                           st_periods_now(&followers->order->periods, event->thread), held);
}

/* Is it the same reader-writer lock? */
static bool is_part_of(const struct st_rwlocks *rwlocks, uint32_t left, uint32_t right) {
    return st_rwlocks_find(rwlocks, &left) && st_rwlocks_find(rwlocks, &right) && left == right;
}

/* The locks of a reader-writer lock are taken all at once: while it waits for one of them, a writer
 * holds none. */
static void on_acquire(struct st_followers *followers, const struct st_followed *followed) {
    struct st_model *model = followers->model;
    struct st_followed before = *followed;
    while (before.held_count && is_part_of(model->rwlocks, followed->event->target,
                                           before.held[before.held_count - 1].lock))
        before.held_set = st_lockset_without(&model->locksets, before.held_set,
                                             before.held[--before.held_count].lock);
    if (before.held_count)
        st_deadlock_watch_acquire(
            followers->deadlocks, &before,
            st_periods_now(&followers->order->periods, followed->event->thread));
}

static void follow(struct st_followers *followers, struct st_followed_thread *thread,
                   const struct st_event *event, uint64_t number) {
    struct st_followed followed = {.event = event,
                                   .number = number,
                                   .splits = st_order_splits(followers->order, event),
                                   .joined = is_access(event) && event->joined,
                                   .held = thread->held,
                                   .held_count = thread->held_count,
                                   .held_set = thread->held_set};
    if (is_access(event))
        on_access(followers, &followed);
    else if (event->op == ST_ACQUIRE)
        on_acquire(followers, &followed);
    st_atomizer_event(followers->atomizer, &followed);
}

void st_followers_event(struct st_followers *followers, const struct st_event *event,
                        uint64_t number) {
    if (event->op == ST_DROPPED)
        return;
    st_reserve(&followers->threads, &followers->thread_capacity, (size_t)event->thread + 1);
    struct st_followed_thread *thread = &followers->threads[event->thread];
    if (!is_access(event) || !is_dull(followers, event))
        follow(followers, thread, event, number);
    if (event->op == ST_ACQUIRE)
        hold(followers, thread, event, number);
    else if (event->op == ST_RELEASE)
        let_go(followers, thread, event);
}

void st_followers_finish(struct st_followers *followers) {
    struct st_model *model = followers->model;
    for (uint32_t i = 0; i < model->variable_count; i++)
        model->variables[i].races =
            st_lockset_races_of(followers->races, i, model->variables[i].contended);
    st_lockset_races_free(followers->races);
    followers->races = NULL;
    st_atomizer_finish(followers->atomizer);
}
