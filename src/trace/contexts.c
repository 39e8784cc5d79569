#include "trace/contexts.h"

#include "base/memory.h"

#include <stdlib.h>

void st_contexts_init(struct st_contexts *contexts) {
    *contexts = (struct st_contexts){0};
    st_names_init(&contexts->functions);
    st_names_init(&contexts->lines);
}

void st_contexts_free(struct st_contexts *contexts) {
    st_names_free(&contexts->functions);
    st_names_free(&contexts->lines);
    free(contexts->frames);
    free(contexts->held);
    free(contexts->sites);
}

size_t st_contexts_memory(const struct st_contexts *contexts) {
    return st_names_memory(&contexts->functions) + st_names_memory(&contexts->lines) +
           contexts->frame_capacity * sizeof *contexts->frames +
           contexts->held_capacity * sizeof *contexts->held +
           contexts->site_capacity * sizeof *contexts->sites;
}

uint32_t st_contexts_frame(struct st_contexts *contexts, struct st_frame_row row) {
    st_reserve(&contexts->frames, &contexts->frame_capacity, contexts->frame_count + 1);
    contexts->frames[contexts->frame_count++] = row;
    return (uint32_t)contexts->frame_count;
}

uint32_t st_contexts_held(struct st_contexts *contexts, struct st_held_row row) {
    st_reserve(&contexts->held, &contexts->held_capacity, contexts->held_count + 1);
    contexts->held[contexts->held_count++] = row;
    return (uint32_t)contexts->held_count;
}
