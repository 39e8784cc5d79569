/* The place of an event as every format shows it: the innermost frame in the user's own code
 * (symbol/user_code.h). Where all frames are the library's, it is the innermost of them; where the
 * calls are not known, it is the location of the event. */
#ifndef SERIATIM_REPORT_USER_LINE_H
#define SERIATIM_REPORT_USER_LINE_H

#include "report/report.h"

/* The texts are those of the trace. */
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

#endif
