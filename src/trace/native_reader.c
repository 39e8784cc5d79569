/* Reads the native format, a chunk at a time, from anything that gives bytes in order.
 *
 * A chunk is checked and decompressed as a whole; its columns are then decoded in strips that stay
 * in the first-level cache, and a strip of columns is woven into events. Decoding trusts nothing:
 * whatever a damaged or hostile file says, the result is an error and never a number out of range.
 * The checks are arithmetic on whole strips rather than a branch an event. */
#include "trace/format.h"

#include "base/memory.h"
#include "trace/native_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

enum {
    STRIP = 512, /* events; the decoded columns of a strip take some 16 KiB */
    TARGET_COLUMNS = 5,
};

/* A column while it is being read. Invariant: plane k of value i is at planes[k * count + i], and
 * the values below `taken` have been decoded; `base` is value[taken - 1] in delta encoding. */
struct column {
    enum column_encoding encoding;
    unsigned width;
    uint32_t count, taken;
    uint64_t base;
    const unsigned char *planes;
};

struct strip {
    const unsigned char *narrow; /* the steps where they lie in the payload, or NULL: in `step` */
    uint32_t step[STRIP];
    uint32_t target[TARGET_COLUMNS * STRIP]; /* STRIP values for each target column */
    uint64_t loc[STRIP];
};

/* In the order in which they lie in strip.target. */
static const enum column_kind target_columns[TARGET_COLUMNS] = {
    COLUMN_VARIABLE, COLUMN_LOCK, COLUMN_CHILD, COLUMN_BLOCK, COLUMN_CHANNEL};
enum { BLOCK_COLUMN = 3 }; /* among them */

/* A bit for each event of a chunk; of the next chunk while `wait`. */
struct marks {
    unsigned char *bits;
    size_t capacity;
    uint32_t events; /* so many have a mark; 0 when there are none */
    bool wait;
};

struct reader {
    struct st_input *input;
    struct st_symbols *symbols;
    ZSTD_DCtx *decompressor;
    struct native_layout layout;
    uint64_t offset;   /* in the input, of the chunk at work */
    uint32_t sequence; /* that the next chunk must have */
    uint64_t events;   /* in the chunks so far */
    unsigned char *payload;
    size_t payload_capacity;
    uint32_t left; /* events of the chunk that were not returned yet */
    struct marks atomic, joined;
    struct column columns[COLUMN_COUNT];
    uint32_t *rows[COLUMN_COUNT - COLUMN_CONTEXTS]; /* decoded columns of contexts */
    bool ended, cut;
    struct strip strip;
};

/* What stands at the front of a payload that is being taken apart. */
struct cursor {
    const unsigned char *next;
    size_t left;
};

static int fail_chunk(const struct reader *reader, struct st_error *error, const char *cause) {
    return st_fail(error, reader->input->name, ST_AT_OFFSET, reader->offset, "%s", cause);
}

/* For a chunk that arrived as it was written, but makes no sense. */
static int fail_content(const struct reader *reader, struct st_error *error, const char *what) {
    return st_fail(error, reader->input->name, ST_AT_OFFSET, reader->offset,
                   "malformed chunk: %s; the program that wrote the file is at fault", what);
}

/* ---- the head of the file ---- */

bool st_native_detect(const char *bytes, size_t length) {
    /* A file that was cut inside its magic is still no text: no line starts like this. */
    size_t compared = length < ST_NATIVE_MAGIC_SIZE ? length : ST_NATIVE_MAGIC_SIZE;
    return compared && memcmp(bytes, NATIVE_MAGIC, compared) == 0;
}

/* Takes the head and gives the version that it names, or -1. */
static int take_file_head(struct st_input *input, struct st_error *error) {
    if (st_input_fill(input, NATIVE_HEAD_SIZE, error) < 0)
        return -1;
    size_t available = st_input_available(input);
    if (!st_native_detect(st_input_bytes(input), available))
        return st_fail(error, input->name, ST_AT_FILE, 0, "not a native trace");
    if (available < NATIVE_HEAD_SIZE)
        return st_fail(error, input->name, ST_AT_FILE, 0,
                       "native trace that was cut before its first event");
    uint32_t version = get_u32((const unsigned char *)st_input_bytes(input) + ST_NATIVE_MAGIC_SIZE);
    if (version > NATIVE_VERSION)
        return st_fail(error, input->name, ST_AT_OFFSET, ST_NATIVE_MAGIC_SIZE,
                       "native trace of version %" PRIu32 ", but this seriatim reads versions up "
                       "to %d; read it with a newer seriatim",
                       version, NATIVE_VERSION);
    if (version == 0)
        return st_fail(error, input->name, ST_AT_OFFSET, ST_NATIVE_MAGIC_SIZE,
                       "native trace of version 0, which does not exist; the file is damaged");
    st_input_consume(input, NATIVE_HEAD_SIZE);
    return (int)version;
}

