/* Every sentence here repeats facts of the finding, or follows from them alone:
 *
 * - A path that leaves a block through the release of a lock shows that the block let go of it and
 *   went on. If it comes back through an acquire of the same lock, others had it in between, which
 *   they could not if the block had kept it.
 * - A lock is held by one thread at a time. If the block held it at both of its accesses and the
 *   other thread at its own, in between, then the block let go of it between them.
 * - If one side held a lock that the other side did not, it did not keep them apart. */
#include "report/story/hint.h"

#include "base/memory.h"
#include "report/story/calls.h"
#include "report/user_line.h"

#include <stdlib.h>
#include <string.h>

/* " at bank.c:25", " at location 25", or nothing. */
static void say_location(const struct st_text *text, const char *location, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    if (location) {
        fputs(" at ", text->file);
        st_put_name(text, location);
    } else if (*st_user_location(text->symbols, text->details, loc, buffer)) {
        fputc(' ', text->file);
        st_put_location(text, loc);
    }
}

/* The line that the step is told with. */
static void say_where(const struct st_text *text, const struct st_place *place) {
    struct st_calls calls = st_calls_at(text->details, place->event.loc);
    say_location(text, calls.count ? calls.frames[0].location : NULL, place->event.loc);
    st_calls_free(&calls);
}

/* For a step of the block: the line in the block itself, from which others were called. */
static void say_where_inside(const struct st_text *text, const struct st_violation *violation,
                             const struct st_place *place) {
    struct st_calls around = st_calls_at(text->details, violation->begin_loc);
    struct st_calls calls = st_calls_at(text->details, place->event.loc);
    size_t inside = around.count ? st_calls_untold(&calls, &around) : 1;
    say_location(text, calls.count ? calls.frames[inside - 1].location : NULL, place->event.loc);
    st_calls_free(&around);
    st_calls_free(&calls);
}

static void say_target(const struct st_text *text, const struct st_place *place) {
    st_put_name(
        text, st_target_name(text->symbols, (enum st_op)place->event.written, place->event.target));
}

/* ---- locks that were held ---- */

