#include "predict/model/rwlocks.h"

#include "base/memory.h"

#include <stdlib.h>

void st_rwlocks_init(struct st_rwlocks *rwlocks, const struct st_channels *kinds) {
    *rwlocks = (struct st_rwlocks){.kinds = kinds};
    st_map64_init(&rwlocks->pairs);
}

void st_rwlocks_free(struct st_rwlocks *rwlocks) {
    st_map64_free(&rwlocks->pairs);
    st_bits_free(&rwlocks->signalled);
    free(rwlocks->channels);
    free(rwlocks->pending);
    free(rwlocks->items);
    free(rwlocks->readers);
    free(rwlocks->reader_of);
    free(rwlocks->steps);
}

/* ---- which channels ---- */

static struct st_rw_channel *channel_of(struct st_rwlocks *rwlocks, uint32_t number) {
    st_reserve(&rwlocks->channels, &rwlocks->channel_capacity, (size_t)number + 1);
    if (number >= rwlocks->channel_count)
        rwlocks->channel_count = (size_t)number + 1;
    return &rwlocks->channels[number];
}

static uint64_t pair_of(uint32_t channel, uint32_t thread) {
    return (uint64_t)channel << 32 | thread;
}

static void receive_two(struct st_rwlocks *rwlocks, uint32_t written, uint32_t read) {
    channel_of(rwlocks, written > read ? written : read);
    struct st_rw_channel *first = &rwlocks->channels[written], *second = &rwlocks->channels[read];
    if (first->read && first->read != read + 1)
        first->broken = true;
    if (second->written && second->written != written + 1)
        second->broken = true;
    first->read = read + 1;
    second->written = written + 1;
}

static void receive_one(struct st_rwlocks *rwlocks, const struct st_event *event) {
    channel_of(rwlocks, event->target)->alone = true;
    st_map64_number(&rwlocks->pairs, pair_of(event->target, event->thread));
}

static struct st_rw_step *pending_of(struct st_rwlocks *rwlocks, uint32_t thread) {
    if (thread >= rwlocks->pending_capacity)
        st_reserve(&rwlocks->pending, &rwlocks->pending_capacity, (size_t)thread + 1);
    return &rwlocks->pending[thread];
}

static bool is_second(const struct st_rw_step *pending, const struct st_event *event) {
    return pending->number && event->op == ST_RECEIVE && event->target != pending->event.target &&
           event->loc == pending->event.loc;
}

/* Notes what the name of a channel says of semaphores. Is the channel that of one, as a lock? */
static bool note_semaphore(struct st_rwlocks *rwlocks, uint32_t channel) {
    struct st_channel facts = st_channel(rwlocks->kinds, channel);
    if (facts.kind == ST_SIGNAL_SIDE)
        st_bits_add(&rwlocks->signalled, facts.lock);
    if (facts.kind != ST_WHOLE_LOCK)
        return false;
    channel_of(rwlocks, channel)->semaphore = !facts.several;
    return true;
}

static bool is_on_semaphore(struct st_rwlocks *rwlocks, const struct st_event *event) {
    return rwlocks->kinds && (event->op == ST_SEND || event->op == ST_RECEIVE) &&
           note_semaphore(rwlocks, event->target);
}

void st_rwlocks_event(struct st_rwlocks *rwlocks, const struct st_event *event) {
    if (event->op == ST_DROPPED || is_on_semaphore(rwlocks, event))
        return;
    struct st_rw_step *pending = pending_of(rwlocks, event->thread);
    if (is_second(pending, event)) {
        receive_two(rwlocks, pending->event.target, event->target);
        pending->number = 0;
        return;
    }
    if (pending->number)
        receive_one(rwlocks, &pending->event);
    pending->number = 0;
    if (event->op == ST_RECEIVE)
        *pending = (struct st_rw_step){*event, 1};
}

/* ---- numbers for locks ---- */

static bool is_rwlock(const struct st_rwlocks *rwlocks, uint32_t channel) {
    const struct st_rw_channel *written = &rwlocks->channels[channel];
    if (written->semaphore)
        return !written->broken &&
               !st_bits_has(&rwlocks->signalled, st_channel(rwlocks->kinds, channel).lock);
    if (!written->read || written->written || written->broken)
        return false;
    const struct st_rw_channel *read = &rwlocks->channels[written->read - 1];
    return !read->read && !read->alone && !read->broken && read->written == channel + 1;
}

static void list_items(struct st_rwlocks *rwlocks) {
    rwlocks->items = st_realloc(rwlocks->items, rwlocks->channel_count + 1, sizeof *rwlocks->items);
    rwlocks->count = 0;
    for (uint32_t i = 0; i < rwlocks->channel_count; i++)
        rwlocks->channels[i].rwlock = 0;
    for (uint32_t i = 0; i < rwlocks->channel_count; i++) {
        if (!is_rwlock(rwlocks, i))
            continue;
        uint32_t read = rwlocks->channels[i].semaphore ? i : rwlocks->channels[i].read - 1;
        rwlocks->items[rwlocks->count++] = (struct st_rwlock){.written = i, .read = read};
        rwlocks->channels[i].rwlock = rwlocks->channels[read].rwlock = (uint32_t)rwlocks->count;
    }
}

