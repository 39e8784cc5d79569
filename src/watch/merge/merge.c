#include "watch/merge/merge.h"

#include "base/map64.h"
#include "base/memory.h"
#include "watch/merge/thread_stream.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

enum state {
    READY,     /* may have something to deliver */
    SEQUENCED, /* its next record has the sequence number need + 1 */
    WAITING,   /* its next record comes after the sequence number `need` */
    TORN,      /* the program is dead and the rest of its last item never came */
};

/* A thread of the program. */
struct source {
    struct st_thread_stream stream;
    uint32_t serial;
    enum state state;
    uint64_t need;
    struct source *next; /* in its bucket, when SEQUENCED or WAITING; or in the list of the woken */
    uint64_t sequence;   /* the last one that it has emitted or observed, of what was delivered */
    bool ended;          /* its last record was delivered */
};

struct st_merge {
    struct st_stream_head *head;
    struct st_chunks chunks;
    _Atomic uint32_t *announcements;
    st_record_sink *sink;
    void *context;
    uint32_t announced; /* so many announcements were read */
    uint64_t delivered; /* all sequence numbers up to this one */
    bool whole;         /* the last look saw every announcement that was begun before it */
    bool dead;          /* the program is */
    uint64_t taken;     /* the program has taken all sequence numbers below this one, or more */
    struct st_map64 serials;
    struct source **sources; /* by the number of the serial; NULL once it has ended */
    size_t source_capacity;
    struct source **alive;
    size_t alive_count, alive_capacity;
    struct source *buckets[BUCKETS]; /* by `need` */
    struct source *woken, **woken_end;
    struct st_collected item; /* one that lies in two chunks, or without its sequence number */
    struct st_merge_facts facts;
};

struct st_merge *st_merge_new(struct st_stream_head *head, uint32_t given, st_record_sink *sink,
                              void *context) {
    struct st_merge *merge = st_alloc(1, sizeof *merge);
    merge->head = head;
    st_chunks_init(&merge->chunks, head, given);
    merge->announcements = st_stream_announcements(head);
    merge->sink = sink;
    merge->context = context;
    merge->woken_end = &merge->woken;
    st_map64_init(&merge->serials);
    return merge;
}

static void free_source(struct source *source) {
    st_thread_stream_free(&source->stream);
    free(source);
}

void st_merge_free(struct st_merge *merge) {
    if (!merge)
        return;
    for (size_t i = 0; i < merge->alive_count; i++)
        free_source(merge->alive[i]);
    free(merge->alive);
    free(merge->sources);
    free(merge->item.records);
    st_chunks_free(&merge->chunks);
    st_map64_free(&merge->serials);
    free(merge);
}

const struct st_merge_facts *st_merge_facts(const struct st_merge *merge) {
    return &merge->facts;
}

uint64_t st_merge_behind(const struct st_merge *merge) {
    uint64_t sum = 0;
    for (size_t i = 0; i < merge->alive_count; i++)
        sum += merge->alive[i]->stream.visible - merge->alive[i]->stream.position;
    return sum;
}

/* ---- looking ---- */

static struct source *find_source(struct st_merge *merge, uint32_t serial) {
    uint32_t number = st_map64_number(&merge->serials, serial);
    st_reserve(&merge->sources, &merge->source_capacity, (size_t)number + 1);
    struct source *source = merge->sources[number];
    if (!source) {
        source = st_alloc(1, sizeof *source);
        source->serial = serial;
        merge->sources[number] = source;
        st_reserve(&merge->alive, &merge->alive_capacity, merge->alive_count + 1);
        merge->alive[merge->alive_count++] = source;
    }
    return source;
}

static void read_announcement(struct st_merge *merge, uint32_t value) {
    struct st_chunks *chunks = &merge->chunks;
    uint32_t index = value - 1;
    if (index >= chunks->given || chunks->held[index]) {
        merge->facts.garbage++;
        return;
    }
    struct source *source = find_source(merge, chunks->all[index].thread);
    if (chunks->all[index].index != source->stream.chunk_number + source->stream.count)
        merge->facts.garbage++; /* of another thread, perhaps */
    chunks->held[index] = true;
    st_thread_stream_push(&source->stream, chunks, index);
}

