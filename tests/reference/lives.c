#include "reference/lives.h"

#include "reference/generate.h"

#include <string.h>

static bool is_access(const struct st_event *event) {
    return event->written == ST_READ || event->written == ST_WRITE;
}

void lives_cut(struct sample *sample, uint64_t seed) {
    struct chance chance = {seed * 3 + 1};
    uint32_t count = 0, now[SAMPLE_VARIABLES];
    struct st_error error;
    for (size_t i = 0; i < sample->count; i++)
        if (is_access(&sample->events[i]) && sample->events[i].target >= count)
            count = sample->events[i].target + 1;
    for (uint32_t x = 0; x < count; x++)
        now[x] = x;
    for (size_t i = 0; i < sample->count; i++) {
        struct st_event *event = &sample->events[i];
        if (!is_access(event))
            continue;
        uint32_t x = event->target;
        if (count < SAMPLE_VARIABLES && chance_percent(&chance, 20))
            now[x] = count++;
        event->target = now[x];
    }
    sample_renumber(sample);
    sample_check(sample, &error);
}

/* One behind the last event on the variable. */
static size_t end_of(const struct sample *sample, uint32_t variable) {
    size_t end = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (is_access(&sample->events[i]) && sample->events[i].target == variable)
            end = i + 1;
    return end;
}

void lives_share(struct lives *lives, const struct sample *sample, const struct st_event *events,
                 uint64_t seed) {
    struct chance chance = {seed};
    uint32_t number_of[SAMPLE_VARIABLES], numbers = 0;
    size_t free_from[SAMPLE_VARIABLES] = {0}, known = 0;
    memset(lives, 0, sizeof *lives);
    memcpy(lives->events, events, sample->count * sizeof *events);
    for (size_t i = 0; i < sample->count && seed; i++) {
        if (!is_access(&sample->events[i]))
            continue;
        uint32_t x = sample->events[i].target;
        if (x == known) { /* they are numbered in order of first appearance */
            uint32_t n = 0;
            while (n < numbers && (free_from[n] > i || chance_percent(&chance, 30)))
                n++;
            if (n < numbers) {
                size_t late = i - free_from[n] + 1;
                size_t at = free_from[n] + chance_below(&chance, (uint32_t)late);
                lives->ended[at] |= UINT64_C(1) << n;
                lives->shared++;
            } else {
                numbers++;
            }
            number_of[known++] = n;
            free_from[n] = end_of(sample, x);
        }
        lives->events[i].target = number_of[x];
    }
    for (uint32_t n = 0; n < numbers; n++)
        if (free_from[n] < sample->count && chance_percent(&chance, 50))
            lives->ended[free_from[n]] |= UINT64_C(1) << n;
}

/* A wrong number stays wrong, and is found where the event is compared with that of the sample. */
void lives_restore(const struct lives *lives, const struct sample *sample, struct st_place *place) {
    uint64_t i = place->number - 1;
    if (!place->number || i >= sample->count || !is_access(&place->event))
        return;
    bool right = place->event.target == lives->events[i].target;
    place->event.target = right ? sample->events[i].target : UINT32_MAX;
}

static void restore_edges(const struct lives *lives, const struct sample *sample,
                          struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lives_restore(lives, sample, &edges[i].from);
        lives_restore(lives, sample, &edges[i].to);
    }
}

void lives_restore_findings(const struct lives *lives, const struct sample *sample,
                            struct st_findings *findings) {
    restore_edges(lives, sample, findings->cycle, findings->cycle_length);
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_violation *violation = &findings->violations[i];
        lives_restore(lives, sample, &violation->event);
        restore_edges(lives, sample, violation->path, violation->path_length);
        restore_edges(lives, sample, &violation->closing, 1);
    }
}
