/* Files that hold a saved result. */
#ifndef SERIATIM_SESSION_RESULT_FILE_H
#define SERIATIM_SESSION_RESULT_FILE_H

#include "trace/format.h"

/* Reads all that is left of an input, unless that is more than any result has. */
int st_result_read_rest(struct st_input *input, struct st_error *error);

#endif
