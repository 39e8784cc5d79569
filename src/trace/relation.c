#include "trace/relation.h"

#include <string.h>

const char *st_relation_name(enum st_relation relation) {
    return relation == ST_DATA ? "data" : "locks";
}

enum st_relation st_relation_find(const char *name) {
    for (enum st_relation relation = ST_LOCKS; relation <= ST_DATA; relation++)
        if (strcmp(name, st_relation_name(relation)) == 0)
            return relation;
    return ST_USUAL_RELATION;
}

enum st_relation st_relation_or_usual(enum st_relation given, bool of_program) {
    if (given != ST_USUAL_RELATION)
        return given;
    return of_program ? ST_DATA : ST_LOCKS;
}

static bool is_on_lock(const struct st_channels *channels, const struct st_event *event) {
    switch (event->op) {
    case ST_ACQUIRE:
    case ST_RELEASE:
        return true;
    case ST_SEND:
    case ST_RECEIVE:
        return st_channel(channels, event->target).kind > ST_SIGNAL_SIDE;
    default:
        return false;
    }
}

void st_relation_apply(enum st_relation relation, const struct st_channels *channels,
                       struct st_event *events, size_t count) {
    if (relation != ST_DATA)
        return;
    for (size_t i = 0; i < count; i++)
        if (is_on_lock(channels, &events[i]))
            events[i].op = ST_LOCKING;
}
