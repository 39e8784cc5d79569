/* Explores the schedules of a group, depth first.
 *
 * A step needs no choice if nothing that another thread does from now on can conflict with it: it
 * makes no difference when the step is made. That is true of all releases. It is also true of
 * acquires and accesses that can meet no acquire of the same lock, or conflicting access, of
 * another thread at the same time without a (further) common lock, which that thread could not hold
 * while this one does. In a transaction that has begun, such steps are made at once. Before that,
 * they are made together with the first step that is not of this kind, so that a transaction is not
 * opened for nothing. Only the other steps leave a choice.
 *
 * Two points of the search are equal if each thread is at the same place, all reads have read from
 * the same writes, and the same writes are the last ones (or, for cycles, if the same later steps
 * close one). The search continues from only one of them. It compares them by 128-bit hashes: there
 * can be tens of millions, and full keys would take the memory that limits the search. Two of that
 * many collide with a probability below 1e-20. */
#include "predict/blocks/exact/schedule_search.h"

#include "base/hash_table.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/blocks/exact/cycles.h"
#include "predict/blocks/exact/schedule.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

double st_search_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- a set of hashes ---- */

enum { WIDTH = 2, FIRST_SLOTS = 1024 };

static uint64_t hash_of(const uint64_t *key) {
    return key[0];
}

/* True if it is new. */
static bool add_hash(struct st_hash_table *set, XXH128_hash_t hash) {
    const uint64_t key[WIDTH] = {hash.low64, hash.high64};
    if (st_hash_is_full(set))
        st_hash_grow(set, WIDTH, FIRST_SLOTS, hash_of);
    uint64_t *slot = st_hash_find(set, WIDTH, key, key[0], NULL, NULL);
    if (slot[WIDTH])
        return false;
    st_hash_enter(set, WIDTH, slot, key, 0);
    return true;
}

/* ---- where the search is ---- */

/* A step, or the start of a new part. */
struct trace {
    uint32_t lane; /* NEW_PART, or the lane of the step */
    uint32_t old;  /* the previous last writer of its variable; for a part, the items of the
                    * previous part */
};
#define NEW_PART UINT32_MAX

/* A point at which there is a choice. */
struct frame {
    size_t trail, mark;
    uint32_t next; /* the lane to try next */
};

struct search {
    const struct st_group *group;
    enum st_search_kind kind;
    struct st_cycles *cycles; /* NULL unless the search looks for cycles */
    bool has_cycle;
    const struct st_search_limits *limits;
    st_on_violation *on_violation;
    void *context;

    size_t *places;    /* by lane: its next step */
    size_t *starts;    /* by lane: its first step in this part */
    uint32_t *last;    /* by variable: the last write, as in struct st_view, but earlier parts count
                        * too */
    uint32_t *holders; /* by lock: the lane that holds it, plus 1 */
    uint32_t *sources; /* as in struct st_view */
    size_t open;       /* number of open items, and of open critical sections that span items */
    uint32_t items;    /* number begun in this part */

    struct trace *trail;
    size_t trail_count, trail_capacity;
    size_t *saved; /* the starts of earlier parts */
    size_t saved_count, saved_capacity;
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct st_hash_table states, views; /* hashes of those visited */
    uint64_t *words;                    /* for hashing */
    size_t word_count, word_capacity;
    uint32_t ticks;
    enum st_search_end end;
};

static const struct st_exact_step *next_step(const struct search *search, uint32_t lane) {
    const struct st_lane *self = &search->group->lanes[lane];
    size_t place = search->places[lane];
    return place < self->count ? &self->steps[place] : NULL;
}

static bool is_inside(const struct search *search, uint32_t lane) {
    const struct st_exact_step *step = next_step(search, lane);
    return step && search->places[lane] > search->group->items[step->item].first;
}

/* The last write of the variable, if it was in this part. */
static uint32_t source_of(const struct search *search, uint32_t variable) {
    uint32_t source = search->last[variable];
    if (!source)
        return 0;
    const struct st_item *item = &search->group->items[search->group->owners[source - 1]];
    return item->first >= search->starts[item->lane] ? source : 0;
}

static void make_step(struct search *search, uint32_t lane) {
    const struct st_exact_step *step = next_step(search, lane);
    const struct st_item *item = &search->group->items[step->item];
    size_t place = search->places[lane]++, number = search->group->offsets[lane] + place;
    uint32_t old = 0;
    if (place == item->first) {
        search->open++;
        search->items++;
    }
    if (place + 1 == item->end)
        search->open--;
    if (step->kind == ST_TOKEN_READ) {
        search->sources[number] = source_of(search, step->target);
    } else if (step->kind == ST_TOKEN_WRITE) {
        old = search->last[step->target];
        search->last[step->target] = (uint32_t)number + 1;
    } else {
        bool acquire = step->kind == ST_TOKEN_ACQUIRE;
        search->holders[step->target] = acquire ? lane + 1 : 0;
        if (step->lasting)
            search->open += acquire ? 1 : (size_t)-1;
    }
    if (search->cycles && !search->has_cycle)
        search->has_cycle = st_cycles_step(search->cycles, lane, place);
    st_reserve(&search->trail, &search->trail_capacity, search->trail_count + 1);
    search->trail[search->trail_count++] = (struct trace){lane, old};
}

