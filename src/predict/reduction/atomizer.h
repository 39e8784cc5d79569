/* Reduction while the trace is read, as Atomizer does it (Flanagan and Freund; TSE 2006, 5.6 and
 * section 8): each event is judged by what has been seen so far, and is forgotten.
 *
 * It uses the ownership lockset algorithm (predict/reduction/lockset_races.h), Theorem 1, and the
 * improvements of 5.5; no escape analysis, no happen-before, no AcqA*Rel. A variable that is
 * race-free so far, or a lock that only one thread used so far, may turn out to be neither, so that
 * it misses violations that the offline form reports.
 *
 * Interpretations: "so far" includes the event that is judged. An access to an atomic variable
 * (predict/model/model.h) that threads share so far is a non-mover, since it is a critical section
 * of its own; the write that belongs to an atomic read is part of that. Memory grows with
 * variables, locks and threads, and with the blocks that are reported. */
#ifndef SERIATIM_PREDICT_REDUCTION_ATOMIZER_H
#define SERIATIM_PREDICT_REDUCTION_ATOMIZER_H

#include "finding/prediction.h"
#include "predict/model/observers.h"

struct st_atomizer;

/* model->options say which improvements to leave out. The races must have been told each access
 * before it is judged here. */
struct st_atomizer *st_atomizer_new(struct st_model *model, const struct st_lockset_races *races);
void st_atomizer_free(struct st_atomizer *atomizer);
size_t st_atomizer_memory(const struct st_atomizer *atomizer);

/* All events of the trace, in order. */
void st_atomizer_event(struct st_atomizer *atomizer, const struct st_followed *followed);

/* No more may come; the races are not needed any more. */
void st_atomizer_finish(struct st_atomizer *atomizer);

/* Was the block that begins with this event reported? */
bool st_atomizer_reports(const struct st_atomizer *atomizer, uint64_t begin);

/* What the atomizer of the model found, as a prediction. */
void st_atomizer_tell(const struct st_model *model, size_t limit, struct st_prediction *prediction);

#endif
