/* Names of traces on a command line, and those in files that are named there with an @. */
#ifndef SERIATIM_CLI_CLUSTER_NAME_LIST_H
#define SERIATIM_CLI_CLUSTER_NAME_LIST_H

#include "base/error.h"

#include <stddef.h>

/* Behind the last name is NULL. */
struct name_list {
    char **names;
    size_t count, capacity;
};

int name_list_read(struct name_list *list, const char *command, const char *const *words,
                   struct st_error *error);
void name_list_free(struct name_list *list);

#endif
