/* Which variables are in data races by the multilockset algorithm (TSE 2006, Figure 3), over all
 * accesses at once.
 *
 * A variable is suspect if no lock is held at all writes, or if none of the locks held at all
 * writes is held at some read, while some thread period that writes it is concurrent with another
 * one that accesses it.
 *
 * Accesses count once the variable has escaped from its creator. Here these are the accesses in a
 * period with which some access of another thread is concurrent. What a thread does before it forks
 * all others, or after it has joined them, cannot race in any schedule. So nothing is missed, and a
 * variable that is set up without a lock raises no alarm. (Counting from the first access of a
 * second thread, as in the trace, would miss violations: predict/reduction/lockset_races.h.) */
#define _GNU_SOURCE /* qsort_r */
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/reduction/pair_races.h"

#include <stdlib.h>

/* The accesses to the variable in one thread period. */
struct span {
    uint32_t first_period, last_period;
    bool reads, writes;
    bool escaped; /* some access of another thread is concurrent */
};

/* What is known about one variable. */
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

static int by_period(const void *left, const void *right, void *context) {
    const struct span *a = left, *b = right;
    const struct st_period *items = context;
    const uint32_t keys[][2] = {{items[a->first_period].chain, items[b->first_period].chain},
                                {items[a->first_period].index, items[b->first_period].index},
                                {items[a->last_period].index, items[b->last_period].index}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static struct span span_like(const struct st_race_use *use) {
    return (struct span){use->first_period, use->last_period, !use->writes, use->writes, false};
}

static const struct span *span_of(const struct suspect *suspect, const struct st_race_use *use) {
    struct span like = span_like(use);
    const struct st_period *items = suspect->model->periods->items;
    size_t place;
    st_lower_bound(place, 0, suspect->span_count,
                   by_period(&suspect->spans[place], &like, (void *)items) < 0);
    return &suspect->spans[place];
}

/* Collects the spans of all uses, ordered by chain and period, each once. */
static void collect_spans(struct suspect *suspect, const struct st_race_use *uses, size_t count) {
    struct st_period *items = suspect->model->periods->items;
    st_reserve(&suspect->spans, &suspect->span_capacity, count);
    for (size_t i = 0; i < count; i++)
        suspect->spans[i] = span_like(&uses[i]);
    qsort_r(suspect->spans, count, sizeof *suspect->spans, by_period, items);
    suspect->span_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct span *last = suspect->span_count ? &suspect->spans[suspect->span_count - 1] : NULL;
        if (last && by_period(last, &suspect->spans[i], items) == 0) {
            last->reads |= suspect->spans[i].reads;
            last->writes |= suspect->spans[i].writes;
        } else {
            suspect->spans[suspect->span_count++] = suspect->spans[i];
        }
    }
}

static void meet(struct suspect *suspect, struct span *a, struct span *b) {
    a->escaped = b->escaped = true;
    suspect->writes_meet_writes |= a->writes && b->writes;
    suspect->writes_meet_reads |= (a->writes && b->reads) || (a->reads && b->writes);
}

/* Among another chain's spans first .. end - 1, which are in order, those concurrent with the span
 * are adjacent: the ones before it come first, and the ones after it last. */
static void compare_with(struct suspect *suspect, struct span *span, size_t first, size_t end) {
    const struct st_periods *periods = suspect->model->periods;
    size_t place;
    st_lower_bound(
        place, first, end,
        st_period_before(periods, suspect->spans[place].last_period, span->first_period));
    for (; place < end &&
           !st_period_before(periods, span->last_period, suspect->spans[place].first_period);
         place++)
        meet(suspect, span, &suspect->spans[place]);
}

static void compare_spans(struct suspect *suspect) {
    const struct st_period *items = suspect->model->periods->items;
    for (size_t first = 0, end; first < suspect->span_count; first = end) {
        uint32_t chain = items[suspect->spans[first].first_period].chain;
        for (end = first;
             end < suspect->span_count && items[suspect->spans[end].first_period].chain == chain;)
            end++;
        for (size_t i = 0; i < first; i++) /* those of earlier chains */
            compare_with(suspect, &suspect->spans[i], first, end);
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
static bool is_racy(struct suspect *suspect, const struct st_race_use *uses, size_t count) {
    suspect->span_count = 0;
    suspect->has_writes = suspect->writes_meet_reads = suspect->writes_meet_writes = false;
    suspect->write_set_size = 0;
    collect_spans(suspect, uses, count);
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