/* Returns whether all that were begun could be read. One that was begun and is not there yet keeps
 * us from those behind it: their places could be taken twice otherwise. */
static bool read_announcements(struct st_merge *merge) {
    uint32_t begun = atomic_load_explicit(&merge->head->announced, memory_order_acquire);
    if (begun - merge->announced > merge->chunks.count) { /* there are not so many chunks */
        merge->facts.garbage++;
        merge->facts.broken = true;
        return true;
    }
    while (merge->announced != begun) {
        _Atomic uint32_t *place = &merge->announcements[merge->announced % merge->chunks.count];
        uint32_t value = atomic_load_explicit(place, memory_order_acquire);
        if (!value && !merge->dead)
            return false;
        atomic_store_explicit(place, 0, memory_order_relaxed);
        if (value)
            read_announcement(merge, value);
        merge->announced++;
    }
    return true;
}

static void look(struct st_merge *merge) {
    merge->whole = read_announcements(merge);
    for (size_t i = 0; i < merge->alive_count; i++)
        st_thread_stream_look(&merge->alive[i]->stream, &merge->chunks);
}

/* ---- waiting ---- */

static void wait_for(struct st_merge *merge, struct source *source, enum state state,
                     uint64_t need) {
    struct source **bucket = &merge->buckets[need % BUCKETS];
    source->state = state;
    source->need = need;
    source->next = *bucket;
    *bucket = source;
}

static void wake(struct st_merge *merge, struct source *source) {
    source->state = READY;
    source->next = NULL;
    *merge->woken_end = source;
    merge->woken_end = &source->next;
}

/* All sequence numbers up to this one are delivered: wakes those that waited for it. */
static void set_delivered(struct st_merge *merge, uint64_t sequence) {
    merge->delivered = sequence;
    struct source **link = &merge->buckets[sequence % BUCKETS];
    while (*link) {
        struct source *source = *link;
        if (source->need > sequence || source->state == SEQUENCED) {
            link = &source->next;
            continue;
        }
        *link = source->next;
        wake(merge, source);
    }
}

/* That sequence number is delivered: wakes those that have it, too. Only a program that writes over
 * the counter makes them. */
static void wake_doubles(struct st_merge *merge, uint64_t sequence) {
    struct source **link = &merge->buckets[(sequence - 1) % BUCKETS];
    while (*link) {
        struct source *source = *link;
        if (source->state != SEQUENCED || source->need != sequence - 1) {
            link = &source->next;
            continue;
        }
        *link = source->next;
        wake(merge, source);
    }
}

/* The source whose next record has the next sequence number, out of its bucket; NULL: none. */
static struct source *next_sequenced(struct st_merge *merge) {
    struct source **link = &merge->buckets[merge->delivered % BUCKETS];
    for (; *link; link = &(*link)->next) {
        struct source *source = *link;
        if (source->state == SEQUENCED && source->need == merge->delivered) {
            *link = source->next;
            return source;
        }
    }
    return NULL;
}

/* ---- delivering ---- */

static const struct st_stream_record *front(struct st_merge *merge, struct source *source,
                                            size_t *count) {
    return st_thread_stream_front(&source->stream, &merge->chunks, count);
}

static void advance(struct st_merge *merge, struct source *source, size_t count) {
    source->stream.position += count;
    merge->facts.records += count;
}

static void advance_far(struct st_merge *merge, struct source *source, size_t count) {
    st_thread_stream_skip(&source->stream, &merge->chunks, count);
    merge->facts.records += count;
}

/* Collects an item that lies in several chunks. */
static size_t collect_item(struct st_merge *merge, const struct source *source, size_t skip) {
    return st_thread_stream_collect(&source->stream, &merge->chunks, skip, &merge->item);
}

