#define _GNU_SOURCE
#include "watch/merge.h"

#include "base/map64.h"
#include "base/memory.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    BUCKETS = 1024,
    MORE_CHUNKS = 64, /* are added at a time */
    PIECE = 256,      /* records are copied at a time */
    /* When the program has all chunks and waits for more, and so many looks, with naps in between,
     * bring nothing, then a sequence number is lost. */
    HOPELESS = 5000,
};

enum state {
    READY,     /* may have something to deliver */
    SEQUENCED, /* its next record has the sequence number need + 1 */
    WAITING,   /* its next record comes after the sequence number `need` */
    TORN,      /* the program is dead and the rest of its last item never came */
};

/* One that was announced: how many records there are in it, once it is not the last one. */
struct held_chunk {
    uint32_t index, count;
};

/* A thread of the program. Positions count its records: record i of its chunk number c has the
 * position c * ST_STREAM_RECORDS + i. Invariants: position <= visible; seen <= visible;
 * chunks[first .. first + count) (modulo capacity, a power of two) are announced and not yet given
 * back; all but the last of them are full, and the first has the number `chunk_number`. */
struct source {
    uint32_t serial;
    enum state state;
    uint64_t need;
    struct source *next; /* in its bucket, when SEQUENCED or WAITING; or in the list of the woken */

    struct held_chunk *chunks;
    uint32_t first, count, capacity;
    uint64_t chunk_number;
    uint64_t position, seen, visible;
    uint64_t sequence; /* the last one that it has emitted or observed, of what was delivered */
    bool last_is_full; /* the last chunk gets no more records */
    bool ended;        /* its last record was delivered */

    struct st_stream_record *piece; /* copies of records from position piece_at on */
    uint64_t piece_at;
    uint32_t piece_count;
};

struct st_merge {
    struct st_stream_head *head;
    uint32_t chunk_count;
    _Atomic uint32_t *announcements, *next_free;
    struct st_stream_chunk *chunks;
    bool *held; /* by chunk: it was announced, and not given back */
    st_record_sink *sink;
    void *context;
    uint32_t given;     /* chunks below this one are in use or free */
    uint32_t announced; /* so many announcements were read */
    uint64_t delivered; /* all sequence numbers up to this one */
    bool whole;         /* the last look saw every announcement that was begun before it */
    bool dead;          /* the program is */
    bool gave_chunk;    /* in this step */
    unsigned stuck;     /* so many steps gave no chunk back though the program waits for one */
    unsigned hopeless;  /* so many of them when there were no more */
    uint64_t taken;     /* the program has taken all sequence numbers below this one, or more */
    struct st_map64 serials;
    struct source **sources; /* by the number of the serial; NULL once it has ended */
    size_t source_capacity;
    struct source **alive;
    size_t alive_count, alive_capacity;
    struct source *buckets[BUCKETS]; /* by `need` */
    struct source *woken, **woken_end;
    struct st_stream_record *item; /* one that lies in two chunks */
    size_t item_capacity;
    struct st_merge_facts facts;
};

struct st_merge *st_merge_new(struct st_stream_head *head, uint32_t given, st_record_sink *sink,
                              void *context) {
    struct st_merge *merge = st_alloc(1, sizeof *merge);
    merge->head = head;
    merge->chunk_count = head->chunk_count;
    merge->announcements = st_stream_announcements(head);
    merge->next_free = st_stream_next_free(head);
    merge->chunks = st_stream_first_chunk(head, merge->chunk_count);
    merge->held = st_alloc(merge->chunk_count, sizeof *merge->held);
    merge->sink = sink;
    merge->context = context;
    merge->given = given;
    merge->woken_end = &merge->woken;
    st_map64_init(&merge->serials);
    return merge;
}

static void free_source(struct source *source) {
    free(source->chunks);
    free(source->piece);
    free(source);
}

void st_merge_free(struct st_merge *merge) {
    if (!merge)
        return;
    for (size_t i = 0; i < merge->alive_count; i++)
        free_source(merge->alive[i]);
    free(merge->alive);
    free(merge->sources);
    free(merge->item);
    free(merge->held);
    st_map64_free(&merge->serials);
    free(merge);
}

