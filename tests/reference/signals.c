#include "reference/signals.h"

#include "reference/states.h"

#include <string.h>

static uint64_t bit(size_t i) {
    return UINT64_C(1) << i;
}

static bool is_channel_event(const struct st_event *event, uint32_t channel) {
    return (event->op == ST_SEND || event->op == ST_RECEIVE) && event->target == channel;
}

/* ---- which channels ---- */

static size_t first_use(const struct sample *sample, uint32_t channel) {
    size_t i = 0;
    while (i < sample->count && !is_channel_event(&sample->events[i], channel))
        i++;
    return i;
}

/* The event that gives the signal of the channel: its first use, the only send of its thread.
 * `count` if there is none. */
static size_t find_give(const struct sample *sample, uint32_t channel) {
    size_t give = first_use(sample, channel);
    if (give == sample->count || sample->events[give].op != ST_SEND ||
        units_is_barrier(sample, channel))
        return sample->count;
    for (size_t i = give + 1; i < sample->count; i++)
        if (is_channel_event(&sample->events[i], channel) && sample->events[i].op == ST_SEND &&
            sample->events[i].thread == sample->events[give].thread)
            return sample->count;
    return give;
}

/* Has a thread that has sent to the channel before received from it later? */
static bool lets_itself_in(const struct sample *sample, uint32_t channel, uint32_t giver) {
    for (size_t i = 0; i < sample->count; i++)
        for (size_t j = i + 1; j < sample->count; j++) {
            const struct st_event *sent = &sample->events[i], *received = &sample->events[j];
            if (is_channel_event(sent, channel) && sent->op == ST_SEND && sent->thread != giver &&
                is_channel_event(received, channel) && received->op == ST_RECEIVE &&
                received->thread == sent->thread)
                return true;
        }
    return false;
}

/* The event that gives what event i takes; `count` if it takes nothing. Nobody else but the giver
 * and the taker itself may send, and nobody else before it receives. At most one other thread than
 * the giver may send at all. */
static size_t find_given(const struct sample *sample, size_t i) {
    const struct st_event *event = &sample->events[i];
    if (event->op != ST_RECEIVE)
        return sample->count;
    size_t give = find_give(sample, event->target);
    if (give == sample->count || sample->events[give].thread == event->thread)
        return sample->count;
    if (lets_itself_in(sample, event->target, sample->events[give].thread))
        return sample->count;
    for (size_t j = 0; j < sample->count; j++) {
        const struct st_event *other = &sample->events[j];
        if (is_channel_event(other, event->target) && other->op == ST_SEND && j != give &&
            other->thread != event->thread)
            return sample->count;
    }
    return give;
}

bool signals_are_there(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (find_given(sample, i) < sample->count)
            return true;
    return false;
}

/* ---- adding some ---- */

static void insert(struct sample *sample, size_t at, uint32_t thread, enum st_op op,
                   uint32_t channel) {
    memmove(&sample->events[at + 1], &sample->events[at],
            (sample->count - at) * sizeof *sample->events);
    sample->events[at] = st_event_make(thread, channel, 0, op);
    sample->count++;
}

/* May an event of this thread come in there? Not in the middle of an atomic operation or a barrier,
 * and not before its fork or behind its join. */
static bool has_place(const struct sample *sample, size_t at, uint32_t thread) {
    const struct st_event *last = NULL, *next = NULL;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        bool on_thread = (event->op == ST_FORK || event->op == ST_JOIN) && event->target == thread;
        if (on_thread && (event->op == ST_FORK) == (i >= at))
            return false;
        if (event->thread == thread && i < at)
            last = event;
        else if (event->thread == thread && !next)
            next = event;
    }
    return !(next && next->op <= ST_WRITE && next->joined) &&
           !(last && next && last->op == ST_SEND && next->op == ST_RECEIVE);
}

