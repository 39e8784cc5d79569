/* Files that hold a saved result. */
#ifndef SERIATIM_SESSION_RESULT_FILE_H
#define SERIATIM_SESSION_RESULT_FILE_H

#include "report/load/load.h"
#include "trace/format.h"

/* Reads the rest of an input, which is a result in JSON. NULL with an error. Release with
 * st_loaded_free. */
struct st_loaded *st_result_read(struct st_input *input, struct st_error *error);

#endif