static void *open_reader(struct st_input *input, struct st_symbols *symbols,
                         struct st_error *error) {
    int version = take_file_head(input, error);
    if (version < 0)
        return NULL;
    struct reader *reader = st_alloc(1, sizeof *reader);
    reader->layout = native_layout((uint32_t)version);
    symbols->contexts.kept = reader->layout.columns > COLUMN_CONTEXTS;
    reader->input = input;
    reader->symbols = symbols;
    reader->decompressor = ZSTD_createDCtx();
    if (!reader->decompressor) {
        st_fail(error, input->name, ST_AT_FILE, 0, "cannot read: out of memory");
        free(reader);
        return NULL;
    }
    return reader;
}

static void close_reader(void *state) {
    struct reader *reader = state;
    ZSTD_freeDCtx(reader->decompressor);
    for (size_t i = 0; i < COLUMN_COUNT - COLUMN_CONTEXTS; i++)
        free(reader->rows[i]);
    free(reader->payload);
    free(reader->atomic.bits);
    free(reader->joined.bits);
    free(reader);
}

static bool is_cut(const void *state) {
    const struct reader *reader = state;
    return reader->cut;
}

/* ---- chunks ---- */

/* A fuzzer cannot guess checksums; without them it reaches the code behind. */
static bool checksum_fits(const void *bytes, size_t size, uint64_t checksum) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)bytes, (void)size, (void)checksum;
    return true;
#else
    return XXH3_64bits(bytes, size) == checksum;
#endif
}

static int check_chunk_head(struct reader *reader, const struct chunk_head *head,
                            struct st_error *error) {
    if (head->sequence != reader->sequence)
        return st_fail(error, reader->input->name, ST_AT_OFFSET, reader->offset,
                       "chunk %" PRIu32 " stands where chunk %" PRIu32
                       " belongs; parts of the file are missing or out of order",
                       head->sequence, reader->sequence);
    if (head->full > CHUNK_SIZE_LIMIT || head->stored > head->full)
        return fail_content(reader, error, "its sizes are out of bounds");
    reader->sequence++;
    return 0;
}

/* Takes the head of the next chunk and brings all of its payload into the input's buffer.
 * 1, 0 when the file ends before that, or -1. */
static int take_head(struct reader *reader, struct chunk_head *head, struct st_error *error) {
    struct st_input *input = reader->input;
    reader->offset = input->consumed;
    if (st_input_fill(input, CHUNK_HEAD_SIZE, error) < 0)
        return -1;
    if (st_input_available(input) < CHUNK_HEAD_SIZE)
        return 0;
    const unsigned char *bytes = (const unsigned char *)st_input_bytes(input);
    memcpy(head->type, bytes, sizeof head->type);
    head->sequence = get_u32(bytes + 4);
    head->stored = get_u32(bytes + 8);
    head->full = get_u32(bytes + 12);
    head->payload_checksum = get_u64(bytes + 16);
    head->head_checksum = get_u64(bytes + 24);
    if (!checksum_fits(bytes, CHUNK_CHECKED_SIZE, head->head_checksum))
        return fail_chunk(reader, error,
                          "damaged chunk head (checksum mismatch); the file was changed after it "
                          "was written");
    if (check_chunk_head(reader, head, error) < 0)
        return -1;
    if (st_input_fill(input, CHUNK_HEAD_SIZE + (size_t)head->stored, error) < 0)
        return -1;
    if (st_input_available(input) < CHUNK_HEAD_SIZE + (size_t)head->stored)
        return 0;
    st_input_consume(input, CHUNK_HEAD_SIZE);
    return 1;
}

