#include "trace/native/native_contexts.h"

#include "base/memory.h"

#include <stdlib.h>

void native_rows_free(struct native_rows *rows) {
    for (size_t i = 0; i < COLUMN_COUNT - COLUMN_CONTEXTS; i++)
        free(rows->columns[i]);
}

/* Decodes a column of contexts with values below limit, of which there must be `count`. */
static const uint32_t *decode_rows(struct native_rows *all, struct native_column *columns,
                                   enum column_kind kind, uint32_t count, uint64_t limit) {
    struct native_column *column = &columns[kind];
    uint32_t **rows = &all->columns[kind - COLUMN_CONTEXTS];
    if (column->count != count || count > CHUNK_ROWS_LIMIT)
        return NULL;
    if (!*rows)
        *rows = st_alloc(CHUNK_ROWS_LIMIT, sizeof **rows);
    return native_column_decode(column, *rows, count, limit) ? *rows : NULL;
}

static const char *take_frames(struct native_rows *rows, struct native_column *columns,
                               struct st_symbols *symbols) {
    struct st_contexts *contexts = &symbols->contexts;
    uint32_t count = columns[COLUMN_FRAME_FUNCTION].count;
    uint64_t all = (uint64_t)contexts->frame_count + count;
    const uint32_t *function =
        decode_rows(rows, columns, COLUMN_FRAME_FUNCTION, count, contexts->functions.count);
    const uint32_t *line =
        decode_rows(rows, columns, COLUMN_FRAME_LINE, count, contexts->lines.count);
    const uint32_t *caller = decode_rows(rows, columns, COLUMN_FRAME_CALLER, count, all);
    if (!function || !line || !caller || all > UINT32_MAX)
        return "its frames do not fit together";
    for (uint32_t i = 0; i < count; i++) {
        if (caller[i] > contexts->frame_count)
            return "a frame comes before its caller";
        st_contexts_frame(contexts, (struct st_frame_row){function[i], line[i], caller[i]});
    }
    return NULL;
}

static const char *take_sites(struct native_rows *rows, struct native_column *columns,
                              struct st_symbols *symbols) {
    struct st_contexts *contexts = &symbols->contexts;
    uint32_t count = columns[COLUMN_SITE_LINE].count;
    const uint32_t *line =
        decode_rows(rows, columns, COLUMN_SITE_LINE, count, contexts->lines.count);
    const uint32_t *frame =
        decode_rows(rows, columns, COLUMN_SITE_FRAME, count, (uint64_t)contexts->frame_count + 1);
    const uint32_t *call =
        decode_rows(rows, columns, COLUMN_SITE_CALL, count, (uint64_t)contexts->frame_count + 1);
    if (!line || !frame || !call)
        return "its sites do not fit together";
    for (uint32_t i = 0; i < count; i++)
        if (st_symbols_site(symbols, (struct st_site_row){line[i], frame[i], call[i], 0}) ==
            UINT32_MAX)
            return "there are too many sites";
    return NULL;
}

/* Rows refer to rows before them. */
const char *native_take_contexts(struct native_rows *rows, struct native_column *columns,
                                 struct st_symbols *symbols) {
    const char *problem = take_frames(rows, columns, symbols);
    return problem ? problem : take_sites(rows, columns, symbols);
}
