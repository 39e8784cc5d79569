/* Writes the native format: buffers events up to a chunk, as columns, and compresses.
 *
 * Columns are split into planes (native_packing.h) and each plane ends a zstd block, so that every
 * plane is compressed with statistics of its own and the planes that do not compress are stored as
 * they are. */
#include "trace/format.h"

#include "base/memory.h"
#include "trace/native/native_packing.h"
#include "trace/native/native_runs.h"
#include "trace/native/native_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

enum {
    LEVEL = 1,                               /* 3 saves 4 % at best and is slower both ways */
    MOST_PLANES = COLUMN_COUNT * WIDEST_LOC, /* more than those of values */
};

/* Names that one chunk may bring. Together with the columns this stays below CHUNK_SIZE_LIMIT. */
#define NAME_BYTES_LIMIT (UINT64_C(32) << 20)

/* Names or rows first .. end of a table. */
struct span {
    uint32_t first, end;
};

enum rows_table { ROWS_FRAMES, ROWS_SITES, ROWS_COUNT };

/* What a chunk brings beside events. */
struct news {
    struct span names[TABLE_COUNT], rows[ROWS_COUNT];
};

/* Invariants: `buffered` events wait for a chunk of `chunk_events`; the names below emitted[table]
 * and the rows below emitted_rows[table] are in the file already. */
struct writer {
    FILE *file;
    const char *file_name;
    const struct st_symbols *symbols;
    bool head_written;

    /* The buffered events. Columns of locations are in `locs`, all others of events in `numbers`,
     * as many as `counts` says; `marks` are those of each event, `marked` those of all. */
    uint32_t *numbers[COLUMN_CONTEXTS], counts[COLUMN_CONTEXTS];
    uint64_t *locs;
    unsigned char *marks, marked;
    struct st_access_value *known;            /* one for each event; NULL before the first */
    const struct st_access_value *known_next; /* of the events that come next; NULL: none */
    uint32_t *run_gaps, *run_more, run_count; /* of the buffered events (native_runs.h) */
    uint32_t last_run, more;                  /* the last one, and all their lengths together */
    const uint32_t *runs_next;                /* of the events that come next; NULL: none */
    uint32_t buffered, chunk_events;
    uint64_t written; /* events in chunks of the file */
    uint32_t sequence;
    uint32_t emitted[TABLE_COUNT], emitted_rows[ROWS_COUNT];
    uint64_t times_called, times_started; /* words for threads are in the file up to here */

    uint64_t *values; /* of the column at work, if it is about something else */
    unsigned char *payload, *packed;
    size_t payload_capacity, packed_capacity;
    size_t plane_ends[MOST_PLANES + 1]; /* offsets in the payload where a zstd block shall end */
    unsigned plane_count;
    ZSTD_CCtx *compressor;
};

static void *open_writer(FILE *file, const char *file_name, const struct st_symbols *symbols) {
    struct writer *writer = st_alloc(1, sizeof *writer);
    writer->file = file;
    writer->file_name = file_name;
    writer->symbols = symbols;
    writer->chunk_events = ST_CHUNK_EVENTS;
    for (enum column_kind kind = 0; kind < COLUMN_CONTEXTS; kind++)
        writer->numbers[kind] = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->numbers[kind]);
    writer->locs = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->locs);
    writer->marks = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->marks);
    writer->run_gaps = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->run_gaps);
    writer->run_more = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->run_more);
    writer->values = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->values);
    writer->compressor = ZSTD_createCCtx();
    return writer;
}

static void close_writer(void *state) {
    struct writer *writer = state;
    ZSTD_freeCCtx(writer->compressor);
    for (enum column_kind kind = 0; kind < COLUMN_CONTEXTS; kind++)
        free(writer->numbers[kind]);
    free(writer->locs);
    free(writer->marks);
    free(writer->known);
    free(writer->run_gaps);
    free(writer->run_more);
    free(writer->values);
    free(writer->payload);
    free(writer->packed);
    free(writer);
}

void st_native_writer_chunk_events(void *state, uint32_t events) {
    struct writer *writer = state;
    writer->chunk_events = events;
}

