/* Reduction while the trace is read, as Atomizer does it (Flanagan and Freund; TSE 2006, 5.6 and
 * section 8): each event is classified by what has been seen so far, and then forgotten.
 *
 * It uses the ownership lockset algorithm (predict/reduction/lockset_races.h), Theorem 1, and the
 * improvements of 5.5. It has no escape analysis, no happen-before and no AcqA*Rel. A variable that
 * is race-free so far may turn out to race later, and a lock that only one thread has used so far
 * may be used by another. So it misses violations that the offline form reports.
 *
 * Interpretations: "so far" includes the current event. If threads share an atomic variable so far
 * (predict/model/model.h), an access to it is a non-mover, since it is a critical section of its
 * own; the write that belongs to an atomic read is part of that. Memory grows with variables, locks
 * and threads, and with the blocks reported. */
#include "base/memory.h"
#include "predict/model/block_verdicts.h"
#include "predict/reduction/lockset_races.h"
#include "predict/reduction/reduction.h"

#include <stdlib.h>

/* What is known about a lock so far. */
struct lock_so_far {
    uint32_t user; /* the first thread that acquired it, plus 1 */
    bool shared;
    uint32_t protectors;
};

/* Where a thread is in its transaction. */
struct runner {
    uint32_t depth;
    uint64_t begin;
    bool reported;
    char letter; /* of the commit; 0 while right movers are still allowed */
    bool left;   /* only left movers are allowed from here on */
    struct st_place commit;
};

struct report {
    uint64_t begin;
    struct st_place commit, breach;
    char commit_letter, breach_letter;
};

struct atomizer {
    struct st_model *model;
    const struct st_lockset_races *races;
    unsigned without;
    bool many; /* N* in the middle */
    struct lock_so_far *locks;
    size_t lock_capacity;
    struct runner *runners;
    size_t runner_capacity;
    struct report *reports; /* at the end, in the order of their begins */
    size_t report_count, report_capacity;
};

static void *create(struct st_model *model, unsigned flags) {
    struct atomizer *atomizer = st_alloc(1, sizeof *atomizer);
    atomizer->model = model;
    atomizer->races = st_model_observer(model, &st_lockset_observer);
    atomizer->without = flags;
    atomizer->many = flags & ST_ATOMIZER_AS_PUBLISHED;
    return atomizer;
}

static void destroy(void *state) {
    struct atomizer *atomizer = state;
    free(atomizer->locks);
    free(atomizer->runners);
    free(atomizer->reports);
    free(atomizer);
}

static size_t count_bytes(const struct atomizer *atomizer) {
    return atomizer->lock_capacity * sizeof *atomizer->locks +
           atomizer->runner_capacity * sizeof *atomizer->runners +
           atomizer->report_capacity * sizeof *atomizer->reports;
}

/* ---- how an event moves ---- */

static struct lock_so_far *lock_of(struct atomizer *atomizer, uint32_t lock) {
    st_reserve(&atomizer->locks, &atomizer->lock_capacity, (size_t)lock + 1);
    return &atomizer->locks[lock];
}

static bool moves_both_ways(const struct atomizer *atomizer, const struct lock_so_far *lock) {
    return (!lock->shared && !(atomizer->without & ST_WITHOUT_THREAD_LOCAL)) ||
           (lock->protectors && !(atomizer->without & ST_WITHOUT_PROTECTED));
}

static char acquire(struct atomizer *atomizer, const struct st_observed *observed) {
    struct lock_so_far *lock = lock_of(atomizer, observed->event->target);
    struct st_locksets *locksets = &atomizer->model->locksets;
    uint32_t user = observed->event->thread + 1;
    lock->protectors = lock->user
                           ? st_lockset_common(locksets, lock->protectors, observed->held_set)
                           : observed->held_set;
    lock->shared |= lock->user && lock->user != user;
    if (!lock->user)
        lock->user = user;
    return moves_both_ways(atomizer, lock) ? 'B' : 'R';
}

/* This lock does not protect locks that are held longer than it is. */
static char release(struct atomizer *atomizer, const struct st_observed *observed) {
    uint32_t lock = observed->event->target;
    bool later = false;
    for (size_t i = 0; i < observed->held_count; i++) {
        struct lock_so_far *other = lock_of(atomizer, observed->held[i].lock);
        if (later)
            other->protectors =
                st_lockset_without(&atomizer->model->locksets, other->protectors, lock);
        later |= observed->held[i].lock == lock;
    }
    return moves_both_ways(atomizer, lock_of(atomizer, lock)) ? 'B' : 'L';
}

static char access(const struct atomizer *atomizer, const struct st_observed *observed) {
    uint32_t variable = observed->event->target;
    if (atomizer->model->variables[variable].indivisible)
        return st_lockset_races_shared_now(atomizer->races, variable) && !observed->joined ? 'N'
                                                                                           : 'B';
    return st_lockset_races_now(atomizer->races, variable) ? 'N' : 'B';
}

static char letter_of(struct atomizer *atomizer, const struct st_observed *observed) {
    switch (observed->event->op) {
    case ST_READ:
    case ST_WRITE:
        return access(atomizer, observed);
    case ST_ACQUIRE:
        return acquire(atomizer, observed);
    case ST_RELEASE:
        return release(atomizer, observed);
    case ST_NESTED:
        if (!(atomizer->without & ST_WITHOUT_REENTRANT))
            return 'B';
        return observed->event->written == ST_ACQUIRE ? 'R' : 'L';
    default:
        return 'B';
    }
}

