/* What to look at first, where a finding leaves no doubt about it. */
#ifndef SERIATIM_REPORT_STORY_HINT_H
#define SERIATIM_REPORT_STORY_HINT_H

#include "report/text/writer.h"

/* Says it in a sentence or two without a full stop at their end; false, and nothing, when nothing
 * is certain. */
bool st_say_hint(const struct st_text *text, const struct st_violation *violation);

#endif
