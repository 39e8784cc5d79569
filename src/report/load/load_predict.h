/* The predictions of a saved result. */
#ifndef SERIATIM_REPORT_LOAD_LOAD_PREDICT_H
#define SERIATIM_REPORT_LOAD_LOAD_PREDICT_H

#include "report/json/json_report.h"
#include "report/load/loading.h"

/* Fills `predictions`, which are empty. Release them whatever the fields say. */
void st_load_predictions(struct st_loading *loading, const json_t *root,
                         struct st_predictions *predictions);

#endif