/* ---- the form of the transaction ---- */

static struct st_place place_of(const struct st_observed *observed) {
    struct st_place place = {observed->number, *observed->event};
    place.event.op = place.event.written;
    return place;
}

static void report(struct atomizer *atomizer, struct runner *runner,
                   const struct st_observed *observed, char letter) {
    st_reserve(&atomizer->reports, &atomizer->report_capacity, atomizer->report_count + 1);
    atomizer->reports[atomizer->report_count++] = (struct report){.begin = runner->begin,
                                                                  .commit = runner->commit,
                                                                  .breach = place_of(observed),
                                                                  .commit_letter = runner->letter,
                                                                  .breach_letter = letter};
    runner->reported = true;
}

static void move(struct atomizer *atomizer, struct runner *runner,
                 const struct st_observed *observed, char letter) {
    if (runner->reported || letter == 'B' || (letter == 'R' && !runner->letter))
        return;
    bool fits =
        letter == 'L' || (letter == 'N' && (!runner->letter || (!runner->left && atomizer->many)));
    if (!fits) {
        report(atomizer, runner, observed, letter);
        return;
    }
    if (!runner->letter) {
        runner->letter = letter;
        runner->commit = place_of(observed);
    }
    runner->left |= letter == 'L';
}

static void start(struct runner *runner) {
    runner->letter = 0;
    runner->left = false;
}

static void on_event(void *state, const struct st_observed *observed) {
    struct atomizer *atomizer = state;
    const struct st_event *event = observed->event;
    st_reserve(&atomizer->runners, &atomizer->runner_capacity, (size_t)event->thread + 1);
    struct runner *runner = &atomizer->runners[event->thread];
    if (event->op == ST_BEGIN) {
        if (runner->depth++ == 0) {
            runner->begin = observed->number;
            runner->reported = false;
            start(runner);
        }
        return;
    }
    if (event->op == ST_END) {
        runner->depth--;
        return;
    }
    if (observed->splits)
        start(runner);
    char letter = letter_of(atomizer, observed); /* outside blocks too: it updates what has been
                                                  * seen */
    if (runner->depth)
        move(atomizer, runner, observed, letter);
}

/* ---- what was found ---- */

static int by_begin(const void *left, const void *right) {
    const struct report *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static void finish(void *state) {
    struct atomizer *atomizer = state;
    if (atomizer->report_count)
        qsort(atomizer->reports, atomizer->report_count, sizeof *atomizer->reports, by_begin);
}

static const struct report *find_report(const struct atomizer *atomizer, uint64_t begin) {
    struct report key = {.begin = begin};
    if (!atomizer->report_count)
        return NULL;
    return bsearch(&key, atomizer->reports, atomizer->report_count, sizeof key, by_begin);
}

const struct st_observer st_atomizer_observer = {
    .create = create, .event = on_event, .finish = finish, .destroy = destroy};

static void explain(void *context, uint32_t unit, struct st_predicted_block *block) {
    const struct atomizer *atomizer = context;
    const struct report *found = find_report(atomizer, block->begin);
    (void)unit;
    if (!found)
        return;
    char pattern[] = {found->commit_letter, '.', '.', found->breach_letter, '\0'};
    block->pattern = st_strdup(pattern);
    block->why = st_strdup(st_reduction_sentence(found->commit_letter, found->breach_letter));
    block->events = st_alloc(2, sizeof *block->events);
    block->event_count = 2;
    block->events[0] = found->commit;
    block->events[1] = found->breach;
    uint32_t commit = found->commit.event.target, breach = found->breach.event.target;
    block->variables = st_alloc(2, sizeof *block->variables);
    if (found->commit_letter == 'N')
        block->variables[block->variable_count++] = commit;
    if (found->breach_letter == 'N' && (found->commit_letter != 'N' || commit != breach))
        block->variables[block->variable_count++] = breach;
    if (!block->variable_count) {
        free(block->variables);
        block->variables = NULL;
    }
}

void st_atomizer_predict(const struct st_model *model, size_t limit,
                         struct st_prediction *prediction) {
    struct atomizer *atomizer = st_model_observer(model, &st_atomizer_observer);
    enum st_block_verdict *verdicts = st_alloc(model->instance_count + 1, sizeof *verdicts);
    for (size_t i = 0; i < model->instance_count; i++)
        verdicts[i] =
            find_report(atomizer, model->instances[i].begin) ? ST_BLOCK_POTENTIAL : ST_BLOCK_ATOMIC;
    prediction->method = "Theorem 1 while the trace is read, Eraser with ownership";
    prediction->storage = count_bytes(atomizer);
    prediction->storage_unit = "bytes";
    st_prediction_may_miss(prediction,
                           "Online reduction decides about each event by what came before it; "
                           "it can miss violations.");
    if (atomizer->many)
        st_prediction_may_miss(prediction, "Reduction as published can miss violations.");
    st_report_instances(model, verdicts, explain, atomizer, limit, prediction);
    free(verdicts);
}
