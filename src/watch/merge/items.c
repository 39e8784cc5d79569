#include "watch/merge/items.h"

static size_t text_length(const struct st_stream_record *record) {
    uint64_t bytes = st_stream_address(record);
    if (st_stream_op(record) != ST_STREAM_TEXT || bytes > ST_LONGEST_TEXT)
        return 1; /* no text: its reader will see that */
    return 1 + (size_t)((bytes + 15) / 16);
}

size_t st_item_length(const struct st_stream_record *records, size_t count) {
    if (count == 0)
        return 0;
    enum st_stream_op op = st_stream_op(records);
    size_t length = 1;
    switch (op) {
    case ST_STREAM_READ:
    case ST_STREAM_WRITE:
        if (!(st_stream_aux(records) & ST_STREAM_ACCESS_BYTES) ||
            st_stream_aux(records) & ST_STREAM_WITH_VALUES)
            length = 2;
        break;
    case ST_STREAM_ATOMIC_READ:
    case ST_STREAM_ATOMIC_WRITE:
    case ST_STREAM_ATOMIC_UPDATE:
        length = st_stream_aux(records) & ST_STREAM_WITH_VALUES ? 2 : 1;
        break;
    case ST_STREAM_DEFERRED_READ:
    case ST_STREAM_DEFERRED_WRITE:
    case ST_STREAM_BOARDED:
    case ST_STREAM_KEPT_READ:
    case ST_STREAM_KEPT_WRITE:
    case ST_STREAM_FREE:
    case ST_STREAM_FRAME:
        length = 2;
        break;
    case ST_STREAM_ALLOCATE:
    case ST_STREAM_ALLOCATE_QUIETLY:
    case ST_STREAM_HANDED_OUT: /* with its length, then its callers */
        length = 2 + st_stream_aux(records);
        break;
    case ST_STREAM_HOLDS:
    case ST_STREAM_HELD:
        if (st_stream_aux(records) & ST_STREAM_HOLDS_SINCE && count <= 1)
            return 0;
        if (st_stream_aux(records) & ST_STREAM_HOLDS_SINCE) /* with that, and its callers */
            length = 2 + st_stream_aux(records + 1);
        break;
    case ST_STREAM_THREAD_NAME:
        if (count <= 1)
            return 0;
        length = 1 + text_length(records + 1);
        break;
    case ST_STREAM_TEXT:
        length = text_length(records);
        break;
    case ST_STREAM_MODULE: /* with its length, then its path */
        if (count <= 2)
            return 0;
        length = 2 + text_length(records + 2);
        break;
    default:
        break;
    }
    return length <= count ? length : 0;
}
