/* The JSON of a report as a part of something larger. */
#ifndef SERIATIM_REPORT_JSON_JSON_REPORT_H
#define SERIATIM_REPORT_JSON_JSON_REPORT_H

#include "base/json.h"
#include "report/report.h"

void st_report_json_value(const struct st_report *report, struct st_json *json);

/* The same for the kinds of reports that are about predictions, by prediction_json.c. */
void st_prediction_json_value(const struct st_report *report, struct st_json *json);
void st_prediction_comparison_json_value(const struct st_report *report, struct st_json *json);

#endif