/* Makes reader->payload from the stored bytes. */
static int unpack(struct reader *reader, const struct chunk_head *head, const char *stored,
                  struct st_error *error) {
    bool packed = head->stored < head->full;
    if (packed && ZSTD_getFrameContentSize(stored, head->stored) != head->full)
        return fail_content(reader, error, "its zstd frame has another size than its head says");
    st_reserve(&reader->payload, &reader->payload_capacity, (size_t)head->full + 1);
    if (!packed) {
        memcpy(reader->payload, stored, head->full);
        return 0;
    }
    size_t size = ZSTD_decompressDCtx(reader->decompressor, reader->payload, head->full, stored,
                                      head->stored);
    if (ZSTD_isError(size) || size != head->full)
        return fail_content(reader, error, "its zstd frame cannot be decompressed");
    return 0;
}

/* Takes the stored payload out of the input and makes reader->payload from it. */
static int take_payload(struct reader *reader, const struct chunk_head *head,
                        struct st_error *error) {
    const char *stored = st_input_bytes(reader->input);
    if (!checksum_fits(stored, head->stored, head->payload_checksum))
        return fail_chunk(reader, error,
                          "damaged chunk (checksum mismatch); the file was changed after it was "
                          "written");
    if (unpack(reader, head, stored, error) < 0)
        return -1;
    st_input_consume(reader->input, head->stored);
    return 0;
}

static int take_end(struct reader *reader, size_t size, struct st_error *error) {
    if (size < END_SIZE)
        return fail_content(reader, error, "the end chunk is too short");
    uint64_t events = get_u64(reader->payload);
    if (events != reader->events)
        return st_fail(error, reader->input->name, ST_AT_OFFSET, reader->offset,
                       "the file holds %" PRIu64 " events, but its end chunk counts %" PRIu64
                       "; parts of the file are missing",
                       reader->events, events);
    reader->cut = get_u32(reader->payload + 8) & END_SOURCE_CUT;
    reader->ended = true;
    if (st_input_fill(reader->input, 1, error) < 0)
        return -1;
    if (st_input_available(reader->input)) {
        reader->offset = reader->input->consumed;
        return fail_chunk(reader, error, "there are bytes behind the end of the trace");
    }
    return 0;
}

/* ---- the names and the heads of the columns ---- */

/* Makes the keys of the next names, at most `most`, and asks for their slots, so that these are in
 * the cache when the names are entered. Returns how many; fewer
 * than `most` when the text ends first. */