static void undo_step(struct search *search, uint32_t lane, uint32_t old) {
    size_t place = --search->places[lane];
    const struct st_exact_step *step = next_step(search, lane);
    const struct st_item *item = &search->group->items[step->item];
    if (place + 1 == item->end)
        search->open++;
    if (place == item->first) {
        search->open--;
        search->items--;
    }
    if (step->kind == ST_TOKEN_WRITE) {
        search->last[step->target] = old;
    } else if (step->kind != ST_TOKEN_READ) {
        bool acquire = step->kind == ST_TOKEN_ACQUIRE;
        search->holders[step->target] = acquire ? 0 : lane + 1;
        if (step->lasting)
            search->open -= acquire ? 1 : (size_t)-1;
    }
}

static void start_part(struct search *search) {
    size_t lanes = search->group->lane_count;
    st_reserve(&search->saved, &search->saved_capacity, search->saved_count + lanes);
    memcpy(search->saved + search->saved_count, search->starts, lanes * sizeof *search->starts);
    search->saved_count += lanes;
    memcpy(search->starts, search->places, lanes * sizeof *search->starts);
    st_reserve(&search->trail, &search->trail_capacity, search->trail_count + 1);
    search->trail[search->trail_count++] = (struct trace){NEW_PART, search->items};
    search->items = 0;
}

static void undo(struct search *search, size_t trail) {
    size_t lanes = search->group->lane_count;
    while (search->trail_count > trail) {
        struct trace trace = search->trail[--search->trail_count];
        if (trace.lane != NEW_PART) {
            undo_step(search, trace.lane, trace.old);
            continue;
        }
        search->saved_count -= lanes;
        memcpy(search->starts, search->saved + search->saved_count, lanes * sizeof *search->starts);
        search->items = trace.old;
    }
}

/* ---- which steps matter to others ---- */

/* Does the lane do this at some step from `from` to `until`? */
static bool has_step(const struct st_lane_use *use, size_t from, size_t until) {
    size_t at;
    st_lower_bound(at, 0, use->count, use->steps[at] < from);
    return at < use->count && use->steps[at] < until;
}

static const struct st_lane_use *first_use(const struct st_lane *lane, bool acquire,
                                           uint32_t target) {
    size_t at;
    st_lower_bound(at, 0, lane->use_count,
                   (lane->uses[at].kind == ST_TOKEN_ACQUIRE) != acquire
                       ? acquire
                       : lane->uses[at].target < target);
    return lane->uses + at;
}

/* Will the other lane, from its step `from` on, do something that this step interferes with? */
static bool matters_to(const struct st_group *group, const struct st_exact_step *step,
                       uint32_t other, size_t from) {
    const struct st_lane *lane = &group->lanes[other];
    bool acquire = step->kind == ST_TOKEN_ACQUIRE;
    size_t until = st_item_window(group, step->item)->until[other];
    for (const struct st_lane_use *use = first_use(lane, acquire, step->target);
         use < lane->uses + lane->use_count && use->target == step->target &&
         (use->kind == ST_TOKEN_ACQUIRE) == acquire;
         use++)
        if ((acquire || use->kind == ST_TOKEN_WRITE || step->kind == ST_TOKEN_WRITE) &&
            st_locksets_disjoint(&group->run->locksets, use->held, step->held) &&
            has_step(use, from, until))
            return true;
    return false;
}

static bool matters(const struct search *search, uint32_t lane, const struct st_exact_step *step) {
    if (step->kind == ST_TOKEN_RELEASE)
        return false;
    for (uint32_t i = 0; i < search->group->lane_count; i++)
        if (i != lane && matters_to(search->group, step, i, search->places[i]))
            return true;
    return false;
}

/* Can it matter at any time? */
static bool may_matter(const struct st_group *group, uint32_t lane,
                       const struct st_exact_step *step) {
    const struct st_window *window = st_item_window(group, step->item);
    if (step->kind == ST_TOKEN_RELEASE)
        return false;
    for (uint32_t i = 0; i < group->lane_count; i++)
        if (i != lane && matters_to(group, step, i, window->from[i]))
            return true;
    return false;
}

