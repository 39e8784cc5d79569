/* Writes the native format: buffers events up to a chunk, turns them into columns, compresses.
 *
 * Columns are split into planes (the lowest byte of every value, then the next byte of every value,
 * ...) and each plane ends a zstd block, so that every plane is compressed with statistics of its
 * own and the planes that do not compress are stored as they are. */
#include "trace/format.h"

#include "base/memory.h"
#include "trace/native/native_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

enum {
    LEVEL = 1, /* 3 saves 4 % at best and is slower both ways */
    MOST_PLANES = COLUMN_COUNT * WIDEST_LOC,
};

/* Names that one chunk may bring. Together with the columns this stays below CHUNK_SIZE_LIMIT. */
#define NAME_BYTES_LIMIT (UINT64_C(32) << 20)

/* A column as it was decided to be stored. */
struct plan {
    enum column_encoding encoding;
    unsigned width;
    uint32_t count;
    uint64_t base;
};

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

    struct st_event *events;
    uint32_t buffered, chunk_events;
    uint64_t written; /* events in chunks of the file */
    uint32_t sequence;
    uint32_t emitted[TABLE_COUNT], emitted_rows[ROWS_COUNT];
    uint64_t times_called; /* what the program calls its threads is in the file up to here */

    uint64_t *values; /* of the column at work */
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
    writer->events = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->events);
    writer->values = st_alloc(CHUNK_EVENTS_LIMIT, sizeof *writer->values);
    writer->compressor = ZSTD_createCCtx();
    return writer;
}

