#include "reference/lives.h"
#include "reference/racing.h"

#include "check/races/race_edges.h"
#include "check/races/races.h"
#include "reference/generate.h"
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

struct racing_tally racing_tally;

/* ---- the definition ---- */

/* A child without events still counts: its join comes after its fork. */
static bool joins_forked(const struct st_event *from, const struct st_event *to) {
    return from->op == ST_FORK && to->op == ST_JOIN && from->target == to->target;
}

static bool passes_on(const struct st_event *from, const struct st_event *to) {
    bool atomic = from->op == ST_WRITE && to->op == ST_READ && from->target == to->target &&
                  from->atomic && to->atomic;
    return from->thread == to->thread || atomic || joins_forked(from, to) ||
           reference_depends(from, to, ST_EDGE_LOCK) || reference_depends(from, to, ST_EDGE_FORK) ||
           reference_depends(from, to, ST_EDGE_JOIN) || reference_depends(from, to, ST_EDGE_SYNC);
}

void racing_check(struct racing *racing, const struct sample *sample) {
    uint64_t before[SAMPLE_EVENTS] = {0}; /* by synchronisation */
    memset(racing, 0, sizeof *racing);
    for (size_t to = 0; to < sample->count; to++)
        for (size_t from = 0; from < to; from++)
            if (passes_on(&sample->events[from], &sample->events[to]))
                before[to] |= before[from] | UINT64_C(1) << from;
    for (size_t to = 0; to < sample->count; to++)
        for (size_t from = 0; from < to; from++) {
            const struct st_event *one = &sample->events[from], *other = &sample->events[to];
            if (reference_depends(one, other, ST_EDGE_CONFLICT) && !(before[to] >> from & 1) &&
                !(one->atomic && other->atomic))
                racing->with[to] |= UINT64_C(1) << from;
        }
}

void racing_print(FILE *file, const struct racing *racing, const struct sample *sample) {
    for (size_t to = 0; to < sample->count; to++)
        for (size_t from = 0; from < to; from++)
            if (racing->with[to] >> from & 1)
                fprintf(file, "  event %zu races with event %zu\n", to + 1, from + 1);
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].atomic)
            fprintf(file, "  event %zu is atomic\n", i + 1);
}

void racing_mark_atomic(struct sample *sample, uint64_t seed) {
    struct chance chance = {~seed};
    unsigned share[SAMPLE_VARIABLES];
    for (size_t x = 0; x < SAMPLE_VARIABLES; x++)
        share[x] = chance_percent(&chance, 60) ? 0 : chance_percent(&chance, 50) ? 100 : 50;
    for (size_t i = 0; i < sample->count; i++) {
        struct st_event *event = &sample->events[i];
        if (event->written <= ST_WRITE)
            event->atomic = chance_percent(&chance, share[event->target]);
    }
}

/* ---- the analysis ---- */

/* What it reported, by event: bit i of with[to] for a race with events[i]. */
struct reported {
    const struct sample *sample;
    const struct lives *lives;
    uint64_t with[SAMPLE_EVENTS];
    unsigned times[SAMPLE_EVENTS];
    const char *wrong;
};

static bool is_place(const struct st_place *place, const struct sample *sample) {
    if (!place->number || place->number > sample->count)
        return false;
    const struct st_event *event = &sample->events[place->number - 1];
    return event->thread == place->event.thread && event->op == place->event.op &&
           event->target == place->event.target && event->loc == place->event.loc &&
           event->atomic == place->event.atomic;
}

static void note(void *context, const struct st_place *from, const struct st_place *to) {
    struct reported *reported = context;
    struct st_place own[] = {*from, *to};
    if (reported->lives->shared) {
        lives_restore(reported->lives, reported->sample, &own[0]);
        lives_restore(reported->lives, reported->sample, &own[1]);
    }
    if (!is_place(&own[0], reported->sample) || !is_place(&own[1], reported->sample)) {
        reported->wrong = "an event is not the one that its number says";
        return;
    }
    reported->with[to->number - 1] |= UINT64_C(1) << (from->number - 1);
    reported->times[to->number - 1]++;
}

typedef void forgetting(void *state, const struct st_variable_run *ended, size_t count);
typedef void feeding(void *state, const struct st_event *events, size_t count, uint64_t first);

static void feed_races(void *state, const struct st_event *events, size_t count, uint64_t first) {
    st_races_feed(state, events, count, first);
}

static void forget_races(void *state, const struct st_variable_run *ended, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < ended[i].count; n++)
            st_races_forget(state, ended[i].first + n);
}

static void forget_edges(void *state, const struct st_variable_run *ended, size_t count) {
    st_race_edges_forget(state, ended, count);
}

