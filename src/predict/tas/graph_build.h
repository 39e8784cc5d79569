/* How the graph is built from the events: three passes over the trace. */
#ifndef SERIATIM_PREDICT_TAS_GRAPH_BUILD_H
#define SERIATIM_PREDICT_TAS_GRAPH_BUILD_H

#include "predict/tas/graph.h"

void tas_build_threads(struct st_tas *tas);  /* positions, blocks, which variables are shared */
void tas_build_order(struct st_tas *tas);    /* partners, locksets and vectors */
void tas_build_accesses(struct st_tas *tas); /* the index of accesses */

#endif
