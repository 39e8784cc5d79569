#include "reference/ablation.h"

#include "predict/predictor.h"

static bool does_something(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE || event->op == ST_ACQUIRE ||
           event->op == ST_RELEASE;
}

static uint64_t steps_of(const struct sample *sample, uint32_t thread) {
    uint64_t steps = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].thread == thread)
            steps |= (uint64_t)1 << i;
    return steps;
}

static void drop_order(struct units *units, const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (!does_something(&sample->events[i]))
            units->steps &= ~((uint64_t)1 << i);
    for (size_t i = 0; i < sample->count; i++)
        units->before[i] &= units->steps & steps_of(sample, sample->events[i].thread);
}

void ablation_find(struct units *units, struct sample *bare, const struct sample *sample,
                   unsigned without) {
    *bare = *sample;
    for (size_t i = 0; without & ST_WITHOUT_ESCAPE && i < bare->count; i++)
        bare->events[i].fresh = false;
    units_find(units, bare);
    if (without & ST_WITHOUT_HAPPEN_BEFORE)
        drop_order(units, bare);
}
