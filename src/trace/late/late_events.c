#include "trace/late/late_events.h"

#include "base/memory.h"

#include <stdlib.h>

static void add(struct st_late_events *late, struct st_event event, uint64_t at,
                enum st_lateness lateness) {
    st_reserve(&late->events, &late->event_capacity, late->count + 1);
    st_reserve(&late->words, &late->word_capacity, late->count + 1);
    late->words[late->count] = st_position_word(&late->positions, event.thread, at, lateness);
    late->events[late->count++] = event;
}

/* The thread has begun. The word beside it says what it is; the event itself means nothing. */
static void add_mark(struct st_late_events *late, struct st_event event, uint64_t at) {
    event.op = event.written = ST_BEGIN;
    add(late, event, at, ST_MARK);
}

static void add_part(struct st_late_events *late, const struct st_event *split, uint64_t at) {
    struct st_event whole = *split, part = *split;
    whole.op = part.op = part.written = whole.written = ST_READ;
    whole.target = (uint32_t)split->loc;
    whole.loc = part.loc = 0;
    add(late, whole, at, ST_WHOLE);
    add(late, part, at, ST_PART);
}

void st_late_events_take(struct st_late_events *late, const struct st_event *events,
                         const uint64_t *at, size_t count) {
    late->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct st_event event = events[i];
        if (event.op == ST_SPLIT) {
            add_part(late, &event, at[i]);
        } else if (event.op == ST_DEFERRED_READ || event.op == ST_DEFERRED_WRITE) {
            event.op = event.written;
            add(late, event, at[i], ST_LATE);
        } else if (event.op == ST_UNMARKED && event.target == ST_NO_NAME) {
            add_mark(late, event, at[i]);
        } else if (event.op != ST_DROPPED) {
            add(late, event, at[i], ST_ON_TIME);
        }
    }
}

void st_late_events_free(struct st_late_events *late) {
    st_positions_free(&late->positions);
    free(late->events);
    free(late->words);
}
