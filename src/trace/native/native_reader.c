/* Reads the native format, a chunk at a time, from anything that gives bytes in order.
 *
 * A chunk is checked and decompressed as a whole (native_chunks.c). Its new names and contexts are
 * entered at once (native_tables.c); its columns (native_columns.c) become events strip by strip,
 * some of which chunks before it have marked (native_strips.c) or made several of (native_runs.c).
 *
 * Decoding trusts nothing: whatever a damaged or hostile file says, the result is an error and
 * never a number out of range. The checks are arithmetic on whole strips rather than a branch an
 * event. */
#include "trace/native/native_chunks.h"
#include "trace/native/native_lives.h"
#include "trace/native/native_runs.h"
#include "trace/native/native_strips.h"
#include "trace/native/native_tables.h"
#include "trace/native/native_values.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* What names and contexts may need in memory: so much, and so much more for each byte of the file.
 * A name or a context takes about that, besides its text. */
#define KEPT_FREELY (UINT64_C(256) << 20)
#define KEPT_FOR_A_BYTE 256
enum { NAME_BYTES = 48, CONTEXT_BYTES = 32 };

struct reader {
    struct native_chunks chunks;
    struct st_symbols *symbols;
    struct native_layout layout;
    bool gone;                      /* lives may end */
    uint64_t events;                /* in the chunks so far */
    struct st_packed_names *packed; /* names of variables; NULL: they are in their table */
    uint64_t kept; /* bytes, roughly, of their names and contexts, which stay in memory */
    uint32_t left; /* rows of columns of the chunk that were not decoded yet */
    struct native_marks atomic, joined;
    struct native_runs runs;
    struct native_values values;
    const struct st_access_value *returned; /* of the events that were returned last; NULL: none */
    struct native_column columns[COLUMN_COUNT];
    struct native_rows rows;
    struct native_lives lives;
    bool ended, truncated;
    struct native_strip strip;
};

/* ---- the reader ---- */

static void *open_reader(struct st_input *input, struct st_symbols *symbols,
                         struct st_error *error) {
    struct reader *reader = st_alloc(1, sizeof *reader);
    int version = native_chunks_open(&reader->chunks, input, error);
    if (version < 0) {
        free(reader);
        return NULL;
    }
    reader->layout = native_layout((uint32_t)version);
    reader->gone = version > NATIVE_CONTEXTS;
    reader->symbols = symbols;
    symbols->contexts.kept = reader->layout.columns > COLUMN_CONTEXTS;
    symbols->reuses &= version > NATIVE_CONTEXTS;
    reader->packed = symbols->packs ? st_packed_names_new(symbols) : NULL;
    return reader;
}

static void close_reader(void *state) {
    struct reader *reader = state;
    native_chunks_close(&reader->chunks);
    native_rows_free(&reader->rows);
    native_lives_free(&reader->lives);
    free(reader->atomic.bits);
    free(reader->joined.bits);
    free(reader->runs.list);
    free(reader->values.list);
    free(reader);
}

static bool is_truncated(const void *state) {
    const struct reader *reader = state;
    return reader->truncated;
}

/* 0 when there is no problem. */
static int check(const struct reader *reader, struct st_error *error, const char *problem) {
    return problem ? native_fail_content(&reader->chunks, error, problem) : 0;
}

/* ---- chunks ---- */

static int take_end(struct reader *reader, size_t size, struct st_error *error) {
    if (size < END_SIZE)
        return native_fail_content(&reader->chunks, error, "the end chunk is too short");
    uint64_t events = get_u64(reader->chunks.payload);
    if (events != reader->events)
        return st_fail(error, reader->chunks.input->name, ST_AT_OFFSET, reader->chunks.offset,
                       "the file holds %" PRIu64 " events, but its end chunk counts %" PRIu64
                       "; parts of the file are missing",
                       reader->events, events);
    reader->truncated = get_u32(reader->chunks.payload + 8) & END_SOURCE_TRUNCATED;
    reader->ended = true;
    return native_chunks_end(&reader->chunks, error);
}

/* A few bytes can be the compressed form of sixty million names. Text that somebody recorded is
 * compressed ten times, or twenty: what exceeds this by far was made to exhaust our memory. */
