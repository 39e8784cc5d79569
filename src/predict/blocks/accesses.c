/* The accesses of a shape: which locks are held between two of them, and which are initial reads or
 * final writes. */
#include "base/memory.h"
#include "predict/blocks/blocks.h"

#include <stdlib.h>

uint32_t st_blocks_held_between(struct st_blocks_run *run, const struct st_shape *shape, uint32_t i,
                                uint32_t j) {
    uint32_t first = shape->locksets[i], second = shape->locksets[j];
    if (first == second && shape->ups[i] == shape->ups[j])
        return first;
    uint32_t common = st_lockset_common(&run->locksets, first, second), kept = common;
    for (uint32_t k = 0; k < st_lockset_size(&run->locksets, common); k++) {
        uint32_t lock = st_lockset_locks(&run->locksets, common)[k];
        if (st_shape_section(shape, i, lock) != st_shape_section(shape, j, lock))
            kept = st_lockset_without(&run->locksets, kept, lock);
    }
    return kept;
}

uint32_t st_blocks_touched(struct st_blocks_run *run, const struct st_shape *shape, uint32_t i,
                           uint32_t j) {
    uint32_t set = shape->locksets[i];
    for (uint32_t k = i + 1; k < j; k++)
        if (shape->tokens[k].kind == ST_TOKEN_ACQUIRE)
            set = st_lockset_with(&run->locksets, set, shape->tokens[k].target);
    return set;
}

void st_roles_init(const struct st_blocks_run *run, struct st_roles *roles) {
    *roles = (struct st_roles){.last = NULL};
    roles->last = st_alloc(run->model->variable_count + 1, sizeof *roles->last);
}

void st_roles_free(struct st_roles *roles) {
    free(roles->initial);
    free(roles->final);
    free(roles->last);
}

/* During the pass over the tokens, last[v] is the last write of v, plus 1. */
void st_roles_find(struct st_roles *roles, const struct st_shape *shape) {
    size_t capacity = roles->capacity;
    st_reserve(&roles->initial, &capacity, (size_t)shape->count + 1);
    capacity = roles->capacity;
    st_reserve(&roles->final, &capacity, (size_t)shape->count + 1);
    roles->capacity = capacity;
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        roles->initial[i] = token->kind == ST_TOKEN_READ && !roles->last[token->target];
        roles->final[i] = false;
        if (token->kind == ST_TOKEN_WRITE)
            roles->last[token->target] = i + 1;
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        if (token->kind == ST_TOKEN_WRITE && roles->last[token->target] == i + 1) {
            roles->final[i] = true;
            roles->last[token->target] = 0;
        }
    }
}
