/* A program that does what a script says: which thread does what, in which order.
 *
 * A script is a text with one operation a line, in the order in which they are done:
 *
 *     THREAD enter F | leave            call function f0 .. f3, or return from it
 *     THREAD r|w REGION OFFSET SIZE     an access of 1, 2, 4 or 8 bytes
 *     THREAD set REGION OFFSET LENGTH   memset
 *     THREAD copy REGION OFFSET LENGTH  memmove from the start of the region
 *     THREAD add REGION OFFSET          an atomic addition to 4 bytes
 *     THREAD load REGION OFFSET         an atomic load of 4 bytes
 *     THREAD lock|unlock M              one of some mutexes
 *     THREAD renew REGION               frees it and allocates it again; not region 0
 *     THREAD start OTHER                creates a thread; the main thread is 0
 *
 * script.c reads it and keeps the order; it is compiled without instrumentation, so nothing that it
 * does is seen, and the order of the operations is an accident for whoever watches. */
#ifndef PLAYER_H
#define PLAYER_H

#include <stddef.h>

enum { MOST_THREADS = 16, REGIONS = 4, REGION_BYTES = 32, MUTEXES = 3 };

enum kind {
    OVER, /* of this thread: no more operations */
    ENTER,
    LEAVE,
    READ,
    WRITE,
    SET,
    COPY,
    ADD,
    LOAD,
    LOCK,
    UNLOCK,
    RENEW,
    START
};

struct operation {
    int thread;
    enum kind kind;
    int a, b, c;
};

void script_read(const char *path);
int script_threads(void);

/* The next operation of the thread, when its turn has come. The one before is over. */
struct operation script_next(int thread);

char *script_region(int region);
void script_set_region(int region, char *memory);

#endif
