/* What one thread of the program has written: its chunks, which records in them are visible, and
 * copies of those that are read. Chunks that are read go back to the program. */
#ifndef SERIATIM_WATCH_MERGE_THREAD_STREAM_H
#define SERIATIM_WATCH_MERGE_THREAD_STREAM_H

#include "stream/stream.h"

#include <stdbool.h>
#include <stddef.h>

/* The chunks of all threads. */
struct st_chunks {
    struct st_stream_head *head;
    uint32_t count;
    uint32_t given; /* chunks below this one are in use or free */
    _Atomic uint32_t *next_free;
    struct st_stream_chunk *all;
    bool *held;       /* by chunk: it was announced, and not given back */
    bool gave_one;    /* since this was set to false */
    unsigned stuck;   /* so many looks gave no chunk back though the program waits for one */
    unsigned starved; /* so many of them when there were no more */
};

void st_chunks_init(struct st_chunks *chunks, struct st_stream_head *head, uint32_t given);
void st_chunks_free(struct st_chunks *chunks);

/* After a look at all threads: gives the program more chunks if each is with a thread that has not
 * filled it, and there are more threads. False when that has been hopeless for long. */
bool st_chunks_add(struct st_chunks *chunks);

/* Positions count the records of a thread: record i of its chunk number c has the position
 * c * ST_STREAM_RECORDS + i. Invariants: position <= visible; seen <= visible;
 * held[first .. first + count) (modulo capacity, a power of two) are announced and not yet given
 * back; all but the last of them are full, and the first has the number `chunk_number`. */
struct st_thread_stream {
    struct st_held_chunk *held;
    uint32_t first, count, capacity;
    uint64_t chunk_number;
    uint64_t position, seen, visible;
    bool last_is_full; /* the last chunk gets no more records */

    struct st_stream_record *piece; /* copies of records from position piece_at on */
    uint64_t piece_at;
    uint32_t piece_count;
};

void st_thread_stream_free(struct st_thread_stream *stream);

/* A chunk of the thread was announced. */
void st_thread_stream_push(struct st_thread_stream *stream, const struct st_chunks *chunks,
                           uint32_t index);

/* Makes visible what was written by now; what was visible before was seen. */
void st_thread_stream_look(struct st_thread_stream *stream, const struct st_chunks *chunks);

/* The records at `position`, or some of them; NULL when none is visible. Gives chunks back that
 * are read. */
const struct st_stream_record *st_thread_stream_front(struct st_thread_stream *stream,
                                                      struct st_chunks *chunks, size_t *count);

/* Moves over records that lie in several chunks. */
void st_thread_stream_skip(struct st_thread_stream *stream, struct st_chunks *chunks, size_t count);

/* An item, collected over the ends of chunks. */
struct st_collected {
    struct st_stream_record *records;
    size_t capacity;
};

/* Collects the records behind the first `skip` ones until they are one item. Returns its length, or
 * 0 when the rest is not visible. */
size_t st_thread_stream_collect(const struct st_thread_stream *stream,
                                const struct st_chunks *chunks, size_t skip,
                                struct st_collected *item);

#endif
