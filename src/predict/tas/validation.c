#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/tas/tas.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT64_MAX

/* A condition wait that is still open while the trace is read. */
struct open_wait {
    size_t release;
    uint32_t channel, thread;
};

/* What the trace says about each event. Event numbers are 1-based; 0 is none. */
struct facts {
    const struct st_event *events;
    size_t count;
    uint32_t threads, variables, locks, channels;
    uint64_t *position;  /* in its thread, from 1; 0: dropped */
    uint32_t *value;     /* by write: what it leaves; 0: unknown. NULL: no values are known */
    uint32_t *initial;   /* by variable: what it holds at first; the same */
    uint64_t *couple;    /* for a read, the write that it saw; for a write, the read with which it
                          * forms one step; for a send, the next send of its channel; for a join,
                          * how many events of the child came before it */
    bool *update;        /* a read that forms one step with the next event of its thread */
    uint64_t *fork;      /* by thread: its fork */
    uint64_t *sends;     /* by channel: the first send */
    uint64_t *ends_wait; /* by event: for a receive, the release that began the wait */
    size_t *woken;       /* pairs (send, release): the send came during the wait */
    size_t woken_count, woken_capacity;
};

/* How far a schedule has been replayed. Most begin as the trace does, and those of one run begin
 * alike for long: so the first `observed` events of the trace stay replayed from one schedule to
 * the next. */
struct replay {
    const struct facts *facts;
    uint64_t *done;    /* by thread: events executed */
    bool *broken;      /* by thread */
    uint64_t *written; /* by variable: the last write; UNKNOWN after a broken read-modify-write */
    uint64_t *pending; /* by variable: the read of an incomplete read-modify-write */
    uint32_t *holder;  /* by lock: thread + 1 */
    uint64_t *sends;   /* by channel: the first send that is not done, or none */
    uint64_t *place;   /* by event: its place in the schedule, from 1; 0: not executed */
    size_t observed;
    const char *wrong;    /* with the trace itself, so far */
    struct undone *steps; /* after these, and what was there before each */
    size_t step_count, step_capacity;
};

/* What a step of a schedule may change. */
struct undone {
    uint64_t number;
    bool broken;           /* of its thread */
    uint64_t of_target[2]; /* of an access: written and pending; of a receive: sends */
    uint32_t holder;       /* of an acquire or a release */
};

/* ---- the trace ---- */

static void raise(uint32_t *count, uint32_t number) {
    if (number >= *count)
        *count = number + 1;
}

static void count_names(struct facts *f) {
    for (size_t i = 0; i < f->count; i++) {
        const struct st_event *e = &f->events[i];
        raise(&f->threads, e->thread);
        if (e->op == ST_FORK || e->op == ST_JOIN)
            raise(&f->threads, e->target);
        else if (e->op == ST_READ || e->op == ST_WRITE)
            raise(&f->variables, e->target);
        else if (e->op == ST_ACQUIRE || e->op == ST_RELEASE)
            raise(&f->locks, e->target);
        else if (e->op == ST_SEND || e->op == ST_RECEIVE)
            raise(&f->channels, e->target);
    }
}

/* The last two events of each thread that order anything, for recognising waits. */
struct recent {
    size_t last, before;
};

/* `rel(l) rcv(c) acq(l)` and `rel(l) acq(l) rcv(c)` are waits. */
static void find_wait(struct facts *f, struct recent *recent, size_t number) {
    const struct st_event *e = &f->events[number - 1];
    if (e->op >= ST_OP_COUNT || e->op == ST_BEGIN || e->op == ST_END)
        return;
    if (recent->before) {
        const struct st_event *release = &f->events[recent->before - 1];
        const struct st_event *last = &f->events[recent->last - 1];
        if (release->op == ST_RELEASE && last->op == ST_RECEIVE && e->op == ST_ACQUIRE &&
            e->target == release->target)
            f->ends_wait[recent->last - 1] = recent->before;
        if (release->op == ST_RELEASE && last->op == ST_ACQUIRE && e->op == ST_RECEIVE &&
            last->target == release->target)
            f->ends_wait[number - 1] = recent->before;
    }
    recent->before = recent->last;
    recent->last = number;
}

