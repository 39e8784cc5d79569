#include "predict/run_fit.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_EVENTS = 65536,       /* they fit, however little memory there is */
    EVENTS_PER_CHECK = 1 << 18, /* of the memory in use, which takes a system call */
    MOST_FLOOR = 64 << 20       /* bytes: see st_run_fit_room */
};

void st_run_fit_free(struct st_run_fit *fit) {
    free(fit->unjudged_by_name);
    free(fit->depths);
}

static void count_unjudged(struct st_run_fit *fit, const struct st_event *event, uint64_t number) {
    if (event->op != ST_BEGIN && event->op != ST_END)
        return;
    st_reserve(&fit->depths, &fit->depth_capacity, (size_t)event->thread + 1);
    uint32_t *depth = &fit->depths[event->thread];
    if (event->op == ST_END) {
        *depth -= *depth > 0;
    } else if ((*depth)++ == 0 && fit->last_judged && number > fit->last_judged) {
        size_t name = (uint32_t)(event->target + 1);
        st_reserve(&fit->unjudged_by_name, &fit->unjudged_names, name + 1);
        fit->unjudged_by_name[name]++;
    }
}

size_t st_run_fit_count(struct st_run_fit *fit, const struct st_event_batch *batch,
                        bool last_pass) {
    size_t count = batch->count;
    if (fit->memory && last_pass)
        for (size_t i = 0; i < count; i++)
            count_unjudged(fit, &batch->events[i], st_batch_number(batch, i));
    while (fit->last_judged && count && st_batch_number(batch, count - 1) > fit->last_judged)
        count--;
    return count;
}

bool st_run_fit_is_full(struct st_run_fit *fit, uint64_t last, size_t judging) {
    if (!fit->memory || last < LEAST_EVENTS ||
        (fit->looked && last < fit->looked + EVENTS_PER_CHECK))
        return false;
    fit->looked = last;
    if (st_memory_in_use() + judging <= fit->memory)
        return false;
    st_return_memory();
    return st_memory_in_use() + judging > fit->memory;
}

void st_run_fit_end_pass(struct st_run_fit *fit) {
    fit->looked = 0;
    if (fit->depth_capacity)
        memset(fit->depths, 0, fit->depth_capacity * sizeof *fit->depths);
}

void st_run_fit_restart(struct st_run_fit *fit) {
    if (fit->unjudged_names)
        memset(fit->unjudged_by_name, 0, fit->unjudged_names * sizeof *fit->unjudged_by_name);
}

/* There is always some, so that a search has something to look at. */
size_t st_run_fit_room(const struct st_run_fit *fit, size_t spoken_for) {
    if (!fit->memory)
        return 0;
    st_return_memory();
    size_t used = st_memory_in_use() + spoken_for;
    size_t room = used < fit->memory ? fit->memory - used : 0;
    size_t least = fit->memory / 4 + 1;
    least = least < MOST_FLOOR ? least : MOST_FLOOR;
    return room > least ? room : least;
}
