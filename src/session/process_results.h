/* The results of several processes of one run, as one result.
 *
 * Results come as JSON, one after the other, and are merged at once: counts are added up, and event
 * numbers go on from one process to the next. Blocks of the same name in different programs stay
 * apart. Of each process no more is kept than its own JSON. */
#ifndef SERIATIM_SESSION_PROCESS_RESULTS_H
#define SERIATIM_SESSION_PROCESS_RESULTS_H

#include "report/report.h"

#include <sys/types.h>

struct st_process_facts {
    pid_t pid;
    const char *program;
    bool forked;   /* it went on in the program that another one had started */
    bool complete; /* all its events were checked */
    int status;    /* its exit status; below 0 where it is not known */
};

struct st_process_results;

/* limit: so many violations of a program are kept at most, and one of each fingerprint; 0: all. */
struct st_process_results *st_process_results_new(uint64_t limit);
void st_process_results_free(struct st_process_results *results);

/* One that can be added to, while the other stays as it is. */
struct st_process_results *st_process_results_copy(const struct st_process_results *results);

/* Adds the result of a process: the JSON of one engine, as st_report_json writes it. */
int st_process_results_add(struct st_process_results *results, const struct st_process_facts *facts,
                           const char *json, size_t length, struct st_error *error);

size_t st_process_results_count(const struct st_process_results *results); /* of processes */

/* All of them as one result, of `command`; NULL with an error. It lives as long as `results` are
 * not changed; release it with st_loaded_free. */
struct st_loaded;
struct st_loaded *st_process_results_load(struct st_process_results *results, const char *command,
                                          struct st_error *error);

/* Writes `document`, which is the JSON of what was loaded, with a list of the processes. */
void st_process_results_write(const struct st_process_results *results, const char *document,
                              FILE *file);

#endif