/* ---- bytes to the file ---- */

static int fail_write(const struct writer *writer, struct st_error *error) {
    return st_fail(error, writer->file_name, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
}

static int put_bytes(const struct writer *writer, const void *bytes, size_t size,
                     struct st_error *error) {
    if (size && fwrite(bytes, 1, size, writer->file) != size)
        return fail_write(writer, error);
    return 0;
}

static uint32_t version_of(const struct writer *writer) {
    if (!writer->symbols->contexts.kept)
        return NATIVE_PLAIN;
    return writer->symbols->reuses ? NATIVE_VERSION : NATIVE_CONTEXTS;
}

static int put_file_head(struct writer *writer, struct st_error *error) {
    if (writer->head_written)
        return 0;
    unsigned char head[NATIVE_HEAD_SIZE];
    memcpy(head, NATIVE_MAGIC, 8);
    put_u32(head + 8, version_of(writer));
    writer->head_written = true;
    return put_bytes(writer, head, sizeof head, error);
}

/* Compresses `full` bytes of payload into packed. Returns how many bytes that gave, or 0 when they
 * would not be fewer. */
static size_t compress(struct writer *writer, size_t full) {
    /* Every block that is ended early costs at most its three-byte head. */
    size_t bound = ZSTD_compressBound(full) + MOST_PLANES * 4;
    st_reserve(&writer->packed, &writer->packed_capacity, bound);
    ZSTD_CCtx *compressor = writer->compressor;
    if (!compressor) /* no memory for it: the trace is larger, but right */
        return 0;
    ZSTD_CCtx_reset(compressor, ZSTD_reset_session_only);
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setPledgedSrcSize(compressor, full);
    ZSTD_outBuffer out = {writer->packed, bound, 0};
    ZSTD_inBuffer in = {writer->payload, 0, 0};
    for (unsigned i = 0; i < writer->plane_count; i++) {
        bool last = i + 1 == writer->plane_count;
        in.size = writer->plane_ends[i];
        if (ZSTD_compressStream2(compressor, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush) != 0)
            return 0;
    }
    return out.pos < full ? out.pos : 0;
}

static int put_chunk(struct writer *writer, const char *type, size_t full, struct st_error *error) {
    size_t packed = compress(writer, full);
    const unsigned char *stored = packed ? writer->packed : writer->payload;
    size_t stored_size = packed ? packed : full;

    unsigned char head[CHUNK_HEAD_SIZE];
    memcpy(head, type, 4);
    unsigned char *next = put_u32(head + 4, writer->sequence++);
    next = put_u32(next, (uint32_t)stored_size);
    next = put_u32(next, (uint32_t)full);
    next = put_u64(next, XXH3_64bits(stored, stored_size));
    put_u64(next, XXH3_64bits(head, CHUNK_CHECKED_SIZE));
    if (put_file_head(writer, error) || put_bytes(writer, head, sizeof head, error))
        return -1;
    return put_bytes(writer, stored, stored_size, error);
}

/* ---- columns ---- */

static const unsigned char column_of_op[ST_OP_COUNT] = {
    [ST_READ] = COLUMN_VARIABLE,   [ST_WRITE] = COLUMN_VARIABLE, [ST_ACQUIRE] = COLUMN_LOCK,
    [ST_RELEASE] = COLUMN_LOCK,    [ST_FORK] = COLUMN_CHILD,     [ST_JOIN] = COLUMN_CHILD,
    [ST_BEGIN] = COLUMN_BLOCK,     [ST_END] = COLUMN_BLOCK,      [ST_SEND] = COLUMN_CHANNEL,
    [ST_RECEIVE] = COLUMN_CHANNEL,
};

/* Which of the marks an event has. */
enum { MARK_ATOMIC = 1, MARK_JOINED = 2 };

static unsigned char marks_of(const struct st_event *event) {
    return (unsigned char)(event->atomic * MARK_ATOMIC |
                           (event->joined | event->fresh) * MARK_JOINED);
}

/* Adds the event to the columns. To which of them its target belongs is hard to predict, so there
 * is no branch for it. ST_NO_NAME, of a block, becomes 0. */
static inline void buffer(struct writer *writer, const struct st_event *event) {
    enum column_kind kind = column_of_op[event->written];
    uint32_t i = writer->buffered++;
    writer->numbers[COLUMN_STEP][i] = event->thread << STEP_OP_BITS | (uint32_t)event->written;
    writer->numbers[kind][writer->counts[kind]++] = event->target + (kind == COLUMN_BLOCK);
    writer->locs[i] = (event->loc & ~ST_LOC_NAME) << 1 | (event->loc & ST_LOC_NAME ? 1 : 0);
    unsigned char marks = marks_of(event);
    writer->marks[i] = marks;
    writer->marked |= marks;
}

static enum rows_table rows_of_column(enum column_kind kind) {
    return kind < COLUMN_SITE_LINE ? ROWS_FRAMES : ROWS_SITES;
}

static uint32_t row_value(const struct st_contexts *contexts, enum column_kind kind, uint32_t row) {
    switch (kind) {
    case COLUMN_FRAME_FUNCTION:
        return contexts->frames[row].function;
    case COLUMN_FRAME_LINE:
        return contexts->frames[row].line;
    case COLUMN_FRAME_CALLER:
        return contexts->frames[row].caller;
    case COLUMN_SITE_LINE:
        return contexts->sites[row].line;
    case COLUMN_SITE_FRAME:
        return contexts->sites[row].frame;
    default:
        return contexts->sites[row].call;
    }
}

static uint32_t collect_rows(const struct writer *writer, enum column_kind kind,
                             const struct news *news) {
    struct span span = news->rows[rows_of_column(kind)];
    for (uint32_t i = span.first; i < span.end; i++)
        writer->values[i - span.first] = row_value(&writer->symbols->contexts, kind, i);
    return span.end - span.first;
}

/* Locations, in four bytes each where that is enough. */
static void pack_locs(struct writer *writer, struct native_packing *packing, unsigned char *head) {
    uint32_t *numbers = writer->numbers[COLUMN_LOC], count = writer->buffered;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= writer->locs[i];
        numbers[i] = (uint32_t)writer->locs[i];
    }
    if (all > UINT32_MAX)
        native_pack_wide(packing, head, writer->locs, count);
    else
        native_pack(packing, head, numbers, count);
}

