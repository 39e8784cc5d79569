#include "predict/model/contention.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_survey_init(struct st_survey *survey, enum st_model_order mode,
                    const struct st_barriers *barriers, const struct st_onces *onces,
                    const struct st_handovers *handovers, struct st_locksets *locksets) {
    *survey = (struct st_survey){.locksets = locksets};
    st_map64_init(&survey->lock_pairs);
    st_order_init(&survey->order, mode, barriers, onces, handovers);
}

void st_survey_free(struct st_survey *survey) {
    for (size_t i = 0; i < survey->other_count; i++)
        free(survey->others[i].items);
    for (size_t i = 0; i < survey->lock_count; i++)
        free(survey->locks[i].others.items);
    for (size_t i = 0; i < survey->thread_capacity; i++)
        free(survey->threads[i].held);
    st_free_table(survey->variables, survey->variable_capacity, sizeof *survey->variables);
    free(survey->others);
    free(survey->locks);
    free(survey->threads);
    st_map64_free(&survey->lock_pairs);
    st_order_free(&survey->order);
}

/* ---- who used something, and when ---- */

static bool is_concurrent(const struct st_survey *survey, uint32_t earlier, uint32_t now) {
    return earlier && !st_period_before(&survey->order.periods, earlier - 1, now);
}

static bool contends(const struct st_survey *survey, const struct st_last_use *use, uint32_t now,
                     bool writes) {
    return is_concurrent(survey, use->written, now) ||
           (writes && is_concurrent(survey, use->read, now));
}

static void note_use(struct st_last_use *use, uint32_t now, bool writes) {
    if (writes)
        use->written = now + 1;
    else
        use->read = now + 1;
}

/* Is the thread the first one that uses it? Of each thread the last use is kept: if any past use of
 * a thread can be concurrent with something new, its last one can. */
static bool is_first(struct st_last_use *first, uint32_t thread) {
    if (!first->read && !first->written)
        first->thread = thread;
    return first->thread == thread;
}

/* The last use by a thread other than the first. */
static struct st_last_use *find_other(struct st_other_uses *others, uint32_t thread) {
    uint32_t count = others->count;
    for (uint32_t i = 0; i < count; i++)
        if (others->items[i].thread == thread)
            return &others->items[i];
    if (!(count & (count - 1))) /* full */
        others->items = st_realloc(others->items, count ? count * 2 : 1, sizeof *others->items);
    others->items[others->count++] = (struct st_last_use){.thread = thread};
    return &others->items[count];
}

/* Can a use now, by the thread whose uses are `own`, be at the same time as one of another thread?
 */
static bool is_contended(const struct st_survey *survey, const struct st_last_use *first,
                         const struct st_other_uses *others, const struct st_last_use *own,
                         uint32_t now, bool writes) {
    if (own != first && contends(survey, first, now, writes))
        return true;
    for (uint32_t i = 0; i < others->count; i++)
        if (&others->items[i] != own && contends(survey, &others->items[i], now, writes))
            return true;
    return false;
}

/* ---- variables ---- */

static struct st_survey_thread *thread_of(struct st_survey *survey, uint32_t thread) {
    st_reserve(&survey->threads, &survey->thread_capacity, (size_t)thread + 1);
    return &survey->threads[thread];
}

static void note_protectors(struct st_survey *survey, struct st_variable_facts *facts,
                            uint32_t held) {
    if (survey->alive <= 1)
        return;
    if (!facts->used)
        facts->protectors = held;
    else if (facts->protectors && facts->protectors != held)
        facts->protectors = st_lockset_common(survey->locksets, facts->protectors, held);
    facts->used = true;
}

/* Valid until the next variable is shared. */
static struct st_other_uses *others_of(struct st_survey *survey, struct st_variable_facts *facts) {
    if (!facts->others) {
        st_reserve(&survey->others, &survey->other_capacity, survey->other_count + 1);
        facts->others = (uint32_t)++survey->other_count;
    }
    return &survey->others[facts->others - 1];
}

static void contend(struct st_survey *survey, struct st_variable_facts *facts) {
    facts->contended = true;
    if (facts->others) {
        free(survey->others[facts->others - 1].items);
        survey->others[facts->others - 1] = (struct st_other_uses){0};
    }
}

static void access_variable(struct st_survey *survey, const struct st_event *event, bool hidden) {
    static const struct st_other_uses none;
    st_reserve_table(&survey->variables, &survey->variable_capacity, (size_t)event->target + 1);
    if (event->target >= survey->variable_count)
        survey->variable_count = (size_t)event->target + 1;
    struct st_variable_facts *facts = &survey->variables[event->target];
    bool writes = event->op == ST_WRITE;
    facts->written |= writes;
    facts->plain |= !event->atomic;
    survey->accesses++;
    if (hidden) {
        survey->unescaped++;
        facts->hidden_in = event->thread + 1;
        return;
    }
    note_protectors(survey, facts, thread_of(survey, event->thread)->held_set);
    if (facts->contended)
        return;
    uint32_t now = st_periods_now(&survey->order.periods, event->thread);
    struct st_last_use *own = is_first(&facts->first, event->thread)
                                  ? &facts->first
                                  : find_other(others_of(survey, facts), event->thread);
    facts->shared = facts->others || (facts->hidden_in && facts->hidden_in != event->thread + 1);
    note_use(own, now, writes);
    if (!facts->shared) {
        survey->unescaped++;
        return;
    }
    const struct st_other_uses *others = facts->others ? &survey->others[facts->others - 1] : &none;
    if (is_contended(survey, &facts->first, others, own, now, writes))
        contend(survey, facts);
}

/* ---- locks ---- */

