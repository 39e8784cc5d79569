/* Chains: what a block does reaches a second thread, which does something that reaches a third, and
 * so on until it comes back to the block. Nobody in the chain but the block's own thread conflicts
 * with both ends of it, so that holding the block until one of them has come by leads nowhere: they
 * must come by in this order.
 *
 * Which threads conflict is all that is looked at, not where: a chain that is none costs a run. The
 * first thread is left out, which conflicts with most others before they start or after they end.
 */
#include "hunt/candidate_search.h"

#include <string.h>

enum { MOST_CHAINS = 64, FIRST_THREAD = 0 };

static bool is_data(const struct st_control_point *point) {
    return point->kind == ST_POINT_READ || point->kind == ST_POINT_WRITE ||
           point->kind == ST_POINT_ATOMIC_READ || point->kind == ST_POINT_ATOMIC_WRITE;
}

static uint64_t bit_of(uint32_t thread) {
    return thread != FIRST_THREAD && thread < ST_MOST_IN_CHAINS ? UINT64_C(1) << thread : 0;
}

/* The threads that conflict with the point. */
static uint64_t meets(const struct st_candidate_search *search,
                      const struct st_control_point *point) {
    const struct st_control_point *log = search->log->log;
    const struct st_object_accesses *object = st_accesses_of(search, point);
    uint64_t threads = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        const struct st_control_point *other = &log[object->points[i]];
        if (other->thread != point->thread && st_points_conflict(point, other))
            threads |= bit_of(other->thread);
    }
    return threads;
}

void st_note_meetings(struct st_candidate_search *search) {
    const struct st_control_point *log = search->log->log;
    for (size_t i = 0; i < search->object_count; i++)
        for (uint32_t j = 0; j < search->objects[i].count; j++) {
            const struct st_control_point *point = &log[search->objects[i].points[j]];
            if (is_data(point) && bit_of(point->thread))
                search->meetings[point->thread] |= meets(search, point);
        }
}

static void add_chain(struct st_candidate_search *search, uint32_t held_after,
                      const uint32_t *threads, uint32_t count) {
    const struct st_control_log *log = search->log;
    struct st_stall stall = {.first = log->log[held_after].site, .order_count = count};
    for (uint32_t i = 0; i < count; i++)
        stall.order[i] = log->threads[threads[i]].name;
    st_candidates_add_stall(search->candidates, &stall);
    search->chains++;
}

/* Takes the lowest thread out of the set. */
static uint32_t take(uint64_t *set) {
    uint32_t thread = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1;
    return thread;
}

/* From `second`, which meets the way out alone, to one of `ends`, which meet the way in alone. */
static void add_from(struct st_candidate_search *search, uint32_t held_after, uint32_t second,
                     uint64_t ends, uint64_t between) {
    uint32_t me = search->log->log[held_after].thread;
    const uint64_t *meetings = search->meetings;
    for (uint64_t set = ends & meetings[second]; set && search->chains < MOST_CHAINS;)
        add_chain(search, held_after, (uint32_t[]){me, second, take(&set)}, 3);
    for (uint64_t middle = between & meetings[second]; middle;) {
        uint32_t third = take(&middle);
        uint64_t set = ends & meetings[third] & ~meetings[second];
        while (set && search->chains < MOST_CHAINS)
            add_chain(search, held_after, (uint32_t[]){me, second, third, take(&set)}, 4);
    }
}

/* Behind which point of the block are all locks released that it held at `list[out]`? `back`: only
 * when it comes back, or never. */
static uint32_t find_release(const struct st_candidate_search *search, const uint32_t *list,
                             uint32_t out, uint32_t back) {
    uint32_t at = out;
    while (at < back && !st_locks_are_released(search->locks, list[out], list[at + 1]))
        at++;
    return at;
}

void st_add_chains(struct st_candidate_search *search, const uint32_t *list, uint32_t count) {
    const struct st_control_point *log = search->log->log;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t me = bit_of(log[list[i]].thread), out = meets(search, &log[list[i]]);
        if (!me || !out || !is_data(&log[list[i]]))
            continue;
        for (uint32_t j = i + 1; j < count && search->chains < MOST_CHAINS; j++) {
            uint64_t in = is_data(&log[list[j]]) ? meets(search, &log[list[j]]) : 0;
            uint32_t at = in & ~out ? find_release(search, list, i, j) : j;
            for (uint64_t set = out & ~in; set && at < j;)
                add_from(search, list[at], take(&set), in & ~out, ~(out | in | me));
        }
    }
}