static void pack_column(struct writer *writer, enum column_kind kind, const struct news *news,
                        unsigned char *head, struct native_packing *packing) {
    if (kind >= COLUMN_CONTEXTS)
        native_pack_wide(packing, head, writer->values, collect_rows(writer, kind, news));
    else if (kind == COLUMN_LOC)
        pack_locs(writer, packing, head);
    else
        native_pack(packing, head, writer->numbers[kind],
                    kind == COLUMN_STEP ? writer->buffered : writer->counts[kind]);
}

static struct native_packing packing_at(struct writer *writer, unsigned char *next) {
    return (struct native_packing){next, writer->plane_ends, writer->payload, writer->plane_count};
}

/* ---- names ---- */

static const struct st_names *table_of(const struct writer *writer, enum names_table table) {
    return names_table((struct st_symbols *)writer->symbols, table);
}

static uint64_t offset_of(const struct st_names *names, uint32_t number) {
    return names->offset[number - names->first];
}

static uint64_t span_bytes(const struct st_names *names, struct span span) {
    return offset_of(names, span.end) - offset_of(names, span.first);
}

/* Takes the names that the file does not have yet, as far as one chunk may hold them. Returns
 * whether these are all. */
static bool choose_names(const struct writer *writer, struct news *news) {
    uint64_t room = NAME_BYTES_LIMIT;
    bool all = true;
    for (enum names_table table = 0; table < TABLE_COUNT; table++) {
        const struct st_names *names = table_of(writer, table);
        struct span span = {writer->emitted[table], names->count};
        if (span_bytes(names, span) > room) {
            span.end = span.first;
            while (offset_of(names, span.end + 1) - offset_of(names, span.first) <= room)
                span.end++;
            all = false;
        }
        room -= span_bytes(names, span);
        news->names[table] = span;
    }
    return all;
}

