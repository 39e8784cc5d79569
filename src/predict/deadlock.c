#include "predict/deadlock.h"

#include "base/intern.h"
#include "base/memory.h"
#include "base/scc.h"

#include <stdlib.h>

enum { MOST_RINGS = 100 };
enum { MOST_STEPS = 20 * 1000 * 1000 };

struct request {
    uint32_t period, held_set, wants;
    uint64_t number, loc; /* the acquire */
    size_t held;          /* in st_deadlock_watch.held: as many as held_set has locks */
};

/* What makes requests alike. */
struct request_key {
    uint32_t period, held_set, wants;
};

/* The requests of a trace. Those that can be in no ring are left out: there may be as many as there
 * are sets of locks. */
struct watch {
    struct st_model *model;
    uint32_t *groups;      /* of locks that can be in a ring, if all threads run at the same time */
    struct st_intern keys; /* struct request_key, by number of the request */
    struct request *requests;
    size_t count, capacity;
    struct st_held_lock *held; /* of all requests */
    size_t held_count, held_capacity;
};

static void *create(struct st_model *model, unsigned flags) {
    struct watch *watch = st_alloc(1, sizeof *watch);
    (void)flags;
    watch->model = model;
    watch->groups = st_scc_of_edges(&model->lock_pairs, model->lock_count);
    st_intern_init(&watch->keys, sizeof(struct request_key));
    return watch;
}

static void destroy(void *state) {
    struct watch *watch = state;
    st_intern_free(&watch->keys);
    free(watch->groups);
    free(watch->requests);
    free(watch->held);
    free(watch);
}

/* Is it the same reader-writer lock? */
static bool is_part_of(const struct st_rwlocks *rwlocks, uint32_t left, uint32_t right) {
    return st_rwlocks_find(rwlocks, &left) && st_rwlocks_find(rwlocks, &right) && left == right;
}

static void add_request(struct watch *watch, const struct st_observed *observed) {
    const struct request_key key = {observed->period, observed->held_set, observed->event->target};
    uint32_t known = watch->keys.count;
    if (st_intern_add(&watch->keys, &key, sizeof key) != known)
        return;
    st_reserve(&watch->requests, &watch->capacity, watch->count + 1);
    st_reserve(&watch->held, &watch->held_capacity, watch->held_count + observed->held_count);
    watch->requests[watch->count++] = (struct request){.period = key.period,
                                                       .held_set = key.held_set,
                                                       .wants = key.wants,
                                                       .number = observed->number,
                                                       .loc = observed->event->loc,
                                                       .held = watch->held_count};
    for (size_t i = 0; i < observed->held_count; i++)
        watch->held[watch->held_count++] = observed->held[i];
}

static bool can_be_in_ring(const struct watch *watch, const struct st_observed *observed) {
    uint32_t group = watch->groups[observed->event->target];
    for (size_t i = 0; i < observed->held_count; i++)
        if (watch->groups[observed->held[i].lock] == group)
            return true;
    return false;
}

/* The locks of a reader-writer lock are taken all at once: while it waits for one of them, a writer
 * holds none. Who only tries to take a lock does not wait for it, as std::lock does for all but the
 * first. */
static void on_event(void *state, const struct st_observed *observed) {
    struct watch *watch = state;
    struct st_model *model = watch->model;
    struct st_observed request = *observed;
    if (observed->event->op != ST_ACQUIRE || observed->event->atomic)
        return;
    while (request.held_count && is_part_of(model->rwlocks, observed->event->target,
                                            request.held[request.held_count - 1].lock))
        request.held_set = st_lockset_without(&model->locksets, request.held_set,
                                              request.held[--request.held_count].lock);
    if (can_be_in_ring(watch, &request))
        add_request(watch, &request);
}

const struct st_observer st_deadlock_observer = {
    .create = create, .event = on_event, .destroy = destroy};

/* ---- the search ---- */

