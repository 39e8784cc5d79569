/* Telling: records, chunks and numbers. */
#define _GNU_SOURCE
#include "runtime/core/shadow.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Thread_local struct rt_thread *rt_self;
struct st_stream_head *rt_head;
struct rt_range rt_unwinder;

/* mmap, memcpy and the like are our own here, and tell what they do: not for use in the core. */
void *rt_map_memory(size_t bytes) {
    int error = errno;
    long memory =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = error;
    return memory == -1 ? NULL : (void *)memory;
}

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

void rt_give_up(void) {
    if (rt_head)
        atomic_store(&rt_head->closed, 1);
}

/* ---- chunks ---- */

/* Sleeps until the watcher has given a chunk back, or some time has passed. */
static void wait_for_chunk(struct st_stream_head *head) {
    struct timespec timeout = {.tv_nsec = 20 * 1000 * 1000};
    uint32_t word = atomic_load(&head->free_word);
    atomic_fetch_add(&head->waiting, 1);
    if ((uint32_t)atomic_load(&head->free_top) == 0)
        syscall(SYS_futex, &head->free_word, FUTEX_WAIT, word, &timeout, NULL, 0);
    atomic_fetch_sub(&head->waiting, 1);
}

/* Nobody will give chunks back. A process that was killed is still there, for kill(), until its
 * parent has asked how it ended, so it is only asked where the mutex is not held. */
static bool watcher_is_gone(void) {
    uint32_t word = atomic_load(&rt_head->alive.word);
    if (word & FUTEX_OWNER_DIED)
        return true;
    return !(word & FUTEX_TID_MASK) && kill((pid_t)rt_head->watcher, 0) < 0 && errno == ESRCH;
}

static struct st_stream_chunk *new_chunk(struct rt_thread *t) {
    struct st_stream_head *head = rt_head;
    int64_t index;
    while ((index = st_stream_take_chunk(head)) < 0) {
        if (atomic_load(&head->closed) || watcher_is_gone())
            return NULL;
        wait_for_chunk(head);
    }
    struct st_stream_chunk *chunk = st_stream_chunk(head, (uint32_t)index);
    atomic_store_explicit(&chunk->count, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->full, 0, memory_order_relaxed);
    chunk->thread = t->serial;
    chunk->sequence = t->sequence++;
    uint32_t position = atomic_fetch_add(&head->announced, 1) % head->chunk_count;
    atomic_store_explicit(&st_stream_announcements(head)[position], (uint32_t)index + 1,
                          memory_order_release);
    return chunk;
}

/* Where records go when nobody takes them any more. */
static struct st_stream_chunk bin;

static __attribute__((noinline)) void next_chunk(struct rt_thread *t) {
    int error = errno;
    if (t->chunk && t->chunk != &bin) {
        atomic_store_explicit(&t->chunk->count, t->used, memory_order_release);
        atomic_store_explicit(&t->chunk->full, 1, memory_order_release);
    }
    struct st_stream_chunk *chunk = rt_head && !atomic_load(&rt_head->closed) ? new_chunk(t) : NULL;
    if (!chunk)
        rt_give_up();
    t->chunk = chunk ? chunk : &bin;
    t->used = 0;
    errno = error;
}

static void put(struct rt_thread *t, struct st_stream_record record) {
    if (__builtin_expect(!t->chunk || t->used == ST_STREAM_RECORDS, 0))
        next_chunk(t);
    t->chunk->records[t->used++] = record;
    t->position++;
}

/* A number ends an epoch (slots.c). */
static void put_numbered(struct rt_thread *t, struct st_stream_record record) {
    uint64_t number = t->pending;
    if (number - t->told_number < 65536 && !(record.argument >> ST_STREAM_NUMBER_AT)) {
        put(t, st_stream_with_number(record, number));
    } else {
        put(t, (struct st_stream_record){st_stream_what(ST_STREAM_NUMBER, 0, 0), number});
        put(t, record);
    }
    t->pending = 0;
    t->told_number = number;
    rt_new_epoch(t);
}

