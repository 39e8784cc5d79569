/* Sentences of the text report: written first, and then broken into lines.
 *
 *     struct st_draft draft;
 *     struct st_text sentence = st_sentence_start(text, &draft);
 *     st_say(&sentence, "%t may come in between.", thread);
 *     st_sentence_end(text, &draft);
 */
#ifndef SERIATIM_REPORT_TEXT_SENTENCES_H
#define SERIATIM_REPORT_TEXT_SENTENCES_H

#include "report/text/text_draft.h"
#include "report/text/writer.h"

struct st_text st_sentence_start(const struct st_text *text, struct st_draft *draft);

/* Below a headline, and indented. */
void st_sentence_end(const struct st_text *text, struct st_draft *draft);

/* One line, which can be found with grep, unless a terminal is too narrow for it. */
void st_headline_end(const struct st_text *text, struct st_draft *draft);

#endif