/* Pairs each receive that ends a wait with the sends since the wait began. */
static void find_woken(struct facts *f) {
    uint64_t *begins = st_alloc(f->count + 1, sizeof *begins); /* for a release, its receive */
    struct open_wait *open = st_alloc(f->threads + 1, sizeof *open);
    size_t open_count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->ends_wait[i])
            begins[f->ends_wait[i] - 1] = i + 1;
    for (size_t i = 0; i < f->count; i++) {
        const struct st_event *e = &f->events[i];
        if (begins[i])
            open[open_count++] =
                (struct open_wait){i + 1, f->events[begins[i] - 1].target, e->thread};
        for (size_t w = 0; w < open_count; w++) {
            if (f->ends_wait[i] == open[w].release)
                open[w] = open[--open_count];
            else if (e->op == ST_SEND && open[w].channel == e->target) {
                st_reserve(&f->woken, &f->woken_capacity, f->woken_count + 2);
                f->woken[f->woken_count++] = i + 1;
                f->woken[f->woken_count++] = open[w].release;
            }
        }
    }
    free(begins);
    free(open);
}

/* Finds the write that each read saw (its couple), and the read-modify-writes. */
static void find_couples(struct facts *f) {
    uint64_t *write = st_alloc((size_t)f->variables + 1, sizeof *write);
    uint64_t *access = st_alloc((size_t)f->variables + 1, sizeof *access);
    for (size_t i = 0; i < f->count; i++) {
        const struct st_event *e = &f->events[i];
        if (e->op == ST_READ)
            f->couple[i] = write[e->target];
        if (e->op == ST_WRITE) {
            uint64_t last = access[e->target];
            const struct st_event *read = last ? &f->events[last - 1] : NULL;
            if (read && e->joined && read->op == ST_READ && read->thread == e->thread &&
                f->position[last - 1] + 1 == f->position[i]) {
                f->update[last - 1] = true;
                f->couple[i] = last;
            }
            write[e->target] = i + 1;
        }
        if (e->op == ST_READ || e->op == ST_WRITE)
            access[e->target] = i + 1;
    }
    free(write);
    free(access);
}

/* Something in the trace says what a write left, or what a variable held at first. */
static void note_value(uint32_t *value, bool *doubt, uint32_t says) {
    *doubt |= says && *value && *value != says;
    *value = says ? says : *value;
}

/* The value of a write is what the trace says of it, directly or by what its variable held up to
 * the next write, if all that agrees. */
static void find_values(struct facts *f, const struct st_value_numbers *values) {
    bool *doubts = st_alloc(f->count + 1, sizeof *doubts);
    bool *initial_doubts = st_alloc((size_t)f->variables + 1, sizeof *initial_doubts);
    uint64_t *write = st_alloc((size_t)f->variables + 1, sizeof *write);
    f->value = st_alloc(f->count + 1, sizeof *f->value);
    f->initial = st_alloc((size_t)f->variables + 1, sizeof *f->initial);
    for (size_t i = 0; i < f->count; i++) {
        const struct st_event *e = &f->events[i];
        if (e->op != ST_READ && e->op != ST_WRITE)
            continue;
        uint64_t last = write[e->target];
        note_value(last ? &f->value[last - 1] : &f->initial[e->target],
                   last ? &doubts[last - 1] : &initial_doubts[e->target], values[i].held);
        if (e->op == ST_WRITE) {
            note_value(&f->value[i], &doubts[i], values[i].left);
            write[e->target] = i + 1;
        }
    }
    for (size_t i = 0; i < f->count; i++)
        f->value[i] = doubts[i] ? 0 : f->value[i];
    for (uint32_t x = 0; x < f->variables; x++)
        f->initial[x] = initial_doubts[x] ? 0 : f->initial[x];
    free(doubts);
    free(initial_doubts);
    free(write);
}

