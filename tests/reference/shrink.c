#include "reference/shrink.h"

struct shrinker {
    struct sample *sample;
    shrink_test *shows_fault;
    void *context;
};

static uint64_t bit(size_t i) {
    return UINT64_C(1) << i;
}

static bool accept(struct shrinker *s, struct sample *candidate) {
    struct st_error error;
    if (candidate->count == 0 || sample_check(candidate, &error) < 0 ||
        !s->shows_fault(candidate, s->context))
        return false;
    *s->sample = *candidate;
    return true;
}

static bool try_without(struct shrinker *s, uint64_t gone) {
    struct sample candidate;
    if (!gone)
        return false;
    sample_without(s->sample, gone, &candidate);
    return accept(s, &candidate);
}

/* A thread is removed together with the events that fork or join it. */
static bool remove_a_thread(struct shrinker *s) {
    for (uint32_t t = 0; t < SAMPLE_THREADS; t++) {
        uint64_t gone = 0;
        for (size_t i = 0; i < s->sample->count; i++) {
            const struct st_event *event = &s->sample->events[i];
            bool names_it = event->written == ST_FORK || event->written == ST_JOIN;
            if (event->thread == t || (names_it && event->target == t))
                gone |= bit(i);
        }
        if (try_without(s, gone))
            return true;
    }
    return false;
}

/* Part of a barrier is not a barrier, so it must be removed as a whole. */
static bool remove_a_channel(struct shrinker *s) {
    for (uint32_t channel = 0; channel < SAMPLE_CHANNELS; channel++) {
        uint64_t gone = 0;
        for (size_t i = 0; i < s->sample->count; i++) {
            const struct st_event *event = &s->sample->events[i];
            bool names_it = event->written == ST_SEND || event->written == ST_RECEIVE;
            if (names_it && event->target == channel)
                gone |= bit(i);
        }
        if (try_without(s, gone))
            return true;
    }
    return false;
}

/* The event that closes what event i opens: the end of its block, the release of its acquire, the
 * join of its fork, or the receive after its send. Its own index when there is none. */
static size_t partner(const struct sample *sample, size_t i) {
    const struct st_event *opening = &sample->events[i];
    enum st_op closing_op = opening->written + 1;
    unsigned depth = 0;
    for (size_t j = i; j < sample->count; j++) {
        const struct st_event *event = &sample->events[j];
        bool same_target = opening->written == ST_BEGIN || event->target == opening->target;
        if (event->thread != opening->thread || !same_target)
            continue;
        depth += event->written == opening->written;
        if (event->written == closing_op && --depth == 0)
            return j;
    }
    return i;
}

static bool opens(const struct st_event *event) {
    return event->written == ST_BEGIN || event->written == ST_ACQUIRE ||
           event->written == ST_FORK || event->written == ST_SEND;
}

static bool remove_a_pair(struct shrinker *s) {
    for (size_t i = 0; i < s->sample->count; i++)
        if (opens(&s->sample->events[i]) && try_without(s, bit(i) | bit(partner(s->sample, i))))
            return true;
    return false;
}

static bool remove_an_event(struct shrinker *s) {
    for (size_t i = s->sample->count; i-- > 0;)
        if (try_without(s, bit(i)))
            return true;
    return false;
}

/* From here to the end: removes the tail at once instead of event by event. */
static bool remove_a_tail(struct shrinker *s) {
    for (size_t i = 1; i < s->sample->count; i++)
        if (try_without(s, ~(bit(i) - 1)))
            return true;
    return false;
}

/* All accesses to one variable go to another instead (or likewise all events of a lock or of a
 * channel). */
static bool merge_targets(struct shrinker *s, enum st_op first, enum st_op second) {
    for (uint32_t from = 1; from < SAMPLE_VARIABLES; from++)
        for (uint32_t to = 0; to < from; to++) {
            struct sample candidate = *s->sample;
            bool changed = false;
            for (size_t i = 0; i < candidate.count; i++) {
                struct st_event *event = &candidate.events[i];
                if ((event->written == first || event->written == second) &&
                    event->target == from) {
                    event->target = to;
                    changed = true;
                }
            }
            sample_renumber(&candidate);
            if (changed && accept(s, &candidate))
                return true;
        }
    return false;
}

static bool shrink_once(struct shrinker *s) {
    return remove_a_tail(s) || remove_a_thread(s) || remove_a_channel(s) || remove_a_pair(s) ||
           remove_an_event(s) || merge_targets(s, ST_READ, ST_WRITE) ||
           merge_targets(s, ST_ACQUIRE, ST_RELEASE) || merge_targets(s, ST_SEND, ST_RECEIVE);
}

void shrink(struct sample *sample, shrink_test *shows_fault, void *context) {
    struct shrinker s = {sample, shows_fault, context};
    while (shrink_once(&s))
        ;
}