static size_t make_keys(const struct st_names *names, struct cursor *text, struct st_name_key *keys,
                        size_t most) {
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

/* Variables: there may be tens of millions, and nobody looks one up by its name. So it is not
 * checked that none appears twice; if one did, there would be two variables of that name. */
static int take_variables(struct reader *reader, struct st_names *names, uint32_t count,
                          struct cursor text, struct st_error *error) {
    for (; count; count--) {
        const unsigned char *end = text.left ? memchr(text.next, '\0', text.left) : NULL;
        if (!end)
            return fail_content(reader, error, "it holds fewer names than its head says");
        size_t length = (size_t)(end - text.next);
        if (st_names_append(names, (const char *)text.next, length) == ST_NAMES_FULL)
            return fail_content(reader, error, "there are too many names");
        text.next += length + 1;
        text.left -= length + 1;
    }
    if (text.left)
        return fail_content(reader, error, "it holds more names than its head says");
    return 0;
}

static int take_names(struct reader *reader, struct st_names *names, uint32_t count,
                      struct cursor text, struct st_error *error) {
    enum { GROUP = 32 };
    struct st_name_key keys[GROUP];
    while (count) {
        size_t most = count < GROUP ? count : GROUP;
        size_t n = make_keys(names, &text, keys, most);
        for (size_t i = 0; i < n; i++) {
            uint32_t expected = names->count;
            uint32_t number = st_names_number(names, &keys[i]);
            if (number == ST_NAMES_FULL)
                return fail_content(reader, error, "there are too many names");
            if (number != expected)
                return fail_content(reader, error, "a name appears twice in its table");
        }
        if (n < most)
            return fail_content(reader, error, "it holds fewer names than its head says");
        count -= (uint32_t)n;
    }
    if (text.left)
        return fail_content(reader, error, "it holds more names than its head says");
    return 0;
}

/* The next `size` bytes of the body, or an empty cursor with NULL when it has fewer. */
static struct cursor cut_off(struct cursor *body, uint64_t size) {
    struct cursor part = {NULL, 0};
    if (size > body->left)
        return part;
    part.next = body->next;
    part.left = (size_t)size;
    body->next += size;
    body->left -= (size_t)size;
    return part;
}

static int take_tables(struct reader *reader, const unsigned char *heads, struct cursor *body,
                       struct st_error *error) {
    for (enum names_table table = 0; table < reader->layout.tables; table++) {
        const unsigned char *head = heads + table * NAMES_HEAD_SIZE;
        struct cursor text = cut_off(body, get_u32(head + 4));
        if (!text.next)
            return fail_content(reader, error, "its names are longer than the chunk");
        struct st_names *names = names_table(reader->symbols, table);
        int taken = (table == TABLE_VARIABLES ? take_variables : take_names)(
            reader, names, get_u32(head), text, error);
        if (taken < 0)
            return -1;
    }
    return 0;
}

static int take_column(struct reader *reader, enum column_kind kind, const unsigned char *head,
                       struct cursor *body, struct st_error *error) {
    struct column *column = &reader->columns[kind];
    unsigned widest = kind == COLUMN_LOC ? WIDEST_LOC : WIDEST_NUMBER;
    if (head[0] >= ENCODING_COUNT || head[1] > widest || head[2] || head[3])
        return fail_content(reader, error, "a column has an unknown encoding");
    column->encoding = head[0];
    column->width = head[1];
    column->count = get_u32(head + 4);
    column->base = get_u64(head + 8);
    column->taken = 0;
    struct cursor planes = cut_off(body, (uint64_t)column->count * column->width);
    if (!planes.next)
        return fail_content(reader, error, "a column is longer than the chunk");
    column->planes = planes.next;
    return 0;
}

/* Every event has a step, a location, and one target in the other columns. */
static bool counts_fit(const struct reader *reader, uint32_t events) {
    const struct column *columns = reader->columns;
    uint64_t targets = 0;
    for (size_t i = 0; i < TARGET_COLUMNS; i++)
        targets += columns[target_columns[i]].count;
    return columns[COLUMN_STEP].count == events && columns[COLUMN_LOC].count == events &&
           targets == events;
}

/* A bit for each event of the events that follow. */
static int take_marks(struct reader *reader, struct marks *marks, size_t size,
                      struct st_error *error) {
    uint32_t events = size < MARKS_HEAD_SIZE ? 0 : get_u32(reader->payload);
    if (marks->wait || !events || size != MARKS_HEAD_SIZE + ((size_t)events + 7) / 8)
        return fail_content(reader, error, "its marks of atomic events make no sense");
    st_reserve(&marks->bits, &marks->capacity, size);
    memcpy(marks->bits, reader->payload + MARKS_HEAD_SIZE, size - MARKS_HEAD_SIZE);
    marks->events = events;
    marks->wait = true;
    return 0;
}

/* The marks that came before these events are theirs, or there are none. */
static bool marks_fit(struct marks *marks, uint32_t events) {
    if (!marks->wait)
        marks->events = 0;
    marks->wait = false;
    return !marks->events || marks->events == events;
}

/* Further below, since it takes the decoding of columns. */
static int take_contexts(struct reader *reader, struct st_error *error);

static int take_events(struct reader *reader, size_t size, struct st_error *error) {
    struct native_layout layout = reader->layout;
    size_t heads_size = native_heads_size(layout);
    if (size < heads_size)
        return fail_content(reader, error, "it is too short");
    uint32_t events = get_u32(reader->payload);
    if (events > CHUNK_EVENTS_LIMIT || get_u32(reader->payload + 4))
        return fail_content(reader, error, "it announces too many events");
    const unsigned char *heads = reader->payload + EVENTS_HEAD_SIZE;
    struct cursor body = {reader->payload + heads_size, size - heads_size};
    if (take_tables(reader, heads, &body, error) < 0)
        return -1;
    heads += layout.tables * NAMES_HEAD_SIZE;
    for (enum column_kind kind = 0; kind < layout.columns; kind++)
        if (take_column(reader, kind, heads + kind * COLUMN_HEAD_SIZE, &body, error) < 0)
            return -1;
    if (body.left || !counts_fit(reader, events))
        return fail_content(reader, error, "its columns do not fit its number of events");
    if (layout.columns > COLUMN_CONTEXTS && take_contexts(reader, error) < 0)
        return -1;
    if (!marks_fit(&reader->atomic, events) || !marks_fit(&reader->joined, events))
        return fail_content(reader, error, "it has another number of events than its marks");
    reader->left = events;
    reader->events += events;
    return 0;
}

static int take_chunk(struct reader *reader, struct st_error *error) {
    struct chunk_head head;
    int status = take_head(reader, &head, error);
    if (status < 0)
        return -1;
    if (status == 0) {
        reader->ended = reader->cut = true;
        return 0;
    }
    if (take_payload(reader, &head, error) < 0)
        return -1;
    if (memcmp(head.type, CHUNK_EVENTS, sizeof head.type) == 0)
        return take_events(reader, head.full, error);
    if (memcmp(head.type, CHUNK_ATOMIC, sizeof head.type) == 0)
        return take_marks(reader, &reader->atomic, head.full, error);
    if (memcmp(head.type, CHUNK_JOINED, sizeof head.type) == 0)
        return take_marks(reader, &reader->joined, head.full, error);
    if (memcmp(head.type, CHUNK_END, sizeof head.type) == 0)
        return take_end(reader, head.full, error);
    if (head.type[0] & CHUNK_OPTIONAL_BIT)
        return 0;
    char quoted[32];
    st_quote(quoted, sizeof quoted, head.type, sizeof head.type);
    return st_fail(error, reader->input->name, ST_AT_OFFSET, reader->offset,
                   "chunk of the unknown type %s; read the file with a newer seriatim", quoted);
}

/* ---- columns to events ---- */

static inline __attribute__((always_inline)) uint64_t stored_value(const unsigned char *plane,
                                                                   size_t count, unsigned width) {
    uint64_t value = 0;
    for (unsigned k = 0; k < width; k++)
        value |= (uint64_t)plane[k * count] << 8 * k;
    return value;
}

/* With a constant width this becomes vector code. */
static inline __attribute__((always_inline)) void
join_width(const struct column *column, unsigned width, uint32_t *restrict stored, size_t n) {
    const unsigned char *restrict plane = column->planes + column->taken;
    size_t count = column->count;
    for (size_t i = 0; i < n; i++)
        stored[i] = (uint32_t)stored_value(plane + i, count, width);
}

/* Joins the planes of the next n values of a column that is at most 4 bytes wide. */
static void join_planes(const struct column *column, uint32_t *stored, size_t n) {
    switch (column->width) {
    case 0:
        memset(stored, 0, n * sizeof *stored);
        break;
    case 1:
        join_width(column, 1, stored, n);
        break;
    case 2:
        join_width(column, 2, stored, n);
        break;
    case 3:
        join_width(column, 3, stored, n);
        break;
    default:
        join_width(column, 4, stored, n);
    }
}

static inline uint64_t unzigzag(uint64_t stored) {
    return stored >> 1 ^ -(stored & 1);
}

static bool add_base(const struct column *column, uint32_t *restrict values, size_t n,
                     uint64_t limit) {
    uint32_t base = (uint32_t)column->base, most = 0;
    for (size_t i = 0; i < n; i++) {
        most = values[i] > most ? values[i] : most;
        values[i] += base;
    }
    return column->base < limit && most < limit - column->base;
}

static bool add_up(struct column *column, uint32_t *restrict values, size_t n, uint64_t limit) {
    uint64_t value = column->base, most = 0;
    for (size_t i = 0; i < n; i++) {
        value += unzigzag(values[i]);
        values[i] = (uint32_t)value;
        most = value > most ? value : most;
    }
    column->base = value;
    return most < limit;
}

/* Decodes the next n values of the column. Returns whether they exist and are below limit, which
 * is found from the largest of them: a branch for each value would cost more than the rest. */
static bool decode(struct column *column, uint32_t *values, size_t n, uint64_t limit) {
    if (n == 0)
        return true;
    if (n > column->count - column->taken)
        return false;
    join_planes(column, values, n);
    bool good = column->encoding == ENCODING_PLAIN ? add_base(column, values, n, limit)
                                                   : add_up(column, values, n, limit);
    column->taken += (uint32_t)n;
    return good;
}

/* ---- contexts ---- */

/* Decodes a column of contexts with values below limit, of which there must be `count`. */
static const uint32_t *decode_rows(struct reader *reader, enum column_kind kind, uint32_t count,
                                   uint64_t limit) {
    struct column *column = &reader->columns[kind];
    uint32_t **rows = &reader->rows[kind - COLUMN_CONTEXTS];
    if (column->count != count || count > CHUNK_ROWS_LIMIT)
        return NULL;
    if (!*rows)
        *rows = st_alloc(CHUNK_ROWS_LIMIT, sizeof **rows);
    return decode(column, *rows, count, limit) ? *rows : NULL;
}

static int take_frames(struct reader *reader, struct st_error *error) {
    struct st_contexts *contexts = &reader->symbols->contexts;
    uint32_t count = reader->columns[COLUMN_FRAME_FUNCTION].count;
    uint64_t all = (uint64_t)contexts->frame_count + count;
    const uint32_t *function =
        decode_rows(reader, COLUMN_FRAME_FUNCTION, count, contexts->functions.count);
    const uint32_t *line = decode_rows(reader, COLUMN_FRAME_LINE, count, contexts->lines.count);
    const uint32_t *caller = decode_rows(reader, COLUMN_FRAME_CALLER, count, all);
    if (!function || !line || !caller || all > UINT32_MAX)
        return fail_content(reader, error, "its frames do not fit together");
    for (uint32_t i = 0; i < count; i++) {
        if (caller[i] > contexts->frame_count)
            return fail_content(reader, error, "a frame comes before its caller");
        st_contexts_frame(contexts, (struct st_frame_row){function[i], line[i], caller[i]});
    }
    return 0;
}

static int take_sites(struct reader *reader, struct st_error *error) {
    struct st_contexts *contexts = &reader->symbols->contexts;
    uint32_t count = reader->columns[COLUMN_SITE_LINE].count;
    const uint32_t *line = decode_rows(reader, COLUMN_SITE_LINE, count, contexts->lines.count);
    const uint32_t *frame =
        decode_rows(reader, COLUMN_SITE_FRAME, count, (uint64_t)contexts->frame_count + 1);
    const uint32_t *call =
        decode_rows(reader, COLUMN_SITE_CALL, count, (uint64_t)contexts->frame_count + 1);
    if (!line || !frame || !call)
        return fail_content(reader, error, "its sites do not fit together");
    for (uint32_t i = 0; i < count; i++)
        if (st_symbols_site(reader->symbols, (struct st_site_row){line[i], frame[i], call[i], 0}) ==
            UINT32_MAX)
            return fail_content(reader, error, "there are too many sites");
    return 0;
}

/* Rows refer to rows before them, and to names that are there by now. */
static int take_contexts(struct reader *reader, struct st_error *error) {
    if (take_frames(reader, error) < 0)
        return -1;
    return take_sites(reader, error);
}

/* ---- events ---- */

/* The values of the location column, which may be wider than the others. */
static void decode_locations(struct column *column, uint64_t *restrict values, size_t n) {
    uint32_t stored[STRIP];
    if (column->width <= 4) {
        join_planes(column, stored, n);
        for (size_t i = 0; i < n; i++)
            values[i] = stored[i];
    } else {
        const unsigned char *plane = column->planes + column->taken;
        for (size_t i = 0; i < n; i++)
            values[i] = stored_value(plane + i, column->count, column->width);
    }
    uint64_t value = column->base;
    if (column->encoding == ENCODING_PLAIN) {
        for (size_t i = 0; i < n; i++)
            values[i] += value;
    } else {
        for (size_t i = 0; i < n; i++)
            values[i] = value += unzigzag(values[i]);
        column->base = value;
    }
    column->taken += (uint32_t)n;
}

/* Turns values into locations. Returns whether the numbers fit and the names exist: for each one a
 * subtraction that must not become negative, and the signs are collected for one look at them. */
static bool make_locations(uint64_t *restrict values, size_t n, uint64_t names) {
    uint64_t signs = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t is_name = values[i] & 1, number = values[i] >> 1;
        signs |= (ST_LOC_NUMBER_LIMIT - 1 - number) | (names - ((number + 1) & -is_name));
        values[i] = number | is_name * ST_LOC_NAME;
    }
    return !(signs >> 63);
}

