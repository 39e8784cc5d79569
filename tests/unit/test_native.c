/* The native format: what goes in comes out, and whatever else a file holds is refused.
 *
 * `test_native write-golden FILE` writes the trace of the golden test. A golden file is made once
 * for each version of the format and then never again. */
#include "base/memory.h"
#include "trace/format.h"
#include "trace/native/native_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- traces in memory ---- */

struct bytes {
    char *data;
    size_t size;
};

struct events {
    struct st_event *data;
    size_t count, capacity;
};

/* What reading some bytes gave. */
struct outcome {
    struct events events;
    struct st_symbols symbols;
    struct st_error error;
    bool failed, truncated;
    enum { READ_PLAIN, READ_LIVES, READ_PACKED } way;
    struct st_variable_run ended; /* the last of them, and the number of events before it */
    size_t ended_at, ends;
};

static void add_event(struct events *events, struct st_event event) {
    st_reserve(&events->data, &events->capacity, events->count + 1);
    events->data[events->count++] = event;
}

static struct st_event make_event(struct st_symbols *symbols, const char *thread, enum st_op op,
                                  const char *target, const char *loc) {
    uint32_t number = ST_NO_NAME;
    if (target)
        number = st_names_add(st_symbols_of(symbols, op), target, strlen(target));
    return (struct st_event){.thread = st_names_add(&symbols->threads, thread, strlen(thread)),
                             .target = number,
                             .loc = st_location_add(symbols, loc, strlen(loc)),
                             .written = op,
                             .op = op};
}

/* Writes the events with so many in a chunk; 0 stands for the default. */
static struct bytes write_trace(const struct st_symbols *symbols, const struct events *events,
                                uint32_t chunk_events, bool truncated) {
    struct bytes bytes = {NULL, 0};
    struct st_error error;
    FILE *file = open_memstream(&bytes.data, &bytes.size);
    void *writer = st_native_writer.open(file, "memory", symbols);
    if (chunk_events)
        st_native_writer_chunk_events(writer, chunk_events);
    assert_int_equal(st_native_writer.write(writer, events->data, events->count, &error), 0);
    assert_int_equal(st_native_writer.finish(writer, truncated, &error), 0);
    st_native_writer.close(writer);
    fclose(file);
    return bytes;
}

static void note_ends(const void *reader, struct outcome *outcome) {
    size_t count;
    const struct st_variable_run *runs = st_native_format.ended(reader, &count);
    if (count) {
        outcome->ended = runs[count - 1];
        outcome->ended_at = outcome->events.count;
    }
    outcome->ends += count;
}

static void read_events(struct st_input *input, struct outcome *outcome, size_t batch) {
    outcome->symbols.reuses = outcome->way == READ_LIVES;
    outcome->symbols.packs = outcome->way == READ_PACKED;
    void *reader = st_native_format.open(input, &outcome->symbols, &outcome->error);
    outcome->failed = !reader;
    if (!reader)
        return;
    struct st_event *events = st_alloc(batch, sizeof *events);
    long count;
    while ((count = st_native_format.next(reader, events, batch, &outcome->error)) > 0) {
        note_ends(reader, outcome);
        for (long i = 0; i < count; i++)
            add_event(&outcome->events, events[i]);
    }
    outcome->failed = count < 0;
    outcome->truncated = st_native_format.truncated(reader);
    st_native_format.close(reader);
    free(events);
}

/* The bytes lie at the end of their memory, so that a sanitizer sees a look beyond them. */
static struct outcome read_trace_as(const char *data, size_t size, size_t batch, int way) {
    struct outcome outcome = {.way = way};
    st_symbols_init(&outcome.symbols);
    struct st_input input = {.fd = -1, .name = "memory", .at_end = true};
    input.data = malloc(size + ST_INPUT_PADDING);
    memcpy(input.data, data, size);
    memset(input.data + size, 0, ST_INPUT_PADDING);
    input.end = input.capacity = size;
    read_events(&input, &outcome, batch);
    st_input_close(&input);
    return outcome;
}

static struct outcome read_trace(const char *data, size_t size, size_t batch) {
    return read_trace_as(data, size, batch, READ_PLAIN);
}

static void free_outcome(struct outcome *outcome) {
    st_symbols_free(&outcome->symbols);
    free(outcome->events.data);
}

static void assert_same_names(const struct st_names *found, const struct st_names *expected) {
    assert_int_equal(found->count, expected->count);
    for (uint32_t i = 0; i < found->count; i++)
        assert_string_equal(st_name(found, i), st_name(expected, i));
}

static void assert_same_rows(const void *found, size_t found_count, const void *expected,
                             size_t expected_count, size_t size) {
    assert_int_equal(found_count, expected_count);
    if (found_count)
        assert_memory_equal(found, expected, found_count * size);
}

static void assert_same_contexts(const struct st_contexts *found,
                                 const struct st_contexts *expected) {
    assert_int_equal(found->kept, expected->kept);
    assert_same_rows(found->frames, found->frame_count, expected->frames, expected->frame_count,
                     sizeof *found->frames);
    assert_same_rows(found->sites, found->site_count, expected->sites, expected->site_count,
                     sizeof *found->sites);
}

static void assert_same_symbols(struct st_symbols *found, struct st_symbols *expected) {
    assert_same_contexts(&found->contexts, &expected->contexts);
    assert_same_names(&found->locations, &expected->locations);
    for (enum names_table table = 0; table < TABLE_COUNT; table++)
        assert_same_names(names_table(found, table), names_table(expected, table));
}

static bool is_prefix(const struct events *part, const struct events *whole) {
    return part->count <= whole->count &&
           (!part->count || memcmp(part->data, whole->data, part->count * sizeof *part->data) == 0);
}

static void assert_reads_back(struct st_symbols *symbols, const struct events *events,
                              uint32_t chunk_events, size_t batch) {
    struct bytes bytes = write_trace(symbols, events, chunk_events, false);
    struct outcome outcome = read_trace(bytes.data, bytes.size, batch);
    assert_false(outcome.failed);
    assert_false(outcome.truncated);
    assert_int_equal(outcome.events.count, events->count);
    assert_true(is_prefix(&outcome.events, events));
    assert_same_symbols(&outcome.symbols, symbols);
    free_outcome(&outcome);
    free(bytes.data);
}

/* ---- the golden trace: every operation, both kinds of location, a block without a name ----
 *
 * That of a version has the lines of those before it, and behind them what was added. */

enum { GOLDEN_1 = 19 }; /* lines of version 1 */

static const struct line {
    const char *thread;
    enum st_op op;
    const char *target, *loc;
} golden[] = {
    {"main", ST_WRITE, "balance", "1"},
    {"main", ST_FORK, "worker", "main.c:12"},
    {"main", ST_BEGIN, "transfer", "main.c:20"},
    {"main", ST_ACQUIRE, "lock", "main.c:21"},
    {"main", ST_READ, "balance", "main.c:22"},
    {"worker", ST_BEGIN, NULL, "0"},
    {"worker", ST_READ,
     "h\xc3\xa9"
     "ap[3].x y",
     "140737488355327"},
    {"main", ST_RELEASE, "lock", "main.c:23"},
    {"worker", ST_ACQUIRE, "lock", "00"},
    {"worker", ST_WRITE, "balance", "-1"},
    {"worker", ST_RELEASE, "lock", ""},
    {"worker", ST_BEGIN, "inner(int)", "7"},
    {"worker", ST_WRITE,
     "h\xc3\xa9"
     "ap[3].x y",
     "8"},
    {"worker", ST_END, "inner(int)", "9"},
    {"worker", ST_END, NULL, "10"},
    {"main", ST_READ, "balance", "main.c:24"},
    {"main", ST_END, "transfer", "main.c:25"},
    {"main", ST_JOIN, "worker", "140737488355328"},
    {"main", ST_READ, "balance", "70000"},
    {"worker 2", ST_SEND, "posted", "sem.c:7"},
    {"main", ST_SEND, "posted", "sem.c:7"},
    {"worker 2", ST_BEGIN, "drain", "main.c:40"},
    {"worker 2", ST_RECEIVE, "posted", "sem.c:9"},
    {"worker 2", ST_SEND, "lock", "3"},
    {"main", ST_RECEIVE, "lock", "4"},
    {"worker 2", ST_END, "drain", "main.c:41"},
};

