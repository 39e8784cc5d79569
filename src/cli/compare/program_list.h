/* Programs that are to be compared on, from the command line or from a file with a line each:
 *
 *     # name: command
 *     bank: ./bank 4
 *     native: ./bank-plain 4
 *
 * A line `native:` has the program above it as it was built without instrumentation. */
#ifndef SERIATIM_CLI_COMPARE_PROGRAM_LIST_H
#define SERIATIM_CLI_COMPARE_PROGRAM_LIST_H

#include "base/error.h"

struct listed_program {
    char *name;
    const char *words[5];  /* what runs, for a shell unless it is from the command line */
    const char *native[5]; /* the same without instrumentation; equal to `words` if not given */
    const char *const *own_words; /* from the command line; or NULL */
    char *command, *native_command;
};

struct program_list {
    struct listed_program *items;
    size_t count, capacity;
};

int program_list_read(struct program_list *list, const char *command, const char *path,
                      struct st_error *error);

/* The words end with NULL, and outlive the list. `native`: a command for a shell, or NULL. */
void program_list_add(struct program_list *list, const char *const *words, const char *native);
void program_list_free(struct program_list *list);

const char *const *program_words(const struct listed_program *program);
const char *const *program_native(const struct listed_program *program);

#endif
