/* A block that could be cut, seen as one that was: what is said about it, by what it is known again
 * and which suppressions match it does not depend on whether it happened. */
#ifndef SERIATIM_REPORT_PREDICTED_VIOLATION_H
#define SERIATIM_REPORT_PREDICTED_VIOLATION_H

#include "report/report.h"

/* Its path is that of the block; where an analysis gave none, it is made of events of different
 * threads that follow each other and conflict, if those lead out of the block and back. Without a
 * path, `closing` leads from the last event of another thread, if there is one, to the block's
 * last. Release the path with free(). */
struct st_violation st_predicted_violation(const struct st_predicted_block *block);

/* Are schedules, to who means this by atomic, any interleavings of the run's events, whatever the
 * reads in them see? Then the program need not be able to run like that. */
bool st_ignores_reads(const char *notion);

/* The begin, and then the events that the finding rests on in the order of the predicted schedule.
 * Release with free(). */
struct st_place *st_predicted_steps(const struct st_predicted_block *block, size_t *count);

#endif