static void find_order(struct facts *f) {
    uint64_t *counts = st_alloc((size_t)f->threads + 1, sizeof *counts);
    uint64_t *last_send = st_alloc((size_t)f->channels + 1, sizeof *last_send);
    struct recent *recent = st_alloc((size_t)f->threads + 1, sizeof *recent);
    for (size_t i = 0; i < f->count; i++) {
        const struct st_event *e = &f->events[i];
        if (e->op == ST_DROPPED)
            continue;
        f->position[i] = ++counts[e->thread];
        find_wait(f, &recent[e->thread], i + 1);
        if (e->op == ST_FORK)
            f->fork[e->target] = i + 1;
        else if (e->op == ST_JOIN)
            f->couple[i] = counts[e->target];
        else if (e->op == ST_SEND) {
            if (last_send[e->target])
                f->couple[last_send[e->target] - 1] = i + 1;
            else
                f->sends[e->target] = i + 1;
            last_send[e->target] = i + 1;
        }
    }
    free(counts);
    free(last_send);
    free(recent);
}

static void learn(struct facts *f, const struct st_event *events,
                  const struct st_value_numbers *values, size_t count) {
    *f = (struct facts){.events = events, .count = count};
    count_names(f);
    f->position = st_alloc(count + 1, sizeof *f->position);
    f->couple = st_alloc(count + 1, sizeof *f->couple);
    f->update = st_alloc(count + 1, sizeof *f->update);
    f->ends_wait = st_alloc(count + 1, sizeof *f->ends_wait);
    f->fork = st_alloc((size_t)f->threads + 1, sizeof *f->fork);
    f->sends = st_alloc((size_t)f->channels + 1, sizeof *f->sends);
    find_order(f);
    find_woken(f);
    find_couples(f);
    if (values)
        find_values(f, values);
}

static void forget(struct facts *f) {
    free(f->position);
    free(f->value);
    free(f->initial);
    free(f->couple);
    free(f->update);
    free(f->ends_wait);
    free(f->fork);
    free(f->sends);
    free(f->woken);
}

/* ---- the schedule ---- */

static bool is_done(const struct replay *r, uint64_t number) {
    return r->place[number - 1] != 0;
}

/* The pairs are in the order of their sends. */
static bool waits_have_begun(const struct replay *r, uint64_t send) {
    const struct facts *f = r->facts;
    size_t at;
    st_lower_bound(at, 0, f->woken_count / 2, f->woken[2 * at] < send);
    for (; at < f->woken_count / 2 && f->woken[2 * at] == send; at++)
        if (!is_done(r, f->woken[2 * at + 1]))
            return false;
    return true;
}

static uint32_t value_of(const struct facts *f, uint32_t variable, uint64_t write) {
    return write ? f->value[write - 1] : f->initial[variable];
}

/* Does the read see its couple, or another write of the same value? */
static bool sees_couple(const struct replay *r, uint64_t number) {
    const struct facts *f = r->facts;
    uint32_t variable = f->events[number - 1].target;
    uint64_t written = r->written[variable], couple = f->couple[number - 1];
    if (written == couple || written == UNKNOWN || !f->value)
        return written == couple;
    uint32_t value = value_of(f, variable, written);
    return value && value == value_of(f, variable, couple);
}

static const char *check_access(struct replay *r, uint64_t number) {
    const struct facts *f = r->facts;
    const struct st_event *e = &f->events[number - 1];
    uint64_t *pending = &r->pending[e->target];
    if (*pending && (e->op != ST_WRITE || f->couple[number - 1] != *pending))
        return "something comes between the two halves of a read-modify-write";
    *pending = 0;
    if (e->op == ST_WRITE) {
        r->written[e->target] = number;
    } else if (!sees_couple(r, number)) {
        r->broken[e->thread] = true;
        if (f->update[number - 1])
            r->written[e->target] = UNKNOWN;
    } else if (f->update[number - 1]) {
        *pending = number;
    }
    return NULL;
}

static const char *check_join(const struct replay *r, uint64_t number) {
    const struct facts *f = r->facts;
    const struct st_event *e = &f->events[number - 1];
    uint64_t needed = f->couple[number - 1], done = r->done[e->target];
    if (done < needed || (done == needed && r->broken[e->target]))
        return "a child is joined before it is through";
    if (f->fork[e->target] && f->fork[e->target] < number && !is_done(r, f->fork[e->target]))
        return "a child is joined before it is forked";
    return NULL;
}

