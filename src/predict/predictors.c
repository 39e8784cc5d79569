#include "predict/predictor.h"

const struct st_predictor *const st_predictors[] = {&st_reduction, &st_blocks, &st_commit_node,
                                                    NULL};
