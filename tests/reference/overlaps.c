#include "reference/overlaps.h"

#include "reference/units.h"

#include <stdlib.h>
#include <string.h>

static bool is_on_lock(const struct st_event *event, uint32_t thread, uint32_t lock) {
    return (event->written == ST_ACQUIRE || event->written == ST_RELEASE) &&
           event->thread == thread && event->target == lock;
}

/* Moves the event by as many places of its thread as chance says, but past none on its own lock. */
static void move(struct sample *sample, size_t from, bool earlier, struct chance *chance) {
    const struct st_event event = sample->events[from];
    size_t places[SAMPLE_EVENTS], count = 0;
    for (size_t i = from; earlier ? i-- > 0 : ++i < sample->count;) {
        if (sample->events[i].thread != event.thread)
            continue;
        if (is_on_lock(&sample->events[i], event.thread, event.target))
            break;
        places[count++] = i;
    }
    if (!count)
        return;
    size_t to = places[chance_below(chance, (uint32_t)count)];
    struct st_event *events = sample->events;
    if (earlier)
        memmove(&events[to + 1], &events[to], (from - to) * sizeof *events);
    else
        memmove(&events[from], &events[from + 1], (to - from) * sizeof *events);
    events[to] = event;
}

bool overlaps_add(struct sample *sample, struct chance *chance) {
    unsigned moved = 20 + chance_below(chance, 60), acquires = chance_below(chance, 50);
    struct st_error error;
    for (size_t i = 0; i < sample->count; i++) {
        if (sample->events[i].written == ST_RELEASE && chance_percent(chance, moved))
            move(sample, i, true, chance);
        else if (sample->events[i].written == ST_ACQUIRE && chance_percent(chance, acquires) &&
                 chance_percent(chance, 30))
            move(sample, i, false, chance);
    }
    sample_renumber(sample);
    if (sample_check(sample, &error) < 0)
        abort();
    return !units_are_nested(sample);
}
