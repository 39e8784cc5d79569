/* Locks and other things that threads synchronise with, by their address. */
#ifndef SERIATIM_WATCH_LOCKS_H
#define SERIATIM_WATCH_LOCKS_H

#include "base/sparse_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_NO_OBJECT UINT32_MAX

/* `number` is ST_NO_OBJECT when what was there is gone; the next use is of something new. */
struct st_sync_object {
    uint64_t address;
    uint32_t number;
    uint32_t holder; /* of a lock: the thread + 1 that holds it, or 0 */
    uint32_t count;  /* how often that thread has acquired it */
    uint32_t next;   /* 1 + index of another object in the same page, 0, or ST_NO_OBJECT: it is in
                        no list, since it is gone */
};

/* Invariant: the object with the map's number i is list[i], so an object stays where it is. */
struct st_objects {
    struct st_map64 map;
    struct st_sync_object *list;
    size_t capacity;
    struct st_map64 pages;
    uint32_t *first; /* by page: 1 + index of its first object, or 0 */
    size_t first_capacity;
    struct st_sparse_set live_pages; /* numbers of the pages that have an object */
};

void st_objects_init(struct st_objects *objects);
void st_objects_free(struct st_objects *objects);

/* The memory was freed. */
void st_objects_forget(struct st_objects *objects, uint64_t address, uint64_t length);

/* What is known of a reader-writer lock or a semaphore: its channels, as far as it has them. A
 * reader-writer lock has `write` and `read`, a semaphore has `signal`, and `whole` if it may be a
 * lock. */
struct st_shared_lock {
    uint32_t write, read, whole, signal;
    bool may_be_lock;
    bool signals; /* a semaphore that counts as a signal */
};

#endif
