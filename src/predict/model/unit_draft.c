#include "predict/model/unit_draft.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { KEPT = 2 };

void st_draft_init(struct st_draft *draft, bool whole) {
    *draft = (struct st_draft){.whole = whole, .next_node = 1};
    st_map64_init(&draft->places);
}

void st_draft_free(struct st_draft *draft) {
    free(draft->tokens);
    free(draft->sections);
    free(draft->counts);
    st_map64_free(&draft->places);
}

void st_draft_clear(struct st_draft *draft) {
    draft->count = 0;
    draft->depth = 0;
    draft->next_node = 1;
    if (draft->places.count) {
        st_map64_free(&draft->places);
        st_map64_init(&draft->places);
    }
}

static void put(struct st_draft *draft, struct st_token token, uint64_t number, uint64_t loc) {
    st_reserve(&draft->tokens, &draft->capacity, draft->count + 1);
    draft->tokens[draft->count++] = (struct st_draft_token){token, number, loc};
}

static uint32_t current_node(const struct st_draft *draft) {
    return draft->depth ? draft->sections[draft->depth - 1].node : 0;
}

/* What is counted is known by what it is and by the node that it is in. */
static struct st_draft_count *count_at(struct st_draft *draft, uint32_t node, uint64_t what,
                                       uint32_t kind) {
    struct {
        uint64_t what;
        uint32_t node, kind;
    } key = {what, node, kind};
    uint32_t known = draft->places.count;
    uint32_t number = st_map64_number(&draft->places, XXH3_64bits(&key, sizeof key));
    st_reserve(&draft->counts, &draft->count_capacity, (size_t)number + 1);
    if (number == known)
        draft->counts[number] = (struct st_draft_count){.seen = 0};
    return &draft->counts[number];
}

void st_draft_add(struct st_draft *draft, struct st_token token, uint64_t number, uint64_t loc) {
    if (draft->whole) {
        put(draft, token, number, loc);
        return;
    }
    struct st_draft_count *count = count_at(draft, current_node(draft), token.target, token.kind);
    count->seen++;
    count->number = number;
    count->loc = loc;
    count->token = token;
    count->dropped = count->seen > KEPT;
    if (!count->dropped)
        put(draft, token, number, loc);
}

void st_draft_acquire(struct st_draft *draft, uint32_t lock, uint64_t number, uint64_t loc) {
    put(draft, (struct st_token){ST_TOKEN_ACQUIRE, lock}, number, loc);
    st_reserve(&draft->sections, &draft->section_capacity, draft->depth + 1);
    draft->sections[draft->depth++] =
        (struct st_draft_section){.number = number, .lock = lock, .node = draft->next_node++};
}

/* The place of the first token with at least this event number. */
static size_t find_token(const struct st_draft *draft, uint64_t number) {
    size_t at;
    st_lower_bound(at, 0, draft->count, draft->tokens[at].number < number);
    return at;
}

static bool are_equal(const struct st_draft *draft, size_t left, size_t right, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (draft->tokens[left + i].token.kind != draft->tokens[right + i].token.kind ||
            draft->tokens[left + i].token.target != draft->tokens[right + i].token.target)
            return false;
    return true;
}

static uint64_t hash_tokens(const struct st_draft *draft, size_t first) {
    uint64_t hash = 0;
    for (size_t i = first; i < draft->count; i++)
        hash = XXH3_64bits_withSeed(&draft->tokens[i].token, sizeof draft->tokens[i].token, hash);
    return hash;
}

/* A critical section has closed: when there were two like it before, the one before it goes. */
static void drop_equal(struct st_draft *draft, const struct st_draft_section *section,
                       uint64_t end) {
    size_t first = find_token(draft, section->number), length = draft->count - first;
    struct st_draft_count *count =
        count_at(draft, current_node(draft), hash_tokens(draft, first), ST_TOKEN_ACQUIRE);
    if (count->seen > KEPT) {
        size_t old = find_token(draft, count->number);
        size_t old_length = find_token(draft, count->first_end + 1) - old;
        if (old_length != length || !are_equal(draft, old, first, length))
            return; /* hashes that agree by chance */
        memmove(draft->tokens + old, draft->tokens + old + length,
                (draft->count - old - length) * sizeof *draft->tokens);
        draft->count -= length;
    }
    count->seen++;
    count->number = section->number;
    count->first_end = end;
}

void st_draft_release(struct st_draft *draft, uint32_t lock, uint64_t number, uint64_t loc) {
    size_t place = draft->depth;
    while (place > 0 && draft->sections[place - 1].lock != lock)
        place--;
    put(draft, (struct st_token){ST_TOKEN_RELEASE, lock}, number, loc);
    if (!place) { /* held from before: what is open now outlives it */
        for (size_t i = 0; i < draft->depth; i++)
            draft->sections[i].crossed = true;
        return;
    }
    struct st_draft_section section = draft->sections[place - 1];
    for (size_t i = place; i < draft->depth; i++) {
        draft->sections[i].crossed = true;
        draft->sections[i - 1] = draft->sections[i];
    }
    bool last = place == draft->depth--;
    if (last && !section.crossed && !draft->whole)
        drop_equal(draft, &section, number);
}

/* The lock of an atomic variable is taken and given back by the event that accesses it. */
static int rank(const struct st_draft_token *token) {
    return token->token.kind == ST_TOKEN_ACQUIRE   ? 0
           : token->token.kind == ST_TOKEN_RELEASE ? 2
                                                   : 1;
}

static int by_number(const void *left, const void *right) {
    const struct st_draft_token *a = left, *b = right;
    if (a->number == b->number)
        return rank(a) - rank(b);
    return a->number < b->number ? -1 : 1;
}

/* The last write of each variable in the unit, among those that were dropped. It must still have
 * its section, which is so unless a later, equal section took its place; then that has a write. */
static void put_last_writes(struct st_draft *draft) {
    struct st_map64 variables;
    struct st_draft_count **last = NULL;
    size_t capacity = 0;
    st_map64_init(&variables);
    for (uint32_t i = 0; i < draft->places.count; i++) {
        struct st_draft_count *count = &draft->counts[i];
        if (count->token.kind != ST_TOKEN_WRITE || !count->seen)
            continue;
        uint32_t number = st_map64_number(&variables, count->token.target);
        st_reserve(&last, &capacity, (size_t)number + 1);
        if (!last[number] || last[number]->number < count->number)
            last[number] = count;
    }
    for (uint32_t i = 0; i < variables.count; i++)
        if (last[i]->dropped)
            put(draft, last[i]->token, last[i]->number, last[i]->loc);
    free(last);
    st_map64_free(&variables);
}

void st_draft_finish(struct st_draft *draft) {
    size_t count = draft->count;
    if (draft->whole)
        return;
    put_last_writes(draft);
    if (draft->count > count)
        qsort(draft->tokens, draft->count, sizeof *draft->tokens, by_number);
}
