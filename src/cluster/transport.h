/* How messages get from rank to rank. There is one way, MPI, in a library of its own that is loaded
 * only under mpirun (mpi/mpi_transport.c), so that the program itself does not need MPI. */
#ifndef SERIATIM_CLUSTER_TRANSPORT_H
#define SERIATIM_CLUSTER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { ST_TRANSPORT_VERSION = 1 };
#define ST_TRANSPORT_SYMBOL "st_mpi_transport"
#define ST_TRANSPORT_LIBRARY "libseriatim_mpi.so"

enum st_transport_end {
    ST_END_TOGETHER, /* all ranks end now, and wait for each other */
    ST_END_APART,    /* some are gone: nobody waits */
    ST_END_ALL       /* some hang: all are ended, with this status, and this does not return */
};

struct st_transport {
    unsigned version;

    /* Joins the others. NULL, or why that is not possible. */
    const char *(*start)(int *rank, int *size);

    /* Takes over the bytes, from malloc(), and returns at once. Messages between two ranks keep
     * their order. One to a rank that is gone is lost. */
    void (*send)(int rank, void *bytes, size_t length);

    /* The next message, for free(), and whose it is; NULL: there is none now. */
    void *(*receive)(int *rank, size_t *length);

    void (*end)(enum st_transport_end how, int status);
};

#endif
