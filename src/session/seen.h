/* How much of a program was seen, for a report that has to say why nothing was checked. */
#ifndef SERIATIM_SESSION_SEEN_H
#define SERIATIM_SESSION_SEEN_H

#include "report/report.h"
#include "watch/translator.h"

/* All zero is empty. */
struct st_seen {
    struct st_coverage coverage;
    struct st_names starts, unselected, inlined, uninstrumented;
};

/* The translator keeps sites (struct st_translation), and must outlive what was found. `spec`:
 * there was a specification. */
void st_seen_find(struct st_seen *seen, struct st_translator *translator, bool spec);
void st_seen_free(struct st_seen *seen);

#endif
