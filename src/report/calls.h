/* The calls that led to a step, as far as they are worth telling.
 *
 * Frames of the implementation (std::, names that begin with __, what starts programs and threads)
 * are left out where there are others: nobody asks for the lines of the library that locked a
 * mutex. And what was told with an earlier step of the same thread is not told again. */
#ifndef SERIATIM_REPORT_CALLS_H
#define SERIATIM_REPORT_CALLS_H

#include "report/report.h"

struct st_frame_text {
    char *function, *location;
};

/* All zero is empty. */
struct st_calls {
    struct st_frame_text *frames; /* innermost first */
    size_t count, capacity;
};

/* Those that are known of a location. `details` may be NULL: then none are. */
struct st_calls st_calls_at(const struct st_details *details, uint64_t loc);
void st_calls_free(struct st_calls *calls);

/* How many frames from the innermost on are worth telling when `told` was told before. The
 * innermost always is. */
size_t st_calls_new(const struct st_calls *calls, const struct st_calls *told);

#endif
