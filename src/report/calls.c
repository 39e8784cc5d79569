#include "report/calls.h"

#include "base/memory.h"
#include "report/context_details.h"
#include "symbol/user_code.h"

#include <stdlib.h>
#include <string.h>

/* ---- The user's line ---- */

const char *const *st_user_frame(const char *const *stack) {
    for (const char *const *frame = stack; *frame; frame += 2)
        if (st_is_user_code(frame[0], frame[1]))
            return frame;
    return stack;
}

static struct st_user_line find_line(const struct st_symbols *symbols,
                                     const struct st_details *details, uint64_t loc,
                                     char buffer[ST_LOCATION_SIZE], bool innermost) {
    struct st_context_details contexts = {.symbols = symbols};
    struct st_detail detail;
    if (details)
        details->lookup(details->context, loc, &detail);
    else
        st_context_details_lookup(&contexts, loc, &detail);
    const char *const *frame = innermost ? detail.stack : st_user_frame(detail.stack);
    struct st_user_line line = {detail.function, NULL};
    if (*frame)
        line = (struct st_user_line){frame[0], frame[1]};
    else
        line.location = st_location_text(symbols, loc, buffer);
    st_context_details_free(&contexts);
    return line;
}

struct st_user_line st_user_line(const struct st_symbols *symbols, const struct st_details *details,
                                 uint64_t loc, char buffer[ST_LOCATION_SIZE]) {
    return find_line(symbols, details, loc, buffer, false);
}

struct st_user_line st_innermost_line(const struct st_symbols *symbols,
                                      const struct st_details *details, uint64_t loc,
                                      char buffer[ST_LOCATION_SIZE]) {
    return find_line(symbols, details, loc, buffer, true);
}

const char *st_user_location(const struct st_symbols *symbols, const struct st_details *details,
                             uint64_t loc, char buffer[ST_LOCATION_SIZE]) {
    return find_line(symbols, details, loc, buffer, false).location;
}

/* ---- The calls ---- */

static void add_frame(struct st_calls *calls, const char *function, const char *location) {
    st_reserve(&calls->frames, &calls->capacity, calls->count + 1);
    calls->frames[calls->count++] =
        (struct st_frame_text){st_strdup(function), st_strdup(location)};
}

/* Function and location of each frame in turn. Where all are of the implementation, the innermost
 * stands for them. */
static struct st_calls choose_frames(const char *const *stack) {
    struct st_calls calls = {0};
    for (const char *const *at = stack; *at; at += 2)
        if (st_is_user_code(at[0], at[1]))
            add_frame(&calls, at[0], at[1]);
    if (!calls.count && *stack)
        add_frame(&calls, stack[0], stack[1]);
    return calls;
}

struct st_calls st_calls_at(const struct st_details *details, uint64_t loc) {
    struct st_detail detail;
    if (!details)
        return (struct st_calls){0};
    details->lookup(details->context, loc, &detail);
    return choose_frames(detail.stack);
}

struct st_calls st_calls_of_frame(const struct st_symbols *symbols, uint32_t frame) {
    const struct st_contexts *contexts = &symbols->contexts;
    struct st_calls calls = {0};
    uint32_t innermost = frame;
    for (; frame; frame = contexts->frames[frame - 1].caller) {
        const struct st_frame_row *row = &contexts->frames[frame - 1];
        const char *function = st_name(&contexts->functions, row->function);
        const char *line = st_name(&contexts->lines, row->line);
        if (st_is_user_code(function, line))
            add_frame(&calls, function, line);
    }
    if (!calls.count && innermost) {
        const struct st_frame_row *row = &contexts->frames[innermost - 1];
        add_frame(&calls, st_name(&contexts->functions, row->function),
                  st_name(&contexts->lines, row->line));
    }
    return calls;
}

void st_calls_free(struct st_calls *calls) {
    for (size_t i = 0; i < calls->count; i++) {
        free(calls->frames[i].function);
        free(calls->frames[i].location);
    }
    free(calls->frames);
    *calls = (struct st_calls){0};
}

static bool same_frame(const struct st_frame_text *a, const struct st_frame_text *b) {
    return strcmp(a->function, b->function) == 0 && strcmp(a->location, b->location) == 0;
}

size_t st_calls_new(const struct st_calls *calls, const struct st_calls *before) {
    size_t count = calls->count, known = before->count;
    while (count > 1 && known > 1 &&
           same_frame(&calls->frames[count - 1], &before->frames[known - 1])) {
        count--;
        known--;
    }
    return count;
}