/* Five counters, one for each target column, live in five fields of one register. An operation has
 * the field of its column, and the number that adds one there; one that does not exist adds nothing
 * to any. */
enum { FIELD_BITS = 12 };
_Static_assert(64 >= TARGET_COLUMNS * FIELD_BITS, "all counters fit in one register");
_Static_assert(1 << FIELD_BITS > TARGET_COLUMNS * STRIP, "a counter holds any place of a strip");

#define FIELD(i) ((i)*FIELD_BITS)
static const unsigned char field_of_op[1 << STEP_OP_BITS] = {
    [ST_READ] = FIELD(0), [ST_WRITE] = FIELD(0),   [ST_ACQUIRE] = FIELD(1), [ST_RELEASE] = FIELD(1),
    [ST_FORK] = FIELD(2), [ST_JOIN] = FIELD(2),    [ST_BEGIN] = FIELD(3),   [ST_END] = FIELD(3),
    [ST_SEND] = FIELD(4), [ST_RECEIVE] = FIELD(4),
};

#define ONE(i) (UINT64_C(1) << FIELD(i))
static const uint64_t one_of_op[1 << STEP_OP_BITS] = {
    [ST_READ] = ONE(0), [ST_WRITE] = ONE(0),   [ST_ACQUIRE] = ONE(1), [ST_RELEASE] = ONE(1),
    [ST_FORK] = ONE(2), [ST_JOIN] = ONE(2),    [ST_BEGIN] = ONE(3),   [ST_END] = ONE(3),
    [ST_SEND] = ONE(4), [ST_RECEIVE] = ONE(4),
};

