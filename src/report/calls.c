#include "report/calls.h"

#include "base/memory.h"
#include "symbol/user_code.h"

#include <stdlib.h>
#include <string.h>

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

size_t st_calls_new(const struct st_calls *calls, const struct st_calls *told) {
    size_t count = calls->count, known = told->count;
    while (count > 1 && known > 1 &&
           same_frame(&calls->frames[count - 1], &told->frames[known - 1])) {
        count--;
        known--;
    }
    return count;
}