static struct events make_golden(struct st_symbols *symbols) {
    struct events events = {0};
    for (size_t i = 0; i < COUNT(golden); i++)
        add_event(&events, make_event(symbols, golden[i].thread, golden[i].op, golden[i].target,
                                      golden[i].loc));
    return events;
}

/* The trace, its names and its bytes with five events a chunk. */
struct sample {
    struct st_symbols symbols;
    struct events events;
    struct bytes bytes;
};

static struct sample make_sample(void) {
    struct sample sample;
    st_symbols_init(&sample.symbols);
    sample.events = make_golden(&sample.symbols);
    sample.bytes = write_trace(&sample.symbols, &sample.events, 5, false);
    return sample;
}

/* Makes sites of the location names: each is reached in two ways, by turns. */
static void keep_contexts(struct st_symbols *symbols, struct events *events) {
    struct st_contexts *contexts = &symbols->contexts;
    struct st_names names = symbols->locations;
    contexts->kept = true;
    st_names_init(&symbols->locations);
    uint32_t main_name = st_names_add(&contexts->functions, "main", 4);
    uint32_t work = st_names_add(&contexts->functions, "bank::work", 10);
    for (uint32_t i = 0; i < names.count; i++) {
        uint32_t line =
            st_names_add(&contexts->lines, st_name(&names, i), st_name_length(&names, i));
        uint32_t caller = st_contexts_frame(contexts, (struct st_frame_row){main_name, line, 0});
        uint32_t frame = st_contexts_frame(contexts, (struct st_frame_row){work, line, caller});
        st_symbols_site(symbols, (struct st_site_row){line, frame, caller, 0});
        st_symbols_site(symbols, (struct st_site_row){line, i % 2 ? caller : 0, 0, 0});
    }
    st_names_free(&names);
    for (size_t i = 0; i < events->count; i++)
        if (events->data[i].loc & ST_LOC_NAME)
            events->data[i].loc = ST_LOC_NAME | (2 * (events->data[i].loc & ~ST_LOC_NAME) + i % 2);
}

static struct sample make_context_sample(void) {
    struct sample sample;
    st_symbols_init(&sample.symbols);
    sample.events = make_golden(&sample.symbols);
    keep_contexts(&sample.symbols, &sample.events);
    sample.bytes = write_trace(&sample.symbols, &sample.events, 5, false);
    return sample;
}

/* The same, but the variable of the first event ends after ENDED_AT of them. */
enum { ENDED_AT = 10 };

static struct bytes write_lives(struct sample *sample, uint32_t chunk_events) {
    struct bytes bytes = {NULL, 0};
    struct st_error error;
    const struct events *events = &sample->events;
    const struct st_variable_run run = {0, 1};
    sample->symbols.reuses = true;
    FILE *file = open_memstream(&bytes.data, &bytes.size);
    void *writer = st_native_writer.open(file, "memory", &sample->symbols);
    st_native_writer_chunk_events(writer, chunk_events);
    assert_int_equal(st_native_writer.write(writer, events->data, ENDED_AT, &error), 0);
    assert_int_equal(st_native_writer_waiting(writer), ENDED_AT % chunk_events);
    assert_int_equal(st_native_writer_end(writer, &run, 1, &error), 0);
    assert_int_equal(st_native_writer_waiting(writer), 0);
    assert_int_equal(
        st_native_writer.write(writer, events->data + ENDED_AT, events->count - ENDED_AT, &error),
        0);
    assert_int_equal(st_native_writer.finish(writer, false, &error), 0);
    st_native_writer.close(writer);
    fclose(file);
    return bytes;
}

static struct sample make_lives_sample(void) {
    struct sample sample = make_context_sample();
    free(sample.bytes.data);
    sample.bytes = write_lives(&sample, 5);
    return sample;
}

static void free_sample(struct sample *sample) {
    st_symbols_free(&sample->symbols);
    free(sample->events.data);
    free(sample->bytes.data);
}

static void assert_golden_event(const struct outcome *outcome, size_t i) {
    const struct st_event *event = &outcome->events.data[i];
    const struct st_symbols *symbols = &outcome->symbols;
    char buffer[ST_LOCATION_SIZE];
    assert_string_equal(st_name(&symbols->threads, event->thread), golden[i].thread);
    assert_int_equal(event->written, golden[i].op);
    assert_int_equal(event->op, golden[i].op);
    assert_string_equal(st_target_name(symbols, golden[i].op, event->target),
                        golden[i].target ? golden[i].target : "");
    assert_string_equal(st_location_text(symbols, event->loc, buffer), golden[i].loc);
}

