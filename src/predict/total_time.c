#include "predict/total_time.h"

#include <stddef.h>
#include <time.h>

double st_clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool st_total_time_is_interrupted(const struct st_total_time *total) {
    return total && total->interrupted && atomic_load(total->interrupted);
}

bool st_total_time_is_up(const struct st_total_time *total) {
    return st_total_time_is_interrupted(total) ||
           (total && total->end > 0 && st_clock_seconds() > total->end);
}
