#include "reference/rows.h"

#include <string.h>

/* The accesses to the variable, or 0 if one of them is more than a plain one. */
static size_t count_plain(const struct sample *sample, uint32_t variable) {
    size_t count = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        if (event->op > ST_WRITE || event->target != variable)
            continue;
        if (event->atomic || event->joined)
            return 0;
        count++;
    }
    return count;
}

static uint32_t variable_count(const struct sample *sample) {
    uint32_t count = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].op <= ST_WRITE && sample->events[i].target >= count)
            count = sample->events[i].target + 1;
    return count;
}

static void insert(struct sample *sample, size_t at, struct st_event event) {
    memmove(&sample->events[at + 1], &sample->events[at],
            (sample->count - at) * sizeof *sample->events);
    sample->events[at] = event;
    sample->count++;
}

/* Behind the next event of another thread, if that is the next one. */
static size_t place_behind(const struct sample *sample, size_t at, struct chance *chance) {
    bool late = chance_below(chance, 40) == 0 && at < sample->count &&
                sample->events[at].thread != sample->events[at - 1].thread &&
                sample->events[at].op <= ST_WRITE && !sample->events[at].joined;
    return late ? at + 1 : at;
}

/* Of the row that begins with this event. */
static void widen(struct sample *sample, size_t at, uint32_t first, uint32_t width,
                  struct chance *chance) {
    struct st_event event = sample->events[at];
    for (uint32_t i = 1; i < width; i++) {
        if (chance_below(chance, 60) == 0)
            continue;
        event.target = first + i;
        at = place_behind(sample, at + 1, chance);
        insert(sample, at, event);
    }
}

bool rows_add(struct sample *sample, struct chance *chance, size_t limit) {
    uint32_t count = variable_count(sample), width = 3 + chance_below(chance, 2);
    uint32_t variable = count ? chance_below(chance, count) : 0;
    size_t accesses = count_plain(sample, variable);
    if (!accesses || sample->count + accesses * (width - 1) > limit ||
        count + width > SAMPLE_VARIABLES)
        return false;
    for (size_t i = sample->count; i-- > 0;)
        if (sample->events[i].op <= ST_WRITE && sample->events[i].target == variable)
            widen(sample, i, count, width, chance);
    sample_renumber(sample);
    return true;
}
