/* Pieces of a prediction, on all ranks of a crew. */
#ifndef SERIATIM_CLI_CLUSTER_DEALT_PREDICTIONS_H
#define SERIATIM_CLI_CLUSTER_DEALT_PREDICTIONS_H

#include "predict/dealt_pieces.h"

/* For a struct st_piece_dealer, whose context is the crew. */
void deal_predictions(void *crew, const struct st_dealt_pieces *pieces);

#endif
