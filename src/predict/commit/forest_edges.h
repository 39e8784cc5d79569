/* The inter-edges of the access forest: which entries of one variable or lock meet. */
#ifndef SERIATIM_PREDICT_COMMIT_FOREST_EDGES_H
#define SERIATIM_PREDICT_COMMIT_FOREST_EDGES_H

#include "predict/commit/forest.h"

/* Puts the subject's entries in order, gives them their places, and makes their rows. Subjects can
 * be joined at the same time. */
void st_join_subject(struct st_forest *forest, struct st_subject *subject, enum st_notion notion,
                     bool as_published);

#endif