static uint32_t item_of_pair(const struct st_rwlocks *rwlocks, uint32_t pair) {
    return rwlocks->channels[rwlocks->pairs.ids[pair] >> 32].rwlock;
}

static void list_readers(struct st_rwlocks *rwlocks) {
    uint32_t pairs = rwlocks->pairs.count, next = 0;
    for (uint32_t i = 0; i < pairs; i++)
        if (item_of_pair(rwlocks, i))
            rwlocks->items[item_of_pair(rwlocks, i) - 1].reader_count++;
    for (size_t i = 0; i < rwlocks->count; i++) {
        rwlocks->items[i].first_reader = next;
        next += rwlocks->items[i].reader_count;
        rwlocks->items[i].reader_count = 0;
    }
    rwlocks->reader_count = next;
    rwlocks->readers = st_realloc(rwlocks->readers, (size_t)next + 1, sizeof *rwlocks->readers);
    rwlocks->reader_of =
        st_realloc(rwlocks->reader_of, (size_t)pairs + 1, sizeof *rwlocks->reader_of);
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t item = item_of_pair(rwlocks, i);
        rwlocks->reader_of[i] = ST_MAP64_NONE;
        if (!item)
            continue;
        struct st_rwlock *rwlock = &rwlocks->items[item - 1];
        rwlocks->reader_of[i] = rwlock->first_reader + rwlock->reader_count++;
        rwlocks->readers[rwlocks->reader_of[i]] =
            (struct st_rw_reader){.rwlock = item - 1, .thread = (uint32_t)rwlocks->pairs.ids[i]};
    }
}

/* Prepares for the next pass. */
static void restart(struct st_rwlocks *rwlocks) {
    for (size_t i = 0; i < rwlocks->pending_capacity; i++)
        rwlocks->pending[i].number = 0;
    for (size_t i = 0; i < rwlocks->count; i++)
        rwlocks->items[i].writer = rwlocks->items[i].inside = 0;
    for (size_t i = 0; i < rwlocks->reader_count; i++)
        rwlocks->readers[i].depth = 0;
}

void st_rwlocks_number(struct st_rwlocks *rwlocks, uint32_t first_lock) {
    rwlocks->first_lock = first_lock;
    list_items(rwlocks);
    list_readers(rwlocks);
    restart(rwlocks);
}

bool st_rwlocks_drop_broken(struct st_rwlocks *rwlocks) {
    bool dropping = rwlocks->dropping;
    rwlocks->dropping = false;
    if (dropping)
        st_rwlocks_number(rwlocks, rwlocks->first_lock);
    else
        restart(rwlocks);
    return dropping;
}

/* ---- sections ---- */

static void put_step(struct st_rwlocks *rwlocks, const struct st_event *event, uint64_t number) {
    st_reserve(&rwlocks->steps, &rwlocks->step_capacity, rwlocks->step_count + 1);
    rwlocks->steps[rwlocks->step_count++] = (struct st_rw_step){*event, number};
}

static void put_lock(struct st_rwlocks *rwlocks, const struct st_rw_step *like, enum st_op op,
                     uint32_t lock) {
    struct st_event event = like->event;
    event.op = event.written = op;
    event.target = lock;
    put_step(rwlocks, &event, like->number);
}

static void break_rwlock(struct st_rwlocks *rwlocks, const struct st_rwlock *rwlock) {
    rwlocks->channels[rwlock->written].broken = true;
    rwlocks->dropping = true;
}

static struct st_rwlock *rwlock_at(struct st_rwlocks *rwlocks, const struct st_event *event) {
    uint32_t item =
        event->target < rwlocks->channel_count ? rwlocks->channels[event->target].rwlock : 0;
    return item ? &rwlocks->items[item - 1] : NULL;
}

static uint32_t lock_of(const struct st_rwlocks *rwlocks, const struct st_rwlock *rwlock) {
    return rwlocks->first_lock + (uint32_t)(rwlock - rwlocks->items);
}

static uint32_t lock_of_reader(const struct st_rwlocks *rwlocks, size_t reader) {
    return rwlocks->first_lock + (uint32_t)(rwlocks->count + reader);
}

static void begin_writing(struct st_rwlocks *rwlocks, struct st_rwlock *rwlock,
                          const struct st_rw_step *step) {
    if (rwlock->writer || rwlock->inside) {
        break_rwlock(rwlocks, rwlock);
        return;
    }
    rwlock->writer = step->event.thread + 1;
    put_lock(rwlocks, step, ST_ACQUIRE, lock_of(rwlocks, rwlock));
    for (uint32_t i = 0; i < rwlock->reader_count; i++)
        put_lock(rwlocks, step, ST_ACQUIRE, lock_of_reader(rwlocks, rwlock->first_reader + i));
}

