#include "predict/multilockset.h"

#include "base/memory.h"

#include <stdlib.h>

/* The accesses to the variable in one thread period. */
struct span {
    uint32_t first_period, last_period;
    bool reads, writes;
    bool escaped; /* an access of another thread is concurrent */
};

/* What is known of one variable. */
struct suspect {
    const struct st_model *model;
    struct span *spans;
    size_t span_count, span_capacity;
    bool writes_meet_writes, writes_meet_reads; /* in concurrent periods */
    uint32_t *write_set;                        /* locks held at all writes that count */
    uint32_t write_set_size;
    size_t write_set_capacity;
    bool has_writes;
};

static struct span *span_of(struct suspect *suspect, const struct st_use *use) {
    for (size_t i = suspect->span_count; i-- > 0;)
        if (suspect->spans[i].first_period == use->first_period &&
            suspect->spans[i].last_period == use->last_period)
            return &suspect->spans[i];
    return NULL;
}

static void add_span(struct suspect *suspect, const struct st_use *use) {
    struct span *span = span_of(suspect, use);
    if (!span) {
        st_reserve(&suspect->spans, &suspect->span_capacity, suspect->span_count + 1);
        span = &suspect->spans[suspect->span_count++];
        *span = (struct span){use->first_period, use->last_period, false, false, false};
    }
    span->reads |= !use->writes;
    span->writes |= use->writes;
}

static bool are_concurrent(const struct st_periods *periods, const struct span *a,
                           const struct span *b) {
    return periods->items[a->first_period].thread != periods->items[b->first_period].thread &&
           !st_period_before(periods, a->last_period, b->first_period) &&
           !st_period_before(periods, b->last_period, a->first_period);
}

static void compare_spans(struct suspect *suspect) {
    for (size_t i = 0; i < suspect->span_count; i++)
        for (size_t j = i + 1; j < suspect->span_count; j++) {
            struct span *a = &suspect->spans[i], *b = &suspect->spans[j];
            if (!are_concurrent(suspect->model->periods, a, b))
                continue;
            a->escaped = b->escaped = true;
            suspect->writes_meet_writes |= a->writes && b->writes;
            suspect->writes_meet_reads |= (a->writes && b->reads) || (a->reads && b->writes);
        }
}

static void take_write(struct suspect *suspect, uint32_t lockset) {
    const struct st_locksets *sets = &suspect->model->locksets;
    uint32_t kept = 0;
    if (!suspect->has_writes) {
        suspect->has_writes = true;
        kept = st_lockset_size(sets, lockset);
        st_reserve(&suspect->write_set, &suspect->write_set_capacity, (size_t)kept + 1);
        for (uint32_t i = 0; i < kept; i++)
            suspect->write_set[i] = st_lockset_locks(sets, lockset)[i];
    } else {
        for (uint32_t i = 0; i < suspect->write_set_size; i++)
            if (st_lockset_has(sets, lockset, suspect->write_set[i]))
                suspect->write_set[kept++] = suspect->write_set[i];
    }
    suspect->write_set_size = kept;
}

static bool shares_lock(const struct suspect *suspect, uint32_t lockset) {
    for (uint32_t i = 0; i < suspect->write_set_size; i++)
        if (st_lockset_has(&suspect->model->locksets, lockset, suspect->write_set[i]))
            return true;
    return false;
}

/* The uses are all those of one variable. */
static bool is_racy(struct suspect *suspect, const struct st_use *uses, size_t count) {
    suspect->span_count = 0;
    suspect->has_writes = suspect->writes_meet_reads = suspect->writes_meet_writes = false;
    suspect->write_set_size = 0;
    for (size_t i = 0; i < count; i++)
        add_span(suspect, &uses[i]);
    compare_spans(suspect);
    for (size_t i = 0; i < count; i++)
        if (uses[i].writes && span_of(suspect, &uses[i])->escaped)
            take_write(suspect, uses[i].lockset);
    if (!suspect->has_writes)
        return false;
    if (!suspect->write_set_size)
        return suspect->writes_meet_writes || suspect->writes_meet_reads;
    for (size_t i = 0; i < count && suspect->writes_meet_reads; i++)
        if (!uses[i].writes && span_of(suspect, &uses[i])->escaped &&
            !shares_lock(suspect, uses[i].lockset))
            return true;
    return false;
}

void st_multilockset_find(const struct st_model *model, const struct st_pair_races *races,
                          bool *racy) {
    struct suspect suspect = {.model = model};
    for (size_t first = 0, end; first < races->use_count; first = end) {
        uint32_t variable = races->uses[first].variable;
        for (end = first; end < races->use_count && races->uses[end].variable == variable;)
            end++;
        racy[variable] = is_racy(&suspect, races->uses + first, end - first);
    }
    free(suspect.spans);
    free(suspect.write_set);
}
