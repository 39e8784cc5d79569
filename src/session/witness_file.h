/* The schedule of a predicted violation as a trace of its own, which `seriatim check` can read. */
#ifndef SERIATIM_SESSION_WITNESS_FILE_H
#define SERIATIM_SESSION_WITNESS_FILE_H

#include "finding/prediction.h"
#include "session/trace_input.h"

/* The first violation with a witness that is a trace. NULL if there is none. */
const struct st_predicted_block *st_find_witness(const struct st_predictions *predictions);

/* Writes the witness of the block to a file as STD text. st_trace_input_symbols must have been
 * called. 0, or -1 with an error. */
int st_write_witness(struct st_trace_input *input, const struct st_predicted_block *block,
                     const char *path, struct st_error *error);

#endif
