/* Doing a run again with fewer deviations, as long as the same comes of it. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "hunt/sighting.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_AT_ONCE = 16 };

/* Invariant: `list` is what is known to show the target. */
struct shrinking {
    const struct st_replaying *replaying;
    const struct st_run_plan *plan; /* all but its deviations */
    const struct st_target *target;
    struct st_control_deviation *list;
    uint32_t count;
    unsigned tests;
    struct st_error *error;
};

void st_replayed_free(struct st_replayed *result) {
    st_plan_free(&result->plan);
    st_controlled_run_free(&result->last);
}

static int do_runs(const struct st_replaying *replaying, struct st_controlled_run *const *runs,
                   size_t count, struct st_error *error) {
    return st_do_runs(replaying->subject, runs, count, replaying->jobs, NULL, replaying->stopped,
                      replaying->context, error);
}

static void keep_list(struct shrinking *shrinking, const struct st_control_deviation *list,
                      uint32_t count) {
    struct st_control_deviation *copy = st_alloc((size_t)count + 1, sizeof *copy);
    memcpy(copy, list, count * sizeof *copy);
    free(shrinking->list);
    shrinking->list = copy;
    shrinking->count = count;
}

/* All but `length` of them from `from` on. */
static void leave_out(const struct shrinking *shrinking, struct st_controlled_run *run,
                      uint32_t from, uint32_t length) {
    uint32_t end = from + length < shrinking->count ? from + length : shrinking->count;
    struct st_control_deviation *rest = st_alloc((size_t)shrinking->count + 1, sizeof *rest);
    memcpy(rest, shrinking->list, from * sizeof *rest);
    memcpy(rest + from, shrinking->list + end, (shrinking->count - end) * sizeof *rest);
    st_controlled_run_init(run);
    run->keys_only = true;
    st_plan_free(&run->plan);
    st_plan_copy(&run->plan, shrinking->plan);
    run->plan.flags |= ST_CONTROL_DIVERGE; /* what it really did is in the log */
    st_plan_deviate(&run->plan, rest, shrinking->count - (end - from));
    free(rest);
}

/* Tries to leave out `length` of them, from each of `count` places on, at once, and takes the first
 * that works: as if one were tried after the other. Returns the index of that, or `count`; below 0:
 * an error. */
static int try_places(struct shrinking *shrinking, uint32_t from, uint32_t length, int count) {
    struct st_controlled_run runs[MOST_AT_ONCE], *pointers[MOST_AT_ONCE] = {NULL};
    int found = count;
    for (int i = 0; i < count; i++) {
        leave_out(shrinking, &runs[i], from + (uint32_t)i * length, length);
        pointers[i] = &runs[i];
    }
    if (do_runs(shrinking->replaying, pointers, (size_t)count, shrinking->error) < 0)
        found = -1;
    for (int i = 0; i < count && found == count; i++) {
        const struct st_control_log *log = runs[i].log;
        shrinking->tests++;
        if (!runs[i].done || log->deviation_count >= shrinking->count || log->lost_deviations ||
            !st_shows(&runs[i], shrinking->replaying->expected, shrinking->target))
            continue;
        found = i;
        keep_list(shrinking, log->deviations, log->deviation_count);
    }
    for (int i = 0; i < count; i++)
        st_controlled_run_free(&runs[i]);
    return found;
}

static int at_once(const struct shrinking *shrinking, uint32_t from, uint32_t length) {
    uint32_t places = (shrinking->count - from + length - 1) / length;
    size_t jobs = shrinking->replaying->jobs;
    unsigned left = shrinking->replaying->most_tests - shrinking->tests;
    unsigned most = jobs < MOST_AT_ONCE ? (unsigned)jobs : MOST_AT_ONCE;
    most = left < most ? left : most; /* so the result does not depend on the number of jobs */
    return (int)(places < most ? places : most);
}