static struct bytes read_file(const char *path) {
    struct bytes bytes = {malloc(1 << 16), 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes.size = fread(bytes.data, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static struct bytes golden_file_of_version_1(void) {
    return read_file(SOURCE_DIR "/tests/traces/golden-v1.stt");
}

static void assert_golden(struct bytes bytes, uint32_t version, size_t lines) {
    assert_int_equal(get_u32((const unsigned char *)bytes.data + ST_NATIVE_MAGIC_SIZE), version);
    for (size_t batch = 1; batch < 10; batch++) {
        struct outcome outcome = read_trace(bytes.data, bytes.size, batch);
        assert_false(outcome.failed);
        assert_false(outcome.truncated);
        assert_int_equal(outcome.events.count, lines);
        for (size_t i = 0; i < lines; i++)
            assert_golden_event(&outcome, i);
        free_outcome(&outcome);
    }
    free(bytes.data);
}

static void the_golden_file_of_version_1_stays_readable(void **state) {
    (void)state;
    assert_golden(golden_file_of_version_1(), 1, GOLDEN_1);
}

static void the_golden_file_of_version_2_stays_readable(void **state) {
    (void)state;
    assert_golden(read_file(SOURCE_DIR "/tests/traces/golden-v2.stt"), 2, COUNT(golden));
}

static void the_golden_file_of_version_3_stays_readable(void **state) {
    (void)state;
    struct sample sample = make_context_sample();
    struct bytes bytes = read_file(SOURCE_DIR "/tests/traces/golden-v3.stt");
    struct outcome outcome = read_trace(bytes.data, bytes.size, 7);
    assert_false(outcome.failed);
    assert_same_symbols(&outcome.symbols, &sample.symbols);
    free_outcome(&outcome);
    free_sample(&sample);
    assert_golden(bytes, 3, COUNT(golden));
}

static void the_golden_file_of_version_4_stays_readable(void **state) {
    (void)state;
    struct bytes bytes = read_file(SOURCE_DIR "/tests/traces/golden-v4.stt");
    struct outcome outcome = read_trace_as(bytes.data, bytes.size, 7, READ_LIVES);
    assert_false(outcome.failed);
    assert_int_equal(outcome.ends, 1);
    assert_int_equal(outcome.ended_at, ENDED_AT);
    free_outcome(&outcome);
    assert_golden(bytes, 4, COUNT(golden));
}

/* ---- writing and reading back ---- */

/* Names of all lengths: first in blocks that are kept as they are, then in some that are
 * compressed, and in one that waits for more. */
static void packed_names_come_back(void **state) {
    (void)state;
    enum { NAMES = 1200000 }; /* 40 MB */
    struct sample sample = make_context_sample();
    char name[ST_LOCATION_SIZE + 40];
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "%.*s of 64 bytes+%d", i % 30,
                 "heap block of somebody's memory", i);
        st_names_append(&sample.symbols.variables, name, strlen(name));
    }
    struct bytes bytes = write_trace(&sample.symbols, &sample.events, 5, false);
    struct outcome outcome = read_trace_as(bytes.data, bytes.size, 7, READ_PACKED);
    assert_false(outcome.failed);
    assert_int_equal(outcome.symbols.variables.count, sample.symbols.variables.count);
    for (uint32_t i = 0; i < outcome.symbols.variables.count; i += i < 100 ? 1 : 2999)
        assert_string_equal(st_target_name(&outcome.symbols, ST_READ, i),
                            st_name(&sample.symbols.variables, i));
    assert_string_equal(st_target_name(&outcome.symbols, ST_READ, 0),
                        st_name(&sample.symbols.variables, 0));
    free_outcome(&outcome);
    free(bytes.data);
    free_sample(&sample);
}

static void ends_of_lives_come_back(void **state) {
    (void)state;
    struct sample sample = make_context_sample();
    for (uint32_t chunk_events = 1; chunk_events < 30; chunk_events++)
        for (size_t batch = 1; batch < 8; batch++) {
            struct bytes bytes = write_lives(&sample, chunk_events);
            struct outcome outcome = read_trace_as(bytes.data, bytes.size, batch, READ_LIVES);
            assert_false(outcome.failed);
            assert_true(outcome.symbols.reuses);
            assert_same_symbols(&outcome.symbols, &sample.symbols);
            assert_int_equal(outcome.events.count, sample.events.count);
            assert_true(is_prefix(&outcome.events, &sample.events));
            assert_int_equal(outcome.ends, 1);
            assert_int_equal(outcome.ended_at, ENDED_AT);
            assert_int_equal(outcome.ended.first, 0);
            assert_int_equal(outcome.ended.count, 1);
            free_outcome(&outcome);
            free(bytes.data);
        }
    free_sample(&sample);
}

/* Who does not care for ends sees another variable of the same name, also if names are packed. */
static void assert_lives_have_numbers(const struct sample *sample, size_t batch, int way) {
    struct outcome outcome = read_trace_as(sample->bytes.data, sample->bytes.size, batch, way);
    uint32_t before = sample->symbols.variables.count;
    assert_false(outcome.failed);
    assert_int_equal(outcome.ends, 0);
    assert_int_equal(outcome.symbols.variables.count, before + 1);
    for (size_t i = 0; i < outcome.events.count; i++) {
        const struct st_event *found = &outcome.events.data[i];
        bool renewed = i >= ENDED_AT && found->op <= ST_WRITE && !sample->events.data[i].target;
        assert_int_equal(found->target, renewed ? before : sample->events.data[i].target);
        assert_golden_event(&outcome, i);
    }
    free_outcome(&outcome);
}

static void each_life_has_a_number_of_its_own(void **state) {
    (void)state;
    struct sample sample = make_lives_sample();
    for (size_t batch = 1; batch < 30; batch++) {
        assert_lives_have_numbers(&sample, batch, READ_PLAIN);
        assert_lives_have_numbers(&sample, batch, READ_PACKED);
    }
    free_sample(&sample);
}

static void every_kind_of_event_comes_back(void **state) {
    (void)state;
    struct sample sample = make_sample();
    for (uint32_t chunk_events = 1; chunk_events < 30; chunk_events++)
        for (size_t batch = 1; batch < 8; batch++)
            assert_reads_back(&sample.symbols, &sample.events, chunk_events, batch);
    free_sample(&sample);
}

/* Also one that is equal to another thread's; the last one counts. */
static void names_that_the_program_gave_to_threads_come_back(void **state) {
    (void)state;
    struct sample sample = make_sample();
    st_thread_words_set(&sample.symbols.given, 0, "old");
    st_thread_words_set(&sample.symbols.given, 0, "worker");
    st_thread_words_set(&sample.symbols.given, 1, "pool-7");
    struct bytes bytes = write_trace(&sample.symbols, &sample.events, 5, false);
    struct outcome outcome = read_trace(bytes.data, bytes.size, 3);
    char name[64];
    assert_false(outcome.failed);
    assert_same_symbols(&outcome.symbols, &sample.symbols);
    st_symbols_thread_name(&outcome.symbols, 0, name, sizeof name);
    assert_string_equal(name, "worker (main)");
    st_symbols_thread_name(&outcome.symbols, 1, name, sizeof name);
    assert_string_equal(name, "pool-7");
    free_outcome(&outcome);
    free(bytes.data);
    free_sample(&sample);
}

static void contexts_come_back(void **state) {
    (void)state;
    struct sample sample = make_context_sample();
    for (uint32_t chunk_events = 1; chunk_events < 30; chunk_events++)
        for (size_t batch = 1; batch < 8; batch++)
            assert_reads_back(&sample.symbols, &sample.events, chunk_events, batch);
    free_sample(&sample);
}

/* They go ahead in chunks of their own: frames, then those that were too many, then sites. */
static void contexts_beyond_the_size_of_a_chunk_come_back(void **state) {
    (void)state;
    struct sample sample = make_context_sample();
    struct st_contexts *contexts = &sample.symbols.contexts;
    while (contexts->frame_count < 2 * CHUNK_ROWS_LIMIT + 100)
        st_contexts_frame(contexts, (struct st_frame_row){contexts->frame_count % 2, 0,
                                                          (uint32_t)contexts->frame_count});
    while (contexts->site_count < CHUNK_ROWS_LIMIT + 100)
        st_symbols_site(&sample.symbols,
                        (struct st_site_row){0, (uint32_t)(contexts->frame_count), 1, 0});
    assert_reads_back(&sample.symbols, &sample.events, 5, 7);
    free_sample(&sample);
}

/* Without contexts, older versions of seriatim can read what is written. */
static void the_version_is_no_higher_than_it_must_be(void **state) {
    (void)state;
    struct sample samples[] = {make_sample(), make_context_sample(), make_lives_sample()};
    for (uint32_t i = 0; i < COUNT(samples); i++) {
        const unsigned char *head = (const unsigned char *)samples[i].bytes.data;
        assert_int_equal(get_u32(head + ST_NATIVE_MAGIC_SIZE), 2 + i);
        free_sample(&samples[i]);
    }
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

static void add_many_names(struct st_symbols *symbols, uint32_t count) {
    char name[32];
    for (enum names_table table = 0; table < TABLE_FUNCTIONS; table++)
        for (uint32_t i = 0; i < count; i++)
            st_names_add(names_table(symbols, table), name, (size_t)sprintf(name, "n%u", i));
}

/* Random events over `names` names a table; locations are numbers of up to loc_bits bits. */
static struct events make_random(uint32_t names, unsigned loc_bits, size_t count, uint64_t seed) {
    struct events events = {0};
    for (size_t i = 0; i < count; i++) {
        struct st_event event = {.thread = (uint32_t)(next_random(&seed) % names),
                                 .target = (uint32_t)(next_random(&seed) % names)};
        event.op = event.written = next_random(&seed) % ST_OP_COUNT;
        if ((event.op == ST_BEGIN || event.op == ST_END) && next_random(&seed) % 3 == 0)
            event.target = ST_NO_NAME;
        uint64_t loc = (next_random(&seed) << 24 ^ next_random(&seed)) & ((ST_LOC_NAME)-1);
        event.loc = next_random(&seed) % 2 ? loc >> (47 - loc_bits) : ST_LOC_NAME | loc % names;
        add_event(&events, event);
    }
    return events;
}

static void columns_of_every_width_come_back(void **state) {
    (void)state;
    static const uint32_t names[] = {1, 2, 256, 257, 70000};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct st_symbols symbols;
        st_symbols_init(&symbols);
        add_many_names(&symbols, names[i]);
        for (unsigned loc_bits = 0; loc_bits <= 47; loc_bits += 7 - (loc_bits == 42) * 2) {
            struct events events = make_random(names[i], loc_bits, 2100, loc_bits + i);
            assert_reads_back(&symbols, &events, 700, 1000);
            free(events.data);
        }
        st_symbols_free(&symbols);
    }
}

static void numbers_that_run_on_come_back(void **state) {
    (void)state;
    struct st_symbols symbols;
    st_symbols_init(&symbols);
    add_many_names(&symbols, 100000);
    struct events events = {0};
    for (uint32_t i = 0; i < 200000; i++)
        add_event(&events, (struct st_event){.thread = i / 2,
                                             .target = 99999 - i / 2,
                                             .loc = ST_LOC_NAME - 1 - i,
                                             .written = i % 4 / 2,
                                             .op = i % 4 / 2});
    assert_reads_back(&symbols, &events, 0, 4096);
    assert_reads_back(&symbols, &events, CHUNK_EVENTS_LIMIT, 1 << 20);
    free(events.data);
    st_symbols_free(&symbols);
}

static void the_largest_jumps_come_back(void **state) {
    (void)state;
    struct st_symbols symbols;
    st_symbols_init(&symbols);
    add_many_names(&symbols, 3);
    struct events events = {0};
    for (uint32_t i = 0; i < 10; i++)
        add_event(&events, (struct st_event){.loc = i % 2 ? ST_LOC_NAME - 1 : 0,
                                             .written = ST_BEGIN,
                                             .op = ST_BEGIN,
                                             .target = i % 2 ? ST_NO_NAME : 2});
    assert_reads_back(&symbols, &events, 0, 100);
    free(events.data);
    st_symbols_free(&symbols);
}

static void dropped_events_are_left_out_and_nested_ones_stay(void **state) {
    (void)state;
    struct sample sample = make_sample();
    sample.events.data[1].op = ST_DROPPED;
    sample.events.data[3].op = ST_NESTED;
    struct bytes bytes = write_trace(&sample.symbols, &sample.events, 0, false);
    struct outcome outcome = read_trace(bytes.data, bytes.size, 100);
    assert_false(outcome.failed);
    assert_int_equal(outcome.events.count, COUNT(golden) - 1);
    assert_int_equal(outcome.events.data[1].written, ST_BEGIN);
    assert_int_equal(outcome.events.data[2].op, ST_ACQUIRE);
    free_outcome(&outcome);
    free(bytes.data);
    free_sample(&sample);
}

static void names_beyond_the_size_of_a_chunk_come_back(void **state) {
    (void)state;
    struct st_symbols symbols;
    st_symbols_init(&symbols);
    add_many_names(&symbols, 1);
    size_t length = (size_t)5 << 20;
    char *name = st_alloc(length, 1);
    for (char letter = 'a'; letter < 'a' + 15; letter++) {
        memset(name, letter, length);
        st_names_add(&symbols.locks, name, length);
    }
    struct events events = make_random(1, 10, 10, 1);
    assert_reads_back(&symbols, &events, 4, 100);
    free(name);
    free(events.data);
    st_symbols_free(&symbols);
}

/* Six million names in a file of a few thousand bytes. */
static void names_that_were_made_to_fill_the_memory_are_refused(void **state) {
    (void)state;
    struct st_symbols symbols;
    st_symbols_init(&symbols);
    add_many_names(&symbols, 1);
    for (uint32_t i = 0; i < 6000000; i++)
        st_names_append(&symbols.variables, "v", 1);
    struct events events = make_random(1, 10, 10, 1);
    struct bytes bytes = write_trace(&symbols, &events, 0, false);
    assert_in_range(bytes.size, 100, 100000);
    struct outcome outcome = read_trace(bytes.data, bytes.size, 100);
    assert_true(outcome.failed);
    assert_non_null(strstr(outcome.error.cause, "far more memory"));
    assert_in_range(outcome.symbols.variables.count, 0, 10);
    free_outcome(&outcome);
    free(bytes.data);
    free(events.data);
    st_symbols_free(&symbols);
}

static void a_source_that_was_cut_stays_cut(void **state) {
    (void)state;
    struct sample sample = make_sample();
    struct bytes bytes = write_trace(&sample.symbols, &sample.events, 0, true);
    struct outcome outcome = read_trace(bytes.data, bytes.size, 100);
    assert_false(outcome.failed);
    assert_true(outcome.truncated);
    assert_int_equal(outcome.events.count, COUNT(golden));
    free_outcome(&outcome);
    free(bytes.data);
    free_sample(&sample);
}

/* ---- trouble with writing ---- */

static void a_full_disk_is_an_error_that_names_the_file(void **state) {
    (void)state;
    struct sample sample = make_sample();
    struct st_error error = {0};
    FILE *file = fopen("/dev/full", "wb");
    void *writer = st_native_writer.open(file, "out.stt", &sample.symbols);
    int status = st_native_writer.write(writer, sample.events.data, sample.events.count, &error);
    assert_int_equal(status || st_native_writer.finish(writer, false, &error), 1);
    assert_string_equal(error.file, "out.stt");
    assert_non_null(strstr(error.cause, "No space left on device"));
    st_native_writer.close(writer);
    fclose(file);
    free_sample(&sample);
}

static void a_name_beyond_all_bounds_is_an_error(void **state) {
    (void)state;
    struct sample sample = make_sample();
    size_t length = (size_t)33 << 20;
    char *name = st_alloc(length, 1);
    memset(name, 'x', length);
    st_names_add(&sample.symbols.locks, name, length);
    struct st_error error = {0};
    struct bytes bytes;
    FILE *file = open_memstream(&bytes.data, &bytes.size);
    void *writer = st_native_writer.open(file, "out.stt", &sample.symbols);
    st_native_writer.write(writer, sample.events.data, sample.events.count, &error);
    assert_int_equal(st_native_writer.finish(writer, false, &error), -1);
    assert_non_null(strstr(error.cause, "longer than 32 MiB"));
    st_native_writer.close(writer);
    fclose(file);
    free(bytes.data);
    free(name);
    free_sample(&sample);
}

/* ---- damage ---- */

/* The sample with the bytes of the golden file of version 1, which has 8 events a chunk. */
static struct sample make_old_sample(void) {
    struct sample sample = make_sample();
    free(sample.bytes.data);
    sample.bytes = golden_file_of_version_1();
    sample.events.count = GOLDEN_1;
    return sample;
}

static void assert_cut_gives_whole_chunks(struct sample sample, size_t chunk_events) {
    size_t most = 0, all = sample.events.count;
    for (size_t size = 0; size < sample.bytes.size; size++) {
        struct outcome outcome = read_trace(sample.bytes.data, size, 3);
        assert_int_equal(outcome.failed, size < NATIVE_HEAD_SIZE);
        if (!outcome.failed)
            assert_true(outcome.truncated);
        else if (size)
            assert_non_null(strstr(outcome.error.cause, "truncated before its first event"));
        assert_true(is_prefix(&outcome.events, &sample.events));
        assert_true(outcome.events.count % chunk_events == 0 || outcome.events.count == all);
        assert_true(outcome.events.count >= most);
        most = outcome.events.count;
        free_outcome(&outcome);
    }
    assert_int_equal(most, all); /* all events, only the end chunk was missing */
    free_sample(&sample);
}

static void a_file_cut_at_any_byte_gives_its_whole_chunks(void **state) {
    (void)state;
    assert_cut_gives_whole_chunks(make_sample(), 5);
    assert_cut_gives_whole_chunks(make_old_sample(), 8);
    assert_cut_gives_whole_chunks(make_context_sample(), 5);
}

static void assert_flipped_bits_are_errors(struct sample sample) {
    for (size_t bit = 0; bit < 8 * sample.bytes.size; bit++) {
        sample.bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        struct outcome outcome = read_trace_as(sample.bytes.data, sample.bytes.size, 3, READ_LIVES);
        assert_true(outcome.failed);
        assert_true(is_prefix(&outcome.events, &sample.events));
        if (bit / 8 >= ST_NATIVE_MAGIC_SIZE) {
            assert_int_equal(outcome.error.at, ST_AT_OFFSET); /* a version shows in a chunk */
            assert_true(outcome.error.position <= bit / 8 ||
                        outcome.error.position == NATIVE_HEAD_SIZE);
        }
        free_outcome(&outcome);
        sample.bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    free_sample(&sample);
}

static void any_flipped_bit_is_an_error_with_an_offset(void **state) {
    (void)state;
    assert_flipped_bits_are_errors(make_sample());
    assert_flipped_bits_are_errors(make_old_sample());
    assert_flipped_bits_are_errors(make_context_sample());
    assert_flipped_bits_are_errors(make_lives_sample());
}

/* The head of the file has no checksum, and a flipped bit or two make one version of another.
 * Version 4 is version 3 with ends of lives; where there are none, both mean the same. */
static void a_file_that_claims_another_version_is_an_error(void **state) {
    (void)state;
    struct sample samples[] = {make_old_sample(), make_sample(), make_context_sample(),
                               make_lives_sample()};
    for (size_t i = 0; i < COUNT(samples); i++) {
        for (uint32_t version = 1; version <= NATIVE_VERSION; version++) {
            put_u32((unsigned char *)samples[i].bytes.data + ST_NATIVE_MAGIC_SIZE, version);
            struct outcome outcome = read_trace(samples[i].bytes.data, samples[i].bytes.size, 3);
            bool same = version == i + 1 || (version == 4 && i + 1 == 3);
            size_t before = version == 3 && i + 1 == 4 ? ENDED_AT : 0;
            assert_int_equal(outcome.failed, !same);
            assert_int_equal(outcome.events.count, same ? samples[i].events.count : before);
            free_outcome(&outcome);
        }
        free_sample(&samples[i]);
    }
}

static void any_overwritten_byte_is_an_error(void **state) {
    (void)state;
    static const char values[] = {0, '\n', (char)0xff};
    struct sample sample = make_sample();
    for (size_t i = 0; i < sample.bytes.size * COUNT(values); i++) {
        char *byte = &sample.bytes.data[i / COUNT(values)], old = *byte;
        *byte = values[i % COUNT(values)];
        struct outcome outcome = read_trace(sample.bytes.data, sample.bytes.size, 3);
        assert_int_equal(outcome.failed, *byte != old);
        free_outcome(&outcome);
        *byte = old;
    }
    free_sample(&sample);
}

/* ---- files made by hand ---- */

/* Bytes that grow, and the chunks in them. */
struct made {
    unsigned char *data;
    size_t size, capacity;
    uint32_t chunks;
};

static void put(struct made *made, const void *bytes, size_t size) {
    st_reserve(&made->data, &made->capacity, made->size + size + 1);
    memcpy(made->data + made->size, bytes, size);
    made->size += size;
}

static void put_number(struct made *made, uint64_t number, size_t bytes) {
    unsigned char buffer[8];
    put_u64(buffer, number);
    put(made, buffer, bytes);
}

static struct made make_file_of_version(uint32_t version) {
    struct made file = {0};
    put(&file, NATIVE_MAGIC, 8);
    put_number(&file, version, 4);
    return file;
}

static struct made make_file(void) {
    return make_file_of_version(NATIVE_VERSION);
}

/* Adds a chunk whose payload is not compressed; `full` is what its head claims. */
static void put_chunk(struct made *file, const char *type, const struct made *payload,
                      uint32_t full) {
    struct made head = {0};
    put(&head, type, 4);
    put_number(&head, file->chunks++, 4);
    put_number(&head, payload->size, 4);
    put_number(&head, full, 4);
    put_number(&head, XXH3_64bits(payload->data, payload->size), 8);
    put_number(&head, XXH3_64bits(head.data, head.size), 8);
    put(file, head.data, head.size);
    put(file, payload->data, payload->size);
    free(head.data);
}

static void put_end(struct made *file, uint64_t events) {
    struct made payload = {0};
    put_number(&payload, events, 8);
    put_number(&payload, 0, 8);
    put_chunk(file, CHUNK_END, &payload, (uint32_t)payload.size);
    free(payload.data);
}

/* A chunk of one event in terms of its numbers: T.write(x) at 5, unless a test says otherwise. */
struct parts {
    uint32_t events, reserved;
    const char *names[TABLE_COUNT];
    size_t name_bytes[TABLE_COUNT];
    uint32_t name_counts[TABLE_COUNT];
    struct {
        unsigned encoding, width;
        uint32_t count;
        uint64_t base;
    } columns[COLUMN_COUNT];
    const char *planes;
    size_t plane_bytes;
};

static struct parts one_write(void) {
    return (struct parts){.events = 1,
                          .names = {"T", "x", "", "", "", "", ""},
                          .name_bytes = {2, 2},
                          .name_counts = {1, 1},
                          .columns = {[COLUMN_STEP] = {0, 0, 1, ST_WRITE},
                                      [COLUMN_VARIABLE] = {0, 0, 1, 0},
                                      [COLUMN_LOC] = {0, 0, 1, 10}},
                          .planes = ""};
}

static struct made make_payload_of_version(const struct parts *parts, uint32_t version) {
    struct native_layout layout = native_layout(version);
    struct made payload = {0};
    put_number(&payload, parts->events, 4);
    put_number(&payload, parts->reserved, 4);
    for (size_t i = 0; i < layout.tables; i++) {
        put_number(&payload, parts->name_counts[i], 4);
        put_number(&payload, parts->name_bytes[i], 4);
    }
    for (size_t i = 0; i < layout.columns; i++) {
        put_number(&payload, parts->columns[i].encoding, 1);
        put_number(&payload, parts->columns[i].width, 1);
        put_number(&payload, 0, 2);
        put_number(&payload, parts->columns[i].count, 4);
        put_number(&payload, parts->columns[i].base, 8);
    }
    for (size_t i = 0; i < layout.tables; i++)
        if (parts->name_bytes[i] < 100)
            put(&payload, parts->names[i], parts->name_bytes[i]);
    put(&payload, parts->planes, parts->plane_bytes);
    return payload;
}

static struct made make_payload(const struct parts *parts) {
    return make_payload_of_version(parts, NATIVE_VERSION);
}

/* Reads a file and checks that it is refused for this reason, at this offset. */
static void assert_refused(struct made *file, uint64_t offset, const char *reason) {
    struct outcome outcome = read_trace((const char *)file->data, file->size, 10);
    assert_true(outcome.failed);
    assert_int_equal(outcome.error.at, ST_AT_OFFSET);
    assert_int_equal(outcome.error.position, offset);
    if (!strstr(outcome.error.cause, reason))
        fail_msg("'%s' is not about '%s'", outcome.error.cause, reason);
    free_outcome(&outcome);
    free(file->data);
}

static void assert_parts_refused(const struct parts *parts, const char *reason) {
    struct made file = make_file(), payload = make_payload(parts);
    put_chunk(&file, CHUNK_EVENTS, &payload, (uint32_t)payload.size);
    put_end(&file, parts->events);
    free(payload.data);
    assert_refused(&file, NATIVE_HEAD_SIZE, reason);
}

static void put_one_write(struct made *file) {
    struct parts parts = one_write();
    struct made payload = make_payload(&parts);
    put_chunk(file, CHUNK_EVENTS, &payload, (uint32_t)payload.size);
    free(payload.data);
}

static void a_chunk_of_an_unknown_optional_type_is_skipped(void **state) {
    (void)state;
    struct made file = make_file(), payload = {0};
    put(&payload, "anything", 8);
    put_chunk(&file, "nEWS", &payload, 8);
    put_one_write(&file);
    put_chunk(&file, "nEWS", &payload, 8);
    put_end(&file, 1);
    struct outcome outcome = read_trace((const char *)file.data, file.size, 10);
    assert_false(outcome.failed);
    assert_false(outcome.truncated);
    assert_int_equal(outcome.events.count, 1);
    assert_int_equal(outcome.events.data[0].op, ST_WRITE);
    assert_int_equal(outcome.events.data[0].loc, 5);
    free_outcome(&outcome);
    free(file.data);
    free(payload.data);
}

/* Accesses of which some are atomic, and some of fresh memory, in the middle of chunks and at their
 * ends. */
static void atomic_accesses_come_back(void **state) {
    (void)state;
    struct st_symbols symbols;
    struct events events = {0};
    st_symbols_init(&symbols);
    for (unsigned i = 0; i < 3000; i++) {
        struct st_event event =
            make_event(&symbols, "T", i % 7 ? ST_READ : ST_WRITE, i % 3 ? "x" : "y", "1");
        event.atomic = i >= 1000 && i < 2000 && i % 5 < 2;
        event.joined = event.atomic && i >= 1500 && i % 5 == 1;
        event.fresh = !event.atomic && i >= 1800 && i % 3 == 0;
        add_event(&events, event);
    }
    static const uint32_t sizes[] = {0, 1, 8, 13, 1000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_reads_back(&symbols, &events, sizes[i], 100);
        assert_reads_back(&symbols, &events, sizes[i], 3000);
    }
    st_symbols_free(&symbols);
    free(events.data);
}

/* Calls in two parts: begins without any atomic event in their chunk, and with some. */
static void begins_that_continue_a_call_come_back(void **state) {
    (void)state;
    struct st_symbols symbols;
    struct events events = {0};
    st_symbols_init(&symbols);
    for (unsigned i = 0; i < 300; i++) {
        struct st_event event = make_event(&symbols, "T", i % 2 ? ST_END : ST_BEGIN, "b", "1");
        event.joined = i % 2 == 0 && i % 3 == 0;
        add_event(&events, event);
        event = make_event(&symbols, "T", ST_READ, "x", "1");
        event.atomic = i > 200;
        add_event(&events, event);
    }
    static const uint32_t sizes[] = {0, 1, 8, 13, 100};
    for (size_t i = 0; i < COUNT(sizes); i++)
        assert_reads_back(&symbols, &events, sizes[i], 100);
    st_symbols_free(&symbols);
    free(events.data);
}

static void put_marks_as(struct made *file, const char *type, uint32_t events, const char *marks,
                         size_t size) {
    struct made payload = {0};
    put_number(&payload, events, 4);
    put(&payload, marks, size);
    put_chunk(file, type, &payload, (uint32_t)payload.size);
    free(payload.data);
}

static void put_marks(struct made *file, uint32_t events, const char *marks, size_t size) {
    put_marks_as(file, CHUNK_ATOMIC, events, marks, size);
}

static void marks_of_atomic_events_made_by_hand_are_read(void **state) {
    (void)state;
    struct made file = make_file();
    put_marks(&file, 1, "\1", 1);
    put_one_write(&file);
    put_end(&file, 1);
    struct outcome outcome = read_trace((const char *)file.data, file.size, 10);
    assert_false(outcome.failed);
    assert_int_equal(outcome.events.count, 1);
    assert_true(outcome.events.data[0].atomic);
    assert_false(outcome.events.data[0].joined);
    free_outcome(&outcome);
    free(file.data);
}

/* Only what is atomic can be joined to something. The mark of another access says that its memory
 * is fresh. */
static void marks_of_joined_events_made_by_hand_are_read(void **state) {
    (void)state;
    for (int atomic = 0; atomic < 2; atomic++) {
        struct made file = make_file();
        put_marks_as(&file, CHUNK_JOINED, 1, "\1", 1);
        if (atomic)
            put_marks(&file, 1, "\1", 1);
        put_one_write(&file);
        put_end(&file, 1);
        struct outcome outcome = read_trace((const char *)file.data, file.size, 10);
        assert_false(outcome.failed);
        assert_int_equal(outcome.events.count, 1);
        assert_int_equal(outcome.events.data[0].joined, atomic);
        assert_int_equal(outcome.events.data[0].fresh, !atomic);
        free_outcome(&outcome);
        free(file.data);
    }
}

/* A chunk with names of threads has the form of marks: a number, and bytes. */
static void names_of_threads_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t thread;
        const char *text;
        size_t size;
        const char *reason;
    } bad[] = {{1, "x", 2, "a thread that there is not"},
               {0, "x", 1, "do not end"},
               {0, "x\0y", 3, "a thread that there is not"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct made file = make_file();
        put_one_write(&file);
        size_t second = file.size;
        put_marks_as(&file, CHUNK_CALLED, bad[i].thread, bad[i].text, bad[i].size);
        assert_refused(&file, second, bad[i].reason);
    }
}

static void marks_that_do_not_fit_are_refused(void **state) {
    (void)state;
    struct made file = make_file();
    put_marks(&file, 9, "\1", 1);
    assert_refused(&file, NATIVE_HEAD_SIZE, "marks of atomic events");
    file = make_file();
    put_marks(&file, 0, "", 0);
    assert_refused(&file, NATIVE_HEAD_SIZE, "marks of atomic events");
    file = make_file();
    put_marks(&file, 1, "\1", 1);
    uint64_t second = file.size;
    put_marks(&file, 1, "\1", 1);
    assert_refused(&file, second, "marks of atomic events");
    file = make_file();
    put_marks(&file, 2, "\1", 1);
    second = file.size;
    put_one_write(&file);
    assert_refused(&file, second, "its number of events is not that of its marks");
    file = make_file();
    put_marks_as(&file, CHUNK_JOINED, 2, "\1", 1);
    second = file.size;
    put_one_write(&file);
    assert_refused(&file, second, "its number of events is not that of its marks");
}

static void put_gone(struct made *file, uint32_t runs, uint32_t first, uint32_t count) {
    struct made payload = {0};
    put_number(&payload, runs, 4);
    put_number(&payload, first, 4);
    put_number(&payload, count, 4);
    put_chunk(file, CHUNK_GONE, &payload, (uint32_t)payload.size);
    free(payload.data);
}

static void ends_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t runs, first, count;
        const char *reason;
    } bad[] = {
        {0, 0, 1, "do not fit its size"}, {2, 0, 1, "do not fit its size"},
        {1, 1, 1, "never began"},         {1, 0, 2, "never began"},
        {1, 0, 0, "never began"},         {1, 0, UINT32_MAX, "never began"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct made file = make_file();
        put_one_write(&file);
        uint64_t offset = file.size;
        put_gone(&file, bad[i].runs, bad[i].first, bad[i].count);
        put_end(&file, 1);
        assert_refused(&file, offset, bad[i].reason);
    }
    struct made old = make_file_of_version(3);
    put_one_write(&old);
    uint64_t offset = old.size;
    put_gone(&old, 1, 0, 1);
    assert_refused(&old, offset, "unknown type");
}

