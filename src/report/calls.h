/* Where an event happened, as every format shows it: the user's own line, and the calls that led
 * there.
 *
 * Frames of the implementation (symbol/user_code.h) are left out where there are others: nobody
 * asks for the lines of the library that locked a mutex. */
#ifndef SERIATIM_REPORT_CALLS_H
#define SERIATIM_REPORT_CALLS_H

#include "report/report.h"

/* ---- The line ---- */

/* The innermost frame in the user's own code. Where all frames are the library's, it is the
 * innermost of them; where the calls are not known, it is the location of the event. The texts are
 * those of the trace. */
struct st_user_line {
    const char *function; /* "" where it is not known */
    const char *location; /* "bank.c:21"; a mere number as in RAPID's traces; "" */
};

/* Without `details` (NULL), it is what the contexts of the symbols say. The location is in `buffer`
 * when it is a number. */
struct st_user_line st_user_line(const struct st_symbols *symbols, const struct st_details *details,
                                 uint64_t loc, char buffer[ST_LOCATION_SIZE]);

/* The innermost frame of all, the library's or the user's: where the event really happened. */
struct st_user_line st_innermost_line(const struct st_symbols *symbols,
                                      const struct st_details *details, uint64_t loc,
                                      char buffer[ST_LOCATION_SIZE]);

/* The location of the user's line alone. */
const char *st_user_location(const struct st_symbols *symbols, const struct st_details *details,
                             uint64_t loc, char buffer[ST_LOCATION_SIZE]);

/* ---- The calls ---- */

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

/* How many frames, from the innermost on, are not among the `earlier` ones of the same thread. The
 * innermost always counts. */
size_t st_calls_new(const struct st_calls *calls, const struct st_calls *earlier);

#endif
