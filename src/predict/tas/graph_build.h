/* How the graph is built from the events: three passes over the trace. */
#ifndef SERIATIM_PREDICT_TAS_GRAPH_BUILD_H
#define SERIATIM_PREDICT_TAS_GRAPH_BUILD_H

#include "predict/tas/graph.h"

void tas_build_threads(
    struct st_tas_graph *graph); /* positions, blocks, which variables are shared */
void tas_build_order(struct st_tas_graph *graph);    /* partners, locksets and vectors */
void tas_build_accesses(struct st_tas_graph *graph); /* the index of accesses */

#endif