/* One event begins eight lives at most, so a small file cannot end them for ever. */
static void more_ends_than_lives_are_refused(void **state) {
    (void)state;
    struct made file = make_file();
    uint64_t offset = 0;
    put_one_write(&file);
    for (int i = 0; i < 10; i++) {
        offset = file.size;
        put_gone(&file, 1, 0, 1);
    }
    assert_refused(&file, offset, "never began");
}

static void a_chunk_of_an_unknown_required_type_is_refused(void **state) {
    (void)state;
    struct made file = make_file(), payload = {0};
    put(&payload, "anything", 8);
    put_chunk(&file, "NEWS", &payload, 8);
    free(payload.data);
    assert_refused(&file, NATIVE_HEAD_SIZE, "unknown type 'NEWS'");
}

static void an_unknown_version_is_refused(void **state) {
    (void)state;
    struct made file = make_file();
    file.data[8] = NATIVE_VERSION + 1;
    assert_refused(&file, 8, "version 5");
    file = make_file();
    file.data[8] = 0;
    assert_refused(&file, 8, "version 0");
}

static void bytes_after_the_end_are_refused(void **state) {
    (void)state;
    struct made file = make_file();
    put_one_write(&file);
    put_end(&file, 1);
    size_t end = file.size;
    put(&file, "\n", 1);
    assert_refused(&file, end, "after the end of the trace");
}

