/* What a watcher has to say of a controlled run: which findings there are, by keys that are cheap
 * to make, and in words only what is not known yet, since finding names for addresses takes longer
 * than most runs.
 *
 * It goes from the watcher's process to ours as a file with a JSON object:
 *
 *     {"trouble": null, "violated": 3, "serializable": false,
 *      "keys": [{"key": "8f..", "depth": 0}, ...], "cycle": null,
 *      "report": {...} or null          as st_report_json writes it; its violations are those of
 *                                       `keys`, in the same order
 *      "course": [...]                  course.h
 *      "deviations": [{"function": "transfer", "loc": "bank.c:42"}, ...]
 *      "places": [{"site": "3f2a..", "function": "transfer", "loc": "bank.c:42"}, ...]   all
 * points, only when everything is wanted in words; so are "modules" "cut": {"thread": "1", "clock":
 * 17}      likewise: where a debugger should stop "stuck": [...]                   threads that
 * cannot go on "last": {"thread": "T1", "function": "f", "loc": "bank.c:42"}} */
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

/* In the watcher: writes the description. `in_full`: in words whatever is known. 0, or -1 when the
 * file could not be written. */
int st_describe_run(struct st_live_check *check, const struct st_control_log *log,
                    const char *program, bool with_spec, bool in_full, const struct st_keys *known,
                    const char *path);

/* In our process. All zero is empty. */
struct st_description {
    json_t *json;
    const char *trouble; /* why nothing was found out, or NULL */
    struct st_keys keys; /* of violated blocks, and of the cycle where there is none */
    const json_t *report;
};

int st_description_read(struct st_description *described, const char *path, struct st_error *error);
void st_description_free(struct st_description *described);

/* The violation with this key in the report of the run; NULL: the report has no such one, or there
 * is no report. */
json_t *st_described_violation(const struct st_description *described, uint64_t key);

#endif
