/* The program that is hunted, and how each of its runs is started. */
#ifndef SERIATIM_HUNT_CONTROLLED_HUNTED_H
#define SERIATIM_HUNT_CONTROLLED_HUNTED_H

#include "trace/relation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_crew;
struct st_java_options;

struct st_hunted {
    const char *command; /* of ours, for messages: "hunt" */
    const char *const *words;
    const char *const *started;         /* the words by which it is started; NULL: the same */
    const struct st_java_options *java; /* NULL: those in the environment */
    const char *spec;                   /* a file, or NULL */
    const struct st_texts *allocators;  /* as in struct st_translation */
    const char *source_root;            /* the same */
    const char *input;  /* a file that each run gets as standard input; NULL: /dev/null */
    const char *folder; /* for scratch files */
    const char *client; /* a command that is started when the program listens, or NULL */
    enum st_relation relation;
    size_t keep;          /* so many violations of a run in full; 0: all */
    double seconds;       /* a run is ended after so long */
    uint64_t most_points; /* and after so many points; 0: never */
    bool bounded;         /* by the user: it is as it should be that a run is ended */
    bool real_time;
    struct st_crew *crew; /* who does the runs; NULL: this process */
};

static inline const char *const *st_hunted_command(const struct st_hunted *subject) {
    return subject->started ? subject->started : subject->words;
}

#endif