static void a_missing_chunk_is_noticed(void **state) {
    (void)state;
    struct made file = make_file();
    file.chunks = 1;
    put_one_write(&file);
    assert_refused(&file, NATIVE_HEAD_SIZE, "found chunk 1 where chunk 0 belongs");
    file = make_file();
    put_one_write(&file);
    size_t end = file.size;
    put_end(&file, 2);
    assert_refused(&file, end, "holds 1 events, but its end chunk counts 2");
}

static void absurd_sizes_are_refused(void **state) {
    (void)state;
    struct made payload = {0};
    put(&payload, "abc", 3);
    struct made file = make_file();
    put_chunk(&file, CHUNK_EVENTS, &payload, CHUNK_SIZE_LIMIT + 1);
    assert_refused(&file, NATIVE_HEAD_SIZE, "sizes are out of bounds");
    file = make_file();
    put_chunk(&file, CHUNK_EVENTS, &payload, 2);
    assert_refused(&file, NATIVE_HEAD_SIZE, "sizes are out of bounds");
    file = make_file();
    put_chunk(&file, CHUNK_EVENTS, &payload, CHUNK_SIZE_LIMIT);
    assert_refused(&file, NATIVE_HEAD_SIZE,
                   "the size of its zstd frame is not the one in its head");
    file = make_file();
    put_chunk(&file, CHUNK_EVENTS, &payload, 3);
    assert_refused(&file, NATIVE_HEAD_SIZE, "too short");
    file = make_file();
    put_chunk(&file, CHUNK_END, &payload, 3);
    assert_refused(&file, NATIVE_HEAD_SIZE, "end chunk is too short");
    free(payload.data);
}