struct search {
    const struct watch *watch;
    const struct st_model *model;
    uint32_t *groups;        /* of locks that can be in a ring together */
    struct st_lists holders; /* by lock: requests that hold it and want one of its group */
    uint32_t *chain;         /* requests, each of which wants a lock that the next one holds */
    size_t length, wanted_length;
    bool complete_chains; /* there were chains of the wanted length, closed or not */
    uint64_t steps;
    struct st_intern rings; /* that are known: the locks of each */
    uint32_t *locks;        /* of the ring that is looked at */
    struct st_predicted_wait *waits;
    size_t most;
    struct st_predictions *found;
};

static const struct request *request_of(const struct search *search, uint32_t number) {
    return &search->watch->requests[number];
}

static uint32_t thread_of(const struct search *search, const struct request *request) {
    return search->model->periods->items[request->period].thread;
}

static bool holds(const struct search *search, const struct request *request, uint32_t lock) {
    return st_lockset_has(&search->model->locksets, request->held_set, lock);
}

static uint32_t held_count(const struct search *search, const struct request *request) {
    return st_lockset_size(&search->model->locksets, request->held_set);
}

/* All pairs of a lock that a request holds and, as `item`, the lock that it wants (before
 * there are groups) or the request itself, if both locks are of one group. */
static size_t list_pairs(const struct search *search, struct st_list_pair *pairs) {
    const struct watch *watch = search->watch;
    size_t count = 0;
    for (uint32_t r = 0; r < watch->count; r++) {
        const struct request *request = &watch->requests[r];
        for (uint32_t k = 0; k < held_count(search, request); k++) {
            uint32_t lock = watch->held[request->held + k].lock;
            if (!search->groups)
                pairs[count++] = (struct st_list_pair){lock, request->wants};
            else if (search->groups[lock] == search->groups[request->wants])
                pairs[count++] = (struct st_list_pair){lock, r};
        }
    }
    return count;
}

static void prepare(struct search *search) {
    struct st_list_pair *pairs = st_alloc(search->watch->held_count + 1, sizeof *pairs);
    struct st_lists graph;
    st_lists_fill(&graph, search->model->lock_count, pairs, list_pairs(search, pairs));
    search->groups = st_scc_find(&graph);
    st_lists_free(&graph);
    st_lists_fill(&search->holders, search->model->lock_count, pairs, list_pairs(search, pairs));
    free(pairs);
}

/* Can the request extend the chain? The first request of a chain has the smallest thread, so that
 * each ring is found from one side only. */
static bool fits(const struct search *search, const struct request *next) {
    const struct st_model *model = search->model;
    uint32_t thread = thread_of(search, next);
    if (thread <= thread_of(search, request_of(search, search->chain[0])))
        return false;
    for (size_t i = 0; i < search->length; i++) {
        const struct request *other = request_of(search, search->chain[i]);
        if (thread_of(search, other) == thread || other->wants == next->wants ||
            !st_locksets_disjoint(&model->locksets, other->held_set, next->held_set) ||
            !st_periods_concurrent(model->periods, other->period, next->period))
            return false;
    }
    return true;
}

/* ---- rings ---- */

/* The lock that is wanted; of a reader-writer lock the same for all who want it. */
static uint32_t wanted_lock(const struct search *search, uint32_t number) {
    uint32_t lock = request_of(search, number)->wants;
    st_rwlocks_find(search->model->rwlocks, &lock);
    return lock;
}

/* The same locks in the same order, whichever comes first. */
static bool is_new_ring(struct search *search) {
    size_t start = 0;
    for (size_t i = 1; i < search->length; i++)
        if (wanted_lock(search, search->chain[i]) < wanted_lock(search, search->chain[start]))
            start = i;
    for (size_t i = 0; i < search->length; i++)
        search->locks[i] = wanted_lock(search, search->chain[(start + i) % search->length]);
    uint32_t known = search->rings.count;
    return st_intern_add(&search->rings, search->locks, search->length * sizeof *search->locks) ==
           known;
}

