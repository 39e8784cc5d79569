/* Values of accesses: in the native format, and as numbers. */
#include "base/memory.h"
#include "trace/format.h"
#include "trace/native/native_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { EVENTS = 1000 };

static struct st_event events[EVENTS];
static struct st_access_value values[EVENTS];

/* Values of all widths; some are not known, and some events have none. */
static void make_trace(struct st_symbols *symbols, unsigned width) {
    st_symbols_init(symbols);
    st_names_add(&symbols->threads, "T1", 2);
    st_names_add(&symbols->variables, "x", 1);
    uint64_t chance = 1;
    for (size_t i = 0; i < EVENTS; i++) {
        chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        enum st_op op = i % 3 ? ST_WRITE : ST_READ;
        events[i] = (struct st_event){.loc = i, .written = op, .op = op};
        values[i] = (struct st_access_value){0};
        if (i % 5)
            values[i].held = width ? chance >> (64 - 8 * width) : 0;
        if (i % 5)
            values[i].known = ST_HELD_KNOWN;
        if (op == ST_WRITE && i % 7) {
            values[i].left = i;
            values[i].known |= ST_LEFT_KNOWN;
        }
    }
}

/* Every fifth write has no values. */
static void write_trace(FILE *file, const struct st_symbols *symbols, uint32_t chunk_events) {
    struct st_error error;
    void *writer = st_native_writer.open(file, "memory", symbols);
    st_native_writer_chunk_events(writer, chunk_events);
    for (size_t i = 0; i < EVENTS; i += 100) {
        if (i != 500)
            st_native_writer_values(writer, values + i);
        else
            memset(values + i, 0, 100 * sizeof *values);
        assert_int_equal(st_native_writer.write(writer, events + i, 100, &error), 0);
    }
    assert_int_equal(st_native_writer.finish(writer, false, &error), 0);
    st_native_writer.close(writer);
}

static void assert_same_values(const struct st_access_value *found, size_t first, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct st_access_value *expected = &values[first + i];
        static const struct st_access_value none;
        const struct st_access_value *value = found ? &found[i] : &none;
        assert_int_equal(value->known, expected->known);
        if (value->known & ST_HELD_KNOWN)
            assert_true(value->held == expected->held);
        if (value->known & ST_LEFT_KNOWN)
            assert_true(value->left == expected->left);
    }
}

static void read_back(char *data, size_t size, size_t batch, bool wanted) {
    struct st_input input = {.fd = -1, .name = "memory", .at_end = true};
    struct st_symbols symbols;
    struct st_error error;
    st_symbols_init(&symbols);
    symbols.values = wanted;
    input.data = st_alloc(size + ST_INPUT_PADDING, 1);
    memcpy(input.data, data, size);
    input.end = input.capacity = size;
    void *reader = st_native_format.open(&input, &symbols, &error);
    struct st_event *read = st_alloc(batch, sizeof *read);
    size_t first = 0;
    long count;
    while ((count = st_native_format.next(reader, read, batch, &error)) > 0) {
        if (wanted)
            assert_same_values(st_native_format.values(reader), first, (size_t)count);
        else
            assert_null(st_native_format.values(reader));
        first += (size_t)count;
    }
    assert_int_equal(count, 0);
    assert_int_equal(first, EVENTS);
    st_native_format.close(reader);
    st_input_close(&input);
    st_symbols_free(&symbols);
    free(read);
}

static void values_of_every_width_come_back(void **state) {
    (void)state;
    for (unsigned width = 0; width <= 8; width++)
        for (uint32_t chunk_events = 1; chunk_events < 3000; chunk_events = chunk_events * 6 + 1) {
            struct st_symbols symbols;
            char *data;
            size_t size;
            make_trace(&symbols, width);
            FILE *file = open_memstream(&data, &size);
            write_trace(file, &symbols, chunk_events);
            fclose(file);
            read_back(data, size, 700, true);
            read_back(data, size, 3, true);
            read_back(data, size, 700, false);
            free(data);
            st_symbols_free(&symbols);
        }
}

