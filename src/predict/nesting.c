#include "predict/nesting.h"

#include "base/memory.h"

#include <stdlib.h>

void st_nesting_feed(struct st_nesting *nesting, const struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct st_event *event = &events[i];
        if (event->op != ST_BEGIN && event->op != ST_END)
            continue;
        st_reserve(&nesting->depths, &nesting->thread_capacity, (size_t)event->thread + 1);
        uint32_t *depth = &nesting->depths[event->thread];
        if (event->op == ST_END)
            *depth -= *depth > 0;
        else if (++*depth > nesting->deepest)
            nesting->deepest = *depth;
    }
}

void st_nesting_free(struct st_nesting *nesting) {
    free(nesting->depths);
}
