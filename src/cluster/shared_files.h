/* Files by reference: a name, a size and a sample of what is in them. Where a machine does not have
 * the same file under that name, because nothing is shared, the file is sent there once, and kept
 * in a folder for all ranks of the job on that machine until the job ends. */
#ifndef SERIATIM_CLUSTER_SHARED_FILES_H
#define SERIATIM_CLUSTER_SHARED_FILES_H

#include "cluster/crew.h"

/* On rank 0. The file need not exist: then it does not exist for the others either. */
void st_pack_file(struct st_packed *packed, const char *path);

/* What is in it, as a number. */
uint64_t st_file_sample(const char *path);

/* On any rank: where the file is, for free(). The name as rank 0 has it goes to *name, for free(),
 * unless that is NULL. If it could not be had, the path is that name, and opening it says why. */
char *st_unpack_file(struct st_crew *crew, struct st_unpacking *from, char **name);

/* All ranks: the list of files is the same on all of them after this, and each knows where they are
 * (places, for free()). Begins with rank 0, which waits until all others have them. */
void st_share_files(struct st_crew *crew, const char *const *paths, size_t count, char **places);

/* On the others: "", or why the file is not the same here; for free(). */
char *st_compare_file(struct st_unpacking *from, bool no_folder);

/* On rank 0: somebody wants a part of a file. */
void st_send_part(struct st_crew *crew, int rank, struct st_unpacking *body);

/* On the others, at the end. */
void st_remove_sent_files(struct st_crew *crew);

#endif
