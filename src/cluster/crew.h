/* A crew: the processes that mpirun has started for one job. Rank 0 deals out pieces of work, each
 * a question in bytes, and takes the answers; the others do the pieces. What a piece is, who packs
 * it and what becomes of the answers is the business of the command (docs/cluster.md).
 *
 *     rank 0:  st_crew_deal(crew, &dealing, &error)     again and again
 *     others:  st_crew_serve(crew, &serving, NULL)      does not return until the phase is over
 *
 * A crew of one is possible: it does all pieces itself, and can have a journal. */
#ifndef SERIATIM_CLUSTER_CREW_H
#define SERIATIM_CLUSTER_CREW_H

#include "base/error.h"
#include "cluster/packing.h"

struct st_crew;

/* Did mpirun (or srun) start us together with others? */
bool st_crew_is_there(void);

/* Joins them. `library` is the folder of the library with MPI. The program goes on with the
 * environment of rank 0, without what mpirun put there, and in its folder, if there is one. On
 * rank 0, fails if one of them has another build. NULL with an error. */
struct st_crew *st_crew_join(const char *library, struct st_error *error);

/* One without others. */
struct st_crew *st_crew_alone(void);

/* Why MPI cannot be used on this machine: one sentence for free(), or NULL if it can. */
char *st_crew_why_not(const char *library);

bool st_crew_is_worker(const struct st_crew *crew); /* not rank 0; false if the crew is NULL */
size_t st_crew_workers(const struct st_crew *crew); /* how many there are beside rank 0 */

/* What has been done goes to a journal in this folder, and what is there already is not done again
 * (cluster/journal.h). For rank 0. */
int st_crew_resume(struct st_crew *crew, const char *folder, const char *job,
                   struct st_error *error);

/* Gets one sentence when something is lost and done again. */
void st_crew_on_loss(struct st_crew *crew, void (*say)(const char *sentence));

/* Looks on each of the others whether this file is there and is the same as here; a folder must
 * only be there. -1 with an error that names the rank and its machine. For rank 0. */
int st_crew_require(struct st_crew *crew, const char *path, struct st_error *error);

/* Phases have numbers, which all ranks count in the same way: the next one. */
uint64_t st_crew_next_phase(struct st_crew *crew);

/* ---- rank 0 ---- */

/* Pieces of work. Those below `wanted` are done; `take` may lower that. `take` gets each answer
 * once, in any order. */
struct st_dealing {
    size_t wanted;
    uint64_t phase, digest; /* those who serve in this phase with this digest get pieces */
    size_t batch;           /* so many are done here at a time, where nobody else can; 0: all */
    void (*ask)(void *context, size_t index, struct st_packed *question);
    /* What is sent behind the question, and has no part in what makes it the same; or NULL. */
    void (*attach)(void *context, size_t index, struct st_packed *question);
    void (*take)(void *context, size_t index, const char *answer, size_t length);
    /* Does these pieces here. An answer that stays empty was not given. */
    int (*do_here)(void *context, const size_t *indices, size_t count, struct st_packed *answers,
                   struct st_error *error);
    bool (*stopped)(void *context); /* or NULL */
    void *context;
    size_t left;            /* set: so many pieces were not done, since somebody stopped it */
    struct st_packed *keys; /* st_crew_deal's own */
};

int st_crew_deal(struct st_crew *crew, struct st_dealing *dealing, struct st_error *error);

/* Ends a phase: those who serve in it, now or later, get this and go on. */
void st_crew_end_phase(struct st_crew *crew, uint64_t phase, const void *bytes, size_t length);

/* ---- the others ---- */

struct st_serving {
    uint64_t phase, digest;
    /* An answer that stays empty was not given. */
    void (*work)(void *context, const char *question, size_t length, struct st_packed *answer);
    void *context;
};

/* Does pieces until the phase ends, and then returns what st_crew_end_phase said, if `result` is
 * not NULL. When the whole job ends, the process does. */
void st_crew_serve(struct st_crew *crew, const struct st_serving *serving,
                   struct st_packed *result);

/* While it does one: does nobody want the answer any more? */
bool st_crew_is_unwanted(void *crew);

/* Could not even begin: lets rank 0 know why, and waits for the end. */
_Noreturn void st_crew_give_up(struct st_crew *crew, const char *why);

/* ---- all ---- */

/* Rank 0: ends the job. If others hang, so that nothing else helps, the process ends here, with
 * this status. */
void st_crew_leave(struct st_crew *crew, int status);

#endif
