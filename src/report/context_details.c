#include "report/context_details.h"

#include "base/memory.h"

#include <stdlib.h>

static void list_frames(struct st_known *known, uint32_t frame) {
    const struct st_contexts *contexts = &known->symbols->contexts;
    size_t count = 0;
    for (; frame; frame = contexts->frames[frame - 1].caller) {
        const struct st_frame_row *row = &contexts->frames[frame - 1];
        st_reserve(&known->stack, &known->stack_capacity, count + 3);
        known->stack[count++] = st_name(&contexts->functions, row->function);
        known->stack[count++] = st_name(&contexts->lines, row->line);
    }
    st_reserve(&known->stack, &known->stack_capacity, count + 1);
    known->stack[count] = NULL;
}

static void list_locks(struct st_known *known, uint32_t held) {
    const struct st_contexts *contexts = &known->symbols->contexts;
    size_t count = 0;
    for (; held; held = contexts->held[held - 1].rest) {
        st_reserve(&known->locks, &known->lock_capacity, count + 2);
        known->locks[count++] = st_name(&known->symbols->locks, contexts->held[held - 1].lock);
    }
    st_reserve(&known->locks, &known->lock_capacity, count + 1);
    known->locks[count] = NULL;
}

void st_known_tell(void *context, uint64_t loc, struct st_detail *detail) {
    struct st_known *known = context;
    const struct st_contexts *contexts = &known->symbols->contexts;
    struct st_site_row site = {0};
    if (loc & ST_LOC_NAME && (loc & ~ST_LOC_NAME) < contexts->site_count)
        site = contexts->sites[loc & ~ST_LOC_NAME];
    list_frames(known, site.frame);
    list_locks(known, site.held);
    *detail =
        (struct st_detail){known->stack[0] ? known->stack[0] : "", known->stack, known->locks};
}

void st_known_free(struct st_known *known) {
    free(known->stack);
    free(known->locks);
}
