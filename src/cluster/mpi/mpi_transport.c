/* Messages by MPI. This file alone knows MPI. It is built into a library that is not linked with
 * MPI's: who loads it has loaded that before (crew.c), so the package does not depend on it. */
#define _GNU_SOURCE
#include "cluster/transport.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1, LONGEST = 1 << 30 };

extern const struct st_transport st_mpi_transport;

/* What was sent and may still be on its way. */
static struct sent {
    MPI_Request request;
    void *bytes;
    struct sent *next;
} * all_sent;

static bool is_all_here(void) {
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return all && here && strcmp(all, here) == 0;
}

/* Ranks on one machine must not talk through shared memory: if one of them dies in the middle of a
 * message, who reads it spins for ever. Sockets are closed. What the user has set stays. */
static void prefer_sockets(void) {
    setenv("OMPI_MCA_btl", "^vader,sm", 0);
    /* By default loopback is not used, and a machine may have nothing else. */
    if (is_all_here() && !getenv("OMPI_MCA_btl_tcp_if_exclude"))
        setenv("OMPI_MCA_btl_tcp_if_include", "lo", 0);
}

static const char *start(int *rank, int *size) {
    int level;
    prefer_sockets();
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return "MPI_Init_thread failed";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return NULL;
}

/* Releases what has arrived. What was sent to a rank that is gone stays for ever. */
static void sweep(void) {
    struct sent **place = &all_sent;
    while (*place) {
        struct sent *sent = *place;
        int done = 0;
        if (MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            done = 1;
        if (!done) {
            place = &sent->next;
            continue;
        }
        *place = sent->next;
        free(sent->bytes);
        free(sent);
    }
}

static void send_bytes(int rank, void *bytes, size_t length) {
    struct sent *sent = calloc(1, sizeof *sent);
    sweep();
    if (!sent || length > LONGEST ||
        MPI_Isend(bytes, (int)length, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &sent->request) !=
            MPI_SUCCESS) {
        free(sent);
        free(bytes);
        return;
    }
    sent->bytes = bytes;
    sent->next = all_sent;
    all_sent = sent;
}

/* What has been announced, the oldest first. The rest of a long message comes later, and never from
 * a rank that has died since: nobody may wait for it. */
static struct coming {
    MPI_Request request;
    void *bytes;
    int rank;
    size_t length;
    struct coming *next;
} * all_coming;

static void begin_to_receive(void) {
    MPI_Message message;
    MPI_Status status;
    int found = 0, count = 0;
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &found, &message, &status) !=
            MPI_SUCCESS ||
        !found)
        return;
    struct coming *coming = calloc(1, sizeof *coming), **last = &all_coming;
    MPI_Get_count(&status, MPI_BYTE, &count);
    void *bytes = malloc((size_t)count + 1);
    if (!bytes || !coming)
        abort();
    *coming = (struct coming){
        .bytes = bytes, .rank = status.MPI_SOURCE, .length = (size_t)count, .next = NULL};
    MPI_Imrecv(bytes, count, MPI_BYTE, &message, &coming->request);
    while (*last)
        last = &(*last)->next;
    *last = coming;
}

/* Is an older one from the same rank still coming? */
static bool is_early(const struct coming *coming) {
    for (const struct coming *other = all_coming; other != coming; other = other->next)
        if (other->rank == coming->rank)
            return true;
    return false;
}

static void *receive_bytes(int *rank, size_t *length) {
    sweep();
    begin_to_receive();
    for (struct coming **place = &all_coming; *place; place = &(*place)->next) {
        struct coming *coming = *place;
        int done = 0;
        if (is_early(coming) ||
            MPI_Test(&coming->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done)
            continue;
        void *bytes = coming->bytes;
        *rank = coming->rank;
        *length = coming->length;
        *place = coming->next;
        free(coming);
        return bytes;
    }
    return NULL;
}

static void end(enum st_transport_end how, int status) {
    if (how == ST_END_TOGETHER)
        MPI_Finalize();
    else if (how == ST_END_ALL)
        MPI_Abort(MPI_COMM_WORLD, status);
}

const struct st_transport st_mpi_transport = {.version = ST_TRANSPORT_VERSION,
                                              .start = start,
                                              .send = send_bytes,
                                              .receive = receive_bytes,
                                              .end = end};
