/* The processes below a program that are watched beside the first one (watch/processes/broker.h).
 */
#ifndef SERIATIM_CLI_OTHER_PROCESSES_H
#define SERIATIM_CLI_OTHER_PROCESSES_H

#include "watch/watch.h"

struct other_processes {
    struct st_broker_message *active; /* that are watched now */
    size_t active_count, active_capacity;
    size_t begun;                        /* so many had a watcher */
    size_t refused;                      /* were not watched */
    size_t failed;                       /* had a watcher that died */
    char refused_first[ST_PROGRAM_NAME]; /* the programs of the first of them */
    char failed_first[ST_PROGRAM_NAME];
};

void other_processes_free(struct other_processes *others);

/* Keeps track of who is there. */
void note_news(struct other_processes *others, const struct st_broker_message *message);

/* Of the watchers that were asked for a result, how many have neither answered nor ended? */
void expect_answers(struct other_processes *others);
size_t missing_answers(const struct other_processes *others);

/* Notes that one has answered; false if it had before. */
bool note_answer(struct other_processes *others, pid_t pid);

/* Shows on a terminal what we are waiting for, unless `quiet`. */
void show_waiting(const struct other_processes *others, bool quiet);

/* Warns about processes of which nothing is known. */
void warn_of_others(const struct other_processes *others, const char *command);

/* What the first watched process is called: as the user named it, unless that is only the program
 * that started it. */
const char *watched_name(const struct st_watch *watch, const char *const *words);

/* The exit status of the process, or below 0 where it is not known. */
int watched_status(const struct st_watch *watch);

/* The option that both commands have; `member` is a bool. */
#define NO_FOLLOW_OPTION(type, member)                                                             \
    {                                                                                              \
        .name = "no-follow", .kind = ST_FLAG, .offset = offsetof(type, member),                    \
        .help = "watch only the first process that can be watched"                                 \
    }

#endif
