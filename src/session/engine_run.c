#include "session/engine_run.h"

#include "base/memory.h"
#include "check/witness/witness.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void st_engine_run_start(struct st_engine_run *run, const struct st_engine *engine, size_t keep,
                         bool first_only) {
    *run = (struct st_engine_run){.engine = engine, .first_only = first_only};
    st_findings_init(&run->findings, keep);
    run->state = engine->create(&run->findings);
}

void st_engine_run_free(struct st_engine_run *run) {
    run->engine->destroy(run->state);
    st_findings_free(&run->findings);
}

bool st_engine_run_has_found(const struct st_engine_run *run) {
    return run->findings.first_bad_event || run->findings.kept;
}

/* Time of this thread only: another thread reads ahead, which is not the engine's work. */
static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void feed_all(struct st_engine_run *run, const struct st_event *events, const uint64_t *at,
                     size_t count, uint64_t first) {
    if (at)
        st_witness_feed_at(run->state, events, at, count, first);
    else
        run->engine->feed(run->state, events, count, first);
}

/* Event by event, so that the engine sees nothing after the first finding. */
static void feed_until_found(struct st_engine_run *run, const struct st_event *events,
                             const uint64_t *at, size_t count, uint64_t first) {
    for (size_t i = 0; i < count && !run->stopped; i++) {
        feed_all(run, &events[i], at ? &at[i] : NULL, 1, first + i);
        run->stopped = st_engine_run_has_found(run);
    }
}

void st_engine_run_feed(struct st_engine_run *run, const struct st_event *events,
                        const uint64_t *at, size_t count, uint64_t first) {
    double start = processor_time();
    if (run->first_only)
        feed_until_found(run, events, at, count, first);
    else
        feed_all(run, events, at, count, first);
    run->seconds += processor_time() - start;
}

void st_engine_run_forget(struct st_engine_run *run, const struct st_variable_run *ended,
                          size_t count) {
    if (run->stopped || !count)
        return;
    double start = processor_time();
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < ended[i].count; n++)
            run->engine->forget(run->state, ended[i].first + n);
    run->seconds += processor_time() - start;
}

void st_engine_run_finish(struct st_engine_run *run, uint64_t events) {
    if (run->stopped)
        return;
    double start = processor_time();
    run->engine->finish(run->state, events);
    run->seconds += processor_time() - start;
}

void st_engine_run_note_memory(struct st_engine_run *run) {
    size_t bytes = run->engine->memory(run->state);
    if (bytes > run->peak_bytes)
        run->peak_bytes = bytes;
}

static void *copy_of(const void *list, size_t count, size_t size) {
    void *copy = count ? st_alloc(count, size) : NULL;
    if (copy)
        memcpy(copy, list, count * size);
    return copy;
}

struct st_findings st_engine_run_snapshot(const struct st_engine_run *run) {
    struct st_findings findings = run->findings;
    findings.violations = copy_of(findings.violations, findings.kept, sizeof *findings.violations);
    for (size_t i = 0; i < findings.kept; i++) {
        struct st_violation *violation = &findings.violations[i];
        violation->path = copy_of(violation->path, violation->path_length, sizeof *violation->path);
    }
    findings.cycle = copy_of(findings.cycle, findings.cycle_length, sizeof *findings.cycle);
    st_findings_sort(&findings);
    if (findings.verdict == ST_UNDECIDED && !findings.gave_up)
        findings.verdict = findings.first_bad_event ? ST_NOT_SERIALIZABLE : ST_SERIALIZABLE;
    return findings;
}

void st_engine_run_free_snapshot(struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++)
        free(findings->violations[i].path);
    free(findings->violations);
    free(findings->cycle);
}

struct st_result st_engine_run_result(const struct st_engine_run *run,
                                      const struct st_findings *findings) {
    struct st_result result = {.engine = run->engine->name,
                               .findings = findings,
                               .seconds = run->seconds,
                               .peak_bytes = run->peak_bytes,
                               .published_form_of = run->engine->published_form_of};
    if (run->engine->count)
        run->engine->count(run->state, &result.counters);
    return result;
}
