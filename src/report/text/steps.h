/* The steps of a finding, one below the other, so that the eye goes down the threads and deeds:
 *
 *       event 9   T1  released lock checking.lock
 *                     in    withdraw    bank.c:25  pthread_mutex_unlock(&account->lock);
 *                     from  transfer    bank.c:42  withdraw(from, amount);
 *       event 14  T2  acquired lock checking.lock  so T2 comes after transfer
 *                     in    balance_of  bank.c:35  pthread_mutex_lock(&account->lock);
 *
 * Where the calls are not known, the location stands behind the deed and its line of source below.
 * When the lines are too wide for the terminal, what follows from a step goes to a line of its own,
 * and so does the source; what still does not fit is cut if it is source, and only then. */
#ifndef SERIATIM_REPORT_TEXT_STEPS_H
#define SERIATIM_REPORT_TEXT_STEPS_H

#include "report/story/calls.h"
#include "report/text/sentences.h"
#include "report/text/writer.h"

/* A step that is not printed yet. Texts are NULL where there is nothing to say. */
struct st_step {
    char *event, *thread, *deed, *where, *reason;
    uint32_t number;  /* of the thread */
    const char *line; /* of source, where the calls are not known */
    size_t length;
    struct st_calls calls;
    size_t untold; /* of them */
};

struct st_steps {
    const struct st_text *text;
    uint32_t home; /* the thread that it is about: its name is painted differently */
    struct st_step *items;
    size_t count, capacity;
    struct st_text_buffer buffer;
};

/* Adds a step. `before` and `after` go around what was done, with a blank or a comma of their own:
 * "started, then " and ", then ended". The number of an event that is not known is 0. */
void st_steps_add(struct st_steps *steps, const struct st_place *place, const char *before,
                  const char *after);

/* Adds what is no event: "T2  did something", "...  4 more dependences". */
void st_steps_remark(struct st_steps *steps, const char *event, uint32_t thread, const char *deed);

/* Where to say what follows from the last step, until st_steps_conclude. */
struct st_text st_steps_reason(struct st_steps *steps);
void st_steps_conclude(struct st_steps *steps);

/* Prints the steps and takes them away. */
void st_steps_print(struct st_steps *steps);

#endif