bool st_group_is_simple(const struct st_group *group) {
    for (size_t i = 0; i < group->item_count; i++) {
        const struct st_item *item = &group->items[i];
        unsigned count = 0;
        for (size_t k = item->first; k < item->end && item->end - item->first > 1; k++)
            count += may_matter(group, item->lane, &group->lanes[item->lane].steps[k]);
        if (count > 1)
            return false;
    }
    return !group->lasting;
}

/* ---- steps ---- */

static bool may_step(const struct search *search, uint32_t lane, const struct st_exact_step *step) {
    const struct st_item *item = &search->group->items[step->item];
    if (search->places[lane] == item->first) {
        const struct st_window *window = st_item_window(search->group, step->item);
        for (uint32_t i = 0; i < search->group->lane_count; i++)
            if (search->places[i] < window->from[i])
                return false;
    }
    return step->kind != ST_TOKEN_ACQUIRE || !search->holders[step->target];
}

/* Does no step of the item matter? Then the whole item runs at once. */
static bool is_harmless(const struct search *search, uint32_t lane, const struct st_item *item) {
    const struct st_exact_step *steps = search->group->lanes[lane].steps;
    for (size_t i = item->first; i < item->end; i++)
        if (matters(search, lane, &steps[i]) ||
            (steps[i].kind == ST_TOKEN_ACQUIRE && search->holders[steps[i].target]))
            return false;
    return true;
}

/* Makes a step that needs no choice. */
static bool settle_lane(struct search *search, uint32_t lane) {
    const struct st_exact_step *step = next_step(search, lane);
    if (!step || search->has_cycle || !may_step(search, lane, step))
        return false;
    bool free = is_inside(search, lane) || step->kind == ST_TOKEN_RELEASE
                    ? !matters(search, lane, step)
                    : is_harmless(search, lane, &search->group->items[step->item]);
    if (free)
        make_step(search, lane);
    return free;
}

static bool settle(struct search *search) {
    bool any = false, changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < search->group->lane_count; i++)
            while (settle_lane(search, i))
                any = changed = true;
    }
    return any;
}

/* Makes the next step of the lane that matters, and those before it; or those up to the release of
 * a lock that others may be waiting for. False if it cannot be made now; some of the steps before
 * it may have been made then. */
static bool advance(struct search *search, uint32_t lane) {
    for (;;) {
        const struct st_exact_step *step = next_step(search, lane);
        if (!step || !may_step(search, lane, step))
            return false;
        bool chosen =
            matters(search, lane, step) || (step->kind == ST_TOKEN_RELEASE && step->lasting);
        make_step(search, lane);
        if (chosen)
            return true;
    }
}

/* ---- states ---- */

static void put_word(struct search *search, uint64_t word) {
    st_reserve(&search->words, &search->word_capacity, search->word_count + 1);
    search->words[search->word_count++] = word;
}

/* Hashes everything that the rest of this part depends on. */
static XXH128_hash_t hash_state(struct search *search) {
    const struct st_group *group = search->group;
    search->word_count = 0;
    for (uint32_t i = 0; i < group->lane_count; i++) {
        const struct st_exact_step *steps = group->lanes[i].steps;
        put_word(search, search->places[i]);
        if (search->cycles)
            continue;
        put_word(search, search->starts[i]);
        for (size_t k = search->starts[i]; k < search->places[i]; k++) {
            size_t number = group->offsets[i] + k;
            if (steps[k].kind == ST_TOKEN_READ)
                put_word(search, search->sources[number]);
            else if (steps[k].kind == ST_TOKEN_WRITE)
                put_word(search, search->last[steps[k].target] == number + 1);
        }
    }
    if (search->cycles) {
        XXH128_hash_t hash = st_cycles_hash(search->cycles);
        put_word(search, hash.low64);
        put_word(search, hash.high64);
    }
    return XXH3_128bits(search->words, search->word_count * sizeof *search->words);
}

/* ---- parts ---- */

static bool is_part_serializable(const struct search *search) {
    const struct st_group *group = search->group;
    uint32_t *items = st_alloc((size_t)search->items + 1, sizeof *items);
    uint32_t *last = st_alloc((size_t)group->variable_count + 1, sizeof *last);
    size_t count = 0;
    for (uint32_t i = 0; i < group->lane_count; i++)
        for (size_t k = search->starts[i]; k < search->places[i];) {
            items[count++] = group->lanes[i].steps[k].item;
            k = group->items[items[count - 1]].end;
        }
    /* There are usually few items, so insertion sort is good enough. */
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && items[k - 1] > items[k]; k--) {
            uint32_t item = items[k];
            items[k] = items[k - 1];
            items[k - 1] = item;
        }
    for (uint32_t i = 0; i < group->variable_count; i++)
        last[i] = source_of(search, i);
    struct st_view view = {items, count, search->starts, search->places, search->sources, last};
    bool serializable = st_view_is_serializable(group, &view);
    free(items);
    free(last);
    return serializable;
}

