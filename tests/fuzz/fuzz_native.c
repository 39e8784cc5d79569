/* Fuzzes the reader of the native format, built so that it does not compare checksums.
 *
 * Input that starts with the magic is a file. Everything else is the payload of an EVNT chunk,
 * which the harness puts into a file of each version: a fuzzer changes bytes that are not
 * compressed with much more effect. */
#include "fuzz.h"

#include "base/memory.h"
#include "trace/late/placing.h"
#include "trace/native/native_format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *put_chunk_head(uint8_t *next, const char *type, uint32_t sequence, size_t size) {
    memcpy(next, type, 4);
    next = put_u32(next + 4, sequence);
    next = put_u32(next, (uint32_t)size);
    next = put_u32(next, (uint32_t)size);
    return put_u64(put_u64(next, 0), 0);
}

static uint8_t *wrap(uint32_t version, const uint8_t *payload, size_t *size) {
    uint8_t *file = st_alloc(*size + NATIVE_HEAD_SIZE + 2 * CHUNK_HEAD_SIZE + END_SIZE, 1);
    memcpy(file, NATIVE_MAGIC, ST_NATIVE_MAGIC_SIZE);
    uint8_t *next = put_u32(file + ST_NATIVE_MAGIC_SIZE, version);
    next = put_chunk_head(next, CHUNK_EVENTS, 0, *size);
    if (*size)
        memcpy(next, payload, *size);
    next = put_chunk_head(next + *size, CHUNK_END, 1, END_SIZE);
    next = put_u64(next, *size >= 4 ? get_u32(payload) : 0);
    next = put_u64(next, 0);
    *size = (size_t)(next - file);
    return file;
}

static void check_file(const uint8_t *data, size_t size) {
    struct reading whole = fuzz_read(&st_native_format, data, size, size + 8, 5000);
    struct reading parts = fuzz_read(&st_native_format, data, size, 8, 700);
    struct reading lives = fuzz_read_lives(&st_native_format, data, size);
    fuzz_check_same(&whole, &parts);
    fuzz_check_lives(&whole, &lives);
    fuzz_check_promises(&whole);
    if (!whole.failed) {
        fuzz_check_writing(&whole, &st_native_writer, &st_native_format);
        fuzz_check_writing(&whole, &st_std_writer, &st_std_format);
    }
    fuzz_free(&whole);
    fuzz_free(&parts);
    fuzz_free(&lives);
}

/* What comes of a file whose events are not at their places is one that can be read. */
static void check_placing(const uint8_t *data, size_t size) {
    struct st_error error;
    struct st_input input = fuzz_open(data, size);
    if (st_late_place_input(&input, &error) == 0) {
        struct st_symbols symbols;
        struct st_event event;
        st_symbols_init(&symbols);
        void *reader = st_native_format.open(&input, &symbols, &error);
        while (reader && st_native_format.next(reader, &event, 1, &error) > 0)
            ;
        if (!reader || st_native_format.next(reader, &event, 1, &error) < 0)
            abort();
        st_native_format.close(reader);
        st_symbols_free(&symbols);
    }
    st_input_close(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (st_is_late((const char *)data, size))
        check_placing(data, size);
    if (st_native_detect((const char *)data, size)) {
        check_file(data, size);
        return 0;
    }
    for (uint32_t version = 1; version <= NATIVE_VERSION; version++) {
        size_t file_size = size;
        uint8_t *file = wrap(version, data, &file_size);
        check_file(file, file_size);
        free(file);
    }
    return 0;
}
