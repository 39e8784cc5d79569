#include "cli/watch_messages.h"

#include "cli/messages.h"

#include <inttypes.h>

void warn_of_watch(const struct st_watch *watch, const char *program) {
    char reason[512];
    if (!st_watch_attached(watch)) {
        warn("%s could not be watched, so nothing was checked: build it with seriatim-cc or "
             "seriatim-c++ (or link it dynamically with gcc -fsanitize=thread)",
             program);
        return;
    }
    if (watch->program.left_others)
        warn("%s has ended, but a process that it started is still running and is not watched; if "
             "the program put itself into the background, keep it in the foreground",
             program);
    if (st_watch_had_no_room(watch))
        warn("%s could not be watched: it may not reserve 64 TiB of addresses (which takes no "
             "memory); lift the limit with 'ulimit -v unlimited'",
             program);
    if (st_watch_gave_up(watch))
        warn("%s ran out of memory for its events: what it did after that was not seen", program);
    uint64_t missing = st_watch_missing(watch, reason, sizeof reason);
    if (missing)
        warn("%" PRIu64 " events are missing (%s)", missing, reason);
}

enum status watch_status(const struct st_watch *watch, int found) {
    if (watch->program.status)
        return (enum status)watch->program.status;
    bool partly = st_watch_had_no_room(watch) || st_watch_gave_up(watch);
    if (!st_watch_attached(watch) || (found == STATUS_CLEAN && partly))
        return STATUS_TROUBLE;
    return (enum status)found;
}
