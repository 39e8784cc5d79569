#include "reference/fresh_memory.h"

#include <string.h>

/* Who knows of the memory of one variable. */
struct knowledge {
    bool threads[SAMPLE_THREADS], variables[SAMPLE_VARIABLES];
};

static bool is_release(const struct st_event *event) {
    return event->op == ST_RELEASE || event->op == ST_SEND || event->op == ST_FORK;
}

/* Marked accesses to the variable: the first, or `count` if there are none. */
static size_t first_marked(const struct sample *sample, uint32_t variable) {
    size_t i = 0;
    while (i < sample->count && !(sample->events[i].fresh && sample->events[i].target == variable))
        i++;
    return i;
}

/* The last release of the thread of event `i` before it, or `count` if there is none. */
static size_t last_release(const struct sample *sample, size_t i) {
    for (size_t j = i; j-- > 0;)
        if (sample->events[j].thread == sample->events[i].thread && is_release(&sample->events[j]))
            return j;
    return sample->count;
}

static void learn(struct knowledge *known, const struct st_event *event) {
    if (event->op == ST_WRITE)
        known->variables[event->target] = known->threads[event->thread];
    else if (event->op == ST_READ)
        known->threads[event->thread] |= known->variables[event->target];
    else if (event->op == ST_FORK)
        known->threads[event->target] |= known->threads[event->thread];
    else if (event->op == ST_JOIN)
        known->threads[event->thread] |= known->threads[event->target];
}

bool fresh_is_marked(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].fresh)
            return true;
    return false;
}

bool fresh_may_come(const struct sample *sample, const uint8_t *path, size_t length, size_t i) {
    const struct st_event *event = &sample->events[i];
    if (event->op != ST_READ && event->op != ST_WRITE)
        return true;
    size_t first = first_marked(sample, event->target);
    if (first == sample->count || sample->events[first].thread == event->thread)
        return true;
    struct knowledge known = {0};
    uint32_t owner = sample->events[first].thread;
    size_t release = last_release(sample, first);
    known.threads[owner] = release == sample->count;
    for (size_t j = 0; j < length; j++) {
        learn(&known, &sample->events[path[j]]);
        known.threads[owner] |= path[j] == release;
    }
    return known.threads[event->thread];
}

/* The thread of the first marked access has all of them, before its next release, and nothing that
 * is not marked before that; and the trace is an interleaving that a program could take. */
static bool is_right_for(const struct sample *sample, uint32_t variable) {
    size_t first = first_marked(sample, variable);
    bool released = false;
    for (size_t i = 0; i < sample->count && first < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        bool access = event->op <= ST_WRITE && event->target == variable;
        bool own = event->thread == sample->events[first].thread;
        released |= own && i > first && is_release(event);
        if (access && event->fresh != (own && !released))
            return false;
        if (access && i < first)
            return false;
    }
    return true;
}

bool fresh_is_right(const struct sample *sample) {
    uint8_t path[SAMPLE_EVENTS];
    for (size_t i = 0; i < sample->count; i++) {
        if (!fresh_may_come(sample, path, i, i))
            return false;
        path[i] = (uint8_t)i;
    }
    for (uint32_t variable = 0; variable < SAMPLE_VARIABLES; variable++)
        if (!is_right_for(sample, variable))
            return false;
    return true;
}

/* ---- marking ---- */

static void fork_all(struct sample *sample) {
    bool there[SAMPLE_THREADS] = {false}, forked[SAMPLE_THREADS] = {false};
    uint32_t parent = 0;
    for (size_t i = 0; i < sample->count; i++) {
        there[sample->events[i].thread] = true;
        if (sample->events[i].op == ST_FORK)
            forked[sample->events[i].target] = true;
    }
    while (parent < SAMPLE_THREADS - 1 && (there[parent] || forked[parent]))
        parent++;
    struct sample old = *sample;
    sample->count = 0;
    for (uint32_t thread = 0; thread < SAMPLE_THREADS; thread++)
        if (there[thread] && !forked[thread] && sample->count + old.count < SAMPLE_EVENTS)
            sample_add(sample, parent, ST_FORK, thread);
    for (size_t i = 0; i < old.count; i++)
        sample->events[sample->count++] = old.events[i];
    sample_renumber(sample);
}

