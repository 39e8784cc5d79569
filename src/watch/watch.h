/* Runs a program and follows the stream of the first process that has one until all have ended;
 * or, in a watcher of its own (broker.h), the stream of another process.
 *
 *     struct st_watch watch = {0};
 *     if (st_watch_start(&watch, argv, NULL, &translation, &following, &error) == 0)
 *         st_watch_follow(&watch, &hooks);
 *     ...
 *     st_watch_free(&watch);
 */
#ifndef SERIATIM_WATCH_WATCH_H
#define SERIATIM_WATCH_WATCH_H

#include "watch/processes/broker.h"
#include "watch/processes/program.h"
#include "watch/shared_memory.h"
#include "watch/translator.h"

struct st_watch {
    struct st_shared_memory memory;
    struct st_program program;
    struct st_merge *merge;
    struct st_translator *translator;
    pid_t attached;   /* the process that writes to the stream, once that is known */
    bool listening;   /* until st_watch_stop */
    bool interrupted; /* somebody did not want to wait until all records were translated */
    uint64_t unread;  /* so many were not, for that reason */
    struct st_catching_up {
        bool begun;
        double started, next; /* when the program had ended; when to look up from the work */
        uint64_t before;      /* records that were translated by then */
        uint64_t since_look;
    } catching_up;
    const struct st_watch_hooks *hooks;
    struct st_broker broker;
    bool broker_over;
    char path[ST_PROGRAM_NAME];     /* of the executable of the first process; "": not known */
    struct st_other_process *other; /* or NULL: ours is the first */
    uint32_t answered;              /* so many questions for a report */
};

struct st_watch_hooks {
    void (*asked)(void *context); /* somebody asks for a report (SIGUSR1); the sink is up to date */
    void (*tick)(void *context);  /* about once a second; the sink is up to date */
    /* The program has ended some time ago, and we are still at work: so many records wait to be
     * translated, and so many are in a second. 0 and 0 at the end. Or NULL. */
    void (*behind)(void *context, uint64_t records, double rate);
    void (*news)(void *context, const struct st_broker_message *message, int fd);
    void (*waiting)(void *context); /* about once a second when only other processes are left */
    void *context;
};

/* `runtime_dir`: where the program finds our libraries; NULL: where it does by itself. */
int st_watch_start(struct st_watch *watch, const char *const *argv, const char *runtime_dir,
                   const struct st_translation *translation, const struct st_following *following,
                   struct st_error *error);

/* In a watcher of its own: follows another process, and answers it. */
int st_watch_attach(struct st_watch *watch, struct st_other_process *other,
                    const struct st_translation *translation, struct st_error *error);

/* Until the program has ended, and all its records are translated or SIGINT or SIGTERM has asked
 * not to wait for that. Never ends it. */
void st_watch_follow(struct st_watch *watch, const struct st_watch_hooks *hooks);

/* For hooks that wait for news of other processes: passes on what there is. */
void st_watch_hear(struct st_watch *watch);

/* May be called by sink and hooks: the program goes on, and nobody reads its stream any more. */
void st_watch_stop(struct st_watch *watch);

/* Lets the program call __seriatim_on_report, for a debugger, if more was found than before. */
void st_watch_announce(struct st_watch *watch, uint64_t found);

void st_watch_free(struct st_watch *watch);

/* Did the program, or one that it started, have our runtime? Its process, or 0. */
pid_t st_watch_attached(const struct st_watch *watch);

/* Did the runtime give up, so that events are missing from some point on? */
bool st_watch_gave_up(const struct st_watch *watch);

/* Was that because a thread had called functions too often to tell the calls apart? */
bool st_watch_is_worn_out(const struct st_watch *watch);

/* Did the program have no addresses for shadow memory, so that there are no events at all? */
bool st_watch_had_no_room(const struct st_watch *watch);

/* Did two threads use the same memory, whether or not events show it? */
bool st_watch_saw_meeting(const struct st_watch *watch);

/* Has the program overwritten parts of the stream? Then what was found up to there is all that
 * there is, and some of it may be wrong. */
bool st_watch_is_damaged(const struct st_watch *watch);

/* How many events are missing, and why; 0 when all are there. */
uint64_t st_watch_missing(const struct st_watch *watch, char *reason, size_t size);

#endif
