/* Tables of the papers for a trace, which predict writes instead of a report. */
#ifndef SERIATIM_CLI_PREDICT_TABLES_H
#define SERIATIM_CLI_PREDICT_TABLES_H

#include "cli/shared.h"
#include "predict/ablation.h"

/* Table 2 of TSE 2006: what each improvement of reduction is worth. */
void write_ablation(const char *trace, const struct st_ablation_row rows[ST_ABLATION_ROWS],
                    bool json, FILE *file);

#endif