static void names_that_do_not_fit_are_refused(void **state) {
    (void)state;
    struct parts parts = one_write();
    parts.names[2] = "l\0l";
    parts.name_bytes[2] = 4;
    parts.name_counts[2] = 2;
    assert_parts_refused(&parts, "appears twice");
    parts.name_counts[2] = 1;
    assert_parts_refused(&parts, "more names");
    parts.name_counts[2] = 3;
    assert_parts_refused(&parts, "twice");
    parts = one_write();
    parts.names[1] = "x\0y";
    parts.name_bytes[1] = 4;
    parts.name_counts[1] = 1;
    assert_parts_refused(&parts, "more names");
    parts.name_counts[1] = 3;
    assert_parts_refused(&parts, "fewer names");
    parts.names[1] = "xyz";
    parts.name_counts[1] = 1;
    parts.name_bytes[1] = 3;
    assert_parts_refused(&parts, "fewer names");
    parts.name_bytes[1] = UINT32_MAX;
    assert_parts_refused(&parts, "longer than the chunk");
}

static void numbers_without_a_name_are_refused(void **state) {
    (void)state;
    struct parts parts = one_write();
    parts.columns[COLUMN_STEP].base = 1 << STEP_OP_BITS;
    assert_parts_refused(&parts, "thread without a name");
    parts.columns[COLUMN_STEP].base = UINT64_MAX;
    assert_parts_refused(&parts, "thread without a name");
    parts = one_write();
    parts.columns[COLUMN_VARIABLE].base = UINT64_C(1) << 32;
    assert_parts_refused(&parts, "target without a name");
    parts = one_write();
    parts.columns[COLUMN_VARIABLE] = parts.columns[COLUMN_BLOCK];
    parts.columns[COLUMN_BLOCK].count = 1;
    assert_parts_refused(&parts, "target without a name"); /* a write needs a variable */
    parts.columns[COLUMN_STEP].base = ST_BEGIN;
    parts.columns[COLUMN_BLOCK].base = 1;
    assert_parts_refused(&parts, "target without a name");
    parts = one_write();
    parts.columns[COLUMN_STEP].base = ST_RECEIVE;
    assert_parts_refused(&parts, "target without a name"); /* a receive needs a channel */
    parts.columns[COLUMN_CHANNEL] = parts.columns[COLUMN_VARIABLE];
    parts.columns[COLUMN_VARIABLE].count = 0;
    assert_parts_refused(&parts, "target without a name"); /* and this one has no name */
    parts = one_write();
    parts.columns[COLUMN_LOC].base = 1;
    assert_parts_refused(&parts, "location without a name");
    parts.columns[COLUMN_LOC].base = 2 * ST_LOC_NUMBER_LIMIT;
    assert_parts_refused(&parts, "location without a name");
    parts.columns[COLUMN_LOC].base = UINT64_MAX;
    assert_parts_refused(&parts, "location without a name");
}

