/* What a watcher has to say of a controlled run: which findings there are, by keys that are cheap
 * to make, and in words only what is not known yet, since finding names for addresses takes longer
 * than most runs.
 *
 * It goes from the watcher's process to ours as a file with a JSON object. Always there:
 *
 *     "status": 0, "events": 47, "violated": 1, "serializable": false
 *     "keys": ["8f0e..."]     of the violated blocks
 *     "doubtful": ["8f0e..."] those of functions that threads start with, which nobody called one
 *                             step; not if they overwrite what another thread has written
 *     "cycle": "17aa..."      likewise, where no block was violated and it is not serializable
 *     "trouble": "damaged"    why nothing was found out
 *
 * In words, if something is new or the program failed:
 *
 *     "report": {...}         as st_report_json writes it; violations in the order of `keys`
 *     "course": [...]         course.h
 *     "deviations": [{"function": "transfer", "loc": "bank.c:42"}]
 *     "last": {"thread": "T1", "function": "transfer", "loc": "bank.c:42"}
 *     "stuck": [...]          threads that cannot go on
 *
 * And if everything is wanted:
 *
 *     "places": [{"site": "3f2a...", "function": "transfer", "loc": "bank.c:42",
 *                 "line": "bank.c:42",       of the innermost frame, the library's or the user's
 *                 "kinds": 4}]               bits of st_control_kind: what points there did
 *     "cut": {"thread": "1", "clock": 17}    where a debugger should stop
 *     "outer": ["3f2a..."]                   functions that are no blocks
 *     "modules": ["/home/me/bank"]
 *
 * Of a run that was recorded, and not checked:
 *
 *     "predictions": [...]    hunt/foreseen/foresee.h
 *     "undecided": true       an analysis did not come to an end */
#ifndef SERIATIM_HUNT_CONTROLLED_RUN_DESCRIPTION_H
#define SERIATIM_HUNT_CONTROLLED_RUN_DESCRIPTION_H

#include "base/error.h"
#include "stream/control.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of keys. */
struct st_keys {
    uint64_t *list;
    size_t count, capacity;
};
bool st_keys_have(const struct st_keys *keys, uint64_t key);
void st_keys_add(struct st_keys *keys, uint64_t key);
void st_keys_free(struct st_keys *keys);

struct st_live_check;

/* In the watcher: writes the description. `in_full`: in words whatever is known. `keys_only`:
 * nothing in words. 0, or -1 when the file could not be written. */
int st_describe_run(struct st_live_check *check, const struct st_control_log *log,
                    const char *program, bool with_spec, bool in_full, bool keys_only,
                    const struct st_keys *known, const char *path);

/* In our process. All zero is empty. */
struct st_description {
    json_t *json;
    const char *trouble; /* why nothing was found out, or NULL */
    struct st_keys keys; /* of violated blocks, and of the cycle where there is none */
    struct st_keys doubtful;
    const json_t *report;
};

/* From the text of such a file, whose name is for messages. */
int st_description_load(struct st_description *described, const char *text, size_t length,
                        const char *name, struct st_error *error);
int st_description_read(struct st_description *described, const char *path, struct st_error *error);
void st_description_free(struct st_description *described);

/* The violation with this key in the report of the run; NULL: the report has no such one, or there
 * is no report. */
json_t *st_described_violation(const struct st_description *described, uint64_t key);

#endif