/* An item, which begins at the source's position, or behind it if its sequence number is there. */
static void deliver(struct st_merge *merge, struct source *source, size_t skip,
                    const struct st_stream_record *records, size_t length) {
    if (st_stream_op(records) == ST_STREAM_THREAD_END)
        source->ended = true;
    if (st_stream_op(records) == ST_STREAM_NONE)
        return; /* only its sequence number counts */
    if (merge->sink(merge->context, source->serial, source->stream.position + skip, records,
                    length) != length)
        merge->facts.garbage++;
}

/* An item that lies in more than one chunk. False when it has to wait. */
static bool deliver_across(struct st_merge *merge, struct source *source) {
    size_t length = collect_item(merge, source, 0);
    if (!length) {
        if (merge->dead)
            source->state = TORN;
        return false;
    }
    deliver(merge, source, 0, merge->item.records, length);
    advance_far(merge, source, length);
    return true;
}

static uint64_t sequence_of(const struct source *source, const struct st_stream_record *record) {
    return st_stream_is_sequenced(record) ? st_stream_sequence(record, source->sequence)
                                          : record->argument;
}

/* Can there be such a sequence number by now? */
static bool was_taken(struct st_merge *merge, uint64_t sequence) {
    if (sequence >= merge->taken)
        merge->taken = atomic_load(&merge->head->next_sequence);
    return sequence < merge->taken;
}

/* Delivers what has no sequence number, as far as it is visible. */
static bool drain(struct st_merge *merge, struct source *source) {
    uint64_t before = merge->facts.records;
    size_t count;
    const struct st_stream_record *records;
    while (source->state == READY && (records = front(merge, source, &count))) {
        enum st_stream_op op = st_stream_op(records);
        if (op == ST_STREAM_SEQUENCE || st_stream_is_sequenced(records)) {
            uint64_t sequence = sequence_of(source, records);
            if (sequence > merge->delivered && was_taken(merge, sequence)) {
                wait_for(merge, source, SEQUENCED, sequence - 1);
                break;
            }
            merge->facts.garbage++; /* it was delivered already, or nobody has taken it */
            advance(merge, source, 1);
        } else if (op == ST_STREAM_OBSERVE) {
            uint64_t sequence = records->argument;
            if (sequence > merge->delivered && was_taken(merge, sequence)) {
                wait_for(merge, source, WAITING, sequence);
                break;
            }
            if (sequence > merge->delivered)
                merge->facts.garbage++;
            else
                source->sequence = sequence;
            advance(merge, source, 1);
        } else {
            size_t count_taken = merge->sink(merge->context, source->serial,
                                             source->stream.position, records, count);
            if (count_taken) {
                source->ended |= st_stream_op(&records[count_taken - 1]) == ST_STREAM_THREAD_END;
                advance(merge, source, count_taken);
            } else if (!deliver_across(merge, source)) {
                break;
            }
        }
    }
    return merge->facts.records != before;
}

/* An item whose sequence number is a record of its own (skip is 1) or in its first record. */
static void deliver_item(struct st_merge *merge, struct source *source, size_t skip,
                         const struct st_stream_record *records, size_t length) {
    if (skip) {
        deliver(merge, source, skip, records, length);
        return;
    }
    if (records != merge->item.records) {
        st_reserve(&merge->item.records, &merge->item.capacity, length);
        memcpy(merge->item.records, records, length * sizeof *records);
    }
    merge->item.records[0] = st_stream_without_sequence(records);
    deliver(merge, source, 0, merge->item.records, length);
}

/* Delivers the next sequence number with its record, if this source has it in full. */
static bool deliver_sequenced(struct st_merge *merge, struct source *source) {
    if (source->stream.position >= source->stream.seen)
        return false;
    size_t count, length;
    const struct st_stream_record *records = front(merge, source, &count);
    if (!records)
        return false;
    uint64_t sequence = sequence_of(source, records);
    size_t skip = !st_stream_is_sequenced(records);
    if ((length = st_item_length(records + skip, count - skip))) {
        deliver_item(merge, source, skip, records + skip, length);
        advance(merge, source, skip + length);
    } else {
        length = collect_item(merge, source, skip);
        if (!length)
            return false;
        deliver_item(merge, source, skip, merge->item.records, length);
        advance_far(merge, source, skip + length);
    }
    source->sequence = sequence;
    source->state = READY;
    return true;
}

