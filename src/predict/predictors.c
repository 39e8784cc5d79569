#include "predict/predict.h"

extern const struct st_predictor st_blocks;

const struct st_predictor *const st_predictors[] = {&st_blocks, NULL};
