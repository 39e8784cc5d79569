/* What leads from point to point in the log of a controlled run, compared with looking for each. */
#include "base/memory.h"
#include "hunt/controlled/log_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <cmocka.h>

enum { LOGS = 300, MOST_THREADS = 5, MOST_POINTS = 60, MOST_DEVIATIONS = 30 };

static uint32_t below(uint32_t bound) {
    return (uint32_t)(rand() % (int)bound);
}

/* Clocks rise by one or more; deviations come in any order, also of threads that are not logged. */
static void make_log(struct st_control_log *log) {
    uint64_t clocks[MOST_THREADS] = {0};
    log->thread_count = 1 + below(MOST_THREADS);
    log->point_count = below(MOST_POINTS);
    log->deviation_count = below(MOST_DEVIATIONS);
    for (uint32_t i = 0; i < log->thread_count; i++)
        log->threads[i].name = 100 + i;
    for (uint32_t i = 0; i < log->point_count; i++) {
        uint32_t thread = below(log->thread_count);
        clocks[thread] += 1 + below(3);
        log->log[i].thread = thread;
        log->log[i].clock = clocks[thread];
    }
    for (uint32_t i = 0; i < log->deviation_count; i++) {
        log->deviations[i].thread = 100 + below(log->thread_count + 1);
        log->deviations[i].kind = below(2) ? ST_DEVIATION_PREEMPT : ST_DEVIATION_BLOCKED;
        log->deviations[i].clock = below(40);
    }
}

static uint32_t next_of(const struct st_control_log *log, uint32_t point) {
    uint32_t next = point + 1;
    while (next < log->point_count && log->log[next].thread != log->log[point].thread)
        next++;
    return next;
}

static uint32_t stop_of(const struct st_control_log *log, uint32_t point) {
    const struct st_control_point *at = &log->log[point];
    uint32_t next = next_of(log, point);
    for (uint32_t i = 0; i < log->deviation_count; i++) {
        const struct st_control_deviation *deviation = &log->deviations[i];
        if (deviation->kind == ST_DEVIATION_PREEMPT && deviation->clock > at->clock &&
            deviation->thread == log->threads[at->thread].name &&
            (next == log->point_count || deviation->clock <= log->log[next].clock))
            return i + 1;
    }
    return 0;
}

static uint32_t before(const struct st_control_log *log,
                       const struct st_control_deviation *deviation) {
    uint32_t found = UINT32_MAX;
    bool at_point = deviation->kind == ST_DEVIATION_PREEMPT;
    for (uint32_t i = 0; i < log->point_count; i++)
        if (log->threads[log->log[i].thread].name == deviation->thread &&
            log->log[i].clock + at_point <= deviation->clock)
            found = i;
    return found;
}

static void index_says_what_a_search_says(void **state) {
    (void)state;
    struct st_control_log *log = st_alloc(1, sizeof *log);
    uint32_t stops = 0, found = 0;
    srand(1);
    for (int n = 0; n < LOGS; n++) {
        struct st_log_index index;
        make_log(log);
        st_log_index_make(&index, log);
        for (uint32_t i = 0; i < log->point_count; i++) {
            assert_int_equal(index.next[i], next_of(log, i));
            assert_int_equal(index.stop[i], stop_of(log, i));
            stops += index.stop[i] != 0;
        }
        for (uint32_t i = 0; i < log->deviation_count; i++) {
            assert_int_equal(index.before[i], before(log, &log->deviations[i]));
            found += index.before[i] != UINT32_MAX;
        }
        st_log_index_free(&index);
    }
    assert_true(stops > LOGS && found > LOGS); /* or it would have compared nothing */
    free(log);
}

/* As long as a log can be, with as many deviations: looking for each in all points would be eight
 * thousand million steps. */
static void the_longest_log_takes_no_time(void **state) {
    (void)state;
    struct st_control_log *log = st_alloc(1, sizeof *log);
    struct st_log_index index;
    log->thread_count = 2;
    log->point_count = ST_CONTROL_POINTS;
    log->deviation_count = ST_CONTROL_DEVIATIONS;
    for (uint32_t i = 0; i < log->thread_count; i++)
        log->threads[i].name = 100 + i;
    for (uint32_t i = 0; i < log->point_count; i++)
        log->log[i] = (struct st_control_point){.thread = i % 2, .clock = i / 2 + 1};
    for (uint32_t i = 0; i < log->deviation_count; i++)
        log->deviations[i] = (struct st_control_deviation){
            .thread = 100 + i % 2, .kind = ST_DEVIATION_PREEMPT, .clock = i + 2};
    st_log_index_make(&index, log);
    for (uint32_t i = 0; i < log->deviation_count; i++)
        assert_int_equal(index.before[i], 2 * i + i % 2);
    st_log_index_free(&index);
    free(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_says_what_a_search_says),
        cmocka_unit_test(the_longest_log_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