static bool drain_woken(struct st_merge *merge) {
    bool any = false;
    while (merge->woken) {
        struct source *source = merge->woken;
        merge->woken = source->next;
        if (!merge->woken)
            merge->woken_end = &merge->woken;
        any |= drain(merge, source);
    }
    return any;
}

/* Delivers sequence numbers one after the other as long as the next one was seen. */
static bool deliver_sequence(struct st_merge *merge) {
    bool any = false;
    struct source *source;
    while (merge->whole && (source = next_sequenced(merge))) {
        uint64_t sequence = merge->delivered + 1;
        if (!deliver_sequenced(merge, source)) {
            wait_for(merge, source, SEQUENCED, merge->delivered);
            break;
        }
        any = true;
        set_delivered(merge, sequence);
        wake_doubles(merge, sequence);
        drain(merge, source);
        drain_woken(merge);
    }
    return any;
}

/* Forgets threads that have ended. */
static void free_ended(struct st_merge *merge) {
    for (size_t i = 0; i < merge->alive_count;) {
        struct source *source = merge->alive[i];
        if (!source->ended || source->stream.count || source->state != READY) {
            i++;
            continue;
        }
        merge->sources[st_map64_number(&merge->serials, source->serial)] = NULL;
        free_source(source);
        merge->alive[i] = merge->alive[--merge->alive_count];
    }
}

bool st_merge_step(struct st_merge *merge) {
    bool any = false;
    if (merge->facts.broken)
        return false;
    merge->chunks.gave_one = false;
    look(merge);
    for (size_t i = 0; i < merge->alive_count; i++)
        if (merge->alive[i]->state == READY)
            any |= drain(merge, merge->alive[i]);
    any |= deliver_sequence(merge);
    free_ended(merge);
    merge->facts.broken |= !st_chunks_add(&merge->chunks);
    return any;
}

/* ---- the end ---- */

/* The smallest sequence number that a source waits for or has next; 0 if none does. */
static uint64_t next_need(const struct st_merge *merge) {
    uint64_t least = 0;
    for (size_t i = 0; i < merge->alive_count; i++) {
        const struct source *source = merge->alive[i];
        if (source->state == SEQUENCED || source->state == WAITING)
            if (!least || source->need < least)
                least = source->need;
    }
    return least;
}

/* Skips the next sequence number if its record is incomplete. */
static bool drop_torn(struct st_merge *merge) {
    struct source *source = next_sequenced(merge);
    if (!source)
        return false;
    source->state = TORN;
    merge->facts.lost_sequences++;
    set_delivered(merge, merge->delivered + 1);
    return true;
}

static bool skip_lost(struct st_merge *merge) {
    if (drop_torn(merge)) {
        drain_woken(merge);
        return true;
    }
    uint64_t need = next_need(merge);
    if (need <= merge->delivered)
        return false;
    merge->facts.lost_sequences += need - merge->delivered;
    set_delivered(merge, need);
    drain_woken(merge);
    return true;
}

void st_merge_finish(struct st_merge *merge) {
    merge->dead = true;
    do {
        while (st_merge_step(merge))
            ;
        st_merge_step(merge); /* what the last look brought was seen by now */
    } while (!merge->facts.broken && skip_lost(merge));
    for (size_t i = 0; i < merge->alive_count; i++) {
        merge->facts.torn += merge->alive[i]->state == TORN;
        merge->facts.garbage += merge->alive[i]->state == SEQUENCED;
    }
    /* When nobody reads any more, threads take numbers and throw their records away. */
    if (atomic_load(&merge->head->closed))
        merge->facts.lost_sequences = 0;
    /* A thread can die with one. */
    merge->facts.broken |= merge->facts.lost_sequences > merge->serials.count;
}