static void close_writer(void *state) {
    struct writer *writer = state;
    ZSTD_freeCCtx(writer->compressor);
    free(writer->events);
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

static uint64_t column_value(const struct st_event *event, enum column_kind kind) {
    switch (kind) {
    case COLUMN_STEP:
        return (uint64_t)event->thread << STEP_OP_BITS | event->written;
    case COLUMN_BLOCK: /* ST_NO_NAME becomes 0 */
        return (uint32_t)(event->target + 1);
    case COLUMN_LOC:
        return (event->loc & ~ST_LOC_NAME) << 1 | (event->loc & ST_LOC_NAME ? 1 : 0);
    default:
        return event->target;
    }
}

/* Collects the values of a column from the buffered events and returns how many there are. What
 * an event has to do with the column is hard to predict, so there is no branch for it: a value
 * that does not belong is overwritten by the next one. */
static uint32_t collect(const struct writer *writer, enum column_kind kind) {
    bool every = kind == COLUMN_STEP || kind == COLUMN_LOC;
    uint32_t count = 0;
    for (uint32_t i = 0; i < writer->buffered; i++) {
        const struct st_event *event = &writer->events[i];
        writer->values[count] = column_value(event, kind);
        count += every || column_of_op[event->written] == kind;
    }
    return count;
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

static unsigned bytes_for(uint64_t value) {
    unsigned bytes = 0;
    for (; value; value >>= 8)
        bytes++;
    return bytes;
}

static uint64_t zigzag(uint64_t difference) {
    return difference << 1 ^ -(difference >> 63);
}

/* Looks at the values of a column and decides for the encoding that needs fewer bytes a value. */
static struct plan plan_column(const uint64_t *values, uint32_t count) {
    struct plan plan = {.encoding = ENCODING_PLAIN, .count = count};
    if (!count)
        return plan;
    uint64_t least = values[0], most = values[0], jumps = 0;
    for (uint32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
        jumps |= zigzag(values[i] - values[i - 1]);
    }
    plan.width = bytes_for(most - least);
    plan.base = bytes_for(most) > plan.width ? least : 0; /* 0 is quicker to read */
    if (bytes_for(jumps) < plan.width) {
        plan.encoding = ENCODING_DELTA;
        plan.base = values[0];
        plan.width = bytes_for(jumps);
    }
    return plan;
}

/* Replaces the values by what is stored for them. */
static void encode(const struct plan *plan, uint64_t *values) {
    uint64_t previous = plan->base;
    for (uint32_t i = 0; i < plan->count; i++) {
        uint64_t value = values[i];
        if (plan->encoding == ENCODING_DELTA) {
            values[i] = zigzag(value - previous);
            previous = value;
        } else {
            values[i] = value - plan->base;
        }
    }
}

static unsigned char *put_planes(struct writer *writer, const struct plan *plan,
                                 unsigned char *next) {
    for (unsigned plane = 0; plane < plan->width; plane++) {
        for (uint32_t i = 0; i < plan->count; i++)
            next[i] = (unsigned char)(writer->values[i] >> 8 * plane);
        next += plan->count;
        writer->plane_ends[writer->plane_count++] = (size_t)(next - writer->payload);
    }
    return next;
}

static unsigned char *put_column(struct writer *writer, enum column_kind kind,
                                 const struct news *news, unsigned char *head,
                                 unsigned char *next) {
    uint32_t count =
        kind < COLUMN_CONTEXTS ? collect(writer, kind) : collect_rows(writer, kind, news);
    struct plan plan = plan_column(writer->values, count);
    head[0] = (unsigned char)plan.encoding;
    head[1] = (unsigned char)plan.width;
    head[2] = head[3] = 0;
    put_u64(put_u32(head + 4, plan.count), plan.base);
    encode(&plan, writer->values);
    return put_planes(writer, &plan, next);
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

/* Writes which of the buffered events are atomic, or joined to others, ahead of them, if there is
 * any such. */
static int put_marks(struct writer *writer, bool joined, struct st_error *error) {
    size_t size = MARKS_HEAD_SIZE + (writer->buffered + (size_t)7) / 8;
    st_reserve(&writer->payload, &writer->payload_capacity, size);
    unsigned char *marks = put_u32(writer->payload, writer->buffered);
    bool any = false;
    memset(marks, 0, size - MARKS_HEAD_SIZE);
    for (uint32_t i = 0; i < writer->buffered; i++) {
        const struct st_event *event = &writer->events[i];
        bool marked = joined ? event->joined : event->atomic;
        marks[i / 8] |= (unsigned char)(marked << i % 8);
        any |= marked;
    }
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = size;
    return any ? put_chunk(writer, joined ? CHUNK_JOINED : CHUNK_ATOMIC, size, error) : 0;
}

/* Writes by which rule the trace was recorded, ahead of everything else, if that is known. */
static int put_rule(struct writer *writer, struct st_error *error) {
    if (writer->sequence || !writer->symbols->rule)
        return 0;
    st_reserve(&writer->payload, &writer->payload_capacity, RULE_SIZE);
    put_u32(writer->payload, writer->symbols->rule);
    writer->plane_count = 0; /* nothing to gain from compression */
    return put_chunk(writer, CHUNK_RULE, RULE_SIZE, error);
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
    for (enum column_kind kind = 0; kind < layout.columns; kind++)
        next = put_column(writer, kind, news, head + kind * COLUMN_HEAD_SIZE, next);

    for (enum rows_table table = 0; table < ROWS_COUNT; table++)
        writer->emitted_rows[table] = news->rows[table].end;
    writer->written += writer->buffered;
    writer->buffered = 0;
    return put_chunk(writer, CHUNK_EVENTS, (size_t)(next - writer->payload), error);
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
    uint32_t waiting = writer->buffered;
    while (!choose_news(writer, news)) {
        if (!count_news(news))
            return st_fail(error, writer->file_name, ST_AT_FILE, 0,
                           "cannot write: a name in the trace is longer than %u MiB, the most that "
                           "the native format can hold",
                           (unsigned)(NAME_BYTES_LIMIT >> 20));
        writer->buffered = 0;
        if (put_events(writer, news, error))
            return -1;
        writer->buffered = waiting;
    }
    return 0;
}

static int flush(struct writer *writer, struct st_error *error) {
    struct news news;
    if (put_rule(writer, error))
        return -1;
    if (!writer->buffered)
        return 0;
    if (put_early_news(writer, &news, error) || put_marks(writer, false, error) ||
        put_marks(writer, true, error))
        return -1;
    return put_events(writer, &news, error);
}

static int write_events(void *state, const struct st_event *events, size_t count,
                        struct st_error *error) {
    struct writer *writer = state;
    for (size_t i = 0; i < count; i++) {
        if (events[i].op == ST_DROPPED)
            continue;
        writer->events[writer->buffered++] = events[i];
        if (writer->buffered == writer->chunk_events && flush(writer, error))
            return -1;
    }
    return 0;
}

/* What the program calls its threads, as far as the file has them, if that has changed. */
static int put_called(struct writer *writer, struct st_error *error) {
    const struct st_symbols *symbols = writer->symbols;
    uint32_t threads = writer->emitted[TABLE_THREADS];
    size_t size = 0;
    if (writer->times_called == symbols->times_given)
        return 0;
    for (uint32_t i = 0; i < threads && i < symbols->given_capacity; i++) {
        if (!symbols->given[i])
            continue;
        size_t length = strnlen(symbols->given[i], CALLED_LIMIT);
        st_reserve(&writer->payload, &writer->payload_capacity,
                   size + sizeof(uint32_t) + length + 1);
        unsigned char *text = put_u32(writer->payload + size, i);
        memcpy(text, symbols->given[i], length);
        text[length] = '\0';
        size += sizeof(uint32_t) + length + 1;
    }
    writer->times_called = symbols->times_given;
    writer->plane_count = 0;
    writer->plane_ends[writer->plane_count++] = size;
    return size ? put_chunk(writer, CHUNK_CALLED, size, error) : 0;
}

static int flush_file(void *state, struct st_error *error) {
    struct writer *writer = state;
    if (flush(writer, error) || put_called(writer, error))
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

static int finish(void *state, bool truncated, struct st_error *error) {
    struct writer *writer = state;
    if (flush(writer, error) || put_called(writer, error))
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
