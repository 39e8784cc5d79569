/* Commands that mpirun has started on several ranks, and jobs that go on from a journal. */
#ifndef SERIATIM_CLI_CLUSTER_RANKS_H
#define SERIATIM_CLI_CLUSTER_RANKS_H

#include "base/error.h"
#include "cli/command.h"
#include "cluster/crew.h"

#include <stdatomic.h>

/* Joins the other ranks, if there are any; -1 with an error. The words of the command line say
 * which job it is. */
int ranks_join(const char *command, int argc, char **argv, struct st_error *error);

/* The crew of this process; NULL: there is none. */
struct st_crew *ranks_crew(void);

/* Goes on from that folder, if it is not NULL: also of a process that is alone. What is in the
 * input, if that is not NULL, is a part of what the job is. */
int ranks_resume(const char *folder, const char *input, struct st_error *error);

/* From now on a signal that asks the job to end only sets a flag: also the one that mpirun passes
 * on. The flag, which is false before; and the same for whoever has a context to pass. */
const atomic_bool *ranks_catch_stops(void);
bool ranks_is_stopped(void *context);

/* The command is done. Does not return on ranks that work for rank 0. */
enum status ranks_leave(enum status status);

#define RESUME_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "resume", .kind = ST_TEXT, .offset = offsetof(type, resume), .value = "DIR",       \
        .help = "keep what is done in a journal in DIR, and go on from what is there, after the "  \
                "job was killed or ran out of time"                                                \
    }

#endif
