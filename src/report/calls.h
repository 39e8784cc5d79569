/* The place of an event as every format shows it, and the calls that led there.
 *
 * The place is the innermost frame in the user's own code (symbol/user_code.h): nobody asks for the
 * line of the library that locked a mutex. Where all frames are the library's, it is the innermost
 * of them; where the calls are not known, it is the location of the event. */
#ifndef SERIATIM_REPORT_CALLS_H
#define SERIATIM_REPORT_CALLS_H

#include "report/report.h"

/* ---- The user's line ---- */

/* The texts are those of the trace. */
struct st_user_line {
    const char *function; /* "" where it is not known */
    const char *location; /* "bank.c:21"; a mere number as in RAPID's traces; "" */
};

/* Function and location of the frame to show; the end of the stack where it is empty. */
const char *const *st_user_frame(const char *const *stack);

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
    struct st_frame_text *frames; /* innermost first, without those of libraries */
    size_t count, capacity;
};

/* Those that are known of a location. `details` may be NULL: then none are. */
struct st_calls st_calls_at(const struct st_details *details, uint64_t loc);
void st_calls_free(struct st_calls *calls);

/* The same for a frame of the symbols' contexts. */
struct st_calls st_calls_of_frame(const struct st_symbols *symbols, uint32_t frame);

/* How many frames from the innermost on are new to a reader who has seen the calls `before`, of the
 * same thread. The innermost always is. */
size_t st_calls_new(const struct st_calls *calls, const struct st_calls *before);

#endif
