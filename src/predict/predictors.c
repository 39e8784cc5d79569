#include "predict/predict.h"

const struct st_predictor *const st_predictors[] = {NULL};