static inline size_t counter(uint64_t counters, unsigned field) {
    return counters >> field & ((1 << FIELD_BITS) - 1);
}

/* Steps are nearly always bytes that stand for themselves: those are used where they are. */
static bool decode_steps(struct strip *strip, struct column *column, size_t n, uint64_t limit) {
    bool narrow = column->width == 1 && column->encoding == ENCODING_PLAIN && !column->base;
    strip->narrow = NULL;
    if (!narrow || n > column->count - column->taken)
        return decode(column, strip->step, n, limit);
    strip->narrow = column->planes + column->taken;
    unsigned char most = 0;
    for (size_t i = 0; i < n; i++)
        most = strip->narrow[i] > most ? strip->narrow[i] : most;
    column->taken += (uint32_t)n;
    return most < limit;
}

static inline __attribute__((always_inline)) uint32_t step_at(const struct strip *strip, size_t i,
                                                              bool narrow) {
    return narrow ? strip->narrow[i] : strip->step[i];
}

/* The low bits of a step. */
static inline uint64_t step_op(uint32_t step, unsigned op_bits) {
    return step & ((1U << op_bits) - 1);
}

static inline __attribute__((always_inline)) uint64_t
count_steps(const struct strip *strip, size_t n, bool narrow, unsigned op_bits) {
    uint64_t counters = 0;
    for (size_t i = 0; i < n; i++)
        counters += one_of_op[step_op(step_at(strip, i, narrow), op_bits)];
    return counters;
}