/* The same for rows, once all names are there. A table waits until those that it refers to are
 * complete. */
static bool choose_rows(const struct writer *writer, struct news *news, bool named) {
    const struct st_contexts *contexts = &writer->symbols->contexts;
    const size_t counts[ROWS_COUNT] = {contexts->frame_count, contexts->site_count};
    bool all = named;
    for (enum rows_table table = 0; table < ROWS_COUNT; table++) {
        uint32_t first = writer->emitted_rows[table], count = (uint32_t)counts[table] - first;
        bool fits = count <= CHUNK_ROWS_LIMIT;
        uint32_t taken = !all ? 0 : fits ? count : CHUNK_ROWS_LIMIT;
        news->rows[table] = (struct span){first, first + taken};
        all &= fits;
    }
    return all;
}

static bool choose_news(const struct writer *writer, struct news *news) {
    bool named = choose_names(writer, news);
    return choose_rows(writer, news, named);
}

static unsigned char *put_names(struct writer *writer, unsigned tables, const struct news *news,
                                unsigned char *head, unsigned char *next) {
    for (enum names_table table = 0; table < tables; table++) {
        /* Names lie in their table as the file has them: each one with a zero byte behind it. */
        const struct st_names *names = table_of(writer, table);
        struct span span = news->names[table];
        uint64_t bytes = span_bytes(names, span);
        head = put_u32(head, span.end - span.first);
        head = put_u32(head, (uint32_t)bytes);
        if (bytes)
            memcpy(next, names->text + offset_of(names, span.first), bytes);
        next += bytes;
        writer->emitted[table] = span.end;
    }
    return next;
}

/* ---- chunks ---- */

static size_t payload_bound(const struct writer *writer, const struct news *news, size_t heads) {
    size_t bound = heads + (size_t)writer->buffered * sizeof(uint64_t) * COLUMN_CONTEXTS;
    for (enum names_table table = 0; table < TABLE_COUNT; table++)
        bound += span_bytes(table_of(writer, table), news->names[table]);
    for (enum rows_table table = 0; table < ROWS_COUNT; table++)
        bound += (size_t)(news->rows[table].end - news->rows[table].first) * 3 * sizeof(uint32_t);
    return bound;
}

/* Writes which of the buffered events have a mark, ahead of them, if any has. */
static int put_marks(struct writer *writer, unsigned char mark, const char *type,
                     struct st_error *error) {
    if (!(writer->marked & mark))
        return 0;
    size_t size = MARKS_HEAD_SIZE + (writer->buffered + (size_t)7) / 8;
    st_reserve(&writer->payload, &writer->payload_capacity, size);
    unsigned char *bits = put_u32(writer->payload, writer->buffered);
    memset(bits, 0, size - MARKS_HEAD_SIZE);
    for (uint32_t i = 0; i < writer->buffered; i++)
        bits[i / 8] |= (unsigned char)((writer->marks[i] & mark ? 1 : 0) << i % 8);
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = size;
    return put_chunk(writer, type, size, error);
}

/* Writes for how many more the buffered events stand, ahead of them, if any does. */
static int put_runs(struct writer *writer, struct st_error *error) {
    if (!writer->run_count)
        return 0;
    st_reserve(&writer->payload, &writer->payload_capacity,
               RUNS_HEAD_SIZE + (size_t)writer->run_count * 2 * sizeof(uint32_t));
    unsigned char *heads = put_u32(put_u32(writer->payload, writer->buffered), 0);
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = RUNS_HEAD_SIZE;
    struct native_packing packing = packing_at(writer, writer->payload + RUNS_HEAD_SIZE);
    native_pack(&packing, heads, writer->run_gaps, writer->run_count);
    native_pack(&packing, heads + COLUMN_HEAD_SIZE, writer->run_more, writer->run_count);
    writer->plane_count = packing.planes;
    writer->written += writer->more;
    writer->run_count = writer->last_run = writer->more = 0;
    return put_chunk(writer, CHUNK_RUNS, (size_t)(packing.next - writer->payload), error);
}

/* Collects what is known of the buffered events before or after them, and marks these events.
 * Returns how many there are. */
