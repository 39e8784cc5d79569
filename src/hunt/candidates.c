#include "hunt/candidates.h"

#include "base/memory.h"
#include "hunt/candidate_search.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_OF_BLOCK = 48, /* accesses of a block */
    MOST_CALLS = 24,    /* runs of the same block */
    SAME_TWICE = 2
};

void st_candidates_free(struct st_candidates *candidates) {
    free(candidates->list);
    free(candidates->stalls);
}

/* ---- adding ---- */

void st_candidates_add(struct st_candidates *candidates, const struct st_candidate *candidate) {
    for (size_t i = 0; i < candidates->count; i++) {
        const struct st_candidate *known = &candidates->list[i];
        if (known->first == candidate->first && known->other == candidate->other &&
            known->last == candidate->last)
            return;
    }
    if (candidates->count >= ST_MOST_CANDIDATES)
        return;
    st_reserve(&candidates->list, &candidates->capacity, candidates->count + 1);
    candidates->list[candidates->count++] = *candidate;
}

static bool are_same(const struct st_stall *a, const struct st_stall *b) {
    return a->first == b->first && a->order_count == b->order_count &&
           memcmp(a->order, b->order, a->order_count * sizeof *a->order) == 0;
}

void st_candidates_add_stall(struct st_candidates *candidates, const struct st_stall *stall) {
    for (size_t i = 0; i < candidates->stall_count; i++)
        if (are_same(&candidates->stalls[i], stall))
            return;
    if (candidates->stall_count >= ST_MOST_STALLS)
        return;
    st_reserve(&candidates->stalls, &candidates->stall_capacity, candidates->stall_count + 1);
    candidates->stalls[candidates->stall_count++] = *stall;
}

/* ---- conflicts ---- */

enum access { NO_ACCESS, READS, WRITES, SYNCHRONISES };

static enum access access_of(const struct st_control_point *point) {
    switch ((enum st_control_kind)point->kind) {
    case ST_POINT_READ:
    case ST_POINT_ATOMIC_READ:
        return READS;
    case ST_POINT_WRITE:
    case ST_POINT_ATOMIC_WRITE:
        return WRITES;
    case ST_POINT_LOCK:
    case ST_POINT_READ_LOCK:
    case ST_POINT_TRY_LOCK:
    case ST_POINT_UNLOCK:
    case ST_POINT_SEM_WAIT:
    case ST_POINT_SEM_POST:
        return SYNCHRONISES;
    default:
        return NO_ACCESS;
    }
}

static bool overlaps(const struct st_control_point *a, const struct st_control_point *b) {
    uint64_t a_size = a->size ? a->size : 1, b_size = b->size ? b->size : 1;
    return a->object < b->object + b_size && b->object < a->object + a_size;
}

bool st_points_conflict(const struct st_control_point *a, const struct st_control_point *b) {
    enum access one = access_of(a), other = access_of(b);
    if (!one || !other || !overlaps(a, b) || (one == SYNCHRONISES) != (other == SYNCHRONISES))
        return false;
    return one == SYNCHRONISES || one == WRITES || other == WRITES;
}

/* ---- the accesses of each object ---- */

static uint64_t word_of(const struct st_control_point *point) {
    return point->object >> 3;
}

static void note_access(struct st_candidate_search *search, uint32_t index) {
    const struct st_control_point *point = &search->log->log[index];
    if (!access_of(point))
        return;
    uint32_t number = st_map64_number(&search->numbers, word_of(point));
    st_reserve(&search->objects, &search->object_capacity, (size_t)number + 1);
    if (number >= search->object_count)
        search->object_count = (size_t)number + 1;
    struct st_object_accesses *object = &search->objects[number];
    uint32_t same = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        const struct st_control_point *known = &search->log->log[object->points[i]];
        same += known->site == point->site && known->thread == point->thread;
    }
    if (object->count < ST_MOST_OF_OBJECT && same < SAME_TWICE)
        object->points[object->count++] = index;
}

const struct st_object_accesses *st_accesses_of(const struct st_candidate_search *search,
                                                const struct st_control_point *point) {
    static const struct st_object_accesses none;
    uint32_t number = st_map64_find(&search->numbers, word_of(point));
    return number < search->object_count ? &search->objects[number] : &none;
}

/* ---- candidates of a block ---- */

static void add_found(struct st_candidate_search *search, const struct st_control_point *first,
                      const struct st_control_point *other, const struct st_control_point *last) {
    st_candidates_add(search->candidates, &(struct st_candidate){.first = first->site,
                                                                 .other = other->site,
                                                                 .last = last->site,
                                                                 .block = first->block_site});
}

/* Another thread comes between at `other`, and goes on to what conflicts with `later`. If it was
 * there before, in the same block, no block is cut, but no serial order explains it either. */
static void add_two_variables(struct st_candidate_search *search, uint32_t first, uint32_t later,
                              uint32_t other) {
    const struct st_control_point *log = search->log->log;
    const struct st_object_accesses *far = st_accesses_of(search, &log[later]);
    for (uint32_t i = 0; i < far->count; i++) {
        uint32_t last = far->points[i];
        bool same_block = log[last].block && log[last].block == log[other].block;
        if (log[last].thread != log[other].thread || !st_points_conflict(&log[last], &log[later]) ||
            st_locks_exclude(search->locks, first, later, last))
            continue;
        if (last > other)
            add_found(search, &log[first], &log[other], &log[last]);
        else if (same_block)
            add_found(search, &log[first], &log[last], &log[other]);
    }
}

