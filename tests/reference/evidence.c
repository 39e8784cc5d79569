#include "reference/evidence.h"

bool evidence_place(const struct st_place *place, const struct sample *sample) {
    if (place->number < 1 || place->number > sample->count)
        return false;
    const struct st_event *event = &sample->events[place->number - 1];
    bool left_out = sample->relation == ST_DATA && sample_is_on_lock(sample, event);
    return event->thread == place->event.thread && event->target == place->event.target &&
           event->loc == place->event.loc && event->written == place->event.written &&
           place->event.op == (left_out ? ST_LOCKING : event->op);
}

static const char *check_edge(const struct st_edge *edge, const struct sample *sample) {
    if (!evidence_place(&edge->from, sample) || !evidence_place(&edge->to, sample))
        return "an edge has an event that is not the trace's";
    if (edge->from.number >= edge->to.number)
        return "an edge goes back in the trace";
    if (!reference_counts(sample, &sample->events[edge->from.number - 1],
                          &sample->events[edge->to.number - 1], edge->kind))
        return "an edge is no dependence of its kind";
    return NULL;
}

const char *evidence_path(const struct st_violation *violation, const struct sample *sample) {
    for (size_t i = 0; i < violation->path_length; i++) {
        const struct st_edge *edge = &violation->path[i];
        const char *wrong = check_edge(edge, sample);
        if (wrong)
            return wrong;
        if (i == 0 && edge->from.event.thread != violation->thread)
            return "the path starts in another thread";
        if (i == 0 && edge->from.number < violation->begin)
            return "the path starts before the block";
        if (i > 0 && edge->from.event.thread != edge[-1].to.event.thread)
            return "two edges of the path do not meet in one thread";
        if (i > 0 && edge->from.number < edge[-1].to.number)
            return "two edges of the path meet against program order";
    }
    const struct st_edge *last = &violation->path[violation->path_length - 1];
    return last->to.number == violation->event.number ? NULL : "the path ends at another event";
}

static bool depends_directly(const struct sample *sample, const struct st_event *from,
                             const struct st_event *to) {
    return reference_counts(sample, from, to, ST_EDGE_CONFLICT) ||
           reference_counts(sample, from, to, ST_EDGE_LOCK) ||
           reference_counts(sample, from, to, ST_EDGE_FORK) ||
           reference_counts(sample, from, to, ST_EDGE_JOIN) ||
           reference_counts(sample, from, to, ST_EDGE_SYNC);
}

/* edges[i]: the fewest edges from the block to event i, or NONE. Events of the block itself start
 * with 0, but only a path that has left the block counts in the end: `returned`. */
size_t evidence_shortest(const struct st_violation *violation, const struct sample *sample) {
    enum { NONE = SAMPLE_EVENTS };
    size_t edges[SAMPLE_EVENTS], returned = NONE;
    for (size_t to = 0; to < violation->event.number; to++) {
        const struct st_event *event = &sample->events[to];
        bool own = event->thread == violation->thread;
        edges[to] = own && to + 1 >= violation->begin ? 0 : NONE;
        for (size_t from = violation->begin - 1; from < to; from++) {
            const struct st_event *source = &sample->events[from];
            if (edges[from] == NONE || source->op == ST_DROPPED)
                continue;
            if (!own && source->thread == event->thread && edges[from] < edges[to])
                edges[to] = edges[from];
            if (!own && depends_directly(sample, source, event) && edges[from] + 1 < edges[to])
                edges[to] = edges[from] + 1;
            if (to + 1 == violation->event.number && depends_directly(sample, source, event) &&
                edges[from] + 1 < returned)
                returned = edges[from] + 1;
        }
    }
    return returned;
}

const char *evidence_closing(const struct st_violation *violation, const struct sample *sample) {
    const struct st_edge *closing = &violation->closing;
    if (!closing->from.number)
        return NULL;
    if (closing->to.number != violation->event.number)
        return "the last edge ends at another event";
    return check_edge(closing, sample);
}

const char *evidence_cycle(const struct st_edge *edges, size_t count, uint64_t limit,
                           const struct sample *sample, const struct reference *reference) {
    for (size_t i = 0; i < count; i++) {
        const struct st_place *to = &edges[i].to, *from = &edges[(i + 1) % count].from;
        const char *wrong = check_edge(&edges[i], sample);
        if (wrong)
            return wrong;
        if (to->number > limit)
            return "the cycle goes beyond the first bad event";
        if (to->event.thread != from->event.thread)
            return "two edges of the cycle do not meet in one thread";
        if (from->number < 1 || from->number > sample->count)
            return "an edge has an event that is not the trace's";
        bool together = reference->transaction[to->number - 1] >> (from->number - 1) & 1;
        if (!together && from->number < to->number)
            return "two edges of the cycle meet against program order";
    }
    return NULL;
}

/* A block, open or not, starts with its begin. */
static const char *check_transaction(const struct st_transaction *said,
                                     const struct st_place *place, const struct sample *sample,
                                     const struct reference *reference) {
    if (!said->first)
        return NULL;
    size_t first = (size_t)__builtin_ctzll(reference->transaction[place->number - 1]);
    const struct st_event *begin = &sample->events[first];
    if (said->first != first + 1)
        return "an end is in another transaction";
    if (said->unary != (begin->op != ST_BEGIN))
        return "an end is not both a block and an event alone";
    return said->unary || said->block == begin->target ? NULL : "an end is in another block";
}

const char *evidence_ends(const struct st_edge *edges, const struct st_ends *ends, size_t count,
                          const struct sample *sample, const struct reference *reference) {
    for (size_t i = 0; i < count; i++) {
        const char *wrong = check_transaction(&ends[i].from, &edges[i].from, sample, reference);
        if (!wrong)
            wrong = check_transaction(&ends[i].to, &edges[i].to, sample, reference);
        if (wrong)
            return wrong;
    }
    return NULL;
}
