#define _GNU_SOURCE
#include "cli/watching.h"

#include "base/memory.h"
#include "session/runtime_files.h"
#include "cli/shared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int watching_start(struct st_watch *watch, struct st_spec **spec, const char *spec_path,
                   const char *const *words, struct st_translation *translation) {
    struct st_error error;
    char *folder = NULL;
    int result = -1;
    *spec = spec_path ? st_spec_load(spec_path, &error) : NULL;
    if ((!spec_path || *spec) && (folder = runtime_place("run", &error))) {
        translation->spec = *spec;
        result = st_watch_start(watch, words, folder, translation, &error);
    }
    free(folder);
    if (result < 0)
        complain(&error);
    return result;
}

char *watching_path(const char *path, pid_t process) {
    char number[24];
    int digits = snprintf(number, sizeof number, "%ld", (long)process);
    char *result = st_alloc(strlen(path) * (size_t)digits + 1, 1), *end = result;
    for (const char *at = path; *at;) {
        if (at[0] == '%' && at[1] == 'p') {
            end = stpcpy(end, number);
            at += 2;
        } else {
            *end++ = *at++;
        }
    }
    return result;
}

void watching_warn(const struct st_watch *watch, const char *program) {
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

enum status watching_status(const struct st_watch *watch, int found) {
    if (watch->program.status)
        return (enum status)watch->program.status;
    bool partly = st_watch_had_no_room(watch) || st_watch_gave_up(watch);
    if (!st_watch_attached(watch) || (found == STATUS_CLEAN && partly))
        return STATUS_TROUBLE;
    return (enum status)found;
}