static struct st_lock_facts *lock_of(struct st_survey *survey, uint32_t lock) {
    st_reserve(&survey->locks, &survey->lock_capacity, (size_t)lock + 1);
    if (lock >= survey->lock_count)
        survey->lock_count = (size_t)lock + 1;
    return &survey->locks[lock];
}

/* The lock is acquired or released. Both count, since a critical section may span several
 * periods. */
static void use_lock(struct st_survey *survey, struct st_lock_facts *facts, uint32_t thread) {
    uint32_t now = st_periods_now(&survey->order.periods, thread);
    struct st_last_use *own =
        is_first(&facts->first, thread) ? &facts->first : find_other(&facts->others, thread);
    facts->shared |= facts->others.count > 0;
    note_use(own, now, true);
    facts->contended |= is_contended(survey, &facts->first, &facts->others, own, now, true);
}

static void acquire(struct st_survey *survey, const struct st_event *event) {
    struct st_survey_thread *thread = thread_of(survey, event->thread);
    struct st_lock_facts *facts = lock_of(survey, event->target);
    uint32_t held = thread->held_set;
    facts->protectors =
        facts->used ? st_lockset_common(survey->locksets, facts->protectors, held) : held;
    facts->used = true;
    use_lock(survey, facts, event->thread);
    for (size_t i = 0; i < thread->held_count; i++)
        st_map64_number(&survey->lock_pairs, (uint64_t)thread->held[i] << 32 | event->target);
    st_reserve(&thread->held, &thread->held_capacity, thread->held_count + 1);
    thread->held[thread->held_count++] = event->target;
    thread->held_set = st_lockset_with(survey->locksets, held, event->target);
}

/* This lock does not protect locks that are held longer than it is. */
static void release(struct st_survey *survey, const struct st_event *event) {
    struct st_survey_thread *thread = thread_of(survey, event->thread);
    size_t place = 0;
    while (place < thread->held_count && thread->held[place] != event->target)
        place++;
    if (place == thread->held_count)
        return;
    use_lock(survey, lock_of(survey, event->target), event->thread);
    thread->held_count--;
    thread->held_set = st_lockset_without(survey->locksets, thread->held_set, event->target);
    for (; place < thread->held_count; place++) {
        thread->held[place] = thread->held[place + 1];
        struct st_lock_facts *facts = lock_of(survey, thread->held[place]);
        facts->protectors = st_lockset_without(survey->locksets, facts->protectors, event->target);
    }
}

/* ---- events ---- */

static void set_alive(struct st_survey *survey, uint32_t thread, bool alive) {
    struct st_survey_thread *state = thread_of(survey, thread);
    survey->alive += alive && !state->alive;
    survey->alive -= !alive && state->alive;
    state->alive = alive;
}

static void note_alive(struct st_survey *survey, const struct st_event *event) {
    if (!thread_of(survey, event->thread)->alive) {
        survey->more_roots |= survey->alive > 0;
        set_alive(survey, event->thread, true);
    }
    if (event->op == ST_FORK || event->op == ST_JOIN)
        set_alive(survey, event->target, event->op == ST_FORK);
}

bool st_survey_may_race(const struct st_survey *survey, uint32_t variable) {
    const struct st_variable_facts *facts = &survey->variables[variable];
    return facts->contended && facts->plain && (survey->more_roots || !facts->protectors);
}

static void note_atomic(struct st_survey *survey, const struct st_event *event) {
    struct st_survey_thread *thread = thread_of(survey, event->thread);
    bool atomic = event->op <= ST_WRITE && event->atomic;
    if (atomic && event->joined && thread->atomic)
        survey->variables[event->target].indivisible =
            survey->variables[thread->atomic - 1].indivisible = true;
    thread->atomic = atomic ? event->target + 1 : 0;
}

void st_survey_event(struct st_survey *survey, const struct st_event *event, bool hidden) {
    if (event->op == ST_DROPPED)
        return;
    if (event->op != ST_WRITE)
        st_order_event(&survey->order, event);
    note_alive(survey, event);
    switch (event->op) {
    case ST_READ:
    case ST_WRITE:
        access_variable(survey, event, hidden);
        break;
    case ST_ACQUIRE:
        acquire(survey, event);
        break;
    case ST_RELEASE:
        release(survey, event);
        break;
    case ST_SEND:
    case ST_RECEIVE:
        survey->channel_events += !st_order_is_certain(&survey->order, event->target);
        break;
    default:
        break;
    }
    note_atomic(survey, event);
    if (event->op == ST_WRITE) /* it is not after itself */
        st_order_event(&survey->order, event);
}

/* ---- variables that are used one directly after the other ---- */

static bool is_next(const struct st_event *last, const struct st_event *event) {
    return event->op <= ST_WRITE && event->op == last->op && event->thread == last->thread &&
           event->target == last->target + 1 && event->fresh == last->fresh && !event->atomic &&
           !last->atomic;
}

void st_neighbours_feed(struct st_neighbours *neighbours, const struct st_event *events,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct st_event *event = &events[i], *last = i ? event - 1 : &neighbours->last;
        bool access = event->op <= ST_WRITE;
        if (!neighbours->was_access || !is_next(last, event)) {
            if (neighbours->was_access)
                st_bits_add(&neighbours->apart, last->target + 1);
            if (access)
                st_bits_add(&neighbours->apart, event->target);
        }
        neighbours->was_access = access;
    }
    if (count)
        neighbours->last = events[count - 1];
}

/* Nothing follows the last event. */
static bool is_apart(const struct st_neighbours *neighbours, uint32_t variable) {
    return st_bits_has(&neighbours->apart, variable) ||
           (neighbours->was_access && neighbours->last.target + 1 == variable);
}

bool st_is_inner(const struct st_neighbours *neighbours, uint32_t variable) {
    return !is_apart(neighbours, variable) && !is_apart(neighbours, variable + 1);
}