static void operations_that_do_not_exist_are_refused(void **state) {
    (void)state;
    struct parts parts = one_write();
    for (unsigned op = ST_OP_COUNT; op < 1 << STEP_OP_BITS; op++) {
        parts.columns[COLUMN_STEP].base = op;
        assert_parts_refused(&parts, "an operation that does not exist");
    }
    parts.columns[COLUMN_STEP].base = 0; /* a byte that stands for itself */
    parts.columns[COLUMN_STEP].width = 1;
    parts.planes = "\xf";
    parts.plane_bytes = 1;
    assert_parts_refused(&parts, "an operation that does not exist");
}

/* A step is 8 times the thread there: 9 is a write of the second one. */
static void version_1_has_eight_operations(void **state) {
    (void)state;
    struct parts parts = one_write();
    parts.names[TABLE_THREADS] = "T\0U";
    parts.name_counts[TABLE_THREADS] = 2;
    parts.name_bytes[TABLE_THREADS] = 4;
    parts.columns[COLUMN_STEP].base = 8 + ST_WRITE;
    struct made file = make_file_of_version(1), payload = make_payload_of_version(&parts, 1);
    put_chunk(&file, CHUNK_EVENTS, &payload, (uint32_t)payload.size);
    put_end(&file, 1);
    struct outcome outcome = read_trace((const char *)file.data, file.size, 10);
    assert_false(outcome.failed);
    assert_int_equal(outcome.events.count, 1);
    assert_int_equal(outcome.events.data[0].op, ST_WRITE);
    assert_int_equal(outcome.events.data[0].thread, 1);
    assert_int_equal(outcome.symbols.channels.count, 0);
    free_outcome(&outcome);
    free(file.data);
    free(payload.data);
}

static void deltas_that_leave_the_table_are_refused(void **state) {
    (void)state;
    struct parts parts = one_write();
    parts.columns[COLUMN_STEP].encoding = ENCODING_DELTA;
    parts.columns[COLUMN_STEP].width = 1;
    parts.plane_bytes = 1;
    parts.planes = "\5"; /* -3, from 1 */
    assert_parts_refused(&parts, "thread without a name");
    parts.planes = "\40"; /* +16 */
    assert_parts_refused(&parts, "thread without a name");
}

static void columns_that_do_not_fit_are_refused(void **state) {
    (void)state;
    struct parts parts = one_write();
    parts.columns[COLUMN_LOC].encoding = 2;
    assert_parts_refused(&parts, "unknown encoding");
    parts = one_write();
    parts.columns[COLUMN_STEP].width = 5;
    assert_parts_refused(&parts, "unknown encoding");
    parts = one_write();
    parts.columns[COLUMN_STEP].width = 1;
    assert_parts_refused(&parts, "column is longer than the chunk");
    parts = one_write();
    parts.columns[COLUMN_STEP].count = 2;
    assert_parts_refused(&parts, "do not fit its number of events");
    parts = one_write();
    parts.columns[COLUMN_LOCK].count = 1;
    assert_parts_refused(&parts, "do not fit its number of events");
    parts = one_write();
    parts.planes = "?";
    parts.plane_bytes = 1;
    assert_parts_refused(&parts, "do not fit its number of events");
    parts = one_write();
    parts.events = CHUNK_EVENTS_LIMIT + 1;
    assert_parts_refused(&parts, "too many events");
}

