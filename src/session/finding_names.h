/* Names for what findings in a running program speak of.
 *
 * A program has millions of variables and sites, and a report shows a few of them: only those get
 * their names, when it is written. */
#ifndef SERIATIM_SESSION_FINDING_NAMES_H
#define SERIATIM_SESSION_FINDING_NAMES_H

#include "finding/finding.h"
#include "report/report.h"
#include "watch/translate.h"

struct words;

/* The translator keeps sites (struct st_translation), and neither it nor the findings change while
 * the words are used. */
struct words *words_new(struct st_translator *translator, const struct st_findings *findings);
void words_free(struct words *words);

/* The names of all that the findings speak of; other variables and locations are "". */
const struct st_symbols *words_symbols(const struct words *words);

/* Who tells what is known of the locations. */
struct st_details words_details(struct words *words);

#endif
