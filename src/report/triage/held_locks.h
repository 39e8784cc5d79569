/* Which locks the threads held at the accesses of a finding, and what that says of it. Nothing is
 * known without a recording that has the state of threads. */
#ifndef SERIATIM_REPORT_TRIAGE_HELD_LOCKS_H
#define SERIATIM_REPORT_TRIAGE_HELD_LOCKS_H

#include "report/report.h"

/* Where a path leaves the block and comes back: the locks of the block's thread there (`in`), and
 * those of the other thread, first and last (`out`). Lists end with NULL. */
struct st_held_locks {
    bool known; /* all four of them */
    char **in[2], **out[2];
};

/* Of a path of two conflicts. */
struct st_held_locks st_held_locks(const struct st_report *report,
                                   const struct st_violation *violation);
void st_held_locks_free(struct st_held_locks *held);

bool st_none_held(const struct st_held_locks *held);

/* A lock that the block held at both of its accesses and the other thread in between, so the block
 * let go of it; or NULL. */
const char *st_lock_let_go(const struct st_held_locks *held);

/* One that the block held only at its first access, and the other thread at the one after it. */
const char *st_lock_left(const struct st_held_locks *held);

/* One that the block held at both of its accesses, and the other thread at none of its own; or, if
 * not `by_other`, the same with the threads exchanged. */
const char *st_lock_ignored(const struct st_held_locks *held, bool by_other);

/* Does the thread hold nothing there? False where that is not known. */
bool st_holds_nothing(const struct st_report *report, const struct st_place *place);

/* Would the block not be cut there if it had kept a lock that both threads took? Then somebody
 * protects what was accessed, and the block let go of it too early. */
bool st_is_let_go(const struct st_report *report, const struct st_violation *violation);

#endif
