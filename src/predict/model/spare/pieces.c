#include "predict/model/spare/pieces.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_cutter_free(struct st_cutter *cutter) {
    free(cutter->ends);
    free(cutter->open);
    free(cutter->from_before);
    free(cutter->sets);
    free(cutter->writes);
    free(cutter->tokens);
}

/* A unit that is cut. */
struct cutting {
    struct st_cutter *cutter;
    struct st_model *model;
    const struct st_locked_tokens *unit;
    st_take_piece *take;
    void *context;
};

/* ---- critical sections ---- */

static uint32_t lock_at(const struct cutting *cutting, size_t token) {
    return cutting->unit->tokens[token].token.target;
}

/* Ends the last open section on the lock. Returns its acquire, or the number of tokens if it is
 * one that was entered before the unit. */
static size_t end_section(struct cutting *cutting, uint32_t lock) {
    struct st_cutter *cutter = cutting->cutter;
    for (size_t k = cutter->open_count; k-- > 0;) {
        size_t acquire = cutter->open[k];
        if (lock_at(cutting, acquire) != lock)
            continue;
        cutter->open_count--;
        memmove(cutter->open + k, cutter->open + k + 1,
                (cutter->open_count - k) * sizeof *cutter->open);
        return acquire;
    }
    for (size_t k = 0; k < cutter->from_before_count; k++)
        if (cutter->from_before[k] == lock) {
            cutter->from_before_count--;
            memmove(cutter->from_before + k, cutter->from_before + k + 1,
                    (cutter->from_before_count - k) * sizeof *cutter->from_before);
            break;
        }
    return cutting->unit->count;
}

static void find_ends(struct cutting *cutting) {
    struct st_cutter *cutter = cutting->cutter;
    size_t count = cutting->unit->count;
    cutter->open_count = 0;
    for (size_t i = 0; i < count; i++) {
        cutter->ends[i] = count;
        if (cutting->unit->tokens[i].token.kind == ST_TOKEN_ACQUIRE)
            cutter->open[cutter->open_count++] = i;
        if (cutting->unit->tokens[i].token.kind != ST_TOKEN_RELEASE)
            continue;
        size_t acquire = end_section(cutting, lock_at(cutting, i));
        if (acquire < count)
            cutter->ends[acquire] = i;
    }
}

/* ---- reads that writes stand for ---- */