/* The moves so far, and where those of this part begin. */
static struct st_move *list_moves(const struct search *search, size_t *count, size_t *first) {
    struct st_move *moves = st_alloc(search->trail_count + 1, sizeof *moves);
    size_t *places = st_alloc(search->group->lane_count + 1, sizeof *places);
    *count = *first = 0;
    for (size_t i = 0; i < search->trail_count; i++) {
        uint32_t lane = search->trail[i].lane;
        if (lane == NEW_PART)
            *first = *count;
        else
            moves[(*count)++] = (struct st_move){lane, places[lane]++};
    }
    free(places);
    return moves;
}

static void report(struct search *search) {
    size_t count, first;
    struct st_move *moves = list_moves(search, &count, &first);
    if (!search->on_violation(search->context, moves, count, first))
        search->end = ST_SEARCH_STOPPED;
    free(moves);
}

static void judge_part(struct search *search) {
    if (!search->cycles && search->items > 1 && add_hash(&search->views, hash_state(search)) &&
        !is_part_serializable(search))
        report(search);
}

static bool is_complete(const struct search *search) {
    for (uint32_t i = 0; i < search->group->lane_count; i++)
        if (next_step(search, i))
            return false;
    return true;
}

/* ---- the search ---- */

static bool is_over(struct search *search) {
    const struct st_search_limits *limits = search->limits;
    if (search->end == ST_SEARCH_DONE && ++search->ticks % 16 == 0 &&
        ((limits->deadline > 0 && st_search_clock() > limits->deadline) ||
         st_total_time_is_up(limits->total)))
        search->end = ST_SEARCH_GAVE_UP;
    size_t slots = search->states.slot_count + search->views.slot_count;
    if (search->end == ST_SEARCH_DONE && slots * st_hash_slot_bytes(WIDTH) > limits->most_bytes)
        search->end = ST_SEARCH_GAVE_UP;
    return search->end != ST_SEARCH_DONE;
}

/* Called after a step: makes the steps that need no choice, and adds a frame if a choice is
 * left. */
static void arrive(struct search *search) {
    for (bool changed = true; changed;) {
        changed = settle(search);
        bool complete = is_complete(search);
        if (search->has_cycle || (search->open && !complete) || !search->items)
            continue;
        if (search->kind != ST_SEARCH_WHOLE || complete)
            judge_part(search);
        if (search->kind != ST_SEARCH_WHOLE)
            start_part(search);
    }
    if (search->has_cycle) {
        report(search);
        return;
    }
    if (search->end != ST_SEARCH_DONE || is_complete(search) ||
        !add_hash(&search->states, hash_state(search)))
        return;
    st_reserve(&search->frames, &search->frame_capacity, search->frame_count + 1);
    search->frames[search->frame_count++] = (struct frame){
        .trail = search->trail_count, .mark = search->cycles ? st_cycles_mark(search->cycles) : 0};
}

static void go_through(struct search *search) {
    arrive(search);
    while (search->frame_count && !is_over(search)) {
        struct frame *frame = &search->frames[search->frame_count - 1];
        undo(search, frame->trail);
        if (search->cycles)
            st_cycles_undo(search->cycles, frame->mark);
        search->has_cycle = false;
        if (frame->next == search->group->lane_count)
            search->frame_count--;
        else if (advance(search, frame->next++))
            arrive(search);
    }
}

enum st_search_end st_search(const struct st_group *group, enum st_search_kind kind,
                             const struct st_search_limits *limits, st_on_violation *on_violation,
                             void *context) {
    struct search search = {.group = group,
                            .kind = kind,
                            .cycles = kind == ST_SEARCH_CYCLES ? st_cycles_new(group) : NULL,
                            .limits = limits,
                            .on_violation = on_violation,
                            .context = context,
                            .places = st_alloc(group->lane_count + 1, sizeof(size_t)),
                            .starts = st_alloc(group->lane_count + 1, sizeof(size_t)),
                            .last = st_alloc((size_t)group->variable_count + 1, sizeof(uint32_t)),
                            .holders = st_alloc((size_t)group->lock_count + 1, sizeof(uint32_t)),
                            .end = ST_SEARCH_DONE};
    search.sources = st_alloc(group->offsets[group->lane_count] + 1, sizeof *search.sources);
    go_through(&search);
    st_cycles_free(search.cycles);
    free(search.places);
    free(search.starts);
    free(search.last);
    free(search.holders);
    free(search.sources);
    free(search.trail);
    free(search.saved);
    free(search.frames);
    st_hash_free(&search.states, WIDTH);
    st_hash_free(&search.views, WIDTH);
    free(search.words);
    return search.end;
}
