#include "predict/model/unit_tokens.h"

#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { KEPT = 2 };

/* A key for counting: the node that contains the item, and what the item is: a target, or the hash
 * of a critical section, whose tokens drop_equal compares. */
struct place {
    uint64_t what;
    uint32_t node, kind;
};

void st_unit_tokens_init(struct st_unit_tokens *unit, bool whole) {
    *unit = (struct st_unit_tokens){.whole = whole, .next_node = 1};
    st_intern_init(&unit->places, sizeof(struct place));
}

void st_unit_tokens_free(struct st_unit_tokens *unit) {
    free(unit->tokens);
    free(unit->sections);
    free(unit->counts);
    st_intern_free(&unit->places);
}

void st_unit_tokens_clear(struct st_unit_tokens *unit) {
    unit->count = 0;
    unit->depth = 0;
    unit->node = 0;
    unit->next_node = 1;
    st_intern_clear(&unit->places);
}

static void put(struct st_unit_tokens *unit, struct st_token token, uint64_t number, uint64_t loc) {
    st_reserve(&unit->tokens, &unit->capacity, unit->count + 1);
    unit->tokens[unit->count++] = (struct st_seen_token){token, number, loc};
}

static uint32_t current_node(const struct st_unit_tokens *unit) {
    return unit->depth ? unit->sections[unit->depth - 1].node : unit->node;
}

static struct st_token_count *count_at(struct st_unit_tokens *unit, uint32_t node, uint64_t what,
                                       uint32_t kind) {
    const struct place place = {what, node, kind};
    uint32_t known = unit->places.count;
    uint32_t number = st_intern_add(&unit->places, &place, sizeof place);
    st_reserve(&unit->counts, &unit->count_capacity, (size_t)number + 1);
    if (number == known)
        unit->counts[number] = (struct st_token_count){.seen = 0};
    return &unit->counts[number];
}

void st_unit_tokens_add(struct st_unit_tokens *unit, struct st_token token, uint64_t number,
                        uint64_t loc) {
    if (unit->whole) {
        put(unit, token, number, loc);
        return;
    }
    struct st_token_count *count = count_at(unit, current_node(unit), token.target, token.kind);
    count->seen++;
    count->number = number;
    count->loc = loc;
    count->token = token;
    count->dropped = count->seen > KEPT;
    if (!count->dropped)
        put(unit, token, number, loc);
}

void st_unit_tokens_acquire(struct st_unit_tokens *unit, uint32_t lock, uint64_t number,
                            uint64_t loc) {
    put(unit, (struct st_token){ST_TOKEN_ACQUIRE, lock}, number, loc);
    st_reserve(&unit->sections, &unit->section_capacity, unit->depth + 1);
    unit->sections[unit->depth++] =
        (struct st_open_section){.number = number, .lock = lock, .node = unit->next_node++};
}

/* The place of the first token with this event number or a higher one. */
static size_t find_token(const struct st_unit_tokens *unit, uint64_t number) {
    size_t place;
    st_lower_bound(place, 0, unit->count, unit->tokens[place].number < number);
    return place;
}

static bool are_equal(const struct st_unit_tokens *unit, size_t left, size_t right, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (unit->tokens[left + i].token.kind != unit->tokens[right + i].token.kind ||
            unit->tokens[left + i].token.target != unit->tokens[right + i].token.target)
            return false;
    return true;
}

static uint64_t hash_tokens(const struct st_unit_tokens *unit, size_t first) {
    uint64_t hash = 0;
    for (size_t i = first; i < unit->count; i++)
        hash = XXH3_64bits_withSeed(&unit->tokens[i].token, sizeof unit->tokens[i].token, hash);
    return hash;
}

/* A critical section has closed. If there were two equal ones before it, the previous one is
 * dropped. */