static bool mark_variable(struct sample *sample, uint32_t variable) {
    struct sample marked = *sample;
    size_t first = 0;
    while (first < sample->count &&
           !(sample->events[first].op <= ST_WRITE && sample->events[first].target == variable))
        first++;
    for (size_t i = first; i < sample->count; i++) {
        struct st_event *event = &marked.events[i];
        if (event->thread != sample->events[first].thread)
            continue;
        if (is_release(event))
            break;
        event->fresh = event->op <= ST_WRITE && event->target == variable;
    }
    if (!fresh_is_right(&marked))
        return false;
    *sample = marked;
    return first < sample->count;
}

/* What one of the two threads of a planted sample does, in order. */
struct part {
    struct st_event events[16];
    size_t count;
};

enum { OWNER, FINDER, ADDRESS = 0, MEMORY, BESIDE, LOCK = 0 };

static void put(struct part *part, uint32_t thread, enum st_op op, uint32_t target) {
    part->events[part->count++] = st_event_make(thread, target, 0, op);
}

static void put_accesses(struct part *part, struct chance *chance, uint32_t thread,
                         uint32_t count) {
    for (; count > 0; count--)
        put(part, thread, chance_percent(chance, 50) ? ST_WRITE : ST_READ,
            chance_percent(chance, 50) ? MEMORY : BESIDE);
}

/* Returns how many of its events come before the lock is free. */
static size_t plant_owner(struct part *part, struct chance *chance) {
    bool early = chance_percent(chance, 75);
    put(part, OWNER, ST_ACQUIRE, LOCK);
    if (chance_percent(chance, 30))
        put(part, OWNER, ST_WRITE, MEMORY);
    put(part, OWNER, ST_WRITE, ADDRESS);
    put(part, OWNER, ST_BEGIN, ST_NO_NAME);
    put(part, OWNER, ST_WRITE, MEMORY);
    put_accesses(part, chance, OWNER, chance_below(chance, 2));
    if (early)
        put(part, OWNER, ST_RELEASE, LOCK);
    size_t released = part->count;
    put_accesses(part, chance, OWNER, 1 + chance_below(chance, 2));
    put(part, OWNER, ST_END, ST_NO_NAME);
    if (!early)
        put(part, OWNER, ST_RELEASE, LOCK);
    return early ? released : part->count;
}

static void plant_finder(struct part *part, struct chance *chance) {
    bool whole = chance_percent(chance, 50), block = chance_percent(chance, 60);
    put(part, FINDER, ST_ACQUIRE, LOCK);
    put(part, FINDER, ST_READ, ADDRESS);
    if (!whole)
        put(part, FINDER, ST_RELEASE, LOCK);
    if (block)
        put(part, FINDER, ST_BEGIN, ST_NO_NAME);
    put_accesses(part, chance, FINDER, 1 + chance_below(chance, 3));
    if (block)
        put(part, FINDER, ST_END, ST_NO_NAME);
    if (whole)
        put(part, FINDER, ST_RELEASE, LOCK);
}

void fresh_plant(struct sample *sample, struct chance *chance) {
    struct part owner = {.count = 0}, finder = {.count = 0};
    size_t alone = plant_owner(&owner, chance), own = 0, other = 0;
    plant_finder(&finder, chance);
    *sample = (struct sample){.count = 0};
    while (own < owner.count || other < finder.count) {
        bool first = own < alone || other == finder.count;
        if (first || (own < owner.count && chance_percent(chance, 50)))
            sample->events[sample->count++] = owner.events[own++];
        else
            sample->events[sample->count++] = finder.events[other++];
    }
    sample_renumber(sample);
}

bool fresh_mark(struct sample *sample, struct chance *chance) {
    struct st_error error;
    bool any = false;
    fork_all(sample);
    if (sample_check(sample, &error) < 0)
        return false;
    uint32_t from = chance_below(chance, SAMPLE_VARIABLES);
    for (uint32_t i = 0; i < SAMPLE_VARIABLES; i++)
        any |= mark_variable(sample, (from + i) % SAMPLE_VARIABLES);
    return any;
}