/* A copy of their names, ending with NULL. */
static char **copy_locks(const char *const *locks) {
    size_t count = 0;
    while (locks[count])
        count++;
    char **copy = st_alloc(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = st_strdup(locks[i]);
    return copy;
}

/* NULL where nothing is known of the place. */
static char **locks_at(const struct st_text *text, const struct st_place *place) {
    struct st_detail detail;
    if (!text->details)
        return NULL;
    text->details->lookup(text->details->context, place->event.loc, &detail);
    return *detail.stack ? copy_locks(detail.locks) : NULL;
}

static void free_locks(char **locks) {
    for (size_t i = 0; locks && locks[i]; i++)
        free(locks[i]);
    free(locks);
}

static bool holds(char *const *locks, const char *lock) {
    while (*locks && strcmp(*locks, lock) != 0)
        locks++;
    return *locks;
}

/* The locks at the two steps of one thread, and at those of the other. */
struct sides {
    char **in[2], **out[2];
};

/* A lock that the one thread held at both of its steps, and the other, too (`shared`), or at none.
 */
static const char *find_lock(const struct sides *sides, bool shared) {
    for (char **lock = sides->in[0]; *lock; lock++) {
        bool there = holds(sides->out[0], *lock) && holds(sides->out[1], *lock);
        bool nowhere = !holds(sides->out[0], *lock) && !holds(sides->out[1], *lock);
        if (holds(sides->in[1], *lock) && (shared ? there : nowhere))
            return *lock;
    }
    return NULL;
}

static bool none_held(const struct sides *sides) {
    return !*sides->in[0] && !*sides->in[1] && !*sides->out[0] && !*sides->out[1];
}

/* ---- accesses ---- */

/* `home` is the block's side. */
static bool say_of_accesses(const struct st_text *text, const struct st_violation *violation,
                            const struct sides *home) {
    const struct st_edge *first = &violation->path[0], *last = &violation->closing;
    uint32_t other = last->from.event.thread;
    struct sides away = {{home->out[0], home->out[1]}, {home->in[0], home->in[1]}};
    const char *lock;
    if (none_held(home)) {
        fputs("none of these accesses was made under a lock", text->file);
    } else if ((lock = find_lock(home, true))) {
        fputs("all of these accesses were made under ", text->file);
        st_put_name(text, lock);
        st_say(text, ", but %b let go of it between its two,", violation->block);
        say_where_inside(text, violation, &first->from);
        fputs(" and", text->file);
        say_where_inside(text, violation, &last->to);
    } else if ((lock = find_lock(home, false))) {
        st_say(text, "%t held ", violation->thread);
        st_put_name(text, lock);
        st_say(text, " at its accesses, but %t did not", other);
        say_where(text, &first->to);
    } else if ((lock = find_lock(&away, false))) {
        st_say(text, "%t held ", other);
        st_put_name(text, lock);
        st_say(text, " at its accesses, but %t did not", violation->thread);
        say_where_inside(text, violation, &first->from);
    } else {
        return false;
    }
    return true;
}

static bool hint_at_accesses(const struct st_text *text, const struct st_violation *violation) {
    const struct st_edge *first = &violation->path[0], *last = &violation->closing;
    struct sides home = {{locks_at(text, &first->from), locks_at(text, &last->to)},
                         {locks_at(text, &first->to), locks_at(text, &last->from)}};
    bool known = home.in[0] && home.in[1] && home.out[0] && home.out[1];
    bool said = known && say_of_accesses(text, violation, &home);
    for (int i = 0; i < 2; i++) {
        free_locks(home.in[i]);
        free_locks(home.out[i]);
    }
    return said;
}

/* ---- locks that were let go ---- */

/* Does the thread hold nothing there? False where that is not known. */
static bool holds_nothing(const struct st_text *text, const struct st_place *place) {
    char **locks = locks_at(text, place);
    bool nothing = locks && !*locks;
    free_locks(locks);
    return nothing;
}

static bool hint_at_release(const struct st_text *text, const struct st_violation *violation) {
    const struct st_place *left = &violation->path[0].from, *back = &violation->closing.to;
    bool acquires = violation->closing.kind == ST_EDGE_LOCK;
    bool same = acquires && back->event.target == left->event.target;
    st_say(text, "%b let go of ", violation->block);
    say_target(text, left);
    say_where_inside(text, violation, left);
    if (same) {
        fputs(" and took it again", text->file);
        say_where_inside(text, violation, back);
        st_say(text, "; held throughout, it would have kept %t out",
               violation->closing.from.event.thread);
        return true;
    }
    fputs(" before it ", text->file);
    if (acquires)
        fputs("took ", text->file);
    else
        fputs(back->event.written == ST_READ ? "read " : "wrote ", text->file);
    say_target(text, back);
    say_where_inside(text, violation, back);
    if (holds_nothing(text, back))
        fputs(acquires ? ", and held no lock by then" : ", which it did without a lock",
              text->file);
    return true;
}

/* There is something to say of paths that go through one other thread, from lock to lock, from
 * access to access, or from a lock to an access. In a saved result, the last dependence may be
 * missing. */
bool st_say_hint(const struct st_text *text, const struct st_violation *violation) {
    if (violation->path_length != 2 || !violation->closing.from.number)
        return false;
    enum st_edge_kind out = violation->path[0].kind, back = violation->closing.kind;
    if (out == ST_EDGE_LOCK && violation->path[0].from.event.written != ST_ACQUIRE &&
        (back == ST_EDGE_LOCK || back == ST_EDGE_CONFLICT))
        return hint_at_release(text, violation);
    if (out == ST_EDGE_CONFLICT && back == ST_EDGE_CONFLICT)
        return hint_at_accesses(text, violation);
    return false;
}
