/* What a rank knows of its crew. For the files of cluster/. */
#ifndef SERIATIM_CLUSTER_CREW_STATE_H
#define SERIATIM_CLUSTER_CREW_STATE_H

#include "base/map64.h"
#include "cluster/crew.h"
#include "cluster/journal.h"
#include "cluster/transport.h"

#include <sys/types.h>

/* Each message begins with its kind. Between two ranks they keep their order. */
enum st_message_kind {
    ST_MESSAGE_WELCOME, /* 0 to others: its folder, environment and process */
    ST_MESSAGE_HELLO,   /* others to 0: who they are, and of which build */
    ST_MESSAGE_NEED,    /* 0 to others: is this file there? */
    ST_MESSAGE_FOUND,   /* others to 0: it is, or why not */
    ST_MESSAGE_READY,   /* others to 0: serves in this phase */
    ST_MESSAGE_PIECE,   /* 0 to others: a question */
    ST_MESSAGE_ANSWER,  /* others to 0: exactly one for each piece */
    ST_MESSAGE_CANCEL,  /* 0 to others: the answer is not wanted any more */
    ST_MESSAGE_PHASE,   /* 0 to others: the phase is over */
    ST_MESSAGE_WANT,    /* others to 0: a file */
    ST_MESSAGE_PART,    /* 0 to others: some of it */
    ST_MESSAGE_TROUBLE, /* others to 0: cannot go on */
    ST_MESSAGE_END,     /* 0 to others: the job is over */
    ST_MESSAGE_BYE,     /* others to 0: have heard it */
    ST_MESSAGE_LAST,    /* 0 to others: leave now */
    ST_MESSAGE_KINDS
};

/* A rank as rank 0 sees it. */
struct st_rank {
    bool greeted, lost, silent, gone; /* silent: others had to do its piece again */
    uint64_t phase, digest;           /* where it serves; phase 0: nowhere yet */
    char *host;
    pid_t process;
    uint64_t space;   /* of process ids: where that number means something to us */
    size_t out;       /* pieces that it has */
    double out_since; /* when it got the oldest of them, or answered last */
    char *found;      /* what it said to NEED; NULL: nothing yet */
};

/* A message that was received and not looked at yet. */
struct st_letter {
    enum st_message_kind kind;
    char *bytes; /* all of it, for free() */
    struct st_unpacking body;
    struct st_letter *next;
};

struct st_crew {
    const struct st_transport *transport; /* NULL: alone */
    int rank, size;
    bool recovers;  /* mpirun lets the others go on when one of them dies */
    uint64_t space; /* of our process ids */
    uint64_t build;
    struct st_rank *members; /* by rank; on rank 0 */
    struct st_journal *journal;
    struct st_map64 asked; /* questions so far, and how often each */
    unsigned *asked_times;
    size_t asked_capacity;
    uint64_t generation; /* of dealing */
    uint64_t phase;      /* the last that began */
    bool other_build;    /* one of them has */
    char *trouble;       /* what one of them said, with its place; NULL: nothing */
    void (*say)(const char *sentence);
    uint64_t job; /* a number of this job */
    /* On the others. */
    struct st_letter *pieces, *phases; /* oldest first */
    uint64_t cancelled, current, current_index;
    bool unwanted, ended, last, together;
    pid_t dealer;
    bool no_folder;
    struct st_letter *part; /* of a file, that has come */
};

double st_crew_clock(void); /* seconds */
void st_crew_nap(unsigned *idle);

/* Sends a message and empties it. */
void st_crew_send(struct st_crew *crew, int rank, struct st_packed *message);
struct st_packed st_crew_message(enum st_message_kind kind);

/* The next one that came, or NULL. */
struct st_letter *st_crew_receive(struct st_crew *crew, int *rank);
void st_letter_free(struct st_letter *letter);

/* Rank 0: handles one message that is no answer. */
void st_crew_hear(struct st_crew *crew, int rank, struct st_letter *letter);

/* Rank 0: which of those on this machine have ended? */
void st_crew_look_for_losses(struct st_crew *crew);

/* Rank 0, which waits for something: the next message that is no answer; or, if there is none, a
 * nap and a look for losses. */
void st_crew_hear_next(struct st_crew *crew, unsigned *idle);

/* The others: handles what has come. */
void st_crew_pump(struct st_crew *crew);
_Noreturn void st_crew_depart(struct st_crew *crew);

/* What distinguishes two builds. */
uint64_t st_crew_build(void);

#endif
