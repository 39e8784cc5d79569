#include "report/triage/held_locks.h"

#include "base/memory.h"
#include "report/triage/weight.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lists ---- */

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
static char **locks_at(const struct st_report *report, const struct st_place *place) {
    struct st_detail detail = st_detail_at(report, place->event.loc);
    return *detail.stack && !detail.locks_unknown ? copy_locks(detail.locks) : NULL;
}

static void free_locks(char **locks) {
    for (size_t i = 0; locks && locks[i]; i++)
        free(locks[i]);
    free(locks);
}

struct st_held_locks st_held_locks(const struct st_report *report,
                                   const struct st_violation *violation) {
    const struct st_edge *first = &violation->path[0], *last = &violation->closing;
    struct st_held_locks held = {
        .in = {locks_at(report, &first->from), locks_at(report, &last->to)},
        .out = {locks_at(report, &first->to), locks_at(report, &last->from)}};
    held.known = held.in[0] && held.in[1] && held.out[0] && held.out[1];
    return held;
}

void st_held_locks_free(struct st_held_locks *held) {
    for (int i = 0; i < 2; i++) {
        free_locks(held->in[i]);
        free_locks(held->out[i]);
    }
}

/* ---- Names ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool is_reading(const char *lock) {
    return ends_with(lock, ST_HELD_FOR_READING);
}

/* The name of the lock, held for reading or not. */
static int name_length(const char *lock) {
    return (int)(strlen(lock) - (is_reading(lock) ? strlen(ST_HELD_FOR_READING) : 0));
}

/* How the lock is held, if at all; otherwise NULL. */
static const char *find_held(char *const *locks, const char *lock) {
    int length = name_length(lock);
    for (; *locks; locks++)
        if (name_length(*locks) == length && strncmp(*locks, lock, (size_t)length) == 0)
            return *locks;
    return NULL;
}

/* Is the same lock held in two ways that exclude each other? */
static bool exclude(const char *one, const char *other) {
    return one && other && !(is_reading(one) && is_reading(other)) &&
           !ends_with(one, ST_SEVERAL_HOLD);
}

/* ---- What they say ---- */

bool st_none_held(const struct st_held_locks *held) {
    return !*held->in[0] && !*held->in[1] && !*held->out[0] && !*held->out[1];
}

const char *st_lock_let_go(const struct st_held_locks *held) {
    for (char **lock = held->in[0]; *lock; lock++)
        if (find_held(held->in[1], *lock) && find_held(held->out[1], *lock) &&
            exclude(*lock, find_held(held->out[0], *lock)))
            return *lock;
    return NULL;
}

const char *st_lock_left(const struct st_held_locks *held) {
    for (char **lock = held->in[0]; *lock; lock++)
        if (!find_held(held->in[1], *lock) && exclude(*lock, find_held(held->out[0], *lock)))
            return *lock;
    return NULL;
}

const char *st_lock_ignored(const struct st_held_locks *held, bool by_other) {
    char **const *keeps = by_other ? held->in : held->out;
    char **const *ignores = by_other ? held->out : held->in;
    for (char **lock = keeps[0]; *lock; lock++)
        if (find_held(keeps[1], *lock) && !find_held(ignores[0], *lock) &&
            !find_held(ignores[1], *lock))
            return *lock;
    return NULL;
}

bool st_holds_nothing(const struct st_report *report, const struct st_place *place) {
    char **locks = locks_at(report, place);
    bool nothing = locks && !*locks;
    free_locks(locks);
    return nothing;
}

bool st_is_let_go(const struct st_report *report, const struct st_violation *violation) {
    if (!st_is_direct(violation) || violation->path[0].kind != ST_EDGE_CONFLICT ||
        violation->closing.kind != ST_EDGE_CONFLICT)
        return false;
    struct st_held_locks held = st_held_locks(report, violation);
    bool let_go = held.known && (st_lock_let_go(&held) || st_lock_left(&held));
    st_held_locks_free(&held);
    return let_go;
}
