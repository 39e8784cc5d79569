/* The usual path where pieces are units (predict/model/spare/pieces.h), as by locks: from one node
 * of a transaction to one that another thread has, and from there by the order of that thread to
 * one that leads back to a later node. */
#ifndef SERIATIM_PREDICT_COMMIT_THREAD_PATH_H
#define SERIATIM_PREDICT_COMMIT_THREAD_PATH_H

#include "predict/commit/path_search.h"

/* As far as a look at some of its meetings can tell. If there is one, and search->explains,
 * search->arrivals has it, as in st_commit_is_violated. */
bool st_find_thread_path(struct st_commit_search *search, uint32_t transaction,
                         struct st_commit_violation *violation);

#endif
