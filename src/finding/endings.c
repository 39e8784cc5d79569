#include "finding/endings.h"

#include "base/memory.h"

#include <stdlib.h>

void st_endings_free(struct st_endings *endings) {
    for (size_t i = 0; i < endings->capacity; i++)
        free(endings->threads[i].items);
    free(endings->threads);
}

void st_endings_name(struct st_endings *endings, struct st_event *event) {
    bool begin = event->written == ST_BEGIN, end = event->written == ST_END;
    if (event->op == ST_DROPPED || !(begin || end))
        return;
    st_reserve(&endings->threads, &endings->capacity, (size_t)event->thread + 1);
    struct st_open_names *open = &endings->threads[event->thread];
    if (begin) {
        st_reserve(&open->items, &open->capacity, open->count + 1);
        open->items[open->count++] = event->target;
    } else if (open->count) {
        uint32_t name = open->items[--open->count];
        if (event->target == ST_NO_NAME)
            event->target = name;
    }
}
