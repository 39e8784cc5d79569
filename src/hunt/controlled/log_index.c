#include "hunt/controlled/log_index.h"

#include "base/memory.h"
#include "hunt/controlled/area.h"

#include <stdbool.h>
#include <stdlib.h>

/* The points of each thread, one thread after the other. */
struct rows {
    uint32_t *start; /* of a thread: its first; one more for the end */
    uint32_t *points;
};

static struct rows make_rows(const struct st_control_log *log) {
    struct rows rows = {st_alloc(log->thread_count + 2, sizeof *rows.start),
                        st_alloc(log->point_count + 1, sizeof *rows.points)};
    uint32_t *filled = rows.start + 1; /* becomes the start of the thread behind */
    for (uint32_t i = 0; i < log->point_count; i++)
        filled[log->log[i].thread + 1]++;
    for (uint32_t i = 0; i < log->thread_count; i++)
        filled[i + 1] += filled[i];
    for (uint32_t i = 0; i < log->point_count; i++)
        rows.points[filled[log->log[i].thread]++] = i;
    return rows;
}

static void free_rows(struct rows *rows) {
    free(rows->start);
    free(rows->points);
}

static void find_next(struct st_log_index *index, const struct st_control_log *log,
                      const struct rows *rows) {
    for (uint32_t i = 0; i < log->point_count; i++)
        index->next[i] = log->point_count;
    for (uint32_t i = 0; i + 1 < log->point_count; i++) {
        uint32_t point = rows->points[i], next = rows->points[i + 1];
        if (log->log[point].thread == log->log[next].thread)
            index->next[point] = next;
    }
}

/* A thread is preempted before the point that has the clock of the deviation. */
static uint32_t find_before(const struct st_control_log *log, const struct rows *rows,
                            const struct st_control_deviation *deviation) {
    uint32_t thread = st_control_find_thread(log, deviation->thread);
    bool at_point = deviation->kind == ST_DEVIATION_PREEMPT;
    if (thread == UINT32_MAX)
        return UINT32_MAX;
    uint32_t first = rows->start[thread], low = first, high = rows->start[thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (log->log[rows->points[middle]].clock + at_point <= deviation->clock)
            low = middle + 1;
        else
            high = middle;
    }
    return low == first ? UINT32_MAX : rows->points[low - 1];
}

void st_log_index_make(struct st_log_index *index, const struct st_control_log *log) {
    struct rows rows = make_rows(log);
    *index =
        (struct st_log_index){.next = st_alloc(log->point_count + 1, sizeof *index->next),
                              .stop = st_alloc(log->point_count + 1, sizeof *index->stop),
                              .before = st_alloc(log->deviation_count + 1, sizeof *index->before)};
    find_next(index, log, &rows);
    for (uint32_t i = log->deviation_count; i-- > 0;) {
        uint32_t before = find_before(log, &rows, &log->deviations[i]);
        index->before[i] = before;
        if (before != UINT32_MAX && log->deviations[i].kind == ST_DEVIATION_PREEMPT)
            index->stop[before] = i + 1;
    }
    free_rows(&rows);
}

void st_log_index_free(struct st_log_index *index) {
    free(index->next);
    free(index->stop);
    free(index->before);
    *index = (struct st_log_index){0};
}
