#include "reference/leave_out.h"

/* An access to x of a thread may be left out because of one before it, if no other thread has made
 * a conflicting access to x in between. */
static bool is_disturbed(const struct sample *sample, size_t before, size_t at) {
    const struct st_event *event = &sample->events[at];
    for (size_t i = before + 1; i < at; i++) {
        const struct st_event *other = &sample->events[i];
        if (other->op <= ST_WRITE && other->target == event->target &&
            other->thread != event->thread && (other->op == ST_WRITE || event->op == ST_WRITE))
            return true;
    }
    return false;
}

/* Is it a part of an atomic operation that consists of several accesses? */
static bool is_joined(const struct sample *sample, size_t at) {
    uint32_t thread = sample->events[at].thread;
    if (sample->events[at].joined)
        return true;
    for (size_t i = at + 1; i < sample->count; i++)
        if (sample->events[i].thread == thread)
            return sample->events[i].op <= ST_WRITE && sample->events[i].joined;
    return false;
}

static bool is_plain(const struct sample *sample, size_t at) {
    return sample->events[at].op <= ST_WRITE && !is_joined(sample, at);
}

/* Does the event end what a thread can repeat something in? */
static bool ends_stretch(const struct sample *sample, size_t at, enum leave_out_rule rule) {
    return !is_plain(sample, at) ||
           (rule != LEAVE_OUT_REPETITIONS && sample->events[at].op == ST_WRITE);
}

/* The last access before `at` that is the same, undisturbed and in the same stretch, and not among
 * those in the set; or `at`. */
static size_t find_same(const struct sample *sample, size_t at, uint64_t but,
                        enum leave_out_rule rule) {
    const struct st_event *event = &sample->events[at];
    for (size_t i = at; i-- > 0;) {
        const struct st_event *before = &sample->events[i];
        if (before->thread != event->thread)
            continue;
        if (ends_stretch(sample, i, rule))
            return at;
        if (before->op == event->op && before->target == event->target && !(but >> i & 1))
            return is_disturbed(sample, i, at) ? at : i;
    }
    return at;
}

/* Is this read the first one of its variable in its stretch, or since another thread wrote it? */
static bool is_first(const struct sample *sample, size_t at) {
    return find_same(sample, at, 0, LEAVE_OUT_SUFFICIENT) == at;
}

static bool is_needed(const struct sample *sample, size_t at, uint64_t gone,
                      enum leave_out_rule rule) {
    size_t before = find_same(sample, at, gone, rule);
    if (before == at)
        return true;
    if (rule == LEAVE_OUT_REPETITIONS)
        return false;
    if (rule == LEAVE_OUT_READS)
        return is_first(sample, before);
    for (size_t i = before; i < at; i++)
        if (sample->events[i].thread == sample->events[at].thread && is_first(sample, i))
            return true;
    return false;
}

uint64_t leave_out(const struct sample *sample, enum leave_out_rule rule) {
    uint64_t gone = 0;
    for (size_t i = 0; i < sample->count; i++) {
        bool may = is_plain(sample, i) &&
                   (rule == LEAVE_OUT_REPETITIONS || sample->events[i].op == ST_READ);
        if (may && !is_needed(sample, i, gone, rule))
            gone |= UINT64_C(1) << i;
    }
    return gone;
}
