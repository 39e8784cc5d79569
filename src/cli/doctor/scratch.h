/* A temporary folder for a few files, removed before the program ends. */
#ifndef SERIATIM_CLI_DOCTOR_SCRATCH_H
#define SERIATIM_CLI_DOCTOR_SCRATCH_H

#include "base/error.h"

/* The files that may be in it. */
enum scratch_file { SCRATCH_C, SCRATCH_CXX, SCRATCH_PROGRAM, SCRATCH_TRACE, SCRATCH_FILES };

/* Makes the folder, in TMPDIR or /tmp. There is one at a time. */
int scratch_make(struct st_error *error);

/* The path of a file in it. It need not exist. */
const char *scratch_path(enum scratch_file file);

/* Writes such a file. */
int scratch_write(enum scratch_file file, const char *text, struct st_error *error);

/* Removes the folder and everything in it, if there is one. Signal handlers may call it. */
void scratch_remove(void);

/* The folder for temporary files: TMPDIR or /tmp. */
const char *scratch_place(void);

#endif