static void drop_equal(struct st_unit_tokens *unit, const struct st_open_section *section,
                       uint64_t end) {
    size_t first = find_token(unit, section->number), length = unit->count - first;
    struct st_token_count *count =
        count_at(unit, current_node(unit), hash_tokens(unit, first), ST_TOKEN_ACQUIRE);
    if (count->seen > KEPT) {
        size_t old = find_token(unit, count->number);
        size_t old_length = find_token(unit, count->first_end + 1) - old;
        if (old_length != length || !are_equal(unit, old, first, length))
            return; /* the hashes agree by chance */
        memmove(unit->tokens + old, unit->tokens + old + length,
                (unit->count - old - length) * sizeof *unit->tokens);
        unit->count -= length;
    }
    count->seen++;
    count->number = section->number;
    count->first_end = end;
}

/* A lock is released that was acquired before these sections: what follows in them is done with
 * other locks than what came before, and is no repetition of it. */
static void begin_anew(struct st_unit_tokens *unit, size_t first) {
    for (size_t i = first; i < unit->depth; i++) {
        unit->sections[i].crossed = true;
        unit->sections[i].node = unit->next_node++;
    }
}

void st_unit_tokens_release(struct st_unit_tokens *unit, uint32_t lock, uint64_t number,
                            uint64_t loc) {
    size_t place = unit->depth;
    while (place > 0 && unit->sections[place - 1].lock != lock)
        place--;
    put(unit, (struct st_token){ST_TOKEN_RELEASE, lock}, number, loc);
    begin_anew(unit, place);
    if (!place) { /* held from before the unit */
        unit->node = unit->next_node++;
        return;
    }
    struct st_open_section section = unit->sections[place - 1];
    for (size_t i = place; i < unit->depth; i++)
        unit->sections[i - 1] = unit->sections[i];
    bool last = place == unit->depth--;
    if (last && !section.crossed && !unit->whole)
        drop_equal(unit, &section, number);
}

/* The event that accesses an atomic variable also acquires and releases its lock. */
static int rank(const struct st_seen_token *token) {
    return token->token.kind == ST_TOKEN_ACQUIRE   ? 0
           : token->token.kind == ST_TOKEN_RELEASE ? 2
                                                   : 1;
}

static int by_number(const void *left, const void *right) {
    const struct st_seen_token *a = left, *b = right;
    if (a->number == b->number)
        return rank(a) - rank(b);
    return a->number < b->number ? -1 : 1;
}

/* If not, there is nothing to restore: so it is in most units. */
static bool has_dropped_write(const struct st_unit_tokens *unit) {
    for (uint32_t i = 0; i < unit->places.count; i++) {
        const struct st_token_count *count = &unit->counts[i];
        if (count->dropped && count->seen && count->token.kind == ST_TOKEN_WRITE)
            return true;
    }
    return false;
}

/* Restores the last write of each variable in the unit, if it was dropped. Its section must still
 * be there. That is so unless a later, equal section replaced it, and then that one has a write. */
static void put_last_writes(struct st_unit_tokens *unit) {
    struct st_map64 variables;
    struct st_token_count **last = NULL;
    size_t capacity = 0;
    st_map64_init(&variables);
    for (uint32_t i = 0; i < unit->places.count; i++) {
        struct st_token_count *count = &unit->counts[i];
        if (count->token.kind != ST_TOKEN_WRITE || !count->seen)
            continue;
        uint32_t number = st_map64_number(&variables, count->token.target);
        st_reserve(&last, &capacity, (size_t)number + 1);
        if (!last[number] || last[number]->number < count->number)
            last[number] = count;
    }
    for (uint32_t i = 0; i < variables.count; i++)
        if (last[i]->dropped)
            put(unit, last[i]->token, last[i]->number, last[i]->loc);
    free(last);
    st_map64_free(&variables);
}

void st_unit_tokens_finish(struct st_unit_tokens *unit) {
    size_t count = unit->count;
    if (unit->whole || !has_dropped_write(unit))
        return;
    put_last_writes(unit);
    if (unit->count > count)
        qsort(unit->tokens, unit->count, sizeof *unit->tokens, by_number);
}
