/* What the results of SARIF have in common, whatever was found. */
#ifndef SERIATIM_REPORT_SARIF_SARIF_RESULTS_H
#define SERIATIM_REPORT_SARIF_SARIF_RESULTS_H

#include "report/story/story.h"
#include "report/sarif/sarif_parts.h"
#include "report/sarif/sarif_rules.h"
#include "report/triage/triage.h"

/* Opens a result. */
void st_sarif_result(struct st_sarif *sarif, enum st_sarif_rule rule);

/* What a story says beside its steps, as one text. Release with free(). */
char *st_sarif_words(const struct st_story *story);

/* "message": the sentence, which is released here, and in Markdown with the steps as a list. */
void st_sarif_sentence(struct st_sarif *sarif, char *sentence, const struct st_place *steps,
                       size_t count);

/* A location of which to say more, unless it has no number: "the block begins: T1 began f". */
void st_sarif_related(struct st_sarif *sarif, const struct st_place *place, const char *message);

void st_sarif_fingerprint(struct st_sarif *sarif, struct st_fingerprint fingerprint);

/* "suppressions" and "baselineState"; a list that is empty says that somebody asked. */
void st_sarif_mark(struct st_sarif *sarif, struct st_mark mark);

/* The results of a prediction: blocks that could be cut, and races. Deadlocks belong to no analysis
 * and come with the first. */
void st_sarif_prediction(struct st_sarif *sarif, const struct st_prediction *prediction);

#endif
