/* When all analyses together must come to an end: at a certain time, or because somebody asks. What
 * is not decided by then is a timeout. */
#ifndef SERIATIM_PREDICT_TOTAL_TIME_H
#define SERIATIM_PREDICT_TOTAL_TIME_H

#include <stdatomic.h>
#include <stdbool.h>

/* All zero: never. */
struct st_total_time {
    double end;                     /* in seconds of st_clock_seconds; 0: none */
    const atomic_bool *interrupted; /* set by whoever asks; NULL: nobody does */
};

/* Seconds of a clock that also runs while the program waits. */
double st_clock_seconds(void);

/* Is it time? `total` may be NULL. It is asked often enough if the answer takes a system call. */
bool st_total_time_is_up(const struct st_total_time *total);
bool st_total_time_is_interrupted(const struct st_total_time *total);

#endif
