#include "predict/model/spare/guarded.h"

#include "base/memory.h"

#include <stdlib.h>

/* A critical section that is open. Sections are numbered in the order of their begins, from 1 for
 * the first lock that is held when the unit begins; accesses are numbered with them. */
struct st_open_lock {
    uint32_t lock;
    size_t number;
};

void st_guarding_free(struct st_guarding *guarding) {
    free(guarding->locksets);
    free(guarding->groups);
    free(guarding->open);
}

/* A unit that is looked at. Invariant: all nodes so far contain the innermost one. */
struct look {
    const struct st_guarding *guarding;
    const struct st_model *model;
    const struct st_open_lock *open;
    size_t depth;     /* so many are open */
    size_t innermost; /* its number; 0: there are no nodes yet */
    bool is_open;     /* it is a critical section that has not ended */
};

/* Is the lock held at all accesses to the variable that can meet others? */
static bool guards(const struct look *look, uint32_t lock, uint32_t variable) {
    const struct st_model *model = look->model;
    if (lock >= model->first_atomic_lock)
        return model->variables[variable].indivisible && st_variable_lock(model, variable) == lock;
    return model->locks[lock].contended && variable < look->guarding->count &&
           st_lockset_has(&model->locksets, look->guarding->locksets[variable], lock);
}

/* A node that is open, or an access that ends at once. False: neither it nor the innermost one
 * contains the other. */
static bool add_node(struct look *look, size_t number, bool is_section) {
    if (is_section && look->innermost >= number)
        return true; /* everything since then is in the section */
    if (look->innermost && !look->is_open)
        return false;
    look->innermost = number;
    look->is_open = is_section;
    return true;
}

/* The innermost section that can decide where another access is met that also holds lock `i`. */
static size_t last_of_group(const struct look *look, size_t i) {
    const uint32_t *groups = look->guarding->groups;
    size_t last = i;
    for (size_t k = i + 1; k < look->depth; k++)
        if (groups[look->open[k].lock] == groups[look->open[i].lock])
            last = k;
    return last;
}

static bool add_access(struct look *look, uint32_t variable, size_t number) {
    for (size_t i = 0; i < look->depth; i++)
        if (guards(look, look->open[i].lock, variable))
            return add_node(look, look->open[last_of_group(look, i)].number, true);
    return add_node(look, number, false);
}

static bool end_section(struct look *look, uint32_t lock) {
    if (!look->depth || look->open[look->depth - 1].lock != lock)
        return false; /* they are not nested */
    look->depth--;
    if (look->open[look->depth].number == look->innermost)
        look->is_open = false;
    return true;
}

/* By locks, a critical section can be a node even if there is no access in it. */
static bool begin_section(struct look *look, struct st_open_lock *open, uint32_t lock,
                          size_t number) {
    open[look->depth++] = (struct st_open_lock){lock, number};
    return look->model->options.data || add_node(look, number, true);
}

static bool add_token(struct look *look, struct st_open_lock *open, const struct st_token *token,
                      size_t number) {
    switch (token->kind) {
    case ST_TOKEN_READ:
    case ST_TOKEN_WRITE:
        return add_access(look, token->target, number);
    case ST_TOKEN_ACQUIRE:
        return begin_section(look, open, token->target, number);
    case ST_TOKEN_RELEASE:
        return end_section(look, token->target);
    default:
        return true;
    }
}

bool st_is_guarded(struct st_guarding *guarding, const struct st_model *model,
                   const struct st_locked_tokens *unit) {
    st_reserve(&guarding->open, &guarding->open_capacity, unit->held_count + unit->count + 1);
    struct look look = {.guarding = guarding, .model = model, .open = guarding->open};
    bool guarded = true;
    for (size_t i = 0; i < unit->held_count && guarded; i++)
        guarded = begin_section(&look, guarding->open, unit->held[i], i + 1);
    for (size_t i = 0; i < unit->count && guarded; i++)
        guarded =
            add_token(&look, guarding->open, &unit->tokens[i].token, unit->held_count + i + 1);
    return guarded;
}
