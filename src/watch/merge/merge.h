/* From the streams of a program's threads to one order of all records.
 *
 * stream/stream.h has the rules. Each look at the stream makes more of it visible; a sequence
 * number that one look has seen may be delivered after the next, since by then everything is
 * visible that was visible when it was seen. So a look costs a few loads a thread, and all that it
 * brought is then worked off without looking again.
 *
 * Nothing in the stream is trusted: the program can write anything there by mistake. So where
 * things are is remembered, every number is compared with what it can be, and records are copied
 * before anything is read from them. */
#ifndef SERIATIM_WATCH_MERGE_MERGE_H
#define SERIATIM_WATCH_MERGE_MERGE_H

#include "stream/stream.h"
#include "watch/merge/items.h"

#include <stdbool.h>
#include <stddef.h>

struct st_merge;

/* Takes records of a thread, in their order: as many whole items (st_item_length) as there are, up
 * to the first one that st_is_in_turn says no to. Returns how many records that were.
 * `position`: how many the thread had emitted before them. */
typedef size_t st_record_sink(void *context, uint32_t serial, uint64_t position,
                              const struct st_stream_record *records, size_t count);

/* The chunks from `given` on are not in the stack of free ones: they are added there when the
 * program cannot go on otherwise, because more threads than chunks are alive. */
struct st_merge *st_merge_new(struct st_stream_head *head, uint32_t given, st_record_sink *sink,
                              void *context);
void st_merge_free(struct st_merge *merge);

/* Looks at the stream once and delivers what can be delivered. False when there was nothing. */
bool st_merge_step(struct st_merge *merge);

/* The program is dead: delivers all that is left, unless the stream is broken. */
void st_merge_finish(struct st_merge *merge);

struct st_merge_facts {
    uint64_t records;
    uint64_t lost_sequences; /* sequence numbers that were taken, but their records never came */
    uint64_t torn;           /* threads whose last record is incomplete */
    uint64_t garbage;        /* records that make no sense */
    bool broken;             /* it cannot be read any further */
};
const struct st_merge_facts *st_merge_facts(const struct st_merge *merge);

/* How many records were seen that are not delivered yet. */
uint64_t st_merge_behind(const struct st_merge *merge);

#endif