static uint32_t collect_values(const struct writer *writer, uint8_t known, unsigned char *bits) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < writer->buffered; i++) {
        const struct st_access_value *value = &writer->known[i];
        if (!(value->known & known))
            continue;
        bits[i / 8] |= (unsigned char)(1 << i % 8);
        writer->values[count++] = known == ST_HELD_KNOWN ? value->held : value->left;
    }
    return count;
}

static bool knows_values(const struct writer *writer) {
    for (uint32_t i = 0; writer->known && i < writer->buffered; i++)
        if (writer->known[i].known)
            return true;
    return false;
}

/* Writes the values of the buffered events ahead of them, if any is known. */
static int put_values(struct writer *writer, struct st_error *error) {
    if (!knows_values(writer))
        return 0;
    size_t heads = native_values_head(writer->buffered), bytes = (writer->buffered + (size_t)7) / 8;
    st_reserve(&writer->payload, &writer->payload_capacity,
               heads + (size_t)writer->buffered * 2 * sizeof(uint64_t));
    memset(writer->payload, 0, heads);
    unsigned char *bits = put_u32(writer->payload, writer->buffered), *head = bits + 2 * bytes;
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = heads;
    struct native_packing packing = packing_at(writer, writer->payload + heads);
    for (int left = 0; left < 2; left++) {
        uint32_t count = collect_values(writer, left ? ST_LEFT_KNOWN : ST_HELD_KNOWN,
                                        bits + (size_t)left * bytes);
        native_pack_wide(&packing, head + left * COLUMN_HEAD_SIZE, writer->values, count);
    }
    writer->plane_count = packing.planes;
    return put_chunk(writer, CHUNK_VALUES, (size_t)(packing.next - writer->payload), error);
}

/* Writes by which rule the trace was recorded, ahead of everything else, if that is known; and
 * before that, that its events are not in their places. */
static int put_rule(struct writer *writer, struct st_error *error) {
    if (writer->sequence)
        return 0;
    st_reserve(&writer->payload, &writer->payload_capacity, RULE_SIZE);
    writer->plane_count = 0; /* nothing to gain from compression */
    if (writer->symbols->late && put_chunk(writer, CHUNK_LATE, 0, error))
        return -1;
    if (!writer->symbols->rule)
        return 0;
    put_u32(writer->payload, writer->symbols->rule);
    return put_chunk(writer, CHUNK_RULE, RULE_SIZE, error);
}

static void empty(struct writer *writer) {
    writer->buffered = 0;
    memset(writer->counts, 0, sizeof writer->counts);
}

/* Writes a chunk with the news and the buffered events. */
static int put_events(struct writer *writer, const struct news *news, struct st_error *error) {
    if (writer->symbols->threads.count > THREADS_LIMIT)
        return st_fail(error, writer->file_name, ST_AT_FILE, 0,
                       "the native format holds at most %" PRIu32 " threads", THREADS_LIMIT);
    struct native_layout layout = native_layout(version_of(writer));
    size_t heads = native_heads_size(layout);
    st_reserve(&writer->payload, &writer->payload_capacity, payload_bound(writer, news, heads));

    unsigned char *head = put_u32(put_u32(writer->payload, writer->buffered), 0);
    unsigned char *next = put_names(writer, layout.tables, news, head, writer->payload + heads);
    head += layout.tables * NAMES_HEAD_SIZE;
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = (size_t)(next - writer->payload);
    struct native_packing packing = packing_at(writer, next);
    for (enum column_kind kind = 0; kind < layout.columns; kind++)
        pack_column(writer, kind, news, head + kind * COLUMN_HEAD_SIZE, &packing);
    writer->plane_count = packing.planes;

    for (enum rows_table table = 0; table < ROWS_COUNT; table++)
        writer->emitted_rows[table] = news->rows[table].end;
    writer->written += writer->buffered;
    empty(writer);
    return put_chunk(writer, CHUNK_EVENTS, (size_t)(packing.next - writer->payload), error);
}