static void end_writing(struct st_rwlocks *rwlocks, struct st_rwlock *rwlock,
                        const struct st_rw_step *step) {
    if (rwlock->writer != step->event.thread + 1) {
        break_rwlock(rwlocks, rwlock);
        return;
    }
    rwlock->writer = 0;
    for (uint32_t i = rwlock->reader_count; i-- > 0;)
        put_lock(rwlocks, step, ST_RELEASE, lock_of_reader(rwlocks, rwlock->first_reader + i));
    put_lock(rwlocks, step, ST_RELEASE, lock_of(rwlocks, rwlock));
}

/* The thread as a reader of the lock, or NULL if it is not one. */
static struct st_rw_reader *reader_at(struct st_rwlocks *rwlocks, const struct st_rwlock *rwlock,
                                      uint32_t thread) {
    uint32_t pair = st_map64_find(&rwlocks->pairs, pair_of(rwlock->written, thread));
    if (pair == ST_MAP64_NONE)
        return NULL;
    uint32_t reader = rwlocks->reader_of[pair];
    return reader == ST_MAP64_NONE ? NULL : &rwlocks->readers[reader];
}

static void begin_reading(struct st_rwlocks *rwlocks, struct st_rwlock *rwlock,
                          const struct st_rw_step *step) {
    struct st_rw_reader *reader = reader_at(rwlocks, rwlock, step->event.thread);
    if (!reader || rwlock->writer) {
        break_rwlock(rwlocks, rwlock);
        return;
    }
    if (reader->depth++)
        return;
    rwlock->inside++;
    put_lock(rwlocks, step, ST_ACQUIRE,
             lock_of_reader(rwlocks, (size_t)(reader - rwlocks->readers)));
}

static void end_reading(struct st_rwlocks *rwlocks, struct st_rwlock *rwlock,
                        const struct st_rw_step *step) {
    struct st_rw_reader *reader = reader_at(rwlocks, rwlock, step->event.thread);
    if (!reader || !reader->depth) {
        break_rwlock(rwlocks, rwlock);
        return;
    }
    if (--reader->depth)
        return;
    rwlock->inside--;
    put_lock(rwlocks, step, ST_RELEASE,
             lock_of_reader(rwlocks, (size_t)(reader - rwlocks->readers)));
}

/* Settles what the thread's previous receive was: the first of two, if this event is the second, or
 * a receive on its own. */
static bool settle_pending(struct st_rwlocks *rwlocks, const struct st_event *event) {
    struct st_rw_step *pending = pending_of(rwlocks, event->thread);
    if (!pending->number)
        return false;
    struct st_rwlock *rwlock = rwlock_at(rwlocks, &pending->event);
    bool two = is_second(pending, event) && event->target == rwlock->read;
    if (two)
        begin_writing(rwlocks, rwlock, pending);
    else
        begin_reading(rwlocks, rwlock, pending);
    pending->number = 0;
    return two;
}

void st_rwlocks_translate(struct st_rwlocks *rwlocks, const struct st_event *event,
                          uint64_t number) {
    bool sends = event->op == ST_SEND, receives = event->op == ST_RECEIVE;
    rwlocks->step_count = 0;
    if (event->op == ST_DROPPED || settle_pending(rwlocks, event))
        return;
    struct st_rwlock *rwlock = sends || receives ? rwlock_at(rwlocks, event) : NULL;
    struct st_rw_step step = {*event, number};
    if (!rwlock)
        put_step(rwlocks, event, number);
    else if (receives && rwlock->read == rwlock->written)
        begin_writing(rwlocks, rwlock, &step);
    else if (receives && event->target == rwlock->written)
        *pending_of(rwlocks, event->thread) = step;
    else if (receives)
        break_rwlock(rwlocks, rwlock);
    else if (event->target == rwlock->written)
        end_writing(rwlocks, rwlock, &step);
    else
        end_reading(rwlocks, rwlock, &step);
}

/* ---- back to the trace ---- */

static const struct st_rw_reader *reader_with(const struct st_rwlocks *rwlocks, uint32_t lock) {
    size_t place = lock - rwlocks->first_lock;
    return place < rwlocks->count ? NULL : &rwlocks->readers[place - rwlocks->count];
}

bool st_rwlocks_find(const struct st_rwlocks *rwlocks, uint32_t *lock) {
    if (*lock < rwlocks->first_lock ||
        *lock - rwlocks->first_lock >= st_rwlocks_lock_count(rwlocks))
        return false;
    const struct st_rw_reader *reader = reader_with(rwlocks, *lock);
    if (reader)
        *lock = rwlocks->first_lock + reader->rwlock;
    return true;
}

void st_rwlocks_restore(const struct st_rwlocks *rwlocks, struct st_event *event) {
    uint32_t lock = event->target;
    if (!st_rwlocks_find(rwlocks, &lock))
        return;
    const struct st_rwlock *rwlock = &rwlocks->items[lock - rwlocks->first_lock];
    const struct st_rw_reader *reader = reader_with(rwlocks, event->target);
    bool ends = event->op == ST_RELEASE;
    bool reads = reader && reader->thread == event->thread;
    event->op = event->written = ends ? ST_SEND : ST_RECEIVE;
    event->target = ends && reads ? rwlock->read : rwlock->written;
}
