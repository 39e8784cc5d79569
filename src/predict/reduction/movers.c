#include "predict/reduction/movers.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_movers_free(struct st_movers *movers) {
    free(movers->letters);
    free(movers->open);
    free(movers->impure);
}

/* ---- single tokens ---- */

static bool is_thread_local(const struct st_model *model, const struct st_mover_rules *rules,
                            uint32_t lock) {
    const struct st_model_lock *facts = &model->locks[lock];
    return rules->thread_local_locks && (!facts->shared || (rules->ordered && !facts->contended));
}

static bool moves_both_ways(const struct st_model *model, const struct st_mover_rules *rules,
                            uint32_t lock) {
    return is_thread_local(model, rules, lock) ||
           (rules->protected_locks && model->locks[lock].protectors);
}

/* Are accesses to this variable irrelevant to others, in any schedule? */
static bool is_private(const struct st_model *model, const struct st_mover_rules *rules,
                       uint32_t variable) {
    const struct st_model_variable *facts = &model->variables[variable];
    return !facts->shared || !facts->written || (rules->ordered && !facts->contended);
}

/* Who waits for a signal comes after who gives it, in every schedule. So giving it moves left, as a
 * release does, and taking it right, as an acquire does: the other never stands in the way. */
static char letter_of_racy(const struct st_model *model, const struct st_mover_rules *rules,
                           const struct st_token *token) {
    if (!rules->ordered || token->target < model->first_signal)
        return 'N';
    return token->kind == ST_TOKEN_WRITE ? 'L' : 'R';
}

static char letter_of(const struct st_model *model, const struct st_mover_rules *rules,
                      const struct st_token *token, bool racy) {
    switch (token->kind) {
    case ST_TOKEN_ACQUIRE:
        return moves_both_ways(model, rules, token->target) ? 'B' : 'R';
    case ST_TOKEN_RELEASE:
        return moves_both_ways(model, rules, token->target) ? 'B' : 'L';
    case ST_TOKEN_REACQUIRE:
        return rules->reentrant ? 'B' : 'R';
    case ST_TOKEN_RERELEASE:
        return rules->reentrant ? 'B' : 'L';
    default:
        if (is_private(model, rules, token->target))
            return ST_MOVES_FREELY;
        return racy ? letter_of_racy(model, rules, token) : 'B';
    }
}

/* ---- AcqA*Rel ---- */

static void spoil(struct st_movers *movers, size_t from) {
    for (size_t i = from; i < movers->open_count; i++)
        movers->impure[i] = true;
}

static void open_section(struct st_movers *movers, uint32_t acquire) {
    st_reserve(&movers->open, &movers->open_capacity, movers->open_count + 1);
    st_reserve(&movers->impure, &movers->impure_capacity, movers->open_count + 1);
    movers->open[movers->open_count] = acquire;
    movers->impure[movers->open_count++] = false;
}

/* The innermost section records whether something in it matters, and passes that on to the
 * enclosing section when it closes. Sections that overlap without being nested all matter. */
static void close_section(struct st_movers *movers, const struct st_shape *shape, uint32_t release,
                          bool may_pass) {
    uint32_t lock = shape->tokens[release].target;
    size_t place = movers->open_count;
    while (place > 0 && shape->tokens[movers->open[place - 1]].target != lock)
        place--;
    if (!place) { /* held from before */
        spoil(movers, 0);
        return;
    }
    if (place < movers->open_count)
        spoil(movers, place - 1);
    size_t own = place - 1;
    uint32_t acquire = movers->open[own];
    bool passes = may_pass && !movers->impure[own];
    movers->open_count--;
    for (size_t i = own; i < movers->open_count; i++) {
        movers->open[i] = movers->open[i + 1];
        movers->impure[i] = movers->impure[i + 1];
    }
    if (!passes && own)
        movers->impure[own - 1] = true;
    if (!passes)
        return;
    for (uint32_t i = acquire; i <= release; i++)
        movers->letters[i] = ST_MOVES_FREELY;
}

