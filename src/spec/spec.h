/* The atomicity specification: which blocks should be atomic (docs/specification.md).
 *
 *     atomic function acct_*
 *     ignore function acct_log      # never a block
 *     ignore file *_test.c
 *     atomic section                # critical sections are blocks, too
 *     ignore elements from 3        # of arrays, only the first three are variables
 *     ignore thread functions       # what threads start with is no block
 *     elevator/Lift.doIdle()V       # ignore function elevator.Lift.doIdle
 *
 * Later lines win. A block that no line matches is atomic unless the file has a line `atomic
 * function` or `atomic file`: such a file is a complete list, any other only makes exceptions. */
#ifndef SERIATIM_SPEC_SPEC_H
#define SERIATIM_SPEC_SPEC_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct st_spec;

/* What a line is about: the name of a block, or the file in which it begins. */
enum st_spec_subject { ST_SPEC_FUNCTION, ST_SPEC_FILE, ST_SPEC_SUBJECTS };

/* Reads a specification; st_spec_load reads it from a path, or from standard input for "-".
 * Returns NULL with an error, which has the line if one is malformed. `name` is for messages and
 * need not outlive the call. */
struct st_spec *st_spec_read(FILE *file, const char *name, struct st_error *error);
struct st_spec *st_spec_load(const char *path, struct st_error *error);
void st_spec_free(struct st_spec *spec);

/* The rank of the last line about the subject that matches the text, or 0 if none does. Ranks grow
 * from line to line, so a caller may store them for each name and each file, and compare them
 * later. */
size_t st_spec_rank(const struct st_spec *spec, enum st_spec_subject subject, const char *text);

/* Is a block atomic if its name and its file have these ranks? */
bool st_spec_calls_atomic(const struct st_spec *spec, size_t function_rank, size_t file_rank);

/* Is there a line about the subject? */
bool st_spec_mentions(const struct st_spec *spec, enum st_spec_subject subject);

/* Are functions that threads start with blocks, if no line names them? The last of the lines
 * `atomic thread functions` and `ignore thread functions` decides; without one they are. */
bool st_spec_wants_starts(const struct st_spec *spec);

/* Elements of arrays with an index from this on are not watched; UINT64_MAX: all are. */
uint64_t st_spec_cutoff(const struct st_spec *spec);

/* The number of the first line `atomic section`, or 0. */
uint64_t st_spec_section_line(const struct st_spec *spec);

#endif
