#include "reference/units.h"

static uint64_t bit(size_t i) {
    return UINT64_C(1) << i;
}

static bool is_channel_event(const struct st_event *event) {
    return event->op == ST_SEND || event->op == ST_RECEIVE;
}

/* ---- barriers ---- */

/* The thread's next event after event i that is no begin or end of a block; `count` when there is
 * none. */
static size_t next_of_thread(const struct sample *sample, size_t i) {
    size_t next = i + 1;
    while (next < sample->count &&
           (sample->events[next].thread != sample->events[i].thread ||
            sample->events[next].op == ST_BEGIN || sample->events[next].op == ST_END))
        next++;
    return next;
}

/* Who has arrived at a barrier and who has not left it yet, as far as the trace was read. */
struct round {
    uint64_t arrived, inside; /* sets of threads */
    bool leaving;             /* a thread has left, so the next send belongs to a new round */
};

/* False if the event does not fit into a round. */
static bool arrive_or_leave(struct round *round, const struct st_event *event) {
    uint64_t thread = bit(event->thread);
    if (event->op == ST_SEND) {
        if (round->leaving && round->inside)
            return false;
        if (round->leaving)
            *round = (struct round){0};
        if (round->arrived & thread)
            return false;
        round->arrived |= thread;
        round->inside |= thread;
        return true;
    }
    bool alone = !(round->arrived & (round->arrived - 1));
    if (!(round->inside & thread) || alone)
        return false;
    round->leaving = true;
    round->inside &= ~thread;
    return true;
}

bool units_is_barrier(const struct sample *sample, uint32_t channel) {
    struct round round = {0};
    if (sample->team_channels >> channel & 1)
        return true;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        if (!is_channel_event(event) || event->target != channel)
            continue;
        if (!arrive_or_leave(&round, event))
            return false;
        size_t next = next_of_thread(sample, i);
        if (event->op == ST_SEND && next < sample->count &&
            (sample->events[next].op != ST_RECEIVE || sample->events[next].target != channel))
            return false;
    }
    return (round.arrived & (round.arrived - 1)) != 0;
}

/* The sends of the round that a barrier's receive leaves: all those after the last round, which
 * ended with a receive. */
static uint64_t sends_of_round(const struct sample *sample, size_t receive) {
    uint32_t channel = sample->events[receive].target;
    uint64_t sends = 0;
    bool found = false;
    for (size_t i = receive; i-- > 0;) {
        const struct st_event *event = &sample->events[i];
        if (!is_channel_event(event) || event->target != channel)
            continue;
        if (event->op == ST_RECEIVE && found)
            break;
        if (event->op == ST_SEND) {
            sends |= bit(i);
            found = true;
        }
    }
    return sends;
}

/* ---- steps and transactions ---- */

static bool is_boundary(const struct st_event *event) {
    return event->op == ST_FORK || event->op == ST_JOIN || is_channel_event(event);
}

static void find_steps(struct units *units, const struct sample *sample) {
    bool barrier[SAMPLE_CHANNELS];
    for (uint32_t channel = 0; channel < SAMPLE_CHANNELS; channel++)
        barrier[channel] = units_is_barrier(sample, channel);
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        if (is_channel_event(event) ? barrier[event->target] : event->op <= ST_JOIN)
            units->steps |= bit(i);
    }
}

/* A transaction gets its number with its first step, so that none is empty. */
static void find_transactions(struct units *units, const struct sample *sample) {
    unsigned depth[SAMPLE_THREADS] = {0}, current[SAMPLE_THREADS] = {0};
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        uint32_t t = event->thread;
        depth[t] += event->op == ST_BEGIN;
        depth[t] -= event->op == ST_END;
        bool is_step = units->steps & bit(i);
        if (!depth[t] || (is_step && is_boundary(event)))
            current[t] = 0;
        else if (is_step && !current[t])
            current[t] = (unsigned)++units->transaction_count;
        if (is_step && current[t]) {
            units->transaction[i] = current[t];
            units->members[current[t]] |= bit(i);
        }
    }
}

