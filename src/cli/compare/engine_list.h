/* Engines that the user has chosen, as a list with commas. */
#ifndef SERIATIM_CLI_COMPARE_ENGINE_LIST_H
#define SERIATIM_CLI_COMPARE_ENGINE_LIST_H

#include "base/error.h"
#include "check/engine.h"

#include <stdio.h>

enum { MOST_ENGINES = 32 };

struct engine_list {
    const struct st_engine *items[MOST_ENGINES];
    size_t count;
};

/* Reads "witness,aerodrome"; `all` and `published` stand for several. Errors are about the option
 * of the command. */
int choose_engines(struct engine_list *list, const char *command, const char *option,
                   const char *text, struct st_error *error);

/* A line of help for each engine, and for the one that answers nothing. */
void describe_engines(bool with_baseline, FILE *file);

#endif