static const char *keep(struct reader *reader, uint64_t bytes) {
    reader->kept += bytes;
    if (reader->kept <= KEPT_FREELY + KEPT_FOR_A_BYTE * reader->chunks.input->consumed)
        return NULL;
    return "its names and contexts need far more memory than a file of this size can need";
}

static const char *take_packed(struct reader *reader, uint32_t count, struct native_cursor text) {
    size_t before = st_packed_names_memory(reader->packed);
    const char *problem =
        native_pack_variables(reader->packed, &reader->symbols->variables, count, text);
    return problem ? problem : keep(reader, st_packed_names_memory(reader->packed) - before);
}

static const char *take_names(struct reader *reader, enum names_table table, uint32_t count,
                              struct native_cursor text) {
    struct st_names *names = names_table(reader->symbols, table);
    if (table == TABLE_VARIABLES && reader->packed) {
        const char *problem = take_packed(reader, count, text);
        if (!problem)
            native_lives_name(&reader->lives, names, count);
        return problem;
    }
    const char *problem = keep(reader, text.left + NAME_BYTES * (uint64_t)count);
    if (problem)
        return problem;
    if (table != TABLE_VARIABLES)
        return native_take_names(names, count, text);
    problem = native_take_variables(names, count, text);
    if (!problem)
        native_lives_name(&reader->lives, names, count);
    return problem;
}

/* NULL, or what is wrong with them. */
static const char *take_tables(struct reader *reader, const unsigned char *heads,
                               struct native_cursor *body) {
    for (enum names_table table = 0; table < reader->layout.tables; table++) {
        const unsigned char *head = heads + table * NAMES_HEAD_SIZE;
        struct native_cursor text = native_take_bytes(body, get_u32(head + 4));
        if (!text.next)
            return "its names are longer than the chunk";
        const char *problem = take_names(reader, table, get_u32(head), text);
        if (problem)
            return problem;
    }
    st_symbols_note_channels(reader->symbols);
    return NULL;
}

static const char *take_columns(struct reader *reader, const unsigned char *heads,
                                struct native_cursor *body) {
    for (enum column_kind kind = 0; kind < reader->layout.columns; kind++) {
        unsigned widest = kind == COLUMN_LOC ? WIDEST_LOC : WIDEST_NUMBER;
        const char *problem = native_column_take(&reader->columns[kind],
                                                 heads + kind * COLUMN_HEAD_SIZE, widest, body);
        if (problem)
            return problem;
    }
    return NULL;
}

static const char *take_events(struct reader *reader, size_t size) {
    const unsigned char *payload = reader->chunks.payload;
    struct native_layout layout = reader->layout;
    size_t heads_size = native_heads_size(layout);
    if (size < heads_size)
        return "it is too short";
    uint32_t events = get_u32(payload);
    if (events > CHUNK_EVENTS_LIMIT || get_u32(payload + 4))
        return "it has too many events";
    const unsigned char *heads = payload + EVENTS_HEAD_SIZE;
    struct native_cursor body = {payload + heads_size, size - heads_size};
    const char *problem = take_tables(reader, heads, &body);
    if (!problem)
        problem = take_columns(reader, heads + layout.tables * NAMES_HEAD_SIZE, &body);
    if (problem)
        return problem;
    if (body.left || !native_columns_fit(reader->columns, events))
        return "its columns do not fit its number of events";
    if (layout.columns > COLUMN_CONTEXTS)
        problem = native_take_contexts(&reader->rows, reader->columns, reader->symbols);
    if (!problem && layout.columns > COLUMN_CONTEXTS)
        problem = keep(reader, CONTEXT_BYTES * ((uint64_t)reader->columns[COLUMN_FRAME_LINE].count +
                                                reader->columns[COLUMN_SITE_LINE].count));
    if (problem)
        return problem;
    if (!native_marks_fit(&reader->atomic, events) || !native_marks_fit(&reader->joined, events))
        return "its number of events is not that of its marks";
    if (!native_values_fit(&reader->values, events))
        return "its number of events is not that of its values";
    if (!native_runs_fit(&reader->runs, events))
        return "its number of events is not that of its runs";
    if (reader->runs.count && reader->values.events)
        return "it has runs and values";
    reader->left = events;
    reader->events += events + (reader->runs.count ? reader->runs.more : 0);
    return NULL;
}