static void feed_edges(void *state, const struct st_event *events, size_t count, uint64_t first) {
    st_race_edges_feed(state, events, count, first);
}

/* Batches of 1 to 8 events; for an even number as many as come before the next life that ends. */
static void feed_batches(const struct sample *sample, const struct lives *lives, uint64_t batches,
                         feeding *feed, forgetting *forget, void *state) {
    struct chance chance = {batches};
    for (size_t at = 0, size; at < sample->count; at += size) {
        size_t most = batches % 2 ? 1 + chance_below(&chance, 8) : sample->count;
        for (uint32_t n = 0; n < SAMPLE_VARIABLES; n++)
            if (lives->ended[at] >> n & 1)
                forget(state, &(struct st_variable_run){n, 1}, 1);
        size = 1;
        while (at + size < sample->count && size < most && !lives->ended[at + size])
            size++;
        feed(state, lives->events + at, size, at + 1);
    }
}

static bool compare_accesses(const struct sample *sample, const struct lives *lives,
                             const struct racing *racing, uint64_t batches, char *why,
                             size_t size) {
    struct reported reported = {.sample = sample, .lives = lives};
    struct st_races *races = st_races_new(note, &reported);
    feed_batches(sample, lives, batches, feed_races, forget_races, races);
    st_races_free(races);
    if (reported.wrong)
        snprintf(why, size, "%s", reported.wrong);
    for (size_t i = 0; i < sample->count && !reported.wrong; i++) {
        racing_tally.accesses += sample->events[i].op <= ST_WRITE;
        racing_tally.atomic += sample->events[i].op <= ST_WRITE && sample->events[i].atomic;
        racing_tally.races += racing->with[i] != 0;
        bool right =
            reported.times[i] == (racing->with[i] != 0) && !(reported.with[i] & ~racing->with[i]);
        if (right)
            continue;
        snprintf(why, size, "event %zu: reported %u times, of others 0x%llx; races with 0x%llx",
                 i + 1, reported.times[i], (unsigned long long)reported.with[i],
                 (unsigned long long)racing->with[i]);
        return false;
    }
    return !reported.wrong;
}

/* All conflicts of the sample, as the path of one finding; `findings` owns it. */
static size_t list_conflicts(const struct sample *sample, struct st_findings *findings) {
    struct st_edge *path = calloc(SAMPLE_EVENTS * SAMPLE_EVENTS, sizeof *path);
    size_t count = 0;
    for (size_t to = 0; to < sample->count; to++)
        for (size_t from = 0; from < to; from++)
            if (reference_depends(&sample->events[from], &sample->events[to], ST_EDGE_CONFLICT))
                path[count++] = (struct st_edge){.from = {from + 1, sample->events[from]},
                                                 .to = {to + 1, sample->events[to]},
                                                 .kind = ST_EDGE_CONFLICT};
    struct st_violation violation = {
        .block = ST_NO_NAME, .begin = 1, .path = path, .path_length = count};
    st_findings_violation(findings, &violation);
    return count;
}

static bool compare_conflicts(const struct sample *sample, const struct lives *lives,
                              const struct racing *racing, uint64_t batches, char *why,
                              size_t size) {
    struct st_findings findings;
    struct st_race_edges *edges = st_race_edges_new();
    st_findings_init(&findings, 0);
    size_t count = list_conflicts(sample, &findings);
    st_race_edges_add(edges, &findings);
    feed_batches(sample, lives, batches, feed_edges, forget_edges, edges);
    bool right = !st_race_edges_waits(edges);
    if (!right)
        snprintf(why, size, "a conflict is still waited for at the end");
    racing_tally.conflicts += count;
    for (size_t i = 0; i < count && right; i++) {
        const struct st_edge *edge = &findings.violations[0].path[i];
        bool race = racing->with[edge->to.number - 1] >> (edge->from.number - 1) & 1;
        right = edge->race == (race ? ST_RACE_FOUND : ST_RACE_NONE);
        if (!right)
            snprintf(why, size, "the conflict of events %u and %u is%s a race, but marked %d",
                     (unsigned)edge->from.number, (unsigned)edge->to.number, race ? "" : " not",
                     (int)edge->race);
    }
    st_race_edges_free(edges);
    st_findings_free(&findings);
    return right;
}

bool racing_compare(const struct sample *sample, uint64_t batches, uint64_t sharing, char *why,
                    size_t size) {
    struct racing racing;
    struct lives lives;
    racing_check(&racing, sample);
    lives_share(&lives, sample, sample->events, sharing);
    return compare_accesses(sample, &lives, &racing, batches, why, size) &&
           compare_conflicts(sample, &lives, &racing, batches, why, size);
}