/* All sends of the channel that precede the receive in the trace must be done. Sends that are done
 * are removed from the front of the list, so that all receives together look at each send once. */
static const char *check_receive(struct replay *r, uint64_t number) {
    const struct facts *f = r->facts;
    uint64_t *first = &r->sends[f->events[number - 1].target];
    while (*first && is_done(r, *first))
        *first = f->couple[*first - 1];
    return *first && *first < number ? "a receive comes before a send that it waits for" : NULL;
}

static const char *check_lock(struct replay *r, uint64_t number) {
    const struct st_event *e = &r->facts->events[number - 1];
    uint32_t *holder = &r->holder[e->target];
    if (e->op == ST_ACQUIRE ? *holder != 0 : *holder != e->thread + 1)
        return e->op == ST_ACQUIRE ? "a lock is acquired that is held"
                                   : "a lock is released that is not held";
    *holder = e->op == ST_ACQUIRE ? e->thread + 1 : 0;
    return NULL;
}

static bool is_in_trace(const struct facts *f, uint64_t number) {
    return number && number <= f->count && f->position[number - 1];
}

static const char *check_event(struct replay *r, uint64_t number) {
    const struct facts *f = r->facts;
    const struct st_event *e = &f->events[number - 1];
    if (f->position[number - 1] != r->done[e->thread] + 1)
        return "the events of a thread are not in their order";
    if (r->broken[e->thread])
        return "a thread goes on after a read that did not see its couple";
    if (f->fork[e->thread] && !is_done(r, f->fork[e->thread]))
        return "a thread runs before it is forked";
    switch (e->op) {
    case ST_READ:
    case ST_WRITE:
        return check_access(r, number);
    case ST_ACQUIRE:
    case ST_RELEASE:
        return check_lock(r, number);
    case ST_JOIN:
        return check_join(r, number);
    case ST_SEND:
        return waits_have_begun(r, number) ? NULL : "a wait is woken before it begins";
    case ST_RECEIVE:
        return check_receive(r, number);
    default:
        return NULL;
    }
}

/* The next event, which is in the trace. */
static const char *execute(struct replay *r, uint64_t number, size_t place) {
    const char *wrong = check_event(r, number);
    r->place[number - 1] = place;
    r->done[r->facts->events[number - 1].thread]++;
    return wrong;
}

static struct undone what_is_there(const struct replay *r, uint64_t number) {
    const struct st_event *e = &r->facts->events[number - 1];
    struct undone there = {.number = number, .broken = r->broken[e->thread]};
    if (e->op <= ST_WRITE) {
        there.of_target[0] = r->written[e->target];
        there.of_target[1] = r->pending[e->target];
    } else if (e->op == ST_RECEIVE) {
        there.of_target[0] = r->sends[e->target];
    } else if (e->op == ST_ACQUIRE || e->op == ST_RELEASE) {
        there.holder = r->holder[e->target];
    }
    return there;
}

static void undo(struct replay *r, const struct undone *there) {
    const struct st_event *e = &r->facts->events[there->number - 1];
    r->place[there->number - 1] = 0;
    r->done[e->thread]--;
    r->broken[e->thread] = there->broken;
    if (e->op <= ST_WRITE) {
        r->written[e->target] = there->of_target[0];
        r->pending[e->target] = there->of_target[1];
    } else if (e->op == ST_RECEIVE) {
        r->sends[e->target] = there->of_target[0];
    } else if (e->op == ST_ACQUIRE || e->op == ST_RELEASE) {
        r->holder[e->target] = there->holder;
    }
}

static const char *check_step(struct replay *r, uint64_t number) {
    if (!is_in_trace(r->facts, number))
        return "the schedule has an event that the trace does not have";
    if (r->place[number - 1]) /* undoing it twice would be wrong */
        return "the events of a thread are not in their order";
    st_reserve(&r->steps, &r->step_capacity, r->step_count + 1);
    r->steps[r->step_count++] = what_is_there(r, number);
    return execute(r, number, r->observed + r->step_count);
}

