#include "cli/watch_messages.h"

#include "cli/messages.h"

#include <inttypes.h>

void warn_of_watch(const struct st_watch *watch, const char *program) {
    char reason[512];
    if (!st_watch_attached(watch)) {
        warn("%s told nothing, so nothing was checked: build it with seriatim-cc or seriatim-c++ "
             "(or link it dynamically with gcc -fsanitize=thread)",
             program);
        return;
    }
    if (watch->program.left_others)
        warn(
            "%s has ended, but a process that it started goes on, and is not watched; if it is the "
            "program itself that went to the background, keep it in the foreground",
            program);
    if (st_watch_had_no_room(watch))
        warn("%s was not watched: it has no room for 64 TiB of addresses, which need no memory; "
             "lift "
             "the limit on them (ulimit -v unlimited)",
             program);
    if (st_watch_gave_up(watch))
        warn("%s ran out of memory for telling what it does: from some point on nothing was seen",
             program);
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