const struct st_merge_facts *st_merge_facts(const struct st_merge *merge) {
    return &merge->facts;
}

uint64_t st_merge_behind(const struct st_merge *merge) {
    uint64_t sum = 0;
    for (size_t i = 0; i < merge->alive_count; i++)
        sum += merge->alive[i]->visible - merge->alive[i]->position;
    return sum;
}

/* ---- items ---- */

static size_t text_length(const struct st_stream_record *record) {
    uint64_t bytes = st_stream_address(record);
    if (st_stream_op(record) != ST_STREAM_TEXT || bytes > ST_LONGEST_TEXT)
        return 1; /* no text: its reader will see that */
    return 1 + (size_t)((bytes + 15) / 16);
}

size_t st_item_length(const struct st_stream_record *records, size_t count) {
    if (count == 0)
        return 0;
    enum st_stream_op op = st_stream_op(records);
    size_t length = 1;
    switch (op) {
    case ST_STREAM_READ:
    case ST_STREAM_WRITE:
        length = st_stream_aux(records) ? 1 : 2;
        break;
    case ST_STREAM_ATOMIC_READ:
    case ST_STREAM_ATOMIC_WRITE:
    case ST_STREAM_ATOMIC_UPDATE:
        length = st_stream_aux(records) & ST_STREAM_WITH_VALUES ? 2 : 1;
        break;
    case ST_STREAM_DEFERRED_READ:
    case ST_STREAM_DEFERRED_WRITE:
    case ST_STREAM_BOARDED:
    case ST_STREAM_KEPT_READ:
    case ST_STREAM_KEPT_WRITE:
    case ST_STREAM_FREE:
    case ST_STREAM_FRAME:
        length = 2;
        break;
    case ST_STREAM_ALLOCATE: /* with its length, then its callers */
        length = 2 + st_stream_aux(records);
        break;
    case ST_STREAM_THREAD_NAME:
        if (count <= 1)
            return 0;
        length = 1 + text_length(records + 1);
        break;
    case ST_STREAM_TEXT:
        length = text_length(records);
        break;
    case ST_STREAM_MODULE: /* with its length, then its path */
        if (count <= 2)
            return 0;
        length = 2 + text_length(records + 2);
        break;
    default:
        break;
    }
    return length <= count ? length : 0;
}

/* ---- chunks ---- */

static struct held_chunk *chunk_at(const struct source *source, uint32_t i) {
    return &source->chunks[(source->first + i) & (source->capacity - 1)];
}

static struct st_stream_chunk *shared_chunk(const struct st_merge *merge,
                                            const struct source *source, uint32_t i) {
    return &merge->chunks[chunk_at(source, i)->index];
}

/* So many records are published in its last chunk. */
static uint32_t count_last(const struct st_merge *merge, const struct source *source) {
    const struct st_stream_chunk *chunk = shared_chunk(merge, source, source->count - 1);
    uint32_t count = atomic_load_explicit(&chunk->count, memory_order_acquire);
    return count < ST_STREAM_RECORDS ? count : ST_STREAM_RECORDS;
}

/* The one before is full, and its count does not change any more; but never does it shrink. */
static void push_chunk(const struct st_merge *merge, struct source *source, uint32_t index) {
    if (source->count) {
        uint64_t start = (source->chunk_number + source->count - 1) * ST_STREAM_RECORDS;
        uint64_t seen = source->visible > start ? source->visible - start : 0;
        uint32_t count = count_last(merge, source);
        chunk_at(source, source->count - 1)->count = count > seen ? count : (uint32_t)seen;
    }
    if (source->count == source->capacity) {
        uint32_t capacity = source->capacity ? 2 * source->capacity : 4;
        struct held_chunk *chunks = st_alloc(capacity, sizeof *chunks);
        for (uint32_t i = 0; i < source->count; i++)
            chunks[i] = *chunk_at(source, i);
        free(source->chunks);
        source->chunks = chunks;
        source->capacity = capacity;
        source->first = 0;
    }
    *chunk_at(source, source->count++) = (struct held_chunk){.index = index};
    source->last_is_full = false;
}