static int by_value(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t access_at(const struct cutting *cutting, size_t token) {
    return (uint64_t)cutting->unit->tokens[token].token.target << 32 | cutting->cutter->sets[token];
}

static void find_writes(struct cutting *cutting) {
    struct st_cutter *cutter = cutting->cutter;
    const struct st_locked_tokens *unit = cutting->unit;
    struct st_locksets *sets = &cutting->model->locksets;
    uint32_t set = st_lockset_of(sets, unit->held, unit->held_count);
    cutter->write_count = 0;
    for (size_t i = 0; i < unit->count; i++) {
        const struct st_token *token = &unit->tokens[i].token;
        if (token->kind == ST_TOKEN_ACQUIRE)
            set = st_lockset_with(sets, set, token->target);
        else if (token->kind == ST_TOKEN_RELEASE)
            set = st_lockset_without(sets, set, token->target);
        cutter->sets[i] = set;
        if (token->kind == ST_TOKEN_WRITE)
            cutter->writes[cutter->write_count++] = access_at(cutting, i);
    }
    if (cutter->write_count > 1)
        qsort(cutter->writes, cutter->write_count, sizeof *cutter->writes, by_value);
}

/* A signal is given by a write and taken by a read, so one cannot stand for the other. */
static bool is_written_alike(const struct cutting *cutting, size_t token) {
    const struct st_cutter *cutter = cutting->cutter;
    return cutter->write_count &&
           cutting->unit->tokens[token].token.target < cutting->model->first_signal &&
           bsearch(&(uint64_t){access_at(cutting, token)}, cutter->writes, cutter->write_count,
                   sizeof *cutter->writes, by_value);
}

/* ---- pieces ---- */

/* With locks that are held, and the tokens of the sections around it. */
static void take(struct cutting *cutting, size_t token) {
    struct st_cutter *cutter = cutting->cutter;
    const struct st_seen_token *tokens = cutting->unit->tokens;
    size_t count = 0;
    for (size_t k = 0; k < cutter->open_count; k++)
        if (cutter->open[k] != token)
            cutter->tokens[count++] = tokens[cutter->open[k]];
    cutter->tokens[count++] = tokens[token];
    for (size_t k = cutter->open_count; k-- > 0;)
        if (cutter->ends[cutter->open[k]] < cutting->unit->count)
            cutter->tokens[count++] = tokens[cutter->ends[cutter->open[k]]];
    cutting->take(cutting->context, &tokens[token].token,
                  &(struct st_locked_tokens){cutter->from_before, cutter->from_before_count,
                                             cutter->tokens, count});
}

static void cut_at(struct cutting *cutting, size_t i) {
    struct st_cutter *cutter = cutting->cutter;
    switch (cutting->unit->tokens[i].token.kind) {
    case ST_TOKEN_READ:
        if (!is_written_alike(cutting, i))
            take(cutting, i);
        break;
    case ST_TOKEN_WRITE:
        take(cutting, i);
        break;
    case ST_TOKEN_ACQUIRE:
        cutter->open[cutter->open_count++] = i;
        take(cutting, i);
        break;
    case ST_TOKEN_RELEASE: {
        size_t before = cutter->from_before_count;
        bool shows = true;
        for (size_t k = 0; k < cutter->open_count; k++)
            shows &= lock_at(cutting, cutter->open[k]) != lock_at(cutting, i);
        if (shows && before)
            take(cutting, i); /* where a section from before ends */
        end_section(cutting, lock_at(cutting, i));
        break;
    }
    default:
        break;
    }
}

/* The locks that are held when it begins, each of which may be what others meet. */
static void take_what_is_held(struct cutting *cutting) {
    const struct st_locked_tokens *unit = cutting->unit;
    for (size_t k = 0; k < unit->held_count; k++)
        cutting->take(cutting->context, &(struct st_token){ST_TOKEN_ACQUIRE, unit->held[k]},
                      &(struct st_locked_tokens){unit->held, unit->held_count, NULL, 0});
}

static void hold_from_before(struct st_cutter *cutter, const struct st_locked_tokens *unit) {
    if (unit->held_count)
        memcpy(cutter->from_before, unit->held, unit->held_count * sizeof *unit->held);
    cutter->from_before_count = unit->held_count;
}

void st_cut_unit(struct st_cutter *cutter, struct st_model *model,
                 const struct st_locked_tokens *unit, st_take_piece *take_piece, void *context) {
    struct cutting cutting = {cutter, model, unit, take_piece, context};
    st_reserve(&cutter->sets, &cutter->set_capacity, unit->count + 1);
    st_reserve(&cutter->writes, &cutter->write_capacity, unit->count + 1);
    st_reserve(&cutter->ends, &cutter->end_capacity, unit->count + 1);
    st_reserve(&cutter->open, &cutter->open_capacity, unit->count + 1);
    st_reserve(&cutter->from_before, &cutter->from_before_capacity, unit->held_count + 1);
    st_reserve(&cutter->tokens, &cutter->token_capacity, 2 * unit->count + 1);
    hold_from_before(cutter, unit);
    find_ends(&cutting);
    find_writes(&cutting);
    hold_from_before(cutter, unit);
    cutter->open_count = 0;
    take_what_is_held(&cutting);
    for (size_t i = 0; i < unit->count; i++)
        cut_at(&cutting, i);
}

void st_cut_into_accesses(struct st_cutter *cutter, struct st_model *model,
                          const struct st_locked_tokens *unit, st_take_access *take_access,
                          void *context) {
    struct cutting cutting = {.cutter = cutter, .model = model, .unit = unit};
    st_reserve(&cutter->sets, &cutter->set_capacity, unit->count + 1);
    st_reserve(&cutter->writes, &cutter->write_capacity, unit->count + 1);
    find_writes(&cutting);
    for (size_t i = 0; i < unit->count; i++) {
        uint32_t kind = unit->tokens[i].token.kind;
        if (kind == ST_TOKEN_WRITE || (kind == ST_TOKEN_READ && !is_written_alike(&cutting, i)))
            take_access(context, &unit->tokens[i], cutter->sets[i]);
    }
}