/* ---- chunks that make no sense ---- */

struct chunk {
    unsigned char bytes[128];
    size_t size;
};

static unsigned char *put_head(unsigned char *next, unsigned width, uint32_t count) {
    next[0] = ENCODING_PLAIN;
    next[1] = (unsigned char)width;
    next[2] = next[3] = 0;
    return put_u64(put_u32(next + 4, count), 0);
}

/* Two events: the first held 7, the second held 8 and left 9. */
static struct chunk make_chunk(void) {
    struct chunk chunk = {{0}, 0};
    unsigned char *next = put_u32(chunk.bytes, 2);
    *next++ = 3;
    *next++ = 2;
    next = put_head(next, 1, 2);
    next = put_head(next, 1, 1);
    *next++ = 7;
    *next++ = 8;
    *next++ = 9;
    chunk.size = (size_t)(next - chunk.bytes);
    return chunk;
}

static const char *take(const struct chunk *chunk) {
    struct native_values taken = {0};
    const char *problem = native_values_take(&taken, chunk->bytes, chunk->size);
    free(taken.list);
    return problem;
}

static void a_chunk_made_by_hand_is_read(void **state) {
    (void)state;
    struct chunk chunk = make_chunk();
    struct native_values taken = {0};
    assert_null(native_values_take(&taken, chunk.bytes, chunk.size));
    assert_int_equal(taken.events, 2);
    assert_true(taken.list[0].held == 7 && taken.list[0].known == ST_HELD_KNOWN);
    assert_true(taken.list[1].held == 8 && taken.list[1].left == 9);
    assert_int_equal(taken.list[1].known, ST_HELD_KNOWN | ST_LEFT_KNOWN);
    assert_non_null(native_values_take(&taken, chunk.bytes, chunk.size)); /* without events */
    assert_false(native_values_fit(&taken, 3));
    assert_true(native_values_fit(&taken, 3)); /* these have none */
    free(taken.list);
}

static void chunks_that_make_no_sense_are_refused(void **state) {
    (void)state;
    struct chunk chunk = make_chunk();
    for (size_t size = 0; size < chunk.size; size++) {
        struct chunk part = make_chunk();
        part.size = size;
        assert_non_null(take(&part));
    }
    chunk.size++;
    assert_non_null(take(&chunk));
    static const struct {
        size_t at;
        unsigned char byte;
    } changes[] = {{0, 0}, {0, 200}, {2, 255}, {4, 1},  {4, 2}, {5, 0},
                   {6, 2}, {7, 9},   {7, 2},   {10, 1}, {8, 1}, {26, 2}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        chunk = make_chunk();
        chunk.bytes[changes[i].at] = changes[i].byte;
        assert_non_null(take(&chunk));
    }
}

/* ---- numbers ---- */

static void equal_values_have_equal_numbers(void **state) {
    (void)state;
    const struct st_access_value some[] = {
        {.held = 5, .known = ST_HELD_KNOWN},
        {.held = 0, .left = 5, .known = ST_HELD_KNOWN | ST_LEFT_KNOWN},
        {.held = 5, .left = 5}};
    struct st_value_list list = {0};
    st_value_list_add(&list, NULL, 2, 1); /* nothing is known of the first two */
    st_value_list_add(&list, some, 3, 3);
    assert_int_equal(list.count, 5);
    assert_true(!list.list[0].held && !list.list[1].left);
    assert_true(list.list[2].held && list.list[2].held == list.list[3].left);
    assert_true(list.list[3].held && list.list[3].held != list.list[3].left);
    assert_true(!list.list[4].held && !list.list[4].left);
    st_value_list_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_width_come_back),
        cmocka_unit_test(a_chunk_made_by_hand_is_read),
        cmocka_unit_test(chunks_that_make_no_sense_are_refused),
        cmocka_unit_test(equal_values_have_equal_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