static struct st_place place_of(const struct search *search, uint32_t thread, uint32_t lock,
                                uint64_t number, uint64_t loc) {
    struct st_event event = {
        .thread = thread, .target = lock, .loc = loc, .written = ST_ACQUIRE, .op = ST_ACQUIRE};
    st_rwlocks_restore(search->model->rwlocks, &event);
    return (struct st_place){.number = number, .event = event};
}

static struct st_predicted_wait wait_of(const struct search *search, size_t place) {
    size_t before = (place + search->length - 1) % search->length;
    const struct request *request = request_of(search, search->chain[place]);
    uint32_t thread = thread_of(search, request);
    uint32_t lock = request_of(search, search->chain[before])->wants;
    const struct st_held_lock *held = &search->watch->held[request->held];
    while (held->lock != lock)
        held++;
    return (struct st_predicted_wait){
        .holds = place_of(search, thread, lock, held->number, held->loc),
        .wants = place_of(search, thread, request->wants, request->number, request->loc)};
}

static void add_ring(struct search *search) {
    struct st_predictions *found = search->found;
    if (!is_new_ring(search))
        return;
    if (found->deadlock_count == search->most) {
        found->more_deadlocks = true;
        return;
    }
    for (size_t i = 0; i < search->length; i++)
        search->waits[i] = wait_of(search, i);
    st_predictions_deadlock(found, search->waits, search->length);
}

/* Makes the chain longer in all ways, up to the wanted length. */
static void extend(struct search *search) {
    const struct request *last = request_of(search, search->chain[search->length - 1]);
    if (search->length == search->wanted_length) {
        search->complete_chains = true;
        if (holds(search, request_of(search, search->chain[0]), last->wants))
            add_ring(search);
        return;
    }
    const struct st_lists *holders = &search->holders;
    for (size_t i = holders->firsts[last->wants]; i < holders->firsts[last->wants + 1]; i++) {
        if (search->found->more_deadlocks)
            return;
        if (++search->steps > MOST_STEPS) {
            search->found->more_deadlocks = true;
            return;
        }
        if (!fits(search, request_of(search, holders->items[i])))
            continue;
        search->chain[search->length++] = holders->items[i];
        extend(search);
        search->length--;
    }
}

/* Is it worth starting from this request: does it hold a lock of the group of what it wants? */
static bool can_start(const struct search *search, const struct request *request) {
    for (uint32_t k = 0; k < held_count(search, request); k++)
        if (search->groups[search->watch->held[request->held + k].lock] ==
            search->groups[request->wants])
            return true;
    return false;
}

static size_t count_threads(const struct st_model *model) {
    size_t most = 0;
    for (size_t i = 0; i < model->periods->count; i++)
        if (model->periods->items[i].thread >= most)
            most = (size_t)model->periods->items[i].thread + 1;
    return most;
}

static void look(struct search *search) {
    size_t threads = count_threads(search->model);
    search->chain = st_alloc(threads + 1, sizeof *search->chain);
    search->waits = st_alloc(threads + 1, sizeof *search->waits);
    search->locks = st_alloc(threads + 1, sizeof *search->locks);
    search->complete_chains = true;
    for (search->wanted_length = 2; search->wanted_length <= threads && search->complete_chains;
         search->wanted_length++) {
        search->complete_chains = false;
        for (uint32_t r = 0; r < search->watch->count && !search->found->more_deadlocks; r++) {
            if (!can_start(search, request_of(search, r)))
                continue;
            search->chain[0] = r;
            search->length = 1;
            extend(search);
        }
    }
    free(search->chain);
    free(search->waits);
    free(search->locks);
}

void st_deadlocks_find(const struct st_model *model, size_t most,
                       struct st_predictions *predictions) {
    struct search search = {.watch = st_model_observer(model, &st_deadlock_observer),
                            .model = model,
                            .most = most ? most : MOST_RINGS,
                            .found = predictions};
    predictions->deadlocks_sought = true;
    st_intern_init(&search.rings, 0);
    prepare(&search);
    look(&search);
    st_intern_free(&search.rings);
    st_lists_free(&search.holders);
    free(search.groups);
}