/* How many values of each target column the next n events take. False when one of them has an
 * operation that does not exist. */
static bool count_targets(const struct reader *reader, size_t n, size_t counts[TARGET_COLUMNS]) {
    const struct strip *strip = &reader->strip;
    unsigned op_bits = reader->layout.step_op_bits;
    uint64_t counters = strip->narrow ? count_steps(strip, n, true, op_bits)
                                      : count_steps(strip, n, false, op_bits);
    size_t sum = 0;
    for (unsigned i = 0; i < TARGET_COLUMNS; i++)
        sum += counts[i] = counter(counters, FIELD(i));
    return sum == n;
}

static bool decode_targets(struct reader *reader, const size_t counts[TARGET_COLUMNS]) {
    const struct st_symbols *symbols = reader->symbols;
    uint32_t *target = reader->strip.target;
    const uint64_t limits[TARGET_COLUMNS] = {
        symbols->variables.count, symbols->locks.count, symbols->threads.count,
        (uint64_t)symbols->blocks.count + 1, symbols->channels.count};
    bool good = true;
    for (size_t i = 0; i < TARGET_COLUMNS; i++)
        good &=
            decode(&reader->columns[target_columns[i]], target + i * STRIP, counts[i], limits[i]);
    for (size_t i = 0; i < counts[BLOCK_COLUMN]; i++)
        target[BLOCK_COLUMN * STRIP + i] -= 1; /* 0 becomes ST_NO_NAME */
    return good;
}

