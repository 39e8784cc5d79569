#include "predict/total_time.h"

#include <stddef.h>
#include <time.h>

double st_clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void st_work_time_use(struct st_work_time *work, double seconds) {
    if (seconds > 0)
        atomic_fetch_add(&work->used, (uint_least64_t)(seconds * 1e9));
}

double st_work_time_left(const struct st_work_time *work) {
    double left = work->limit - (double)atomic_load(&work->used) * 1e-9;
    return left > 0 ? left : 0;
}

bool st_total_time_is_interrupted(const struct st_total_time *total) {
    return total && total->interrupted && atomic_load(total->interrupted);
}

bool st_total_time_is_up(const struct st_total_time *total) {
    return st_total_time_is_interrupted(total) ||
           (total && total->work && st_work_time_left(total->work) <= 0) ||
           (total && total->end > 0 && st_clock_seconds() > total->end);
}
