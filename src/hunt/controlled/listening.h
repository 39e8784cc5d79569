/* Does a process wait for others to connect? */
#ifndef SERIATIM_HUNT_CONTROLLED_LISTENING_H
#define SERIATIM_HUNT_CONTROLLED_LISTENING_H

#include <stdbool.h>
#include <sys/types.h>

/* By the kernel's tables: TCP, TCP over IPv6 and sockets in the file system. */
bool st_is_listening(pid_t process);

#endif