static bool is_late(const struct st_replaying *replaying) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return replaying->deadline > 0 &&
           (double)time.tv_sec + (double)time.tv_nsec * 1e-9 > replaying->deadline;
}

static bool is_tired(const struct shrinking *shrinking) {
    const struct st_replaying *replaying = shrinking->replaying;
    return shrinking->tests >= replaying->most_tests || is_late(replaying) ||
           (replaying->stopped && replaying->stopped(replaying->context));
}

/* Leaves out pieces of that length as long as that works. */
static int shrink_by(struct shrinking *shrinking, uint32_t length) {
    uint32_t from = 0;
    while (from < shrinking->count && !is_tired(shrinking)) {
        int count = at_once(shrinking, from, length);
        int found = try_places(shrinking, from, length, count);
        if (found < 0)
            return -1;
        from += (uint32_t)found * length; /* another list is there now, if one was found */
    }
    return 0;
}

/* Large pieces first. The single ones are tried again as long as that leaves one out. */
static int shrink(struct shrinking *shrinking) {
    for (uint32_t length = shrinking->count; length > 1 && !is_tired(shrinking); length /= 2)
        if (shrink_by(shrinking, length) < 0)
            return -1;
    for (uint32_t before = UINT32_MAX; shrinking->count < before && !is_tired(shrinking);) {
        before = shrinking->count;
        if (shrink_by(shrinking, 1) < 0)
            return -1;
    }
    return 0;
}

/* ---- repeating ---- */

/* Keeps the first run. */
static int repeat(const struct st_replaying *replaying, const struct st_target *target,
                  struct st_replayed *result, unsigned times, struct st_error *error) {
    struct st_controlled_run *runs = st_alloc(times, sizeof *runs);
    struct st_controlled_run **pointers = st_alloc(times, sizeof *pointers);
    for (unsigned i = 0; i < times; i++) {
        st_controlled_run_init(&runs[i]);
        st_plan_free(&runs[i].plan);
        st_plan_copy(&runs[i].plan, &result->plan);
        runs[i].in_full = i == 0;
        runs[i].keys_only = i != 0;
        pointers[i] = &runs[i];
    }
    int outcome = do_runs(replaying, pointers, times, error);
    result->good = result->tried = 0;
    for (unsigned i = 0; i < times && outcome == 0; i++) {
        result->tried += runs[i].done;
        result->good += runs[i].done && runs[i].log->end != ST_END_DIVERGED &&
                        st_shows(&runs[i], replaying->expected, target);
    }
    st_controlled_run_free(&result->last);
    result->last = runs[0];
    for (unsigned i = 1; i < times; i++)
        st_controlled_run_free(&runs[i]);
    free(runs);
    free(pointers);
    return outcome;
}

int st_replay_smaller(const struct st_replaying *replaying, const struct st_run_plan *plan,
                      const struct st_target *target, bool minimise, struct st_replayed *result,
                      struct st_error *error) {
    *result = (struct st_replayed){0};
    st_plan_copy(&result->plan, plan);
    st_controlled_run_init(&result->last);
    if (repeat(replaying, target, result, 1, error) < 0)
        return -1;
    if (!result->good || is_late(replaying))
        return 0; /* nothing to be learned from less of it, or no time for that */
    struct shrinking shrinking = {
        .replaying = replaying, .plan = plan, .target = target, .error = error};
    keep_list(&shrinking, plan->deviations, plan->deviation_count);
    int outcome = minimise && shrinking.count ? shrink(&shrinking) : 0;
    st_plan_deviate(&result->plan, shrinking.list, shrinking.count);
    result->minimised = minimise && outcome == 0 && !is_tired(&shrinking);
    free(shrinking.list);
    if (outcome == 0)
        outcome = repeat(replaying, target, result, replaying->repeats, error);
    if (outcome < 0 || result->good || !minimise)
        return outcome;
    st_plan_deviate(&result->plan, plan->deviations, plan->deviation_count);
    result->minimised = false;
    return repeat(replaying, target, result, replaying->repeats, error);
}
