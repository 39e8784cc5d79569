#include "reference/teams.h"

/* One of these: a thread lets others begin; all wait for one; or anything. */
enum style { FORKS, JOINS, MIXED, STYLES };

static bool is_channel_event(const struct st_event *event) {
    return event->op == ST_SEND || event->op == ST_RECEIVE;
}

static bool goes(const struct st_event *event, enum style style, struct chance *chance) {
    uint32_t head = event->target % 2;
    switch (style) {
    case FORKS:
        return (event->op == ST_SEND) != (event->thread == head);
    case JOINS:
        return (event->op == ST_RECEIVE) != (event->thread == head);
    default:
        return chance_below(chance, 3) == 0;
    }
}

bool teams_add(struct sample *sample, struct chance *chance) {
    enum style style = (enum style)chance_below(chance, STYLES);
    uint64_t gone = 0;
    bool any = false;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        if (!is_channel_event(event))
            continue;
        any = true;
        sample->team_channels |= UINT32_C(1) << event->target;
        if (goes(event, style, chance))
            gone |= UINT64_C(1) << i;
    }
    if (any)
        sample_without(sample, gone, sample);
    return any;
}
