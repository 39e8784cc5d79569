/* Runs of accesses in the native format. */
#include "base/memory.h"
#include "trace/format.h"
#include "trace/native/native_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VARIABLES = 40, ROWS = 700, MOST_EVENTS = 40 * ROWS };

static struct st_event rows[ROWS];
static uint32_t more[ROWS];
static struct st_event all[MOST_EVENTS]; /* that the rows stand for */
static size_t all_count;

static void make_trace(struct st_symbols *symbols) {
    char name[16];
    st_symbols_init(symbols);
    st_names_add(&symbols->threads, "T1", 2);
    st_names_add(&symbols->threads, "T2", 2);
    st_names_add(&symbols->locks, "l", 1);
    for (unsigned i = 0; i < VARIABLES; i++)
        st_names_add(&symbols->variables, name, (size_t)snprintf(name, sizeof name, "v%u", i));
    all_count = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        enum st_op op = i % 5 ? ST_READ : ST_WRITE;
        struct st_event event = {
            .thread = i % 3 == 0, .target = i * 7 % 20, .loc = i, .written = op, .op = op};
        event.fresh = i % 11 == 0;
        rows[i] = event;
        more[i] = i % 2 || i % 64 > 20 ? 0 : i % 19 + 1;
        for (uint32_t k = 0; k <= more[i]; k++, event.target++)
            all[all_count++] = event;
    }
}

static char *write_trace(const struct st_symbols *symbols, uint32_t chunk_events, size_t *size) {
    char *data = NULL;
    struct st_error error;
    FILE *file = open_memstream(&data, size);
    void *writer = st_native_writer.open(file, "memory", symbols);
    st_native_writer_chunk_events(writer, chunk_events);
    st_native_writer_runs(writer, more);
    assert_int_equal(st_native_writer.write(writer, rows, ROWS, &error), 0);
    assert_int_equal(st_native_writer.finish(writer, false, &error), 0);
    st_native_writer.close(writer);
    fclose(file);
    return data;
}

/* Reads the trace and compares it with all events. Returns what the last call returned. */
static long read_back(const char *data, size_t size, size_t batch, struct st_error *error) {
    struct st_input input = {.fd = -1, .name = "memory", .at_end = true};
    struct st_symbols symbols;
    st_symbols_init(&symbols);
    input.data = st_alloc(size + ST_INPUT_PADDING, 1);
    memcpy(input.data, data, size);
    input.end = input.capacity = size;
    void *reader = st_native_format.open(&input, &symbols, error);
    struct st_event *events = st_alloc(batch, sizeof *events);
    size_t done = 0;
    long count;
    while ((count = st_native_format.next(reader, events, batch, error)) > 0) {
        assert_true(done + (size_t)count <= all_count);
        assert_memory_equal(events, all + done, (size_t)count * sizeof *events);
        done += (size_t)count;
    }
    if (count == 0)
        assert_int_equal(done, all_count);
    st_native_format.close(reader);
    free(events);
    st_input_close(&input);
    st_symbols_free(&symbols);
    return count;
}

static void a_run_is_read_as_all_its_events(void **state) {
    (void)state;
    const uint32_t chunks[] = {1, 2, 33, 600, 65536};
    const size_t batches[] = {1, 3, 64, 5000};
    struct st_symbols symbols;
    struct st_error error;
    make_trace(&symbols);
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        size_t size;
        char *data = write_trace(&symbols, chunks[c], &size);
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
            assert_int_equal(read_back(data, size, batches[b], &error), 0);
        free(data);
    }
    st_symbols_free(&symbols);
}

static void expect_refusal(const struct st_symbols *symbols) {
    size_t size;
    struct st_error error;
    char *data = write_trace(symbols, 65536, &size);
    assert_int_equal(read_back(data, size, 1, &error), -1);
    assert_non_null(strstr(error.cause, "a run has variables without names"));
    free(data);
}

static void a_run_beyond_the_variables_is_refused(void **state) {
    (void)state;
    struct st_symbols symbols;
    make_trace(&symbols);
    more[3] = VARIABLES;
    expect_refusal(&symbols);
    st_symbols_free(&symbols);
}

static void a_run_of_other_events_is_refused(void **state) {
    (void)state;
    struct st_symbols symbols;
    make_trace(&symbols);
    rows[3] = (struct st_event){.written = ST_ACQUIRE, .op = ST_ACQUIRE};
    all[3 + more[0] + more[1] + more[2]] = rows[3];
    more[3] = 1;
    expect_refusal(&symbols);
    st_symbols_free(&symbols);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_read_as_all_its_events),
        cmocka_unit_test(a_run_beyond_the_variables_is_refused),
        cmocka_unit_test(a_run_of_other_events_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