/* One write at site 0, in f at a.c:1. */
static struct parts one_site(void) {
    struct parts parts = one_write();
    parts.names[TABLE_LOCATIONS] = "a.c:1";
    parts.name_bytes[TABLE_LOCATIONS] = 6;
    parts.names[TABLE_FUNCTIONS] = "f";
    parts.name_bytes[TABLE_FUNCTIONS] = 2;
    parts.name_counts[TABLE_LOCATIONS] = parts.name_counts[TABLE_FUNCTIONS] = 1;
    for (enum column_kind kind = COLUMN_CONTEXTS; kind < COLUMN_COUNT; kind++)
        parts.columns[kind].count = 1;
    parts.columns[COLUMN_SITE_FRAME].base = 1;
    parts.columns[COLUMN_LOC].base = 1;
    return parts;
}

static void a_site_made_by_hand_is_read(void **state) {
    (void)state;
    struct parts parts = one_site();
    struct made file = make_file(), payload = make_payload(&parts);
    put_chunk(&file, CHUNK_EVENTS, &payload, (uint32_t)payload.size);
    put_end(&file, 1);
    struct outcome outcome = read_trace((const char *)file.data, file.size, 10);
    assert_false(outcome.failed);
    assert_int_equal(outcome.symbols.contexts.site_count, 1);
    assert_int_equal(outcome.symbols.contexts.sites[0].frame, 1);
    assert_string_equal(st_name(&outcome.symbols.locations, 0), "a.c:1");
    free_outcome(&outcome);
    free(file.data);
    free(payload.data);
}

static void assert_column_refused(enum column_kind kind, uint64_t base, const char *reason) {
    struct parts parts = one_site();
    parts.columns[kind].base = base;
    assert_parts_refused(&parts, reason);
    parts.columns[kind].base = UINT64_MAX;
    assert_parts_refused(&parts, "do not fit together");
    parts.columns[kind].base = 0;
    parts.columns[kind].count = 2;
    assert_parts_refused(&parts, "do not fit together");
}

static void contexts_that_do_not_fit_are_refused(void **state) {
    (void)state;
    assert_column_refused(COLUMN_FRAME_FUNCTION, 1, "frames do not fit together");
    assert_column_refused(COLUMN_FRAME_LINE, 1, "frames do not fit together");
    assert_column_refused(COLUMN_FRAME_CALLER, 1, "frames do not fit together");
    assert_column_refused(COLUMN_SITE_LINE, 1, "sites do not fit together");
    assert_column_refused(COLUMN_SITE_FRAME, 2, "sites do not fit together");
    assert_column_refused(COLUMN_SITE_CALL, 2, "sites do not fit together");
}

/* Two frames, each the caller of the other: a stack without end. */
static void a_frame_that_comes_before_its_caller_is_refused(void **state) {
    (void)state;
    struct parts parts = one_site();
    parts.columns[COLUMN_FRAME_FUNCTION].count = 2;
    parts.columns[COLUMN_FRAME_LINE].count = 2;
    parts.columns[COLUMN_FRAME_CALLER].count = 2;
    parts.columns[COLUMN_FRAME_CALLER].base = 1;
    assert_parts_refused(&parts, "a frame comes before its caller");
}

static void more_contexts_than_a_chunk_may_hold_are_refused(void **state) {
    (void)state;
    struct parts parts = one_site();
    for (enum column_kind kind = COLUMN_CONTEXTS; kind < COLUMN_SITE_LINE; kind++)
        parts.columns[kind].count = CHUNK_ROWS_LIMIT + 1;
    assert_parts_refused(&parts, "frames do not fit together");
    parts = one_site();
    for (enum column_kind kind = COLUMN_SITE_LINE; kind < COLUMN_COUNT; kind++)
        parts.columns[kind].count = UINT32_MAX;
    assert_parts_refused(&parts, "sites do not fit together");
}

/* ---- ---- */

static int write_golden(const char *path) {
    struct sample sample = make_context_sample();
    struct bytes bytes = write_lives(&sample, 8);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file))
        return 1;
    free(bytes.data);
    free_sample(&sample);
    return 0;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "write-golden") == 0)
        return write_golden(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_golden_file_of_version_1_stays_readable),
        cmocka_unit_test(the_golden_file_of_version_2_stays_readable),
        cmocka_unit_test(the_golden_file_of_version_3_stays_readable),
        cmocka_unit_test(the_golden_file_of_version_4_stays_readable),
        cmocka_unit_test(every_kind_of_event_comes_back),
        cmocka_unit_test(names_that_the_program_gave_to_threads_come_back),
        cmocka_unit_test(packed_names_come_back),
        cmocka_unit_test(ends_of_lives_come_back),
        cmocka_unit_test(each_life_has_a_number_of_its_own),
        cmocka_unit_test(contexts_come_back),
        cmocka_unit_test(contexts_beyond_the_size_of_a_chunk_come_back),
        cmocka_unit_test(the_version_is_no_higher_than_it_must_be),
        cmocka_unit_test(columns_of_every_width_come_back),
        cmocka_unit_test(numbers_that_run_on_come_back),
        cmocka_unit_test(the_largest_jumps_come_back),
        cmocka_unit_test(dropped_events_are_left_out_and_nested_ones_stay),
        cmocka_unit_test(names_beyond_the_size_of_a_chunk_come_back),
        cmocka_unit_test(names_that_were_made_to_fill_the_memory_are_refused),
        cmocka_unit_test(a_source_that_was_cut_stays_cut),
        cmocka_unit_test(a_full_disk_is_an_error_that_names_the_file),
        cmocka_unit_test(a_name_beyond_all_bounds_is_an_error),
        cmocka_unit_test(a_file_cut_at_any_byte_gives_its_whole_chunks),
        cmocka_unit_test(any_flipped_bit_is_an_error_with_an_offset),
        cmocka_unit_test(a_file_that_claims_another_version_is_an_error),
        cmocka_unit_test(any_overwritten_byte_is_an_error),
        cmocka_unit_test(a_chunk_of_an_unknown_optional_type_is_skipped),
        cmocka_unit_test(a_chunk_of_an_unknown_required_type_is_refused),
        cmocka_unit_test(atomic_accesses_come_back),
        cmocka_unit_test(begins_that_continue_a_call_come_back),
        cmocka_unit_test(marks_of_atomic_events_made_by_hand_are_read),
        cmocka_unit_test(marks_of_joined_events_made_by_hand_are_read),
        cmocka_unit_test(names_of_threads_that_make_no_sense_are_refused),
        cmocka_unit_test(marks_that_do_not_fit_are_refused),
        cmocka_unit_test(ends_that_do_not_fit_are_refused),
        cmocka_unit_test(more_ends_than_lives_are_refused),
        cmocka_unit_test(an_unknown_version_is_refused),
        cmocka_unit_test(bytes_after_the_end_are_refused),
        cmocka_unit_test(a_missing_chunk_is_noticed),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(names_that_do_not_fit_are_refused),
        cmocka_unit_test(numbers_without_a_name_are_refused),
        cmocka_unit_test(operations_that_do_not_exist_are_refused),
        cmocka_unit_test(version_1_has_eight_operations),
        cmocka_unit_test(deltas_that_leave_the_table_are_refused),
        cmocka_unit_test(columns_that_do_not_fit_are_refused),
        cmocka_unit_test(a_site_made_by_hand_is_read),
        cmocka_unit_test(contexts_that_do_not_fit_are_refused),
        cmocka_unit_test(a_frame_that_comes_before_its_caller_is_refused),
        cmocka_unit_test(more_contexts_than_a_chunk_may_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