/* A rule that later versions have is none that we know. */
static const char *take_rule(struct reader *reader, size_t size) {
    if (size < RULE_SIZE)
        return "it is too short";
    if (reader->events)
        return "the rule of a recording comes after events";
    uint32_t rule = get_u32(reader->chunks.payload);
    reader->symbols->rule = rule <= ST_RULE_EVERY ? (enum st_recording_rule)rule : ST_RULE_UNKNOWN;
    return NULL;
}

/* Calls without events: the number of a block and how many each. */
static const char *take_left_out(struct reader *reader, size_t size) {
    if (size % CALLS_SIZE)
        return "it ends in the middle of a number";
    for (size_t i = 0; i < size; i += CALLS_SIZE) {
        const unsigned char *row = reader->chunks.payload + i;
        if (get_u32(row) >= reader->symbols->blocks.count)
            return "it counts calls of a block that there is not";
        st_silent_calls_add(&reader->symbols->left_out, get_u32(row), get_u64(row + 4));
    }
    return NULL;
}

/* Words for threads: a number and a text each. */
static const char *take_words(struct reader *reader, struct st_thread_words *words, size_t size) {
    const unsigned char *next = reader->chunks.payload, *end = next + size;
    while (next != end) {
        const char *text = (const char *)next + sizeof(uint32_t);
        if ((size_t)(end - next) <= sizeof(uint32_t) ||
            get_u32(next) >= reader->symbols->threads.count)
            return "it names a thread that there is not";
        const char *zero = memchr(text, '\0', (size_t)(end - (const unsigned char *)text));
        if (!zero || zero - text > CALLED_LIMIT)
            return "its names of threads do not end";
        const char *problem = keep(reader, NAME_BYTES + (uint64_t)(zero - text));
        if (problem)
            return problem;
        st_thread_words_set(words, get_u32(next), text);
        next = (const unsigned char *)zero + 1;
    }
    return NULL;
}

static bool is_type(const struct chunk_head *head, const char *type) {
    return memcmp(head->type, type, sizeof head->type) == 0;
}

static int take_chunk(struct reader *reader, struct st_error *error) {
    struct chunk_head head;
    int status = native_chunks_next(&reader->chunks, &head, error);
    if (status < 0)
        return -1;
    if (status == 0) {
        reader->ended = reader->truncated = true;
        return 0;
    }
    const unsigned char *payload = reader->chunks.payload;
    if (is_type(&head, CHUNK_EVENTS))
        return check(reader, error, take_events(reader, head.full));
    if (is_type(&head, CHUNK_ATOMIC))
        return check(reader, error, native_marks_take(&reader->atomic, payload, head.full));
    if (is_type(&head, CHUNK_JOINED))
        return check(reader, error, native_marks_take(&reader->joined, payload, head.full));
    if (is_type(&head, CHUNK_GONE) && reader->gone)
        return check(reader, error,
                     native_lives_take(&reader->lives, reader->symbols->reuses, payload, head.full,
                                       reader->events));
    if (is_type(&head, CHUNK_VALUES) && reader->symbols->values)
        return check(reader, error, native_values_take(&reader->values, payload, head.full));
    if (is_type(&head, CHUNK_RUNS))
        return check(reader, error, native_runs_take(&reader->runs, payload, head.full));
    if (is_type(&head, CHUNK_RULE))
        return check(reader, error, take_rule(reader, head.full));
    if (is_type(&head, CHUNK_CALLED))
        return check(reader, error, take_words(reader, &reader->symbols->given, head.full));
    if (is_type(&head, CHUNK_STARTED))
        return check(reader, error, take_words(reader, &reader->symbols->started, head.full));
    if (is_type(&head, CHUNK_LEFT_OUT))
        return check(reader, error, take_left_out(reader, head.full));
    if (is_type(&head, CHUNK_LATE))
        return check(reader, error,
                     reader->symbols->late ? NULL : "its events are not at their places");
    if (is_type(&head, CHUNK_END))
        return take_end(reader, head.full, error);
    if (head.type[0] & CHUNK_OPTIONAL_BIT)
        return 0;
    char quoted[32];
    st_quote(quoted, sizeof quoted, head.type, sizeof head.type);
    return st_fail(error, reader->chunks.input->name, ST_AT_OFFSET, reader->chunks.offset,
                   "chunk of the unknown type %s; read the file with a newer seriatim", quoted);
}

