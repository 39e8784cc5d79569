/* Files that hold a saved result. */
#ifndef SERIATIM_SESSION_RESULT_FILE_H
#define SERIATIM_SESSION_RESULT_FILE_H

#include "trace/format.h"

/* Reads the rest of an input. It is an error if it is larger than any result. */
int st_result_read_rest(struct st_input *input, struct st_error *error);

#endif
