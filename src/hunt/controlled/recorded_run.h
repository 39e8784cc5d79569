/* A controlled run that is recorded, for what it foreshadows. */
#ifndef SERIATIM_HUNT_CONTROLLED_RECORDED_RUN_H
#define SERIATIM_HUNT_CONTROLLED_RECORDED_RUN_H

#include "base/error.h"
#include "hunt/controlled/hunted.h"

#include <jansson.h>

/* In the process of a watcher: runs the program, writes its trace to that path, and analyses it. At
 * most so much of the trace, and for so long, that even a long run is no burden. Returns the
 * description of the run (run_description.h), or NULL with an error. The trace may be left behind.
 */
json_t *st_record_and_foresee(const struct st_hunted *subject, const char *trace,
                              struct st_error *error);

#endif
