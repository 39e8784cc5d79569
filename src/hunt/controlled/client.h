/* The client of a run: a command that talks to the program, in a group of processes of its own.
 *
 * It takes turns with the program (st_control_client): it is stopped while the program runs. When
 * all threads of the program wait, it goes on until its processes wait, too. A program that does
 * not come to rest does not keep it waiting for ever. */
#ifndef SERIATIM_HUNT_CONTROLLED_CLIENT_H
#define SERIATIM_HUNT_CONTROLLED_CLIENT_H

#include "stream/control.h"

#include <stdbool.h>
#include <sys/types.h>

/* All zero: not begun. */
struct st_client {
    pid_t process;   /* the first of its group; 0: not started, -1: ended */
    int status;      /* as a shell has it; 0 until it has ended */
    bool running;    /* it has its turn */
    unsigned quiet;  /* so often in a row all its processes were asleep */
    double since;    /* when its turn began, or that of the program */
    double moved;    /* when the program was last seen to go on */
    uint64_t points; /* of the program then */
    double ended;
    uint64_t rested; /* the points of the program when it last came to rest since then, plus 1 */
    bool done;       /* the client has ended, and the program has nothing to do any more */
};

/* Before the program starts. */
void st_client_expect(struct st_control_area *area);

/* From time to time, until it is done, while the program with this id runs. The client is started
 * when the program listens and rests, with its output to that file; NULL: to ours. */
void st_client_look(struct st_client *client, struct st_control_area *area, pid_t program,
                    const char *command, const char *output, double now);

/* The run is over: whatever of the client is left ends. */
void st_client_end(struct st_client *client);

#endif