/* Replays the first `observed` events of the trace, which are not fewer than before. */
static void observe(struct replay *r, size_t observed) {
    while (r->observed < observed && !r->wrong) {
        uint64_t number = ++r->observed;
        if (is_in_trace(r->facts, number))
            r->wrong = execute(r, number, number);
    }
}

/* ---- the path ---- */

static bool is_place(const struct replay *r, const struct st_place *place) {
    const struct facts *f = r->facts;
    return place->number && place->number <= f->count && is_done(r, place->number) &&
           memcmp(&place->event, &f->events[place->number - 1], sizeof place->event) == 0;
}

static bool is_inside(const struct st_predicted_block *predicted, const struct st_place *place) {
    return place->event.thread == predicted->thread && place->number >= predicted->begin &&
           (!predicted->end || place->number <= predicted->end);
}

static bool is_conflict(const struct st_event *a, const struct st_event *b) {
    return (a->op == ST_WRITE && (b->op == ST_WRITE || b->op == ST_READ) &&
            a->target == b->target && a->thread != b->thread) ||
           (a->op == ST_READ && b->op == ST_WRITE && a->target == b->target &&
            a->thread != b->thread);
}

static const char *check_path(const struct replay *r, const struct st_predicted_block *predicted) {
    const struct facts *f = r->facts;
    if (predicted->path_length < 2)
        return "the path does not go out of the block and back";
    for (size_t i = 0; i < predicted->path_length; i++) {
        const struct st_edge *edge = &predicted->path[i];
        bool first = i == 0, last = i + 1 == predicted->path_length;
        if (!is_place(r, &edge->from) || !is_place(r, &edge->to))
            return "the path has an event that was not executed";
        if (!is_conflict(&edge->from.event, &edge->to.event) || edge->kind != ST_EDGE_CONFLICT)
            return "an edge of the path is no conflict";
        if (r->place[edge->from.number - 1] >= r->place[edge->to.number - 1])
            return "an edge of the path goes back in time";
        if (is_inside(predicted, &edge->from) != first || is_inside(predicted, &edge->to) != last)
            return "the path does not leave the block once and return once";
        if (!first && edge->from.event.thread != edge[-1].to.event.thread)
            return "two edges of the path do not meet in one thread";
        if (!first && f->position[edge->from.number - 1] < f->position[edge[-1].to.number - 1])
            return "the path goes back in a thread";
    }
    return NULL;
}

/* ---- one after the other ---- */

static void replay_start(struct replay *r, const struct facts *f) {
    *r = (struct replay){.facts = f};
    r->done = st_alloc((size_t)f->threads + 1, sizeof *r->done);
    r->broken = st_alloc((size_t)f->threads + 1, sizeof *r->broken);
    r->written = st_alloc((size_t)f->variables + 1, sizeof *r->written);
    r->pending = st_alloc((size_t)f->variables + 1, sizeof *r->pending);
    r->holder = st_alloc((size_t)f->locks + 1, sizeof *r->holder);
    r->sends = st_alloc((size_t)f->channels + 1, sizeof *r->sends);
    r->place = st_alloc(f->count + 1, sizeof *r->place);
    memcpy(r->sends, f->sends, f->channels * sizeof *r->sends);
}

static void replay_end(struct replay *r) {
    free(r->done);
    free(r->broken);
    free(r->written);
    free(r->pending);
    free(r->holder);
    free(r->sends);
    free(r->place);
    free(r->steps);
}

/* A schedule: so many events of the trace as they were, and then others. */
struct schedule {
    const struct st_predicted_block *predicted; /* as if the excerpt were the trace */
    size_t observed;
    size_t first; /* of the witness, after these */
    size_t index; /* of the finding */
};

static const char *check_schedule(struct replay *r, const struct schedule *schedule) {
    const struct st_predicted_block *predicted = schedule->predicted;
    observe(r, schedule->observed);
    const char *wrong = r->wrong;
    for (size_t i = schedule->first; i < predicted->witness_length && !wrong; i++)
        wrong = check_step(r, predicted->witness[i]);
    if (!wrong)
        wrong = check_path(r, predicted);
    while (r->step_count)
        undo(r, &r->steps[--r->step_count]);
    return wrong;
}

