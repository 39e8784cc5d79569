/* Checks what holds for every chunk, whatever its type: it is in its place, unchanged, and not too
 * large. */
#include "trace/native/native_chunks.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static int fail_chunk(const struct native_chunks *chunks, struct st_error *error,
                      const char *cause) {
    return st_fail(error, chunks->input->name, ST_AT_OFFSET, chunks->offset, "%s", cause);
}

int native_fail_content(const struct native_chunks *chunks, struct st_error *error,
                        const char *what) {
    return st_fail(error, chunks->input->name, ST_AT_OFFSET, chunks->offset,
                   "malformed chunk: %s; the program that wrote the file is at fault", what);
}

/* ---- the head of the file ---- */

bool st_native_detect(const char *bytes, size_t length) {
    /* A file truncated inside its magic is still no text: no line starts like this. */
    size_t compared = length < ST_NATIVE_MAGIC_SIZE ? length : ST_NATIVE_MAGIC_SIZE;
    return compared && memcmp(bytes, NATIVE_MAGIC, compared) == 0;
}

/* Takes the head. Returns the version in it, or -1. */
static int take_file_head(struct st_input *input, struct st_error *error) {
    if (st_input_fill(input, NATIVE_HEAD_SIZE, error) < 0)
        return -1;
    size_t available = st_input_available(input);
    if (!st_native_detect(st_input_bytes(input), available))
        return st_fail(error, input->name, ST_AT_FILE, 0, "not a native trace");
    if (available < NATIVE_HEAD_SIZE)
        return st_fail(error, input->name, ST_AT_FILE, 0,
                       "native trace that is truncated before its first event");
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

int native_chunks_open(struct native_chunks *chunks, struct st_input *input,
                       struct st_error *error) {
    int version = take_file_head(input, error);
    if (version < 0)
        return -1;
    *chunks = (struct native_chunks){.input = input, .decompressor = ZSTD_createDCtx()};
    if (!chunks->decompressor)
        return st_fail(error, input->name, ST_AT_FILE, 0, "cannot read: out of memory");
    return version;
}

void native_chunks_close(struct native_chunks *chunks) {
    ZSTD_freeDCtx(chunks->decompressor);
    free(chunks->payload);
}

/* ---- chunks ---- */

/* A fuzzer cannot guess checksums; without them it reaches the code after this check. */
static bool checksum_fits(const void *bytes, size_t size, uint64_t checksum) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)bytes, (void)size, (void)checksum;
    return true;
#else
    return XXH3_64bits(bytes, size) == checksum;
#endif
}

static int check_chunk_head(struct native_chunks *chunks, const struct chunk_head *head,
                            struct st_error *error) {
    if (head->sequence != chunks->sequence)
        return st_fail(error, chunks->input->name, ST_AT_OFFSET, chunks->offset,
                       "found chunk %" PRIu32 " where chunk %" PRIu32
                       " belongs; parts of the file are missing or out of order",
                       head->sequence, chunks->sequence);
    if (head->full > CHUNK_SIZE_LIMIT || head->stored > head->full)
        return native_fail_content(chunks, error, "its sizes are out of bounds");
    chunks->sequence++;
    return 0;
}

/* Takes the head of the next chunk and brings all of its payload into the input's buffer.
 * 1, 0 when the file ends before that, or -1. */
static int take_head(struct native_chunks *chunks, struct chunk_head *head,
                     struct st_error *error) {
    struct st_input *input = chunks->input;
    chunks->offset = input->consumed;
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
        return fail_chunk(chunks, error,
                          "damaged chunk head (checksum mismatch); the file was changed after it "
                          "was written");
    if (check_chunk_head(chunks, head, error) < 0)
        return -1;
    if (st_input_fill(input, CHUNK_HEAD_SIZE + (size_t)head->stored, error) < 0)
        return -1;
    if (st_input_available(input) < CHUNK_HEAD_SIZE + (size_t)head->stored)
        return 0;
    st_input_consume(input, CHUNK_HEAD_SIZE);
    return 1;
}

/* Makes chunks->payload from the stored bytes. */
static int unpack(struct native_chunks *chunks, const struct chunk_head *head, const char *stored,
                  struct st_error *error) {
    bool packed = head->stored < head->full;
    if (packed && ZSTD_getFrameContentSize(stored, head->stored) != head->full)
        return native_fail_content(chunks, error,
                                   "the size of its zstd frame is not the one in its head");
    st_reserve(&chunks->payload, &chunks->payload_capacity, (size_t)head->full + 1);
    if (!packed) {
        memcpy(chunks->payload, stored, head->full);
        return 0;
    }
    size_t size = ZSTD_decompressDCtx(chunks->decompressor, chunks->payload, head->full, stored,
                                      head->stored);
    if (ZSTD_isError(size) || size != head->full)
        return native_fail_content(chunks, error, "its zstd frame cannot be decompressed");
    return 0;
}

/* Takes the stored payload out of the input and makes chunks->payload from it. */
static int take_payload(struct native_chunks *chunks, const struct chunk_head *head,
                        struct st_error *error) {
    const char *stored = st_input_bytes(chunks->input);
    if (!checksum_fits(stored, head->stored, head->payload_checksum))
        return fail_chunk(chunks, error,
                          "damaged chunk (checksum mismatch); the file was changed after it was "
                          "written");
    if (unpack(chunks, head, stored, error) < 0)
        return -1;
    st_input_consume(chunks->input, head->stored);
    return 0;
}

int native_chunks_next(struct native_chunks *chunks, struct chunk_head *head,
                       struct st_error *error) {
    int status = take_head(chunks, head, error);
    if (status == 1 && take_payload(chunks, head, error) < 0)
        return -1;
    return status;
}

int native_chunks_end(struct native_chunks *chunks, struct st_error *error) {
    if (st_input_fill(chunks->input, 1, error) < 0)
        return -1;
    if (!st_input_available(chunks->input))
        return 0;
    chunks->offset = chunks->input->consumed;
    return fail_chunk(chunks, error, "there are bytes after the end of the trace");
}