static void wake_program(struct st_stream_head *head) {
    atomic_fetch_add(&head->free_word, 1);
    if (atomic_load(&head->waiting))
        syscall(SYS_futex, &head->free_word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void pop_chunk(struct st_merge *merge, struct source *source) {
    uint32_t index = chunk_at(source, 0)->index;
    source->first = (source->first + 1) & (source->capacity - 1);
    source->count--;
    source->chunk_number++;
    source->position = source->chunk_number * ST_STREAM_RECORDS;
    if (source->visible < source->position)
        source->visible = source->position;
    merge->held[index] = false;
    st_stream_give_chunk(merge->head, merge->next_free, index);
    wake_program(merge->head);
    merge->gave_chunk = true;
}

/* Records in the i-th chunk of the source that are visible. */
static uint32_t records_in(const struct source *source, uint32_t i) {
    uint64_t start = (source->chunk_number + i) * ST_STREAM_RECORDS;
    if (i + 1 < source->count)
        return chunk_at(source, i)->count;
    return source->visible > start ? (uint32_t)(source->visible - start) : 0;
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
    uint32_t index = value - 1;
    if (index >= merge->given || merge->held[index]) {
        merge->facts.garbage++;
        return;
    }
    struct source *source = find_source(merge, merge->chunks[index].thread);
    if (merge->chunks[index].index != source->chunk_number + source->count)
        merge->facts.garbage++; /* of another thread, perhaps */
    merge->held[index] = true;
    push_chunk(merge, source, index);
}

/* Returns whether all that were begun could be read. One that was begun and is not there yet keeps
 * us from those behind it: their places could be taken twice otherwise. */
static bool read_announcements(struct st_merge *merge) {
    uint32_t begun = atomic_load_explicit(&merge->head->announced, memory_order_acquire);
    if (begun - merge->announced > merge->chunk_count) { /* there are not so many chunks */
        merge->facts.garbage++;
        merge->facts.broken = true;
        return true;
    }
    while (merge->announced != begun) {
        _Atomic uint32_t *place = &merge->announcements[merge->announced % merge->chunk_count];
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

static void look_at(const struct st_merge *merge, struct source *source) {
    source->seen = source->visible;
    if (!source->count)
        return;
    const struct st_stream_chunk *chunk = shared_chunk(merge, source, source->count - 1);
    source->last_is_full = atomic_load_explicit(&chunk->full, memory_order_acquire);
    uint64_t end =
        (source->chunk_number + source->count - 1) * ST_STREAM_RECORDS + count_last(merge, source);
    if (end > source->visible)
        source->visible = end;
}

static void look(struct st_merge *merge) {
    merge->whole = read_announcements(merge);
    for (size_t i = 0; i < merge->alive_count; i++)
        look_at(merge, merge->alive[i]);
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

/* Copies of the records from the source's position on, which is `at` in its first chunk. */
static const struct st_stream_record *copy_piece(const struct st_merge *merge,
                                                 struct source *source, uint32_t at, uint32_t end,
                                                 size_t *count) {
    uint64_t offset = source->position - source->piece_at;
    if (!source->piece_count || offset >= source->piece_count) {
        if (!source->piece)
            source->piece = st_alloc(PIECE, sizeof *source->piece);
        source->piece_at = source->position;
        source->piece_count = end - at < PIECE ? end - at : PIECE;
        memcpy(source->piece, &shared_chunk(merge, source, 0)->records[at],
               source->piece_count * sizeof *source->piece);
        offset = 0;
    }
    *count = source->piece_count - offset;
    return source->piece + offset;
}

/* The first records that are not delivered, or some of them. Gives chunks back that are read. */
static const struct st_stream_record *front(struct st_merge *merge, struct source *source,
                                            size_t *count) {
    while (source->count) {
        uint32_t end = records_in(source, 0);
        uint32_t at = (uint32_t)(source->position - source->chunk_number * ST_STREAM_RECORDS);
        if (at < end)
            return copy_piece(merge, source, at, end, count);
        if (source->count == 1 && !source->last_is_full)
            break;
        pop_chunk(merge, source);
    }
    *count = 0;
    return NULL;
}

static void advance(struct st_merge *merge, struct source *source, size_t count) {
    source->position += count;
    merge->facts.records += count;
}

/* Collects the records behind the first `skip` ones until they are one item, over the ends of
 * chunks. Returns its length, or 0 when the rest is not visible. */
static size_t collect_item(struct st_merge *merge, const struct source *source, size_t skip) {
    uint32_t at = (uint32_t)(source->position - source->chunk_number * ST_STREAM_RECORDS);
    size_t length = 0;
    for (uint32_t i = 0; i < source->count; i++, at = 0) {
        const struct st_stream_record *records = shared_chunk(merge, source, i)->records;
        for (uint32_t end = records_in(source, i); at < end; at++) {
            if (skip) {
                skip--;
                continue;
            }
            st_reserve(&merge->item, &merge->item_capacity, length + 1);
            merge->item[length++] = records[at];
            if (st_item_length(merge->item, length))
                return length;
        }
    }
    return 0;
}

/* Moves over records that lie in several chunks. */
static void advance_far(struct st_merge *merge, struct source *source, size_t count) {
    while (count) {
        size_t here;
        if (!front(merge, source, &here))
            return;
        size_t step = count < here ? count : here;
        advance(merge, source, step);
        count -= step;
    }
}

/* An item, which begins at the source's position, or behind it if its sequence number is there. */
static void deliver(struct st_merge *merge, struct source *source, size_t skip,
                    const struct st_stream_record *records, size_t length) {
    if (st_stream_op(records) == ST_STREAM_THREAD_END)
        source->ended = true;
    if (st_stream_op(records) == ST_STREAM_NONE)
        return; /* only its sequence number counts */
    if (merge->sink(merge->context, source->serial, source->position + skip, records, length) !=
        length)
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
    deliver(merge, source, 0, merge->item, length);
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
            size_t count_taken =
                merge->sink(merge->context, source->serial, source->position, records, count);
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
    if (records != merge->item) {
        st_reserve(&merge->item, &merge->item_capacity, length);
        memcpy(merge->item, records, length * sizeof *records);
    }
    merge->item[0] = st_stream_without_sequence(records);
    deliver(merge, source, 0, merge->item, length);
}

/* Delivers the next sequence number with its record, if this source has it in full. */
static bool deliver_sequenced(struct st_merge *merge, struct source *source) {
    if (source->position >= source->seen)
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
        deliver_item(merge, source, skip, merge->item, length);
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
        if (!source->ended || source->count || source->state != READY) {
            i++;
            continue;
        }
        merge->sources[st_map64_number(&merge->serials, source->serial)] = NULL;
        free_source(source);
        merge->alive[i] = merge->alive[--merge->alive_count];
    }
}

/* Every chunk is with a thread that has not filled it, and there are more threads. */
static void add_chunks(struct st_merge *merge) {
    struct st_stream_head *head = merge->head;
    bool wanted = atomic_load(&head->waiting) && !(uint32_t)atomic_load(&head->free_top);
    bool all_given = merge->given == merge->chunk_count;
    merge->stuck = wanted && !merge->gave_chunk ? merge->stuck + 1 : 0;
    merge->hopeless = merge->stuck && all_given ? merge->hopeless + 1 : 0;
    merge->facts.broken |= merge->hopeless > HOPELESS;
    if (merge->stuck < 2)
        return;
    merge->stuck = all_given;
    for (int i = 0; i < MORE_CHUNKS && merge->given < merge->chunk_count; i++)
        st_stream_give_chunk(head, merge->next_free, merge->given++);
    wake_program(head);
}

bool st_merge_step(struct st_merge *merge) {
    bool any = false;
    if (merge->facts.broken)
        return false;
    merge->gave_chunk = false;
    look(merge);
    for (size_t i = 0; i < merge->alive_count; i++)
        if (merge->alive[i]->state == READY)
            any |= drain(merge, merge->alive[i]);
    any |= deliver_sequence(merge);
    free_ended(merge);
    add_chunks(merge);
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
