/* The memory that a program under test and its watcher share (stream/stream.h). */
#ifndef SERIATIM_WATCH_SHARED_MEMORY_H
#define SERIATIM_WATCH_SHARED_MEMORY_H

#include "base/error.h"
#include "stream/stream.h"

struct st_shared_memory {
    struct st_stream_head *head;
    int fd;
    struct st_stream_head before; /* as it was made: the program may write over it */
    uint32_t given; /* so many chunks are free; the others are there for many threads at once */
};

/* 8 MB for the program to be ahead of us, and a gigabyte of addresses, without memory behind them
 * until it is needed, so that 16,000 threads can each have a chunk. */
enum { ST_SHARED_CHUNKS = 128, ST_SHARED_RESERVE = 16 * 1024 };

int st_shared_memory_create(struct st_shared_memory *memory, struct st_error *error);
void st_shared_memory_free(struct st_shared_memory *memory);

/* Makes a head of zeroed memory of st_stream_bytes(chunk_count) bytes. */
void st_shared_memory_initialize(struct st_stream_head *head, uint32_t chunk_count, uint32_t given);

/* Has the program overwritten what it must not? */
bool st_shared_memory_is_damaged(const struct st_shared_memory *memory);

/* Nobody reads any more: the program goes on and emits nothing. */
void st_shared_memory_close(struct st_stream_head *head);

#endif
