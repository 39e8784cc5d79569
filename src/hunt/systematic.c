#include "hunt/systematic.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 1 << 18, SEEN_THREADS = 15 };

struct item {
    struct st_control_deviation *deviations;
    uint32_t count;
};

struct queue {
    struct item *list;
    size_t next, count, capacity;
};

/* Invariant: levels[n] has schedules with n preemptions that were not tried yet. */
struct st_systematic {
    struct queue levels[ST_PREEMPTION_BOUND + 2];
    uint32_t bound;
    bool incomplete;
};

struct st_systematic *st_systematic_new(void) {
    struct st_systematic *search = st_alloc(1, sizeof *search);
    struct queue *first = &search->levels[0];
    st_reserve(&first->list, &first->capacity, 1);
    first->list[first->count++] = (struct item){st_alloc(1, sizeof *first->list->deviations), 0};
    return search;
}

void st_systematic_free(struct st_systematic *search) {
    if (!search)
        return;
    for (size_t level = 0; level < sizeof search->levels / sizeof *search->levels; level++) {
        struct queue *queue = &search->levels[level];
        for (size_t i = queue->next; i < queue->count; i++)
            free(queue->list[i].deviations);
        free(queue->list);
    }
    free(search);
}

uint32_t st_systematic_bound(const struct st_systematic *search) {
    return search->bound;
}

bool st_systematic_is_complete(const struct st_systematic *search) {
    return !search->incomplete;
}

bool st_systematic_deepen(struct st_systematic *search) {
    if (search->bound == ST_PREEMPTION_BOUND)
        return false;
    search->bound++;
    return true;
}

bool st_systematic_next(struct st_systematic *search, struct st_run_plan *plan) {
    struct queue *queue = &search->levels[search->bound];
    if (queue->next == queue->count)
        return false;
    struct item *item = &queue->list[queue->next++];
    plan->strategy = ST_STRATEGY_DEFAULT;
    st_plan_deviate(plan, item->deviations, item->count);
    free(item->deviations);
    return true;
}

/* ---- other ways to go on ---- */

static void add_item(struct st_systematic *search, const struct st_run_plan *plan,
                     const struct st_control_deviation *more) {
    uint32_t level = st_count_preemptions(plan->deviations, plan->deviation_count) +
                     (more->kind == ST_DEVIATION_PREEMPT);
    if (level > ST_PREEMPTION_BOUND)
        return;
    struct queue *queue = &search->levels[level];
    if (queue->count - queue->next >= MOST_WAITING) {
        search->incomplete = true;
        return;
    }
    struct item item = {st_alloc((size_t)plan->deviation_count + 1, sizeof *item.deviations),
                        plan->deviation_count + 1};
    memcpy(item.deviations, plan->deviations, plan->deviation_count * sizeof *item.deviations);
    item.deviations[plan->deviation_count] = *more;
    st_reserve(&queue->list, &queue->capacity, queue->count + 1);
    queue->list[queue->count++] = item;
}

/* The points behind the last deviation of the plan. A point is logged when it is passed, which is
 * late for one where the thread was stopped: that happened right behind its point before. */
static uint32_t first_open(const struct st_run_plan *plan, const struct st_control_log *log) {
    uint32_t open = 0;
    for (uint32_t d = 0; d < plan->deviation_count; d++) {
        const struct st_control_deviation *deviation = &plan->deviations[d];
        uint32_t thread = st_control_find_thread(log, deviation->thread);
        bool blocked = deviation->kind != ST_DEVIATION_PREEMPT;
        for (uint32_t i = open; i < log->point_count; i++) {
            if (log->log[i].thread != thread)
                continue;
            if (log->log[i].clock >= deviation->clock + blocked)
                break;
            open = i + 1;
        }
    }
    return open;
}

static bool is_in_plan(const struct st_run_plan *plan, const struct st_control_log *log,
                       const struct st_control_point *point) {
    for (uint32_t i = 0; i < plan->deviation_count; i++)
        if (plan->deviations[i].clock == point->clock &&
            plan->deviations[i].thread == log->threads[point->thread].name)
            return true;
    return false;
}

static uint32_t count_at_site(const struct st_control_log *log, uint32_t point) {
    uint32_t count = 0;
    for (uint32_t i = 0; i <= point; i++)
        count += log->log[i].thread == log->log[point].thread &&
                 log->log[i].site == log->log[point].site;
    return count;
}

void st_systematic_add(struct st_systematic *search, const struct st_run_plan *plan,
                       const struct st_control_log *log) {
    search->incomplete |= !st_log_is_complete(log) || log->thread_count > SEEN_THREADS;
    for (uint32_t i = first_open(plan, log); i < log->point_count; i++) {
        const struct st_control_point *point = &log->log[i];
        if (is_in_plan(plan, log, point))
            continue;
        /* When the thread could not go on, who did is the default, and others are no preemption. */
        bool blocked = i + 1 < log->point_count && log->log[i + 1].thread != point->thread;
        for (uint32_t other = 0; other < log->thread_count && other < SEEN_THREADS; other++) {
            if (!(point->contested >> other & 1) || other == point->thread ||
                (blocked && log->log[i + 1].thread == other))
                continue;
            add_item(search, plan,
                     &(struct st_control_deviation){.thread = log->threads[point->thread].name,
                                                    .next = log->threads[other].name,
                                                    .clock = point->clock,
                                                    .site = point->site,
                                                    .count = count_at_site(log, i),
                                                    .kind = blocked ? ST_DEVIATION_BLOCKED
                                                                    : ST_DEVIATION_PREEMPT});
        }
    }
}
