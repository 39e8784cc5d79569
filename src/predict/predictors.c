#include "predict/predict.h"

#include "predict/reduction.h"

const struct st_predictor *const st_predictors[] = {&st_reduction, NULL};