static void find_releases(struct units *units, const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *acquire = &sample->events[i];
        size_t j = i + 1;
        while (j < sample->count &&
               (sample->events[j].op != ST_RELEASE || sample->events[j].target != acquire->target))
            j++;
        units->release[i] = j;
    }
}

/* ---- order ---- */

/* Is event i before event j by thread order, fork or join? A join also comes after the fork, even
 * if the child does nothing. */
static bool is_before(const struct st_event *i, const struct st_event *j) {
    if (i->thread == j->thread)
        return true;
    if (i->op == ST_FORK &&
        (i->target == j->thread || (j->op == ST_JOIN && i->target == j->target)))
        return true;
    return j->op == ST_JOIN && j->target == i->thread;
}

static void find_order(struct units *units, const struct sample *sample) {
    for (size_t j = 0; j < sample->count; j++) {
        for (size_t i = 0; i < j; i++)
            if (units->steps & bit(i) && is_before(&sample->events[i], &sample->events[j]))
                units->before[j] |= bit(i);
        if (units->steps & bit(j) && sample->events[j].op == ST_RECEIVE)
            units->before[j] |= sends_of_round(sample, j);
    }
}

void units_find(struct units *units, const struct sample *sample) {
    *units = (struct units){.count = sample->count};
    find_steps(units, sample);
    find_transactions(units, sample);
    find_releases(units, sample);
    find_order(units, sample);
}

/* Is the lock held when the steps in `done` have run? */
static bool is_held(const struct units *units, const struct sample *sample, uint64_t done,
                    uint32_t lock) {
    for (size_t i = 0; i < units->count; i++)
        if (sample->events[i].op == ST_ACQUIRE && sample->events[i].target == lock &&
            done & bit(i) &&
            (units->release[i] == units->count || !(done & bit(units->release[i]))))
            return true;
    return false;
}

bool units_ready_without_locks(const struct units *units, uint64_t done, size_t i) {
    return units->steps & ~done & bit(i) && !(units->before[i] & ~done);
}

bool units_ready(const struct units *units, const struct sample *sample, uint64_t done, size_t i) {
    if (!units_ready_without_locks(units, done, i))
        return false;
    const struct st_event *event = &sample->events[i];
    return event->op != ST_ACQUIRE || !is_held(units, sample, done, event->target);
}

/* ---- what a sample is like ---- */

bool units_are_a_pair(const struct units *units, const struct sample *sample) {
    uint64_t threads = 0;
    for (size_t i = 0; i < units->count; i++)
        if (units->steps & bit(i))
            threads |= bit(sample->events[i].thread);
    bool two_threads = __builtin_popcountll(threads) == 2;
    return two_threads && units->transaction_count == 2 &&
           (units->members[1] | units->members[2]) == units->steps;
}

/* What one thread has open, innermost last. */
struct open {
    size_t count;
    const struct st_event *events[SAMPLE_EVENTS];
};

static bool closes_innermost(struct open *open, const struct st_event *event) {
    if (!open->count)
        return false;
    const struct st_event *innermost = open->events[--open->count];
    if (event->written == ST_END)
        return innermost->written == ST_BEGIN;
    return innermost->written == ST_ACQUIRE && innermost->target == event->target;
}

bool units_are_nested(const struct sample *sample) {
    struct open open[SAMPLE_THREADS];
    for (size_t t = 0; t < SAMPLE_THREADS; t++)
        open[t].count = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        struct open *mine = &open[event->thread];
        if (event->written == ST_BEGIN || event->written == ST_ACQUIRE)
            mine->events[mine->count++] = event;
        else if (event->written == ST_END || event->written == ST_RELEASE) {
            if (!closes_innermost(mine, event))
                return false;
        }
    }
    return true;
}

bool units_are_tidy(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (is_channel_event(&sample->events[i]) &&
            !units_is_barrier(sample, sample->events[i].target))
            return false;
    return units_are_nested(sample);
}
