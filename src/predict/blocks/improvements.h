/* The blocks analysis with fewer improvements, for comparison. */
#ifndef SERIATIM_PREDICT_BLOCKS_IMPROVEMENTS_H
#define SERIATIM_PREDICT_BLOCKS_IMPROVEMENTS_H

#include "predict/blocks/blocks.h"

/* How a model differs from that of the run. */
struct st_blocks_view {
    bool no_order;        /* all threads are concurrent all the time */
    bool no_fresh_memory; /* accesses to memory that nobody else can know of count, too */
    bool once_escaped;    /* accesses before the first one of a second thread do not count */
};

/* The run must have its events. Release it with st_model_free. */
struct st_model *st_blocks_model(const struct st_run *run, const struct st_blocks_view *view);

/* What each improvement gains. */
void st_blocks_fill_table(const struct st_run *run, const struct st_predict_options *options,
                          struct st_table *table);

#endif