static void add_one(struct sample *sample, struct chance *chance, uint32_t channel) {
    size_t give = chance_below(chance, (uint32_t)sample->count);
    uint32_t giver = sample->events[give].thread;
    if (!has_place(sample, give, giver))
        return;
    struct sample with = *sample;
    insert(&with, give, giver, ST_SEND, channel);
    bool sends_too = chance_percent(chance, 20);
    uint32_t taker = giver;
    for (uint32_t left = 1 + chance_below(chance, sends_too ? 1 : 2); left > 0; left--) {
        size_t take = give + 1 + chance_below(chance, (uint32_t)(with.count - give));
        uint32_t thread = with.events[chance_below(chance, (uint32_t)with.count)].thread;
        if (thread == giver || with.count + 2 > SAMPLE_EVENTS || !has_place(&with, take, thread))
            continue;
        taker = thread;
        insert(&with, take, thread, ST_RECEIVE, channel);
        if (sends_too && has_place(&with, take + 1, thread))
            insert(&with, take + 1, thread, ST_SEND, channel);
    }
    for (uint32_t left = chance_percent(chance, 40) ? 2 : 0; left > 0; left--) {
        size_t at = chance_below(chance, (uint32_t)with.count);
        uint32_t thread = with.events[chance_below(chance, (uint32_t)with.count)].thread;
        if (with.count + 1 < SAMPLE_EVENTS && has_place(&with, at, thread))
            insert(&with, at, thread, chance_percent(chance, 50) ? ST_SEND : ST_RECEIVE, channel);
    }
    if (taker != giver)
        *sample = with;
}

static uint32_t free_channel(const struct sample *sample) {
    uint32_t channel = 0;
    while (channel < SAMPLE_CHANNELS && first_use(sample, channel) < sample->count)
        channel++;
    return channel;
}

bool signals_add(struct sample *sample, struct chance *chance) {
    struct st_error error;
    for (uint32_t left = 1 + chance_below(chance, 3); left > 0; left--)
        if (free_channel(sample) < SAMPLE_CHANNELS && sample->count + 4 < SAMPLE_EVENTS)
            add_one(sample, chance, free_channel(sample));
    sample_renumber(sample);
    return sample_check(sample, &error) == 0 && units_are_nested(sample);
}

/* ---- runs ---- */

struct search {
    const struct sample *sample;
    struct sample plain; /* signals are accesses */
    const struct units *units;
    size_t gives[SAMPLE_EVENTS];      /* of an event that takes: the one that gives; else `count` */
    uint64_t partners[SAMPLE_EVENTS]; /* what conflicts with an event */
    unsigned pair[SAMPLE_EVENTS][SAMPLE_EVENTS];
    struct states visited;
    size_t most;
    bool gave_up, violated, fits;
};

static bool is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

static uint32_t most_variable(const struct sample *sample) {
    uint32_t most = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (is_access(&sample->events[i]) && sample->events[i].target >= most)
            most = sample->events[i].target + 1;
    return most;
}

/* The sample with accesses in place of what gives and takes signals. */
static void make_plain(struct search *search, const struct sample *sample) {
    uint32_t first = most_variable(sample);
    search->sample = sample;
    search->plain = *sample;
    for (size_t i = 0; i < sample->count; i++)
        search->gives[i] = find_given(sample, i);
    for (size_t i = 0; i < sample->count; i++) {
        struct st_event *event = &search->plain.events[i];
        bool channel = event->op == ST_SEND || event->op == ST_RECEIVE;
        bool gives = channel && find_give(sample, event->target) == i;
        if (!gives && search->gives[i] == sample->count)
            continue;
        event->target += first;
        event->op = event->written = gives ? ST_WRITE : ST_READ;
    }
}

static void find_conflicts(struct search *search) {
    const struct sample *sample = &search->plain;
    unsigned pairs = 0;
    for (size_t i = 0; i < sample->count; i++)
        for (size_t j = i + 1; j < sample->count; j++) {
            const struct st_event *a = &sample->events[i], *b = &sample->events[j];
            if (!is_access(a) || !is_access(b) || a->target != b->target ||
                a->thread == b->thread || (a->op == ST_READ && b->op == ST_READ))
                continue;
            search->partners[i] |= bit(j);
            search->partners[j] |= bit(i);
            search->pair[i][j] = search->pair[j][i] = pairs++;
        }
    search->fits = pairs <= 8 * STATE_BYTES;
}