static void add_pair(struct st_candidate_search *search, uint32_t first, uint32_t later) {
    const struct st_control_point *log = search->log->log;
    const struct st_object_accesses *near = st_accesses_of(search, &log[first]);
    for (uint32_t i = 0; i < near->count; i++) {
        uint32_t other = near->points[i];
        if (log[other].thread == log[first].thread ||
            !st_points_conflict(&log[first], &log[other]) ||
            st_locks_exclude(search->locks, first, later, other))
            continue;
        if (st_points_conflict(&log[other], &log[later]))
            add_found(search, &log[first], &log[other], &log[other]);
        else
            add_two_variables(search, first, later, other);
    }
}

/* Is the object touched by another thread, too? */
static bool is_shared(const struct st_candidate_search *search, uint32_t index) {
    const struct st_control_point *point = &search->log->log[index];
    const struct st_object_accesses *object = st_accesses_of(search, point);
    for (uint32_t i = 0; i < object->count; i++)
        if (search->log->log[object->points[i]].thread != point->thread)
            return true;
    return false;
}

static bool is_looked_at(struct st_candidate_search *search, uint64_t block) {
    uint32_t number = st_map64_number(&search->blocks, block);
    st_reserve(&search->calls, &search->call_capacity, (size_t)number + 1);
    return ++search->calls[number] <= MOST_CALLS;
}

/* From `start`, the first point of a run of a block. */
static void search_block(struct st_candidate_search *search, uint32_t start) {
    const struct st_control_point *log = search->log->log;
    uint32_t list[MOST_OF_BLOCK], count = 0;
    if (!is_looked_at(search, log[start].block_site))
        return;
    for (uint32_t i = start; i < search->log->point_count && count < MOST_OF_BLOCK; i++) {
        if (log[i].thread != log[start].thread)
            continue;
        if (log[i].block != log[start].block)
            break;
        uint32_t same = 0;
        for (uint32_t j = 0; j < count; j++)
            same += log[list[j]].site == log[i].site && log[list[j]].object == log[i].object;
        if (same < SAME_TWICE && access_of(&log[i]) && is_shared(search, i))
            list[count++] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count)
            st_candidates_add_stall(search->candidates,
                                    &(struct st_stall){.first = log[list[i]].site});
        for (uint32_t j = i + 1; j < count; j++)
            add_pair(search, list[i], list[j]);
    }
    st_add_chains(search, list, count);
}

static void search_blocks(struct st_candidate_search *search) {
    const struct st_control_log *log = search->log;
    uint32_t *current = st_alloc((size_t)log->thread_count + 1, sizeof *current);
    for (uint32_t i = 0; i < log->point_count; i++) {
        const struct st_control_point *point = &log->log[i];
        if (point->block && point->block != current[point->thread])
            search_block(search, i);
        current[point->thread] = point->block;
    }
    free(current);
}

void st_candidates_add_log(struct st_candidates *candidates, const struct st_control_log *log) {
    struct st_candidate_search search = {.candidates = candidates, .log = log};
    st_map64_init(&search.numbers);
    st_map64_init(&search.blocks);
    for (uint32_t i = 0; i < log->point_count; i++)
        note_access(&search, i);
    search.locks = st_lock_history_new(log);
    st_note_meetings(&search);
    search_blocks(&search);
    st_lock_history_free(search.locks);
    st_map64_free(&search.numbers);
    st_map64_free(&search.blocks);
    free(search.objects);
    free(search.calls);
}

/* ---- choosing ---- */

static uint64_t tries_of_block(const struct st_candidates *candidates, uint64_t block) {
    uint64_t tries = 0;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->list[i].block == block)
            tries += candidates->list[i].tries;
    return tries;
}

struct st_candidate *st_candidates_next(struct st_candidates *candidates) {
    struct st_candidate *best = NULL;
    uint64_t best_score = 0, best_of_block = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        struct st_candidate *candidate = &candidates->list[i];
        uint64_t score = 2 * (uint64_t)candidate->tries + candidate->in_vain;
        if (best && score > best_score)
            continue;
        uint64_t of_block = tries_of_block(candidates, candidate->block);
        if (!best || score < best_score || of_block < best_of_block) {
            best = candidate;
            best_score = score;
            best_of_block = of_block;
        }
    }
    if (best)
        best->tries++;
    return best;
}

struct st_stall *st_candidates_next_stall(struct st_candidates *candidates) {
    struct st_stall *best = NULL;
    bool with_order = candidates->stall_turns++ % 2 == 0;
    for (size_t i = 0; i < candidates->stall_count; i++) {
        struct st_stall *stall = &candidates->stalls[i];
        bool wanted = (stall->order_count != 0) == with_order;
        bool best_is_wanted = best && (best->order_count != 0) == with_order;
        if (!best || (wanted && !best_is_wanted) ||
            (wanted == best_is_wanted && stall->tries < best->tries))
            best = stall;
    }
    if (best)
        best->tries++;
    return best;
}