static uint32_t count_news(const struct news *news) {
    uint32_t count = 0;
    for (enum names_table table = 0; table < TABLE_COUNT; table++)
        count += news->names[table].end - news->names[table].first;
    for (enum rows_table table = 0; table < ROWS_COUNT; table++)
        count += news->rows[table].end - news->rows[table].first;
    return count;
}

/* News that do not fit go ahead in chunks without events. */
static int put_early_news(struct writer *writer, struct news *news, struct st_error *error) {
    uint32_t waiting = writer->buffered, counts[COLUMN_CONTEXTS];
    memcpy(counts, writer->counts, sizeof counts);
    while (!choose_news(writer, news)) {
        if (!count_news(news))
            return st_fail(error, writer->file_name, ST_AT_FILE, 0,
                           "cannot write: a name in the trace is longer than %u MiB, the most that "
                           "the native format can hold",
                           (unsigned)(NAME_BYTES_LIMIT >> 20));
        empty(writer);
        if (put_events(writer, news, error))
            return -1;
        writer->buffered = waiting;
        memcpy(writer->counts, counts, sizeof counts);
    }
    return 0;
}

static int flush(struct writer *writer, struct st_error *error) {
    struct news news;
    if (put_rule(writer, error))
        return -1;
    if (!writer->buffered)
        return 0;
    if (put_early_news(writer, &news, error) ||
        put_marks(writer, MARK_ATOMIC, CHUNK_ATOMIC, error) ||
        put_marks(writer, MARK_JOINED, CHUNK_JOINED, error) || put_values(writer, error) ||
        put_runs(writer, error))
        return -1;
    writer->marked = 0;
    return put_events(writer, &news, error);
}

void st_native_writer_values(void *state, const struct st_access_value *values) {
    struct writer *writer = state;
    writer->known_next = values;
    if (values && !writer->known)
        writer->known = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->known);
}

void st_native_writer_runs(void *state, const uint32_t *runs) {
    struct writer *writer = state;
    writer->runs_next = runs;
}

/* The event that comes next stands for so many more. */
static void buffer_run(struct writer *writer, uint32_t more) {
    writer->run_gaps[writer->run_count] = writer->buffered - writer->last_run;
    writer->run_more[writer->run_count++] = more;
    writer->last_run = writer->buffered;
    writer->more += more;
}

static int write_events(void *state, const struct st_event *events, size_t count,
                        struct st_error *error) {
    struct writer *writer = state;
    const struct st_access_value *values = writer->known_next;
    const uint32_t *runs = writer->runs_next;
    writer->known_next = NULL;
    writer->runs_next = NULL;
    for (size_t i = 0; i < count; i++) {
        if (events[i].op == ST_DROPPED)
            continue;
        if (writer->known)
            writer->known[writer->buffered] = values ? values[i] : (struct st_access_value){0};
        uint32_t more = runs ? runs[i] : 0;
        if (writer->more + more > RUNS_LIMIT && flush(writer, error))
            return -1;
        if (more)
            buffer_run(writer, more);
        buffer(writer, &events[i]);
        if (writer->buffered == writer->chunk_events && flush(writer, error))
            return -1;
    }
    return 0;
}

/* Words for threads, as far as the file has them, if there are new ones. */
static int put_words(struct writer *writer, const struct st_thread_words *words, uint64_t *written,
                     const char *type, struct st_error *error) {
    uint32_t threads = writer->emitted[TABLE_THREADS];
    size_t size = 0;
    if (*written == words->changes)
        return 0;
    for (uint32_t i = 0; i < threads && i < words->capacity; i++) {
        if (!words->list[i])
            continue;
        size_t length = strnlen(words->list[i], CALLED_LIMIT);
        st_reserve(&writer->payload, &writer->payload_capacity,
                   size + sizeof(uint32_t) + length + 1);
        unsigned char *text = put_u32(writer->payload + size, i);
        memcpy(text, words->list[i], length);
        text[length] = '\0';
        size += sizeof(uint32_t) + length + 1;
    }
    *written = words->changes;
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = size;
    return size ? put_chunk(writer, type, size, error) : 0;
}

