#include "report/context_details.h"

#include "base/memory.h"

#include <stdlib.h>

static void list_frames(struct st_context_details *details, uint32_t frame) {
    const struct st_contexts *contexts = &details->symbols->contexts;
    size_t count = 0;
    for (; frame; frame = contexts->frames[frame - 1].caller) {
        const struct st_frame_row *row = &contexts->frames[frame - 1];
        st_reserve(&details->stack, &details->stack_capacity, count + 3);
        details->stack[count++] = st_name(&contexts->functions, row->function);
        details->stack[count++] = st_name(&contexts->lines, row->line);
    }
    st_reserve(&details->stack, &details->stack_capacity, count + 1);
    details->stack[count] = NULL;
}

static void list_locks(struct st_context_details *details, uint32_t held) {
    const struct st_contexts *contexts = &details->symbols->contexts;
    size_t count = 0;
    for (; held; held = contexts->held[held - 1].rest) {
        uint32_t lock = contexts->held[held - 1].lock;
        if (st_is_doubtful(details->symbols, lock))
            continue;
        st_reserve(&details->locks, &details->lock_capacity, count + 2);
        st_reserve(&details->acquired, &details->acquired_capacity, count + 2);
        details->acquired[count] = contexts->held[held - 1].frame;
        details->locks[count++] = st_held_name(details->symbols, lock);
    }
    st_reserve(&details->acquired, &details->acquired_capacity, count + 1);
    st_reserve(&details->locks, &details->lock_capacity, count + 1);
    details->locks[count] = NULL;
}

void st_context_details_lookup(void *context, uint64_t loc, struct st_detail *detail) {
    struct st_context_details *details = context;
    const struct st_contexts *contexts = &details->symbols->contexts;
    struct st_site_row site = {0};
    if (loc & ST_LOC_NAME && (loc & ~ST_LOC_NAME) < contexts->site_count)
        site = contexts->sites[loc & ~ST_LOC_NAME];
    list_frames(details, site.frame);
    bool unknown = site.held == ST_HELD_UNKNOWN;
    list_locks(details, unknown ? 0 : site.held);
    *detail = (struct st_detail){details->stack[0] ? details->stack[0] : "", details->stack,
                                 details->locks, unknown, details->acquired};
}

void st_context_details_free(struct st_context_details *details) {
    free(details->stack);
    free(details->locks);
    free(details->acquired);
}
