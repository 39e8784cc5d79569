#include "predict/model/shapes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_HEADS = 256 };

void st_shapes_init(struct st_shapes *shapes) {
    *shapes = (struct st_shapes){.head_count = FIRST_HEADS};
    shapes->heads = st_alloc(FIRST_HEADS, sizeof *shapes->heads);
}

void st_shapes_free(struct st_shapes *shapes) {
    for (size_t i = 0; i < shapes->count; i++) {
        free(shapes->items[i].held);
        free(shapes->items[i].tokens);
        free(shapes->items[i].ends);
    }
    free(shapes->items);
    free(shapes->heads);
}

size_t st_shapes_memory(const struct st_shapes *shapes) {
    return shapes->capacity * sizeof *shapes->items + shapes->head_count * sizeof *shapes->heads +
           shapes->bytes;
}

static void grow_heads(struct st_shapes *shapes) {
    shapes->head_count *= 2;
    free(shapes->heads);
    shapes->heads = st_alloc(shapes->head_count, sizeof *shapes->heads);
    for (size_t i = 0; i < shapes->count; i++) {
        uint32_t *head = &shapes->heads[shapes->items[i].hash & (shapes->head_count - 1)];
        shapes->items[i].next = *head;
        *head = (uint32_t)i + 1;
    }
}

static bool is_same(const struct st_shape *shape, const uint32_t *held, uint32_t held_count,
                    const struct st_token *tokens, uint32_t count) {
    return shape->held_count == held_count && shape->count == count &&
           (!held_count || memcmp(shape->held, held, held_count * sizeof *held) == 0) &&
           (!count || memcmp(shape->tokens, tokens, count * sizeof *tokens) == 0);
}

static uint32_t find_section(const struct st_shape *shape, uint32_t from, uint32_t lock,
                             uint32_t at) {
    while (from != ST_NO_TOKEN && (shape->tokens[from].target != lock || shape->ends[from] < at))
        from = shape->ups[from];
    return from;
}

/* The last acquire at or before `from`, by `ups`, whose section is still open. */
static uint32_t still_open(const struct st_shape *shape, uint32_t from) {
    while (from != ST_NO_TOKEN && shape->ends[from] != shape->count)
        from = shape->ups[from];
    return from;
}

static void end_held(struct st_shape *shape, uint32_t lock, uint32_t at) {
    for (uint32_t i = 0; i < shape->held_count; i++)
        if (shape->held[i] == lock)
            shape->held_ends[i] = at;
}

/* Fills in what follows from the tokens. */
static void derive(struct st_shape *shape, struct st_locksets *locksets) {
    uint32_t top = ST_NO_TOKEN, set = shape->held_set;
    for (uint32_t i = 0; i < shape->held_count; i++)
        shape->held_ends[i] = shape->count;
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        shape->ends[i] = i;
        shape->ups[i] = top;
        if (token->kind == ST_TOKEN_ACQUIRE) {
            set = st_lockset_with(locksets, set, token->target);
            shape->ends[i] = shape->count;
            top = i;
        }
        shape->locksets[i] = set;
        if (token->kind == ST_TOKEN_RELEASE) {
            uint32_t acquire = find_section(shape, top, token->target, i);
            set = st_lockset_without(locksets, set, token->target);
            if (acquire != ST_NO_TOKEN)
                shape->ends[acquire] = i;
            else
                end_held(shape, token->target, i);
            top = still_open(shape, top);
            shape->ups[i] = top;
        }
    }
}

uint32_t st_shape_of(struct st_shapes *shapes, struct st_locksets *locksets, const uint32_t *held,
                     uint32_t held_count, const struct st_token *tokens, uint32_t count) {
    uint32_t hash = (uint32_t)XXH3_64bits_withSeed(
        tokens, count * sizeof *tokens,
        held_count ? XXH3_64bits(held, held_count * sizeof *held) : 0);
    for (uint32_t i = shapes->heads[hash & (shapes->head_count - 1)]; i;
         i = shapes->items[i - 1].next)
        if (shapes->items[i - 1].hash == hash &&
            is_same(&shapes->items[i - 1], held, held_count, tokens, count))
            return i - 1;
    st_reserve(&shapes->items, &shapes->capacity, shapes->count + 1);
    uint32_t *head = &shapes->heads[hash & (shapes->head_count - 1)];
    struct st_shape *shape = &shapes->items[shapes->count];
    uint32_t *arrays = st_alloc((size_t)count * 3 + 1, sizeof *arrays);
    *shape = (struct st_shape){.held = st_alloc((size_t)held_count * 2 + 1, sizeof *held),
                               .held_count = held_count,
                               .held_set = st_lockset_of(locksets, held, held_count),
                               .count = count,
                               .tokens = st_alloc((size_t)count + 1, sizeof *tokens),
                               .ends = arrays,
                               .ups = arrays + count,
                               .locksets = arrays + (size_t)count * 2,
                               .next = *head,
                               .hash = hash};
    shape->held_ends = shape->held + held_count;
    if (held_count)
        memcpy(shape->held, held, held_count * sizeof *held);
    if (count)
        memcpy(shape->tokens, tokens, count * sizeof *tokens);
    derive(shape, locksets);
    shapes->bytes += ((size_t)held_count * 2 + (size_t)count * 5) * sizeof(uint32_t);
    *head = (uint32_t)++shapes->count;
    if (shapes->count > shapes->head_count)
        grow_heads(shapes);
    return (uint32_t)shapes->count - 1;
}

/* An acquire and a release are in their own section. */
static uint32_t innermost(const struct st_shape *shape, uint32_t i) {
    return shape->tokens[i].kind == ST_TOKEN_ACQUIRE ? i : shape->ups[i];
}

uint32_t st_shape_section(const struct st_shape *shape, uint32_t i, uint32_t lock) {
    if (shape->tokens[i].kind == ST_TOKEN_RELEASE && shape->tokens[i].target == lock) {
        for (uint32_t j = i; j-- > 0;)
            if (shape->tokens[j].kind == ST_TOKEN_ACQUIRE && shape->ends[j] == i)
                return j;
        return ST_NO_TOKEN;
    }
    return find_section(shape, innermost(shape, i), lock, i);
}

bool st_shape_outermost(const struct st_shape *shape, const struct st_locksets *locksets,
                        uint32_t i, uint32_t set, struct st_span *span) {
    for (uint32_t k = 0; k < shape->held_count; k++)
        if ((i == ST_NO_TOKEN || shape->held_ends[k] >= i) &&
            st_lockset_has(locksets, set, shape->held[k])) {
            *span = (struct st_span){0, shape->held_ends[k] + 1};
            return true;
        }
    bool found = false;
    if (i == ST_NO_TOKEN)
        return false;
    for (uint32_t j = innermost(shape, i); j != ST_NO_TOKEN; j = shape->ups[j])
        if (shape->ends[j] >= i && st_lockset_has(locksets, set, shape->tokens[j].target)) {
            *span = (struct st_span){j + 1, shape->ends[j] + 1};
            found = true;
        }
    return found;
}
