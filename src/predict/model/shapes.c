#include "predict/model/shapes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 256 };

void st_shapes_init(struct st_shapes *shapes) {
    *shapes = (struct st_shapes){0};
    st_numbers_grow(&shapes->numbers, FIRST_SLOTS);
}

void st_shapes_free(struct st_shapes *shapes) {
    for (size_t i = 0; i < shapes->piece_count; i++)
        free(shapes->pieces[i]);
    free(shapes->pieces);
    st_free_table(shapes->items, shapes->capacity, sizeof *shapes->items);
    st_numbers_free(&shapes->numbers);
}

void st_shapes_finish(struct st_shapes *shapes) {
    st_numbers_free(&shapes->numbers);
}

static void forget_numbers(struct st_shapes *shapes) {
    st_numbers_free(&shapes->numbers);
    st_numbers_grow(&shapes->numbers, FIRST_SLOTS);
}

void st_shapes_seal(struct st_shapes *shapes) {
    shapes->sealed = (struct st_shapes_mark){.count = shapes->count,
                                             .piece_count = shapes->piece_count,
                                             .used = shapes->used,
                                             .room = shapes->room};
    forget_numbers(shapes);
}

void st_shapes_drop(struct st_shapes *shapes) {
    const struct st_shapes_mark *sealed = &shapes->sealed;
    while (shapes->piece_count > sealed->piece_count)
        free(shapes->pieces[--shapes->piece_count]);
    shapes->count = sealed->count;
    shapes->used = sealed->used;
    shapes->room = sealed->room;
    forget_numbers(shapes);
}

/* ---- shapes that are known ---- */

struct wanted {
    const struct st_shapes *shapes;
    const uint32_t *held;
    uint32_t held_count;
    const struct st_token *tokens;
    uint32_t count;
};

static bool is_wanted(const void *context, uint32_t number) {
    const struct wanted *wanted = context;
    const struct st_shape *shape = &wanted->shapes->items[number];
    return shape->held_count == wanted->held_count && shape->count == wanted->count &&
           (!shape->held_count ||
            memcmp(shape->held, wanted->held, shape->held_count * sizeof *shape->held) == 0) &&
           (!shape->count ||
            memcmp(shape->tokens, wanted->tokens, shape->count * sizeof *shape->tokens) == 0);
}

static uint64_t hash_wanted(const struct wanted *wanted) {
    uint64_t seed = wanted->held_count
                        ? XXH3_64bits(wanted->held, wanted->held_count * sizeof *wanted->held)
                        : 0;
    return XXH3_64bits_withSeed(wanted->tokens, wanted->count * sizeof *wanted->tokens, seed);
}

/* ---- new shapes ---- */

static uint32_t find_section(const struct st_shape *shape, uint32_t from, uint32_t lock,
                             uint32_t at) {
    while (from != ST_NO_TOKEN && (shape->tokens[from].target != lock || shape->ends[from] < at))
        from = shape->ups[from];
    return from;
}

/* The last acquire at or before `from`, following `ups`, whose section is still open. */
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

/* Computes what follows from the tokens. */
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

/* Room for so many words. Most shapes are short: one by one they would take half as much again. */
static uint32_t *take_words(struct st_shapes *shapes, size_t count) {
    enum { PIECE = 1 << 16 };
    if (!shapes->piece_count || shapes->used + count > shapes->room) {
        shapes->room = count < PIECE ? PIECE : count;
        shapes->used = 0;
        st_reserve(&shapes->pieces, &shapes->piece_capacity, shapes->piece_count + 1);
        shapes->pieces[shapes->piece_count++] =
            st_realloc(NULL, shapes->room, sizeof **shapes->pieces);
    }
    uint32_t *words = shapes->pieces[shapes->piece_count - 1] + shapes->used;
    shapes->used += count;
    return words;
}

static void make_shape(struct st_shapes *shapes, struct st_locksets *locksets,
                       const struct wanted *wanted) {
    enum { TOKEN_WORDS = sizeof(struct st_token) / sizeof(uint32_t), LISTS = TOKEN_WORDS + 3 };
    size_t count = wanted->count, held_count = wanted->held_count;
    struct st_shape *shape = &shapes->items[shapes->count];
    uint32_t *words = take_words(shapes, count * LISTS + held_count * 2);
    uint32_t *behind = words + count * TOKEN_WORDS;
    *shape = (struct st_shape){.tokens = (struct st_token *)words,
                               .ends = behind,
                               .ups = behind + count,
                               .locksets = behind + count * 2,
                               .held = behind + count * 3,
                               .held_ends = behind + count * 3 + held_count,
                               .held_count = wanted->held_count,
                               .held_set = st_lockset_of(locksets, wanted->held, held_count),
                               .count = wanted->count};
    if (held_count)
        memcpy(shape->held, wanted->held, held_count * sizeof *shape->held);
    if (count)
        memcpy(shape->tokens, wanted->tokens, count * sizeof *shape->tokens);
    derive(shape, locksets);
}

uint32_t st_shape_of(struct st_shapes *shapes, struct st_locksets *locksets, const uint32_t *held,
                     uint32_t held_count, const struct st_token *tokens, uint32_t count) {
    const struct wanted wanted = {shapes, held, held_count, tokens, count};
    uint64_t hash = hash_wanted(&wanted);
    uint32_t known = st_numbers_find(&shapes->numbers, hash, is_wanted, &wanted);
    if (known != ST_NUMBER_NONE)
        return known;
    st_reserve_table(&shapes->items, &shapes->capacity, shapes->count + 1);
    make_shape(shapes, locksets, &wanted);
    st_numbers_add(&shapes->numbers, hash, (uint32_t)shapes->count);
    return (uint32_t)shapes->count++;
}

/* ---- sections ---- */

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
                        uint32_t i, uint32_t set, struct st_shape_span *span) {
    for (uint32_t k = 0; k < shape->held_count; k++)
        if ((i == ST_NO_TOKEN || shape->held_ends[k] >= i) &&
            st_lockset_has(locksets, set, shape->held[k])) {
            *span = (struct st_shape_span){0, shape->held_ends[k] + 1};
            return true;
        }
    bool found = false;
    if (i == ST_NO_TOKEN)
        return false;
    for (uint32_t j = innermost(shape, i); j != ST_NO_TOKEN; j = shape->ups[j])
        if (shape->ends[j] >= i && st_lockset_has(locksets, set, shape->tokens[j].target)) {
            *span = (struct st_shape_span){j + 1, shape->ends[j] + 1};
            found = true;
        }
    return found;
}
