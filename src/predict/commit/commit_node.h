/* The options of commit nodes (commit_node.c). */
#ifndef SERIATIM_PREDICT_COMMIT_COMMIT_NODE_H
#define SERIATIM_PREDICT_COMMIT_COMMIT_NODE_H

#include "predict/predictor.h"

struct st_commit_node_options {
    bool pairwise; /* two transactions at a time (Theorems 4.2 and 4.5) */
};

#endif
