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

#include "predict/model/model.h"

/* The atomizer of a model, which must have st_lockset_observer before it. Its flags are those of
 * enum st_improvement that it does without, and whether it takes the theorem as printed. */
extern const struct st_observer st_atomizer_observer;
enum { ST_ATOMIZER_AS_PUBLISHED = 1 << 16 };

/* What the atomizer of the model found. */
void st_atomizer_predict(const struct st_model *model, size_t limit,
                         struct st_prediction *prediction);

#endif
