#include "predict/reduction/atomizer.h"

#include "base/memory.h"
#include "predict/reduction/lockset_races.h"
#include "predict/model/model.h"
#include "predict/predictor.h"
#include "predict/reduction/reduction.h"

#include <stdlib.h>

/* What is known of a lock so far. */
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
    char letter; /* of the commit; 0 while right movers may come */
    bool left;   /* only left movers may come */
    struct st_place commit;
};

struct report {
    uint64_t begin;
    struct st_place commit, breach;
    char commit_letter, breach_letter;
};

struct st_atomizer {
    struct st_model *model;
    const struct st_lockset_races *races;
    unsigned without;
    bool many; /* N* in the middle */
    struct lock_so_far *locks;
    size_t lock_capacity;
    struct runner *runners;
    size_t runner_capacity;
    struct report *reports; /* at the end in the order of their begins */
    size_t report_count, report_capacity;
};

struct st_atomizer *st_atomizer_new(struct st_model *model, const struct st_lockset_races *races) {
    struct st_atomizer *atomizer = st_alloc(1, sizeof *atomizer);
    atomizer->model = model;
    atomizer->races = races;
    atomizer->without = model->options.online_without;
    atomizer->many = model->options.online_as_published;
    return atomizer;
}

void st_atomizer_free(struct st_atomizer *atomizer) {
    if (!atomizer)
        return;
    free(atomizer->locks);
    free(atomizer->runners);
    free(atomizer->reports);
    free(atomizer);
}

size_t st_atomizer_memory(const struct st_atomizer *atomizer) {
    return atomizer->lock_capacity * sizeof *atomizer->locks +
           atomizer->runner_capacity * sizeof *atomizer->runners +
           atomizer->report_capacity * sizeof *atomizer->reports;
}

/* ---- how an event moves ---- */

static struct lock_so_far *lock_of(struct st_atomizer *atomizer, uint32_t lock) {
    st_reserve(&atomizer->locks, &atomizer->lock_capacity, (size_t)lock + 1);
    return &atomizer->locks[lock];
}

static bool moves_both_ways(const struct st_atomizer *atomizer, const struct lock_so_far *lock) {
    return (!lock->shared && !(atomizer->without & ST_WITHOUT_THREAD_LOCAL)) ||
           (lock->protectors && !(atomizer->without & ST_WITHOUT_PROTECTED));
}

static char acquire(struct st_atomizer *atomizer, const struct st_followed *followed) {
    struct lock_so_far *lock = lock_of(atomizer, followed->event->target);
    struct st_locksets *locksets = &atomizer->model->locksets;
    uint32_t user = followed->event->thread + 1;
    lock->protectors = lock->user
                           ? st_lockset_common(locksets, lock->protectors, followed->held_set)
                           : followed->held_set;
    lock->shared |= lock->user && lock->user != user;
    if (!lock->user)
        lock->user = user;
    return moves_both_ways(atomizer, lock) ? 'B' : 'R';
}

/* What is held longer than this lock is not protected by it. */
static char release(struct st_atomizer *atomizer, const struct st_followed *followed) {
    uint32_t lock = followed->event->target;
    bool later = false;
    for (size_t i = 0; i < followed->held_count; i++) {
        struct lock_so_far *other = lock_of(atomizer, followed->held[i].lock);
        if (later)
            other->protectors =
                st_lockset_without(&atomizer->model->locksets, other->protectors, lock);
        later |= followed->held[i].lock == lock;
    }
    return moves_both_ways(atomizer, lock_of(atomizer, lock)) ? 'B' : 'L';
}

static char access(const struct st_atomizer *atomizer, const struct st_followed *followed) {
    uint32_t variable = followed->event->target;
    if (atomizer->model->variables[variable].indivisible)
        return st_lockset_races_shared_now(atomizer->races, variable) && !followed->joined ? 'N'
                                                                                           : 'B';
    return st_lockset_races_now(atomizer->races, variable) ? 'N' : 'B';
}

static char letter_of(struct st_atomizer *atomizer, const struct st_followed *followed) {
    switch (followed->event->op) {
    case ST_READ:
    case ST_WRITE:
        return access(atomizer, followed);
    case ST_ACQUIRE:
        return acquire(atomizer, followed);
    case ST_RELEASE:
        return release(atomizer, followed);
    case ST_NESTED:
        if (!(atomizer->without & ST_WITHOUT_REENTRANT))
            return 'B';
        return followed->event->written == ST_ACQUIRE ? 'R' : 'L';
    default:
        return 'B';
    }
}

