#include "report/user_line.h"

#include "report/context_details.h"
#include "symbol/user_code.h"

/* Function and location of the frame to show; NULL where no frames are known. */
static const char *const *choose_frame(const struct st_detail *detail, bool innermost) {
    if (!*detail->stack)
        return NULL;
    for (const char *const *frame = detail->stack; *frame && !innermost; frame += 2)
        if (st_is_user_code(frame[0], frame[1]))
            return frame;
    return detail->stack;
}

static struct st_user_line find_line(const struct st_symbols *symbols,
                                     const struct st_details *details, uint64_t loc,
                                     char buffer[ST_LOCATION_SIZE], bool innermost) {
    struct st_context_details contexts = {.symbols = symbols};
    struct st_detail detail;
    if (details)
        details->lookup(details->context, loc, &detail);
    else
        st_context_details_lookup(&contexts, loc, &detail);
    const char *const *frame = choose_frame(&detail, innermost);
    struct st_user_line line = {detail.function, NULL};
    if (frame)
        line = (struct st_user_line){frame[0], frame[1]};
    else
        line.location = st_location_text(symbols, loc, buffer);
    st_context_details_free(&contexts);
    return line;
}

struct st_user_line st_user_line(const struct st_symbols *symbols, const struct st_details *details,
                                 uint64_t loc, char buffer[ST_LOCATION_SIZE]) {
    return find_line(symbols, details, loc, buffer, false);
}

struct st_user_line st_innermost_line(const struct st_symbols *symbols,
                                      const struct st_details *details, uint64_t loc,
                                      char buffer[ST_LOCATION_SIZE]) {
    return find_line(symbols, details, loc, buffer, true);
}

const char *st_user_location(const struct st_symbols *symbols, const struct st_details *details,
                             uint64_t loc, char buffer[ST_LOCATION_SIZE]) {
    return find_line(symbols, details, loc, buffer, false).location;
}
