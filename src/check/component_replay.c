#include "check/component_replay.h"

#include "base/map64.h"
#include "check/velodrome.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b) {
    const struct st_place *one = a, *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Dense numbers, so that the replay does not pay for variables that it does not see. */
struct renumbering {
    struct st_map64 threads, variables, locks, channels;
};

static struct st_event renumber(struct renumbering *r, struct st_event event) {
    event.thread = st_map64_number(&r->threads, event.thread);
    if (event.op <= ST_WRITE)
        event.target = st_map64_number(&r->variables, event.target);
    else if (event.op <= ST_RELEASE)
        event.target = st_map64_number(&r->locks, event.target);
    else if (event.op <= ST_JOIN)
        event.target = st_map64_number(&r->threads, event.target);
    else if (event.op == ST_SEND || event.op == ST_RECEIVE)
        event.target = st_map64_number(&r->channels, event.target);
    return event;
}

static void restore(const struct renumbering *r, struct st_place *place) {
    struct st_event *event = &place->event;
    event->thread = (uint32_t)r->threads.ids[event->thread];
    if (event->op <= ST_WRITE)
        event->target = (uint32_t)r->variables.ids[event->target];
    else if (event->op <= ST_RELEASE)
        event->target = (uint32_t)r->locks.ids[event->target];
    else if (event->op <= ST_JOIN)
        event->target = (uint32_t)r->threads.ids[event->target];
    else if (event->op == ST_SEND || event->op == ST_RECEIVE)
        event->target = (uint32_t)r->channels.ids[event->target];
}

static void restore_edges(const struct renumbering *r, struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        restore(r, &edges[i].from);
        restore(r, &edges[i].to);
    }
}

/* Takes over what the replay found, in the numbers of the trace. */
static void adopt(struct st_findings *findings, struct st_set64 *blamed,
                  const struct renumbering *r, struct st_findings *replayed) {
    if (replayed->verdict != ST_NOT_SERIALIZABLE)
        return;
    restore_edges(r, replayed->cycle, replayed->cycle_length);
    if (st_findings_bad_event(findings, replayed->first_bad_event))
        st_findings_cycle(findings, replayed->cycle, replayed->cycle_ends, replayed->cycle_length);
    for (size_t i = 0; i < replayed->kept; i++) {
        struct st_violation *violation = &replayed->violations[i];
        if (!st_set64_add(blamed, violation->begin))
            continue;
        violation->thread = (uint32_t)r->threads.ids[violation->thread];
        restore(r, &violation->event);
        restore_edges(r, violation->path, violation->path_length);
        st_findings_violation(findings, violation);
        violation->path = NULL; /* now theirs */
    }
}

void st_replay_component(struct st_place *events, size_t count, struct st_findings *findings,
                         struct st_set64 *blamed) {
    qsort(events, count, sizeof *events, by_number);
    struct renumbering renumbering;
    st_map64_init(&renumbering.threads);
    st_map64_init(&renumbering.variables);
    st_map64_init(&renumbering.locks);
    st_map64_init(&renumbering.channels);
    struct st_findings replayed;
    st_findings_init(&replayed, 0);
    void *graph = st_velodrome_create(&replayed, ST_BLAME_CLOSING);
    for (size_t i = 0; i < count; i++) {
        struct st_event event = renumber(&renumbering, events[i].event);
        st_velodrome.feed(graph, &event, 1, events[i].number);
    }
    st_velodrome.finish(graph, count);
    st_velodrome.destroy(graph);
    adopt(findings, blamed, &renumbering, &replayed);
    st_findings_free(&replayed);
    st_map64_free(&renumbering.threads);
    st_map64_free(&renumbering.variables);
    st_map64_free(&renumbering.locks);
    st_map64_free(&renumbering.channels);
}