static void leave_out_sections(struct st_movers *movers, const struct st_model *model,
                               const struct st_mover_rules *rules, const struct st_shape *shape) {
    movers->open_count = 0;
    for (uint32_t i = movers->first; i < movers->end; i++) {
        const struct st_token *token = &shape->tokens[i];
        switch (token->kind) {
        case ST_TOKEN_ACQUIRE:
            open_section(movers, i);
            break;
        case ST_TOKEN_RELEASE:
            close_section(movers, shape, i,
                          !rules->loose || !rules->loose[token->target] ||
                              is_thread_local(model, rules, token->target));
            break;
        case ST_TOKEN_REACQUIRE:
        case ST_TOKEN_RERELEASE:
            if (!rules->reentrant && movers->open_count)
                movers->impure[movers->open_count - 1] = true;
            break;
        default:
            if (movers->letters[i] != ST_MOVES_FREELY && movers->open_count)
                movers->impure[movers->open_count - 1] = true;
            break;
        }
    }
}

/* ---- the form of the whole ---- */

static void match(struct st_movers *movers, const struct st_mover_rules *rules) {
    enum { RIGHT, MIDDLE, LEFT } part = RIGHT;
    movers->reducible = true;
    for (uint32_t i = movers->first; i < movers->end; i++) {
        char letter = movers->letters[i];
        if (letter == 'B' || letter == ST_MOVES_FREELY || (part == RIGHT && letter == 'R'))
            continue;
        bool fits =
            letter == 'L' || (letter == 'N' && (part == RIGHT || (part == MIDDLE && rules->many)));
        if (!fits) {
            movers->reducible = false;
            movers->breach = i;
            return;
        }
        if (part == RIGHT)
            movers->commit = i;
        part = letter == 'L' ? LEFT : MIDDLE;
    }
}

void st_movers_find(struct st_movers *movers, const struct st_model *model,
                    const struct st_mover_rules *rules, st_is_racy *is_racy, const void *context,
                    uint32_t unit, uint32_t first, uint32_t end) {
    const struct st_shape *shape = st_unit_shape(model, unit);
    st_reserve(&movers->letters, &movers->capacity, (size_t)shape->count + 1);
    movers->first = first;
    movers->end = end;
    for (uint32_t i = first; i < end; i++) {
        bool access = shape->tokens[i].kind <= ST_TOKEN_WRITE;
        movers->letters[i] =
            letter_of(model, rules, &shape->tokens[i], access && is_racy(context, unit, i));
    }
    if (rules->sections)
        leave_out_sections(movers, model, rules, shape);
    match(movers, rules);
}

/* ---- for people ---- */

enum { LONG = 32, LONGEST = 72 };

/* Abbreviates three or more equal letters to "B+". Returns the new length. */
static size_t shorten_runs(char *text, size_t length) {
    size_t out = 0;
    for (size_t i = 0, end; i < length; i = end) {
        end = i + 1;
        while (end < length && text[end] == text[i])
            end++;
        char letter = text[i];
        text[out++] = letter;
        if (end - i >= 3)
            text[out++] = '+';
        else if (end - i == 2)
            text[out++] = letter;
    }
    return out;
}

char *st_movers_pattern(const struct st_movers *movers) {
    char *text = st_alloc((size_t)(movers->end - movers->first) + 1, 1);
    size_t length = 0;
    for (uint32_t i = movers->first; i < movers->end; i++)
        if (movers->letters[i] != ST_MOVES_FREELY)
            text[length++] = movers->letters[i];
    if (length > LONG)
        length = shorten_runs(text, length);
    if (length > LONGEST) {
        size_t half = (LONGEST - 3) / 2;
        memcpy(text + half, "...", 3);
        memmove(text + half + 3, text + length - half, half);
        length = half * 2 + 3;
    }
    text[length] = '\0';
    return text;
}
