/* When all analyses together must come to an end: at a certain time, because somebody asks, or when
 * they have worked for long enough. What is not decided by then is a timeout. */
#ifndef SERIATIM_PREDICT_TOTAL_TIME_H
#define SERIATIM_PREDICT_TOTAL_TIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Processor time for searches, all threads together: it does not depend on what else the machine
 * does. */
struct st_work_time {
    double limit;               /* in seconds */
    atomic_uint_least64_t used; /* in nanoseconds */
};

void st_work_time_use(struct st_work_time *work, double seconds);
double st_work_time_left(const struct st_work_time *work); /* 0: it is used up */

/* All zero: never. */
struct st_total_time {
    double end;                     /* in seconds of st_clock_seconds; 0: none */
    const atomic_bool *interrupted; /* set by whoever asks; NULL: nobody does */
    struct st_work_time *work;      /* counted by whoever searches; NULL: any amount */
};

/* Seconds of a clock that also runs while the program waits. */
double st_clock_seconds(void);

/* Is it time? `total` may be NULL. It is asked often enough if the answer takes a system call. */
bool st_total_time_is_up(const struct st_total_time *total);
bool st_total_time_is_interrupted(const struct st_total_time *total);

#endif
