/* Tables of the papers for a trace, which predict writes instead of a report. */
#ifndef SERIATIM_CLI_PREDICT_TABLES_H
#define SERIATIM_CLI_PREDICT_TABLES_H

#include "cli/command.h"
#include "predict/reduction/ablation.h"
#include "predict/tas/tas.h"

/* Table 2 of TSE 2006: what each improvement of reduction is worth. The status is that of a report
 * by reduction. */
enum status write_ablation(const char *trace, const struct st_ablation_row rows[ST_ABLATION_ROWS],
                           bool json, FILE *file);

/* Table I of Sinha and others: the four scenarios of the paper, by dynamic partial-order reduction,
 * and our search. Runs them; timeout, jobs and the like are those of the options. The status is
 * that of a report: found if any of them finds a violation, trouble if ours leaves something open.
 */
enum status write_scenarios(const char *trace, uint64_t events, const struct st_tas_graph *graph,
                            const struct st_tas_setup *setup, bool json, FILE *file);

#endif
