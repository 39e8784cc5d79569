/* The program under test as a process. */
#ifndef SERIATIM_WATCH_PROCESSES_PROGRAM_H
#define SERIATIM_WATCH_PROCESSES_PROGRAM_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct st_program {
    pid_t process;
    bool ended;
    int status;       /* as a shell has it: 128 + n after signal n */
    bool left_others; /* processes that it started were still running when it had ended */
    bool interrupted; /* SIGINT or SIGTERM came after it had ended: for us, that is */
    bool hurried;     /* one of them came when it may have ended: nobody waits for others */
};

/* Starts it with `stream` as ST_STREAM_VARIABLE and with libraries from `runtime_dir`, unless that
 * is NULL. From then on the signals of st_program_wait are blocked in this process: they neither
 * end it nor interrupt it. -1 with an error when the program cannot be run. */
int st_program_start(struct st_program *program, const char *const *argv, const char *stream,
                     const char *runtime_dir, struct st_error *error);

/* Sleeps for so many nanoseconds at most, or until a signal comes. True when one came that asks for
 * a report (SIGUSR1). Signals that somebody sent to this process alone are passed on to the
 * program; those of the terminal reach it by themselves. Notices when the program has ended. */
bool st_program_wait(struct st_program *program, long nanoseconds);

/* Is a process that the program started still running? To be asked when the program has ended. */
bool st_program_left_others(struct st_program *program);

#endif
