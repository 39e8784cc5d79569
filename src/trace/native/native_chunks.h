/* The chunks of a native trace, in order, each checked and decompressed as a whole. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_CHUNKS_H
#define SERIATIM_TRACE_NATIVE_NATIVE_CHUNKS_H

#include "trace/format.h"
#include "trace/native/native_format.h"

#include <zstd.h>

struct native_chunks {
    struct st_input *input;
    ZSTD_DCtx *decompressor;
    uint64_t offset;        /* in the input, of the current chunk */
    uint32_t sequence;      /* that the next chunk must have */
    unsigned char *payload; /* of the current chunk */
    size_t payload_capacity;
};

/* Takes the head of the file. Returns the version in it, or -1. */
int native_chunks_open(struct native_chunks *chunks, struct st_input *input,
                       struct st_error *error);
void native_chunks_close(struct native_chunks *chunks);

/* Takes the next chunk: its head, and head->full bytes of payload. 1, 0 when the file ends before
 * it does, or -1. */
int native_chunks_next(struct native_chunks *chunks, struct chunk_head *head,
                       struct st_error *error);

/* The current chunk was the last: nothing may follow. */
int native_chunks_end(struct native_chunks *chunks, struct st_error *error);

/* Fails for a chunk that is unchanged but makes no sense. Returns -1. */
int native_fail_content(const struct native_chunks *chunks, struct st_error *error,
                        const char *what);

#endif