/* Of two conflicting events that have both run: did the later one of the trace come first? */
static bool is_reversed(const struct search *search, const struct state *state, size_t i,
                        size_t j) {
    unsigned pair = search->pair[i][j];
    return state->likeness.bytes[pair / 8] >> pair % 8 & 1;
}

/* Does event i wait for a signal that nobody has sent yet, whoever may? */
static bool has_to_wait(const struct search *search, const struct state *state, size_t i) {
    const struct sample *sample = search->sample;
    if (search->gives[i] == sample->count)
        return false;
    for (size_t j = 0; j < sample->count; j++)
        if (is_channel_event(&sample->events[j], sample->events[i].target) &&
            sample->events[j].op == ST_SEND && state->done & bit(j))
            return false;
    return true;
}

static size_t unit_of(const struct units *units, size_t i) {
    return units->transaction[i] ? SAMPLE_EVENTS + units->transaction[i] : i;
}

/* The units that must come before others: a matrix over unit_of. */
static bool has_cycle(const struct search *search, const struct state *state) {
    enum { UNITS = 2 * SAMPLE_EVENTS + 1 };
    const struct units *units = search->units;
    static bool after[UNITS][UNITS];
    size_t list[SAMPLE_EVENTS], count = 0;
    bool listed[UNITS] = {false};
    for (size_t i = 0; i < units->count; i++)
        if (state->done & bit(i) && !listed[unit_of(units, i)]) {
            listed[unit_of(units, i)] = true;
            list[count++] = unit_of(units, i);
        }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            after[list[i]][list[j]] = false;
    for (size_t i = 0; i < units->count; i++)
        for (size_t j = i + 1; j < units->count; j++) {
            if (!(state->done & bit(i)) || !(state->done & bit(j)))
                continue;
            size_t a = unit_of(units, i), b = unit_of(units, j);
            bool conflict = search->partners[i] & bit(j);
            bool reversed = conflict && is_reversed(search, state, i, j);
            if (a != b && (units->before[j] & bit(i) || (conflict && !reversed)))
                after[a][b] = true;
            if (a != b && reversed)
                after[b][a] = true;
        }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count && after[list[i]][list[k]]; j++)
                after[list[i]][list[j]] |= after[list[k]][list[j]];
    for (size_t i = 0; i < count; i++)
        if (after[list[i]][list[i]])
            return true;
    return false;
}

static void run_step(const struct search *search, struct state *state, size_t i) {
    for (size_t j = i + 1; j < search->plain.count; j++)
        if (search->partners[i] & state->done & bit(j))
            state->likeness.bytes[search->pair[i][j] / 8] |=
                (uint8_t)(1u << search->pair[i][j] % 8);
    state->done |= bit(i);
}

static void go_on(struct search *search, const struct state *state) {
    if (search->gave_up || search->violated || !states_add(&search->visited, state))
        return;
    search->gave_up |= search->visited.count > search->most;
    search->violated |= has_cycle(search, state);
    for (size_t i = 0; i < search->units->count; i++) {
        if (!units_ready(search->units, &search->plain, state->done, i) ||
            has_to_wait(search, state, i))
            continue;
        struct state next = *state;
        run_step(search, &next, i);
        go_on(search, &next);
    }
}

void signals_check(struct atomicity *atomicity, const struct sample *sample, size_t most) {
    static struct search search;
    memset(&search, 0, sizeof search);
    search.most = most;
    make_plain(&search, sample);
    atomicity_find_deadlock(atomicity, &search.plain, most);
    if (!atomicity->decided)
        return;
    search.units = &atomicity->units;
    find_conflicts(&search);
    if (search.fits)
        go_on(&search, &(struct state){0});
    states_free(&search.visited);
    atomicity->decided = search.fits && !search.gave_up;
    atomicity->data_conflict.atomic = !search.violated;
}
