/* Starts a program to watch it, and checks it while it runs. */
#ifndef SERIATIM_SESSION_WATCHED_PROGRAM_H
#define SERIATIM_SESSION_WATCHED_PROGRAM_H

#include "session/engine_run.h"
#include "spec/select.h"
#include "trace/relation.h"
#include "trace/validate.h"
#include "watch/watch.h"

/* Starts the program words[0], found through PATH; `words` ends with NULL. `spec` is a file or
 * NULL; the specification in it is set in the translation and returned in *loaded, to be released
 * with st_spec_free. Release the watch with st_watch_free, whatever the result. `command` is for
 * errors that concern no file. */
int st_watched_program_start(struct st_watch *watch, const char *command, const char *const *words,
                             const char *spec, struct st_spec **loaded,
                             struct st_translation *translation,
                             const struct st_following *following, struct st_error *error);

/* The path with each "%p" replaced by the process id. Release with free(). */
char *st_expand_process(const char *path, pid_t process);

/* ---- checked while it runs ---- */

struct st_live_check {
    struct st_watch watch;
    struct st_spec *spec;
    struct st_validator *validator;
    struct st_engine_run run;
    bool comparable;                /* see st_live_check_compare */
    struct st_selection *selection; /* without what threads start with; NULL: until events come */
    enum st_relation relation;
    bool counted_all; /* calls that are counted in the program: no more will be added */
    const struct st_texts *allocators; /* as in struct st_translation: set before it starts */
    const char *source_root;           /* the same */
    struct st_live_check_hooks {
        void (*asked)(void *context); /* a report was requested (SIGUSR1) */
        void (*found)(void *context); /* only the first finding counts, and it was found; the
                                         program goes on unwatched */
        /* As in struct st_watch_hooks; each may be NULL. */
        void (*behind)(void *context, uint64_t records, double rate);
        void (*news)(void *context, const struct st_broker_message *message, int fd);
        void (*waiting)(void *context);
        void *context;
    } hooks;
};

/* keep: how many violations to keep in full; 0 keeps all. first_only: stop watching at the first
 * finding. */
void st_live_check_init(struct st_live_check *check, enum st_relation relation, size_t keep,
                        bool first_only, const struct st_live_check_hooks *hooks);
void st_live_check_free(struct st_live_check *check);

/* Before it starts: this engine instead of witness. So that what engines cost and find can be
 * compared, each gets every access as it happens, witness too, and what threads start with is no
 * block, since it would hide all that they do from those that look at outermost blocks only. */
void st_live_check_compare(struct st_live_check *check, const struct st_engine *engine);

/* Of the events so far; of blocks, only those that count. */
struct st_facts st_live_check_facts(const struct st_live_check *check);

/* Starts the program, as above. From now on the check must not be moved. */
int st_live_check_start(struct st_live_check *check, const char *command, const char *const *words,
                        const char *spec, const struct st_following *following,
                        struct st_error *error);

/* The same for another process, in a watcher of its own. The specification is not taken over. */
int st_live_check_attach(struct st_live_check *check, struct st_other_process *other,
                         const struct st_spec *spec, struct st_error *error);

/* Runs until the program has ended and all its events are checked, or until somebody interrupts
 * that: then findings.gave_up says so. */
void st_live_check_follow(struct st_live_check *check);

#endif
