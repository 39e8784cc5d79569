/* Output that is complete or not there at all.
 *
 * A regular file is written under a temporary name in the same directory and gets its own name only
 * when everything is on its way to the disk; a failure of any kind leaves what was there before.
 * Standard output, pipes and devices are written directly. The first error of any write is kept and
 * reported when the output is finished, so that callers may print without checking each call. */
#ifndef SERIATIM_BASE_OUTPUT_H
#define SERIATIM_BASE_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct st_output {
    FILE *file;       /* to be written to; not to be closed */
    const char *name; /* for messages: the path, or "standard output" */
    int fd;
    int failure;     /* errno of the first write that failed, or 0 */
    bool discarding; /* the output was given up: what is still buffered goes nowhere */
    char *target;    /* the file to be, without symbolic links; NULL when written directly */
    char *temporary; /* its name until then; NULL when written directly */
};

/* Opens a path, or standard output for NULL and "-". `inputs`, unless NULL, are the paths of what
 * is being read ("-" for standard input), ending with NULL: to write over one is an error. The path
 * must outlive the output, and *output must stay where it is. At most one file is open for output
 * at a time. */
int st_output_open(struct st_output *output, const char *path, const char *const *inputs,
                   struct st_error *error);

/* Is it a terminal? */
bool st_output_is_terminal(const struct st_output *output);

/* -1 with the error of the first write that failed, if any did. Writes nothing. */
int st_output_check(const struct st_output *output, struct st_error *error);

/* Writes the rest, closes and gives the file its name. On -1 everything is as before. */
int st_output_finish(struct st_output *output, struct st_error *error);

/* Gives up: removes the temporary file, drops what is not written yet. */
void st_output_abandon(struct st_output *output);

/* For handlers of signals that end the process: removes the temporary file, if there is one. */
void st_output_remove_unfinished(void);

/* Text that is written before it is known where it goes, or how it fits.
 *
 *     struct st_text_buffer buffer;
 *     fprintf(st_text_buffer_open(&buffer), "%d", 3);
 *     char *text = st_text_buffer_close(&buffer);   release with free()
 */
struct st_text_buffer {
    FILE *file;
    char *text;
    size_t size;
};

FILE *st_text_buffer_open(struct st_text_buffer *buffer);
char *st_text_buffer_close(struct st_text_buffer *buffer);

#endif
