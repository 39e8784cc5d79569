/* Items: the records of a stream that belong together, such as an access and its length. */
#ifndef SERIATIM_WATCH_MERGE_ITEMS_H
#define SERIATIM_WATCH_MERGE_ITEMS_H

#include "stream/stream.h"

#include <stdbool.h>
#include <stddef.h>

/* How many records from the first on belong together (a record and its length, a text); 0 when
 * more than `count` are needed to know. ST_STREAM_SEQUENCE is an item of its own. */
size_t st_item_length(const struct st_stream_record *records, size_t count);

/* Neither has a sequence number nor is one to wait for. */
static inline bool st_is_in_turn(const struct st_stream_record *record) {
    enum st_stream_op op = st_stream_op(record);
    return !st_stream_is_sequenced(record) && op != ST_STREAM_SEQUENCE && op != ST_STREAM_OBSERVE;
}

/* No text is longer. */
enum { ST_LONGEST_TEXT = 1 << 16 };

#endif