/* ---- events ---- */

/* Each life has a number of its own, unless the caller takes care of ends. */
static const char *renumber(struct reader *reader, struct st_event *events, size_t n) {
    struct native_lives *lives = &reader->lives;
    struct st_names *names = &reader->symbols->variables;
    uint64_t bytes = lives->renewed_bytes, count = names->count;
    if (!native_lives_renumber(lives, names, reader->packed, events, n))
        return "there are too many variables";
    return keep(reader, lives->renewed_bytes - bytes + NAME_BYTES * (names->count - count));
}

static const char *weave(struct reader *reader, struct st_event *events, size_t n) {
    const char *problem =
        native_strip_decode(&reader->strip, reader->columns, reader->symbols,
                            reader->lives.variables, reader->layout.step_op_bits, events, n);
    if (problem)
        return problem;
    uint32_t marked = reader->atomic.events ? reader->atomic.events : reader->joined.events;
    if (marked)
        native_marks_put(&reader->atomic, &reader->joined, marked - reader->left, events, n);
    reader->left -= (uint32_t)n;
    return NULL;
}

/* Events from a chunk without runs: each row is one. */
static const char *take_rows(struct reader *reader, struct st_event *events, size_t count) {
    for (size_t done = 0; done < count;) {
        size_t n = count - done < NATIVE_STRIP ? count - done : NATIVE_STRIP;
        const char *problem = weave(reader, events + done, n);
        if (!problem)
            problem = renumber(reader, events + done, n);
        if (problem)
            return problem;
        done += n;
    }
    return NULL;
}

/* Events from a chunk with runs, as many as there are and as have room. */
static const char *take_runs(struct reader *reader, struct st_event *events, size_t capacity,
                             size_t *count) {
    struct native_runs *runs = &reader->runs;
    *count = 0;
    while (*count < capacity && (native_runs_left(runs) || reader->left)) {
        if (!native_runs_left(runs)) {
            uint32_t n = reader->left < NATIVE_STRIP ? reader->left : NATIVE_STRIP;
            const char *problem = weave(reader, runs->woven, n);
            if (problem)
                return problem;
            native_runs_wove(runs, n);
        }
        size_t made =
            native_runs_expand(runs, reader->lives.variables, events + *count, capacity - *count);
        if (made == SIZE_MAX)
            return "a run has variables without names";
        *count += made;
    }
    return renumber(reader, events, *count);
}

static long next_events(void *state, struct st_event *events, size_t capacity,
                        struct st_error *error) {
    struct reader *reader = state;
    struct native_lives *lives = &reader->lives;
    if (lives->handed_out)
        lives->run_count = 0;
    lives->handed_out = false;
    while (!reader->left && !native_runs_left(&reader->runs)) {
        if (reader->ended)
            return 0;
        if (take_chunk(reader, error) < 0)
            return -1;
    }
    size_t count = reader->left < capacity ? reader->left : capacity;
    const char *problem;
    reader->returned =
        reader->values.events ? reader->values.list + (reader->values.events - reader->left) : NULL;
    if (reader->runs.count)
        problem = take_runs(reader, events, capacity, &count);
    else
        problem = take_rows(reader, events, count);
    if (problem)
        return native_fail_content(&reader->chunks, error, problem);
    lives->handed_out = true;
    return (long)count;
}

static const struct st_variable_run *ended(const void *state, size_t *count) {
    const struct reader *reader = state;
    *count = reader->lives.handed_out ? reader->lives.run_count : 0;
    return reader->lives.runs;
}

static const struct st_access_value *values(const void *state) {
    const struct reader *reader = state;
    return reader->returned;
}

const struct st_format st_native_format = {
    .name = "native",
    .open = open_reader,
    .next = next_events,
    .ended = ended,
    .values = values,
    .truncated = is_truncated,
    .close = close_reader,
};
