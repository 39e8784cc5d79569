/* Names for what the findings in a running program mention.
 *
 * A program has millions of variables and sites, and a report shows only a few of them. These are
 * named when the report is written. */
#ifndef SERIATIM_SESSION_FINDING_NAMES_H
#define SERIATIM_SESSION_FINDING_NAMES_H

#include "finding/finding.h"
#include "report/report.h"
#include "watch/translator.h"

struct st_finding_names;

/* The translator keeps sites (struct st_translation). Changes the locations in the findings to
 * those of the names. From then on neither it nor the findings change while the names are used. */
struct st_finding_names *st_finding_names_new(struct st_translator *translator,
                                              struct st_findings *findings);
void st_finding_names_free(struct st_finding_names *names);

/* The names of everything that the findings mention; other variables are "". */
const struct st_symbols *st_finding_names_symbols(const struct st_finding_names *names);

/* Provides the details of the locations. */
struct st_details st_finding_names_details(struct st_finding_names *names);

#endif
