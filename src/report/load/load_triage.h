/* What became of the findings of a saved result. */
#ifndef SERIATIM_REPORT_LOAD_LOAD_TRIAGE_H
#define SERIATIM_REPORT_LOAD_LOAD_TRIAGE_H

#include "report/load/fields.h"
#include "report/triage/triage.h"

/* Reads it from a result that is good otherwise. `list` is the key of what was judged:
 * "violations", or "blocks", of which only those have a state that are reported. False when nobody
 * asked at that time; in any case *triage is to be released with st_triage_free. */
bool st_triage_read(struct st_fields *fields, const char *list, struct st_triage *triage);

#endif