static int put_thread_words(struct writer *writer, struct st_error *error) {
    const struct st_symbols *symbols = writer->symbols;
    if (put_words(writer, &symbols->given, &writer->times_called, CHUNK_CALLED, error))
        return -1;
    return put_words(writer, &symbols->started, &writer->times_started, CHUNK_STARTED, error);
}

static int flush_file(void *state, struct st_error *error) {
    struct writer *writer = state;
    if (flush(writer, error) || put_thread_words(writer, error))
        return -1;
    return fflush(writer->file) ? fail_write(writer, error) : 0;
}

uint32_t st_native_writer_waiting(const void *state) {
    const struct writer *writer = state;
    return writer->buffered;
}

uint32_t st_native_writer_named(const void *state) {
    const struct writer *writer = state;
    return writer->emitted[TABLE_VARIABLES];
}

/* The runs of one chunk: 8 MiB. */
enum { MOST_RUNS = 1 << 20 };

int st_native_writer_end(void *state, const struct st_variable_run *runs, size_t count,
                         struct st_error *error) {
    struct writer *writer = state;
    struct news news;
    if (flush(writer, error))
        return -1;
    /* Those that only dropped events used may have no names in the file yet. */
    if (writer->emitted[TABLE_VARIABLES] < writer->symbols->variables.count &&
        (put_early_news(writer, &news, error) || put_events(writer, &news, error)))
        return -1;
    for (size_t i = 0; i < count;) {
        uint32_t some = count - i < MOST_RUNS ? (uint32_t)(count - i) : MOST_RUNS;
        size_t size = GONE_HEAD_SIZE + (size_t)some * GONE_RUN_SIZE;
        st_reserve(&writer->payload, &writer->payload_capacity, size);
        unsigned char *next = put_u32(writer->payload, some);
        for (uint32_t k = 0; k < some; k++, i++)
            next = put_u32(put_u32(next, runs[i].first), runs[i].count);
        writer->plane_count = 0;
        writer->plane_ends[writer->plane_count++] = size;
        if (put_chunk(writer, CHUNK_GONE, size, error))
            return -1;
    }
    return 0;
}

/* Writes how often blocks were executed that have no events. */
static int put_left_out(struct writer *writer, struct st_error *error) {
    const struct st_silent_calls *calls = &writer->symbols->left_out;
    uint32_t blocks = writer->emitted[TABLE_BLOCKS], count = 0;
    st_reserve(&writer->payload, &writer->payload_capacity, (size_t)blocks * CALLS_SIZE);
    unsigned char *next = writer->payload;
    for (uint32_t i = 0; i < blocks && i < calls->capacity; i++) {
        if (!calls->list[i])
            continue;
        next = put_u64(put_u32(next, i), calls->list[i]);
        count++;
    }
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = (size_t)(next - writer->payload);
    return count ? put_chunk(writer, CHUNK_LEFT_OUT, (size_t)(next - writer->payload), error) : 0;
}

/* The names of blocks that have no events may have come after the last event. */
static int put_last_news(struct writer *writer, struct st_error *error) {
    struct news news;
    if (!writer->symbols->left_out.capacity ||
        writer->emitted[TABLE_BLOCKS] == writer->symbols->blocks.count)
        return 0;
    return put_early_news(writer, &news, error) || put_events(writer, &news, error) ? -1 : 0;
}

static int finish(void *state, bool truncated, struct st_error *error) {
    struct writer *writer = state;
    if (flush(writer, error) || put_last_news(writer, error) || put_thread_words(writer, error) ||
        put_left_out(writer, error))
        return -1;
    st_reserve(&writer->payload, &writer->payload_capacity, END_SIZE);
    unsigned char *next = put_u64(writer->payload, writer->written);
    put_u32(put_u32(next, truncated ? END_SOURCE_TRUNCATED : 0), 0);
    writer->plane_count = 0; /* nothing to gain from compression */
    if (put_chunk(writer, CHUNK_END, END_SIZE, error))
        return -1;
    return fflush(writer->file) ? fail_write(writer, error) : 0;
}

const struct st_writer_format st_native_writer = {
    .name = "native",
    .open = open_writer,
    .write = write_events,
    .flush = flush_file,
    .finish = finish,
    .close = close_writer,
};
