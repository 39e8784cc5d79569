#include "check/witness/path.h"

/* Is there a dependence from the one event to the other, which is later? */
static bool depends(const struct st_place *from, const struct st_place *to, uint64_t forgotten_at,
                    enum st_edge_kind *kind) {
    const struct st_event *a = &from->event, *b = &to->event;
    if (a->thread == b->thread)
        return false;
    if (a->op <= ST_WRITE && b->op <= ST_WRITE && a->target == b->target &&
        (a->op == ST_WRITE || b->op == ST_WRITE) && from->number > forgotten_at)
        *kind = ST_EDGE_CONFLICT;
    else if (a->op == ST_RELEASE && b->op == ST_ACQUIRE && a->target == b->target)
        *kind = ST_EDGE_LOCK;
    else if (a->op == ST_FORK && a->target == b->thread)
        *kind = ST_EDGE_FORK;
    else if (b->op == ST_JOIN && b->target == a->thread)
        *kind = ST_EDGE_JOIN;
    else if (a->op == ST_SEND && b->op == ST_RECEIVE && a->target == b->target)
        *kind = ST_EDGE_SYNC;
    else
        return false;
    return true;
}

size_t st_path_shorten(struct st_edge *path, size_t length, uint64_t forgotten_at) {
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        struct st_edge edge = path[i];
        size_t last = i;
        for (size_t j = length - 1; j > last; j--) {
            if (depends(&edge.from, &path[j].to, forgotten_at, &edge.kind)) {
                edge.to = path[j].to;
                last = j;
            }
        }
        path[kept++] = edge;
        i = last;
    }
    return kept;
}
