/* Every sentence here repeats facts of the finding, or follows from them alone:
 *
 * - A path that leaves a block through the release of a lock shows that the block let go of it and
 *   went on. If it comes back through an acquire of the same lock, others had it in between, which
 *   they could not if the block had kept it.
 * - A lock is held by one thread at a time. If the block held it at both of its accesses and the
 *   other thread at its own, in between, then the block let go of it between them.
 * - If one side held a lock that the other side did not, it did not keep them apart.
 * - If the block held a lock at the access where the path leaves it and no longer where it comes
 *   back, and the other thread held it in between, then the block let go of it too early. */
#include "report/story/builder.h"

#include "report/calls.h"
#include "report/triage/held_locks.h"

#include <stdlib.h>
#include <string.h>

/* A hint in the making. */
struct hint {
    FILE *file;
    const struct st_report *report;
    const struct st_violation *violation;
};

/* " at bank.c:25", " at location 25", or nothing. */
static void put_location(const struct hint *h, const char *location, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    if (location) {
        fprintf(h->file, " at %s", location);
    } else if (*st_user_location(h->report->symbols, h->report->details, loc, buffer)) {
        fputc(' ', h->file);
        st_put_where(h->file, h->report, loc);
    }
}

/* The line that the step is shown with. */
static void put_where(const struct hint *h, const struct st_place *place) {
    struct st_calls calls = st_calls_at(h->report->details, place->event.loc);
    put_location(h, calls.count ? calls.frames[0].location : NULL, place->event.loc);
    st_calls_free(&calls);
}

/* For a step of the block: the line in the block itself, from which others were called. */
static void put_where_inside(const struct hint *h, const struct st_place *place) {
    struct st_calls around = st_calls_at(h->report->details, h->violation->begin_loc);
    struct st_calls calls = st_calls_at(h->report->details, place->event.loc);
    size_t inside = around.count ? st_calls_new(&calls, &around) : 1;
    put_location(h, calls.count ? calls.frames[inside - 1].location : NULL, place->event.loc);
    st_calls_free(&around);
    st_calls_free(&calls);
}

static void put_target(const struct hint *h, const struct st_place *place) {
    fputs(st_target_name(h->report->symbols, (enum st_op)place->event.written, place->event.target),
          h->file);
}

/* ---- accesses ---- */

static bool hint_at_locks(const struct hint *h, const struct st_held_locks *held) {
    const struct st_violation *violation = h->violation;
    const struct st_edge *first = &violation->path[0], *last = &violation->closing;
    uint32_t other = last->from.event.thread;
    const char *lock;
    if (st_none_held(held)) {
        fputs("none of these accesses was made under a lock", h->file);
    } else if ((lock = st_lock_let_go(held))) {
        st_put_sentence(h->file, h->report,
                        "all of these accesses were made under %s, but %b let go of it between its "
                        "two,",
                        lock, violation->block);
        put_where_inside(h, &first->from);
        fputs(" and", h->file);
        put_where_inside(h, &last->to);
    } else if ((lock = st_lock_left(held))) {
        st_put_sentence(h->file, h->report, "%b let go of %s after its access", violation->block,
                        lock);
        put_where_inside(h, &first->from);
        fputs(" and went on", h->file);
        put_where_inside(h, &last->to);
        st_put_sentence(h->file, h->report, "; held throughout, it would have kept %t out", other);
    } else if ((lock = st_lock_ignored(held, true))) {
        st_put_sentence(h->file, h->report, "%t held %s at its accesses, but %t did not",
                        violation->thread, lock, other);
        put_where(h, &first->to);
    } else if ((lock = st_lock_ignored(held, false))) {
        st_put_sentence(h->file, h->report, "%t held %s at its accesses, but %t did not", other,
                        lock, violation->thread);
        put_where_inside(h, &first->from);
    } else {
        return false;
    }
    return true;
}

static bool hint_at_accesses(const struct hint *h) {
    struct st_held_locks held = st_held_locks(h->report, h->violation);
    bool certain = held.known && hint_at_locks(h, &held);
    st_held_locks_free(&held);
    return certain;
}

/* ---- locks that were let go ---- */

static bool hint_at_release(const struct hint *h) {
    const struct st_violation *violation = h->violation;
    const struct st_place *left = &violation->path[0].from, *back = &violation->closing.to;
    bool acquires = violation->closing.kind == ST_EDGE_LOCK;
    bool same = acquires && back->event.target == left->event.target;
    st_put_sentence(h->file, h->report, "%b let go of ", violation->block);
    put_target(h, left);
    put_where_inside(h, left);
    if (same) {
        fputs(" and took it again", h->file);
        put_where_inside(h, back);
        st_put_sentence(h->file, h->report, "; held throughout, it would have kept %t out",
                        violation->closing.from.event.thread);
        return true;
    }
    fputs(acquires                         ? " before it took "
          : back->event.written == ST_READ ? " before it read "
                                           : " before it wrote ",
          h->file);
    put_target(h, back);
    put_where_inside(h, back);
    if (st_holds_nothing(h->report, back))
        fputs(acquires ? ", and held no lock by then" : ", which it did without a lock", h->file);
    return true;
}

/* There is something to say of paths that go through one other thread, from lock to lock, from
 * access to access, or from a lock to an access. In a saved result, the last dependence may be
 * missing. */
static bool hint_at(const struct hint *h) {
    const struct st_violation *violation = h->violation;
    if (violation->path_length != 2 || !violation->closing.from.number)
        return false;
    enum st_edge_kind out = violation->path[0].kind, back = violation->closing.kind;
    if (out == ST_EDGE_LOCK && violation->path[0].from.event.written != ST_ACQUIRE &&
        (back == ST_EDGE_LOCK || back == ST_EDGE_CONFLICT))
        return hint_at_release(h);
    if (out == ST_EDGE_CONFLICT && back == ST_EDGE_CONFLICT)
        return hint_at_accesses(h);
    return false;
}

char *st_hint_text(const struct st_report *report, const struct st_violation *violation) {
    struct st_text_buffer buffer;
    struct hint h = {st_text_buffer_open(&buffer), report, violation};
    bool certain = hint_at(&h);
    if (certain)
        fputc('.', h.file);
    char *text = st_text_buffer_close(&buffer);
    if (certain)
        return text;
    free(text);
    return NULL;
}
