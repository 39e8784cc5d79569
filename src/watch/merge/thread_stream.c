#define _GNU_SOURCE
#include "watch/merge/thread_stream.h"

#include "base/memory.h"
#include "watch/merge/items.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MORE_CHUNKS = 64, /* are added at a time */
    PIECE = 256,      /* records are copied at a time */
    /* When the program has all chunks and waits for more, and so many looks, with naps in between,
     * bring nothing, then a sequence number is lost. */
    HOPELESS = 5000,
};

/* One that was announced: how many records there are in it, once it is not the last one. */
struct st_held_chunk {
    uint32_t index, count;
};

/* ---- chunks of all threads ---- */

void st_chunks_init(struct st_chunks *chunks, struct st_stream_head *head, uint32_t given) {
    *chunks = (struct st_chunks){.head = head, .count = head->chunk_count, .given = given};
    chunks->next_free = st_stream_next_free(head);
    chunks->all = st_stream_first_chunk(head, chunks->count);
    chunks->held = st_alloc(chunks->count, sizeof *chunks->held);
}

void st_chunks_free(struct st_chunks *chunks) {
    free(chunks->held);
}

static void wake_program(struct st_stream_head *head) {
    atomic_fetch_add(&head->free_word, 1);
    if (atomic_load(&head->waiting))
        syscall(SYS_futex, &head->free_word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void give_back(struct st_chunks *chunks, uint32_t index) {
    chunks->held[index] = false;
    st_stream_give_chunk(chunks->head, chunks->next_free, index);
    wake_program(chunks->head);
    chunks->gave_one = true;
}

bool st_chunks_add(struct st_chunks *chunks) {
    struct st_stream_head *head = chunks->head;
    bool wanted = atomic_load(&head->waiting) && !(uint32_t)atomic_load(&head->free_top);
    bool all_given = chunks->given == chunks->count;
    chunks->stuck = wanted && !chunks->gave_one ? chunks->stuck + 1 : 0;
    chunks->starved = chunks->stuck && all_given ? chunks->starved + 1 : 0;
    if (chunks->stuck >= 2) {
        chunks->stuck = all_given;
        for (int i = 0; i < MORE_CHUNKS && chunks->given < chunks->count; i++)
            st_stream_give_chunk(head, chunks->next_free, chunks->given++);
        wake_program(head);
    }
    return chunks->starved <= HOPELESS;
}

/* ---- chunks of one ---- */

void st_thread_stream_free(struct st_thread_stream *stream) {
    free(stream->held);
    free(stream->piece);
}

static struct st_held_chunk *chunk_at(const struct st_thread_stream *stream, uint32_t i) {
    return &stream->held[(stream->first + i) & (stream->capacity - 1)];
}

static struct st_stream_chunk *shared_chunk(const struct st_thread_stream *stream,
                                            const struct st_chunks *chunks, uint32_t i) {
    return &chunks->all[chunk_at(stream, i)->index];
}

/* So many records are published in its last chunk. */
static uint32_t count_last(const struct st_thread_stream *stream, const struct st_chunks *chunks) {
    const struct st_stream_chunk *chunk = shared_chunk(stream, chunks, stream->count - 1);
    uint32_t count = atomic_load_explicit(&chunk->count, memory_order_acquire);
    return count < ST_STREAM_RECORDS ? count : ST_STREAM_RECORDS;
}

/* The one before is full, and its count does not change any more; but never does it shrink. */
void st_thread_stream_push(struct st_thread_stream *stream, const struct st_chunks *chunks,
                           uint32_t index) {
    if (stream->count) {
        uint64_t start = (stream->chunk_number + stream->count - 1) * ST_STREAM_RECORDS;
        uint64_t seen = stream->visible > start ? stream->visible - start : 0;
        uint32_t count = count_last(stream, chunks);
        chunk_at(stream, stream->count - 1)->count = count > seen ? count : (uint32_t)seen;
    }
    if (stream->count == stream->capacity) {
        uint32_t capacity = stream->capacity ? 2 * stream->capacity : 4;
        struct st_held_chunk *held = st_alloc(capacity, sizeof *held);
        for (uint32_t i = 0; i < stream->count; i++)
            held[i] = *chunk_at(stream, i);
        free(stream->held);
        stream->held = held;
        stream->capacity = capacity;
        stream->first = 0;
    }
    *chunk_at(stream, stream->count++) = (struct st_held_chunk){.index = index};
    stream->last_is_full = false;
}

static void pop(struct st_thread_stream *stream, struct st_chunks *chunks) {
    uint32_t index = chunk_at(stream, 0)->index;
    stream->first = (stream->first + 1) & (stream->capacity - 1);
    stream->count--;
    stream->chunk_number++;
    stream->position = stream->chunk_number * ST_STREAM_RECORDS;
    if (stream->visible < stream->position)
        stream->visible = stream->position;
    give_back(chunks, index);
}

void st_thread_stream_look(struct st_thread_stream *stream, const struct st_chunks *chunks) {
    stream->seen = stream->visible;
    if (!stream->count)
        return;
    const struct st_stream_chunk *chunk = shared_chunk(stream, chunks, stream->count - 1);
    stream->last_is_full = atomic_load_explicit(&chunk->full, memory_order_acquire);
    uint64_t start = (stream->chunk_number + stream->count - 1) * ST_STREAM_RECORDS;
    uint64_t end = start + count_last(stream, chunks);
    if (end > stream->visible)
        stream->visible = end;
}

/* ---- its records ---- */

/* Records in its i-th chunk that are visible. */
static uint32_t records_in(const struct st_thread_stream *stream, uint32_t i) {
    uint64_t start = (stream->chunk_number + i) * ST_STREAM_RECORDS;
    if (i + 1 < stream->count)
        return chunk_at(stream, i)->count;
    return stream->visible > start ? (uint32_t)(stream->visible - start) : 0;
}

/* The position within the first chunk. */
static uint32_t place(const struct st_thread_stream *stream) {
    return (uint32_t)(stream->position - stream->chunk_number * ST_STREAM_RECORDS);
}

/* Copies of the records from the position on, which is `at` in the first chunk. */
static const struct st_stream_record *copy_piece(struct st_thread_stream *stream,
                                                 const struct st_chunks *chunks, uint32_t at,
                                                 uint32_t end, size_t *count) {
    uint64_t offset = stream->position - stream->piece_at;
    if (!stream->piece_count || offset >= stream->piece_count) {
        if (!stream->piece)
            stream->piece = st_alloc(PIECE, sizeof *stream->piece);
        stream->piece_at = stream->position;
        stream->piece_count = end - at < PIECE ? end - at : PIECE;
        memcpy(stream->piece, &shared_chunk(stream, chunks, 0)->records[at],
               stream->piece_count * sizeof *stream->piece);
        offset = 0;
    }
    *count = stream->piece_count - offset;
    return stream->piece + offset;
}

const struct st_stream_record *st_thread_stream_front(struct st_thread_stream *stream,
                                                      struct st_chunks *chunks, size_t *count) {
    while (stream->count) {
        uint32_t end = records_in(stream, 0);
        uint32_t at = place(stream);
        if (at < end)
            return copy_piece(stream, chunks, at, end, count);
        if (stream->count == 1 && !stream->last_is_full)
            break;
        pop(stream, chunks);
    }
    *count = 0;
    return NULL;
}

void st_thread_stream_skip(struct st_thread_stream *stream, struct st_chunks *chunks,
                           size_t count) {
    while (count) {
        size_t here;
        if (!st_thread_stream_front(stream, chunks, &here))
            return;
        size_t step = count < here ? count : here;
        stream->position += step;
        count -= step;
    }
}

size_t st_thread_stream_collect(const struct st_thread_stream *stream,
                                const struct st_chunks *chunks, size_t skip,
                                struct st_collected *item) {
    uint32_t at = place(stream);
    size_t length = 0;
    for (uint32_t i = 0; i < stream->count; i++, at = 0) {
        const struct st_stream_record *records = shared_chunk(stream, chunks, i)->records;
        for (uint32_t end = records_in(stream, i); at < end; at++) {
            if (skip) {
                skip--;
                continue;
            }
            st_reserve(&item->records, &item->capacity, length + 1);
            item->records[length++] = records[at];
            if (st_item_length(item->records, length))
                return length;
        }
    }
    return 0;
}
