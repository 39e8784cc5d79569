#include "trace/native/native_tables.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Makes the keys of the next names, at most `most`, and asks for their slots, so that these are in
 * the cache when the names are entered. Returns how many; fewer than `most` when the text ends
 * first. */
static size_t make_keys(const struct st_names *names, struct native_cursor *text,
                        struct st_name_key *keys, size_t most) {
    for (size_t i = 0; i < most; i++) {
        const unsigned char *end = text->left ? memchr(text->next, '\0', text->left) : NULL;
        if (!end)
            return i;
        size_t length = (size_t)(end - text->next);
        keys[i] = text->left >= 16 ? st_name_key_padded((const char *)text->next, length)
                                   : st_name_key((const char *)text->next, length);
        st_names_prefetch(names, keys[i].hash);
        text->next += length + 1;
        text->left -= length + 1;
    }
    return most;
}

const char *native_take_variables(struct st_names *names, uint32_t count,
                                  struct native_cursor text) {
    for (; count; count--) {
        const unsigned char *end = text.left ? memchr(text.next, '\0', text.left) : NULL;
        if (!end)
            return "it holds fewer names than its head says";
        size_t length = (size_t)(end - text.next);
        if (st_names_append(names, (const char *)text.next, length) == ST_NAMES_FULL)
            return "there are too many names";
        text.next += length + 1;
        text.left -= length + 1;
    }
    if (text.left)
        return "it holds more names than its head says";
    return NULL;
}

const char *native_pack_variables(struct st_packed_names *packed, struct st_names *names,
                                  uint32_t count, struct native_cursor text) {
    uint64_t found = 0;
    for (size_t i = 0; i < text.left; i++)
        found += text.next[i] == '\0';
    if (found < count || (text.left && text.next[text.left - 1] != '\0'))
        return "it holds fewer names than its head says";
    if (found > count)
        return "it holds more names than its head says";
    if (count >= ST_NAMES_FULL - names->count)
        return "there are too many names";
    st_packed_names_add(packed, (const char *)text.next, text.left, count);
    st_names_skip(names, count);
    return NULL;
}

const char *native_take_names(struct st_names *names, uint32_t count, struct native_cursor text) {
    enum { GROUP = 32 };
    struct st_name_key keys[GROUP];
    while (count) {
        size_t most = count < GROUP ? count : GROUP;
        size_t n = make_keys(names, &text, keys, most);
        for (size_t i = 0; i < n; i++) {
            uint32_t expected = names->count;
            uint32_t number = st_names_number(names, &keys[i]);
            if (number == ST_NAMES_FULL)
                return "there are too many names";
            if (number != expected)
                return "a name appears twice in its table";
        }
        if (n < most)
            return "it holds fewer names than its head says";
        count -= (uint32_t)n;
    }
    if (text.left)
        return "it holds more names than its head says";
    return NULL;
}

/* ---- contexts ---- */

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
