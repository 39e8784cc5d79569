/* What a crew has done, as a file that is only ever appended to: the answer to each question. Who
 * is asked the same again, by the same job, finds it there. A record that was cut off, because the
 * job was killed or the disk was full, is dropped with all behind it. */
#ifndef SERIATIM_CLUSTER_JOURNAL_H
#define SERIATIM_CLUSTER_JOURNAL_H

#include "base/error.h"

#include <stddef.h>

struct st_journal;

/* That of the folder, which is made if it is not there. `job` says which job it is of: the folder
 * of another one is refused, as is one that somebody is using. NULL with an error. */
struct st_journal *st_journal_open(const char *folder, const char *job, struct st_error *error);
void st_journal_close(struct st_journal *journal);

/* How many answers were there when it was opened? */
size_t st_journal_count(const struct st_journal *journal);

/* The answer to the question; NULL: there is none. It stays until the journal is closed. */
const char *st_journal_find(const struct st_journal *journal, const void *question, size_t length,
                            size_t *answer_length);

/* Adds an answer. -1 with an error when it could not be written: it is not there then. */
int st_journal_add(struct st_journal *journal, const void *question, size_t length,
                   const void *answer, size_t answer_length, struct st_error *error);

#endif