/* ---- the form of the transaction ---- */

static struct st_place place_of(const struct st_followed *followed) {
    struct st_place place = {followed->number, *followed->event};
    place.event.op = place.event.written;
    return place;
}

static void report(struct st_atomizer *atomizer, struct runner *runner,
                   const struct st_followed *followed, char letter) {
    st_reserve(&atomizer->reports, &atomizer->report_capacity, atomizer->report_count + 1);
    atomizer->reports[atomizer->report_count++] = (struct report){.begin = runner->begin,
                                                                  .commit = runner->commit,
                                                                  .breach = place_of(followed),
                                                                  .commit_letter = runner->letter,
                                                                  .breach_letter = letter};
    runner->reported = true;
}

static void move(struct st_atomizer *atomizer, struct runner *runner,
                 const struct st_followed *followed, char letter) {
    if (runner->reported || letter == 'B' || (letter == 'R' && !runner->letter))
        return;
    bool fits =
        letter == 'L' || (letter == 'N' && (!runner->letter || (!runner->left && atomizer->many)));
    if (!fits) {
        report(atomizer, runner, followed, letter);
        return;
    }
    if (!runner->letter) {
        runner->letter = letter;
        runner->commit = place_of(followed);
    }
    runner->left |= letter == 'L';
}

static void start(struct runner *runner) {
    runner->letter = 0;
    runner->left = false;
}

void st_atomizer_event(struct st_atomizer *atomizer, const struct st_followed *followed) {
    const struct st_event *event = followed->event;
    st_reserve(&atomizer->runners, &atomizer->runner_capacity, (size_t)event->thread + 1);
    struct runner *runner = &atomizer->runners[event->thread];
    if (event->op == ST_BEGIN) {
        if (runner->depth++ == 0) {
            runner->begin = followed->number;
            runner->reported = false;
            start(runner);
        }
        return;
    }
    if (event->op == ST_END) {
        runner->depth--;
        return;
    }
    if (followed->splits)
        start(runner);
    char letter = letter_of(atomizer, followed); /* also outside: it is seen */
    if (runner->depth)
        move(atomizer, runner, followed, letter);
}

/* ---- what was found ---- */

static int by_begin(const void *left, const void *right) {
    const struct report *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void st_atomizer_finish(struct st_atomizer *atomizer) {
    atomizer->races = NULL;
    if (atomizer->report_count)
        qsort(atomizer->reports, atomizer->report_count, sizeof *atomizer->reports, by_begin);
}

static const struct report *find_report(const struct st_atomizer *atomizer, uint64_t begin) {
    struct report key = {.begin = begin};
    if (!atomizer->report_count)
        return NULL;
    return bsearch(&key, atomizer->reports, atomizer->report_count, sizeof key, by_begin);
}

bool st_atomizer_reports(const struct st_atomizer *atomizer, uint64_t begin) {
    return find_report(atomizer, begin) != NULL;
}

static void explain(void *context, uint32_t unit, struct st_foreseen *block) {
    const struct st_atomizer *atomizer = context;
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

void st_atomizer_tell(const struct st_model *model, size_t limit,
                      struct st_prediction *prediction) {
    struct st_atomizer *atomizer = model->followers->atomizer;
    enum st_foresight *foresights = st_alloc(model->instance_count + 1, sizeof *foresights);
    for (size_t i = 0; i < model->instance_count; i++)
        foresights[i] = st_atomizer_reports(atomizer, model->instances[i].begin)
                            ? ST_FORESEEN_POTENTIAL
                            : ST_FORESEEN_ATOMIC;
    prediction->method = "Theorem 1 while the trace is read, Eraser with ownership";
    prediction->storage = st_atomizer_memory(atomizer);
    prediction->storage_unit = "bytes";
    st_prediction_may_miss(prediction, "Online reduction judges each event by what came before it; "
                                       "it can miss violations.");
    if (atomizer->many)
        st_prediction_may_miss(prediction, "Reduction as published can miss violations.");
    st_model_tell_instances(model, foresights, explain, atomizer, limit, prediction);
    free(foresights);
}