/* An event with its last three fields in one number: gcc 12 would store them one by one, and so
 * double the time of the loop below. */
struct event_image {
    uint32_t thread, target;
    uint64_t loc_written_op;
};

_Static_assert(sizeof(struct event_image) == sizeof(struct st_event), "they are the same bytes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bit fields start at the lowest bit");

/* Puts the columns of a strip together. Event i takes the next value of its target column. */
static inline __attribute__((always_inline)) void weave_steps(const struct strip *strip,
                                                              struct st_event *events, size_t n,
                                                              bool narrow, unsigned op_bits) {
    uint64_t counters = 0; /* where in strip->target the next value of each column is */
    for (unsigned i = 0; i < TARGET_COLUMNS; i++)
        counters |= (uint64_t)i * STRIP << FIELD(i);
    for (size_t i = 0; i < n; i++) {
        uint32_t step = step_at(strip, i, narrow);
        uint64_t op = step_op(step, op_bits);
        uint32_t target = strip->target[counter(counters, field_of_op[op])];
        counters += one_of_op[op];
        struct event_image image = {step >> op_bits, target, strip->loc[i] | op << 48 | op << 56};
        memcpy(&events[i], &image, sizeof image);
    }
}

/* Shifting by a number that the compiler knows is quicker, so the usual case stands by itself. */
static void weave(const struct strip *strip, struct st_event *events, size_t n, unsigned op_bits) {
    if (strip->narrow && op_bits == STEP_OP_BITS)
        weave_steps(strip, events, n, true, STEP_OP_BITS);
    else if (strip->narrow)
        weave_steps(strip, events, n, true, op_bits);
    else
        weave_steps(strip, events, n, false, op_bits);
}

static bool is_marked(const struct marks *marks, size_t event) {
    return event < marks->events && (marks->bits[event / 8] >> event % 8 & 1);
}

/* Marks those of the next n events of the chunk that are atomic, and joined to others. */
static __attribute__((noinline)) void mark_events(const struct reader *reader,
                                                  struct st_event *events, size_t n) {
    size_t first = reader->atomic.events - reader->left;
    for (size_t i = 0; i < n; i++) {
        events[i].atomic = is_marked(&reader->atomic, first + i) && events[i].op <= ST_WRITE;
        events[i].joined = events[i].atomic && is_marked(&reader->joined, first + i);
    }
}

static int decode_strip(struct reader *reader, struct st_event *events, size_t n,
                        struct st_error *error) {
    struct column *columns = reader->columns;
    struct strip *strip = &reader->strip;
    const struct st_symbols *symbols = reader->symbols;
    unsigned op_bits = reader->layout.step_op_bits;
    size_t counts[TARGET_COLUMNS];
    if (!decode_steps(strip, &columns[COLUMN_STEP], n, (uint64_t)symbols->threads.count << op_bits))
        return fail_content(reader, error, "an event has a thread without a name");
    if (!count_targets(reader, n, counts))
        return fail_content(reader, error, "an event has an operation that does not exist");
    if (!decode_targets(reader, counts))
        return fail_content(reader, error, "an event has a target without a name");
    decode_locations(&columns[COLUMN_LOC], strip->loc, n);
    if (!make_locations(strip->loc, n, symbols->locations.count))
        return fail_content(reader, error, "an event has a location without a name");
    weave(strip, events, n, op_bits);
    if (reader->atomic.events)
        mark_events(reader, events, n);
    reader->left -= (uint32_t)n;
    return 0;
}

static long next_events(void *state, struct st_event *events, size_t capacity,
                        struct st_error *error) {
    struct reader *reader = state;
    while (!reader->left) {
        if (reader->ended)
            return 0;
        if (take_chunk(reader, error) < 0)
            return -1;
    }
    size_t count = reader->left < capacity ? reader->left : capacity;
    for (size_t done = 0; done < count;) {
        size_t n = count - done < STRIP ? count - done : STRIP;
        if (decode_strip(reader, events + done, n, error) < 0)
            return -1;
        done += n;
    }
    return (long)count;
}

const struct st_format st_native_format = {
    .name = "native",
    .open = open_reader,
    .next = next_events,
    .cut = is_cut,
    .close = close_reader,
};