void rt_put(struct rt_thread *t, uint64_t what, uint64_t argument) {
    struct st_stream_record record = {what, argument};
    if (t->pending)
        put_numbered(t, record);
    else
        put(t, record);
}

void rt_publish(struct rt_thread *t) {
    if (t->chunk)
        atomic_store_explicit(&t->chunk->count, t->used, memory_order_release);
}

/* ---- numbers ---- */

uint64_t rt_draw(struct rt_thread *t) {
    uint64_t number = atomic_fetch_add(&rt_head->number, 1);
    t->number = t->pending = number;
    rt_remember_draw(t, number);
    return number;
}

void rt_observe(struct rt_thread *t, uint64_t number) {
    if (number <= t->number)
        return;
    t->number = t->told_number = number;
    rt_put(t, st_stream_what(ST_STREAM_OBSERVE, 0, 0), number);
}

/* ---- functions and blocks ---- */

void rt_tell_frames(struct rt_thread *t) {
    if (t->told == t->depth)
        return;
    for (; t->told < t->depth; t->told++) {
        const struct rt_frame *frame = &t->frames[t->told];
        rt_put(
            t,
            st_stream_what(frame->block ? ST_STREAM_BEGIN : ST_STREAM_ENTER, 0, frame->called_from),
            frame->function);
    }
    rt_publish(t);
    rt_new_epoch(t);
}

static bool grow_frames(struct rt_thread *t) {
    size_t capacity = t->capacity ? 2 * t->capacity : 512;
    struct rt_frame *frames = rt_map_memory(capacity * sizeof *frames);
    if (!frames)
        return false;
    if (t->frames) {
        for (size_t i = 0; i < t->depth; i++)
            frames[i] = t->frames[i];
        syscall(SYS_munmap, t->frames, t->capacity * sizeof *frames);
    }
    t->frames = frames;
    t->capacity = capacity;
    return true;
}

static void push(struct rt_thread *t, struct rt_frame frame) {
    if (__builtin_expect(t->depth == t->capacity, 0) && !grow_frames(t)) {
        rt_give_up();
        return;
    }
    t->frames[t->depth++] = frame;
    t->owner = RT_STALE;
}

static void pop(struct rt_thread *t) {
    if (t->depth == 0)
        return; /* entered before we were there */
    const struct rt_frame *frame = &t->frames[--t->depth];
    if (t->told > t->depth) {
        t->told = t->depth;
        rt_put(t, st_stream_what(frame->block ? ST_STREAM_END : ST_STREAM_LEAVE, 0, 0), 0);
        rt_publish(t);
        rt_moved(t);
    } else if (t->told == t->depth) {
        t->owner = t->current;
    }
}

void rt_function_enter(uintptr_t function, uintptr_t called_from, uintptr_t frame) {
    push(rt_self,
         (struct rt_frame){.function = function, .called_from = called_from, .stack = frame});
}

/* Blocks that the function left open end with it. */
void rt_function_leave(void) {
    struct rt_thread *t = rt_self;
    while (t->depth && t->frames[t->depth - 1].block)
        pop(t);
    pop(t);
}

/* The bytes of a text, as records. */
static void put_text(struct rt_thread *t, uint64_t number, const char *text) {
    size_t length = length_of(text);
    rt_put(t, st_stream_what(ST_STREAM_TEXT, 0, length), number);
    for (size_t at = 0; at < length; at += 16) {
        struct st_stream_record raw = {0, 0};
        for (size_t i = 0; i < 16 && at + i < length; i++)
            ((char *)&raw)[i] = text[at + i];
        rt_put(t, raw.what, raw.argument);
    }
}

static uint64_t tell_text(struct rt_thread *t, const char *text) {
    static _Atomic uint64_t texts;
    uint64_t number = atomic_fetch_add(&texts, 1) + 1;
    put_text(t, number, text);
    return number;
}

void rt_block_begin(const char *name, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    uint64_t text = tell_text(t, name ? name : "");
    push(t, (struct rt_frame){.function = text, .called_from = caller, .block = true});
}