/* ---- excerpts ---- */

/* The place of an event in the excerpt, from 1; 0: it is not there. */
static uint64_t place_in(const uint64_t *numbers, size_t count, uint64_t number) {
    size_t at;
    st_lower_bound(at, 0, count, numbers[at] < number);
    return at < count && numbers[at] == number ? at + 1 : 0;
}

/* The finding as one about the excerpt, as if that were the trace. Release witness and path. */
static struct st_predicted_block translate(const uint64_t *numbers, size_t count,
                                           const struct st_predicted_block *predicted) {
    struct st_predicted_block copy = *predicted;
    copy.begin = place_in(numbers, count, predicted->begin);
    copy.end = place_in(numbers, count, predicted->end);
    copy.witness = st_alloc(copy.witness_length + 1, sizeof *copy.witness);
    for (size_t i = 0; i < predicted->witness_length; i++)
        copy.witness[i] = place_in(numbers, count, predicted->witness[i]);
    copy.path = st_alloc(copy.path_length + 1, sizeof *copy.path);
    for (size_t i = 0; i < copy.path_length; i++) {
        copy.path[i] = predicted->path[i];
        copy.path[i].from.number = place_in(numbers, count, predicted->path[i].from.number);
        copy.path[i].to.number = place_in(numbers, count, predicted->path[i].to.number);
    }
    return copy;
}

/* The witness may begin with events of the trace in their order. */
static void find_observed(const struct facts *f, struct schedule *schedule) {
    const struct st_predicted_block *predicted = schedule->predicted;
    for (size_t next = schedule->observed + 1; schedule->first < predicted->witness_length;
         next++) {
        if (next <= f->count && !f->position[next - 1])
            continue; /* it was dropped */
        if (predicted->witness[schedule->first] != next)
            return;
        schedule->observed = next;
        schedule->first++;
    }
}

static int compare_observed(const void *a, const void *b) {
    const struct schedule *x = a, *y = b;
    return (x->observed > y->observed) - (x->observed < y->observed);
}

void st_tas_validate_all(const struct st_event *events, const uint64_t *numbers,
                         const struct st_value_numbers *values, size_t count,
                         const struct st_predicted_block *predicted, size_t findings,
                         const char **wrong) {
    struct facts f;
    struct replay r;
    struct st_predicted_block *copies = st_alloc(findings + 1, sizeof *copies);
    struct schedule *schedules = st_alloc(findings + 1, sizeof *schedules);
    learn(&f, events, values, count);
    replay_start(&r, &f);
    for (size_t i = 0; i < findings; i++) {
        schedules[i] = (struct schedule){.predicted = &predicted[i], .index = i};
        if (numbers) {
            copies[i] = translate(numbers, count, &predicted[i]);
            schedules[i].predicted = &copies[i];
            schedules[i].observed = place_in(numbers, count, predicted[i].replayed);
        }
        find_observed(&f, &schedules[i]);
    }
    qsort(schedules, findings, sizeof *schedules, compare_observed);
    for (size_t i = 0; i < findings; i++)
        wrong[schedules[i].index] = check_schedule(&r, &schedules[i]);
    for (size_t i = 0; numbers && i < findings; i++) {
        free(copies[i].witness);
        free(copies[i].path);
    }
    free(copies);
    free(schedules);
    replay_end(&r);
    forget(&f);
}

const char *st_tas_validate_of(const struct st_event *events, const uint64_t *numbers,
                               const struct st_value_numbers *values, size_t count,
                               const struct st_predicted_block *predicted) {
    const char *wrong;
    st_tas_validate_all(events, numbers, values, count, predicted, 1, &wrong);
    return wrong;
}

const char *st_tas_validate(const struct st_event *events, size_t count,
                            const struct st_predicted_block *predicted) {
    return st_tas_validate_of(events, NULL, NULL, count, predicted);
}