/* An end belongs to the innermost block; functions that were entered since stay open. */
void rt_block_end(void) {
    struct rt_thread *t = rt_self;
    size_t i = t->depth;
    while (i > 0 && !t->frames[i - 1].block)
        i--;
    if (i == 0)
        return;
    if (i == t->depth) {
        pop(t);
        return;
    }
    /* Begun in a function that is still open, ended in one that it called: the block is cut short
     * where that function began, since blocks must nest. */
    rt_unwind(i - 1);
}

void rt_unwind(size_t depth) {
    while (rt_self->depth > depth)
        pop(rt_self);
}

void rt_unwind_to_stack(uintptr_t stack) {
    struct rt_thread *t = rt_self;
    size_t depth = t->depth;
    while (depth > 0 && (t->frames[depth - 1].block || t->frames[depth - 1].stack < stack))
        depth--;
    /* Blocks right above the frame that stays were begun in it, and stay too. */
    while (depth < t->depth && t->frames[depth].block)
        depth++;
    rt_unwind(depth);
}

void rt_split(void) {
    if (rt_self->told) {
        rt_put(rt_self, st_stream_what(ST_STREAM_SPLIT, 0, 0), 0);
        rt_publish(rt_self);
        rt_new_epoch(rt_self);
    }
}

/* ---- synchronisation ---- */

/* An event with a number. After one by which this thread can have learned something, accesses have
 * to be told again. */
static void tell_ordered(enum st_stream_op op, unsigned aux, uintptr_t address, uint64_t argument,
                         bool learns) {
    struct rt_thread *t = rt_self;
    if (argument - rt_unwinder.start < rt_unwinder.length)
        return; /* the unwinder, for its own sake, in the middle of a block of the program */
    rt_tell_frames(t);
    rt_draw(t);
    rt_put(t, st_stream_what(op, aux, address), argument);
    rt_publish(t);
    if (learns)
        rt_new_epoch(t);
    else
        rt_moved(t);
}

/* Memory of which nothing was told is not told when it is freed. A lock may be all that is in it,
 * and has to end there. */
static void touch_object(const volatile void *object) {
    _Atomic uint64_t *word = &rt_cell((uintptr_t)object)->write;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & RT_KNOWN))
        atomic_fetch_or_explicit(word, RT_KNOWN, memory_order_relaxed);
}

void rt_acquire(const volatile void *lock, uintptr_t caller) {
    tell_ordered(ST_STREAM_ACQUIRE, 0, (uintptr_t)lock, caller, true);
    touch_object(lock);
}

void rt_release(const volatile void *lock, uintptr_t caller) {
    tell_ordered(ST_STREAM_RELEASE, 0, (uintptr_t)lock, caller, false);
}

void rt_send(const volatile void *object, unsigned channel, uintptr_t caller) {
    tell_ordered(ST_STREAM_SEND, channel, (uintptr_t)object, caller, false);
    touch_object(object);
}

void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller) {
    tell_ordered(ST_STREAM_RECEIVE, channel, (uintptr_t)object, caller, true);
}

void rt_thread_join(uint32_t serial, uintptr_t caller) {
    tell_ordered(ST_STREAM_JOIN, 0, serial, caller, true);
}

uint32_t rt_new_serial(void) {
    static _Atomic uint32_t serials; /* the first thread has 0 */
    return atomic_fetch_add(&serials, 1) + 1;
}

uint32_t rt_thread_fork(uintptr_t caller) {
    uint32_t serial = rt_new_serial();
    tell_ordered(ST_STREAM_FORK, 0, serial, caller, false);
    return serial;
}

/* ---- modules and trouble ---- */

void rt_tell_module(const char *path, uintptr_t start, uintptr_t length, uintptr_t bias) {
    struct rt_thread *t = rt_self;
    rt_put(t, st_stream_what(ST_STREAM_MODULE, 0, start), bias);
    rt_put(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), length);
    put_text(t, 0, path);
    rt_publish(t);
}
