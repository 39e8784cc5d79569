/* Fuzzes the watcher's reading of the stream: a program writes to it by the rules, and over it.
 *
 * The input is a list of what happens: a thread emits a record, somebody writes a word anywhere in
 * the shared memory, the watcher looks. Whatever that is, the watcher must end, stay in bounds, and
 * may deliver only events that engines can take; and it must say that the stream is damaged if what
 * can be seen of that at the end is. */
#include "base/memory.h"
#include "watch/merge/merge.h"
#include "watch/shared_memory.h"
#include "watch/translator.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHUNKS = 4, GIVEN = 3, THREADS = 3, MOST_ACTIONS = 400 };

struct input {
    const uint8_t *next, *end;
};

static uint64_t take(struct input *input, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes && input->next < input->end; i++)
        value = value << 8 | *input->next++;
    return value;
}

/* ---- the program ---- */

struct writer {
    struct st_stream_chunk *chunk;
    uint32_t serial, chunks, used;
};

struct ring {
    struct st_shared_memory memory;
    struct st_stream_chunk *chunks; /* where the program finds them is not to be fuzzed here */
    struct writer writers[THREADS];
    uint64_t sequence;
    bool damaged;
};

static bool has_room(struct ring *ring, struct writer *writer) {
    struct st_stream_head *head = ring->memory.head;
    if (writer->chunk && writer->used < ST_STREAM_RECORDS)
        return true;
    if (writer->chunk)
        atomic_store(&writer->chunk->full, 1);
    writer->chunk = NULL;
    uint32_t top = (uint32_t)atomic_load(&head->free_top);
    if (head->chunk_count != CHUNKS || top == 0 || top > CHUNKS)
        return false; /* it waits, or has hurt itself */
    int64_t index = st_stream_take_chunk(head);
    writer->chunk = &ring->chunks[index];
    writer->used = 0;
    atomic_store(&writer->chunk->count, 0);
    atomic_store(&writer->chunk->full, 0);
    writer->chunk->thread = writer->serial;
    writer->chunk->index = writer->chunks++;
    uint32_t place = atomic_fetch_add(&head->announced, 1) % CHUNKS;
    atomic_store(&st_stream_announcements(head)[place], (uint32_t)index + 1);
    return true;
}

static void put(struct ring *ring, struct writer *writer, uint64_t what, uint64_t argument) {
    if (!has_room(ring, writer))
        return;
    writer->chunk->records[writer->used++] = (struct st_stream_record){what, argument};
    atomic_store(&writer->chunk->count, writer->used);
}

/* Records as they should be, with a small choice of addresses, so that threads meet. */
static void emit(struct ring *ring, struct input *input) {
    struct writer *writer = &ring->writers[take(input, 1) % THREADS];
    enum st_stream_op op = (enum st_stream_op)(take(input, 1) % 40);
    uint64_t choice = take(input, 1), address = 0x1000 + choice % 16 * 4;
    unsigned aux = choice % 5 ? 1u << choice % 5 : 0;
    uint64_t argument = 0x400000 + choice;
    switch (op) {
    case ST_STREAM_FORK:
    case ST_STREAM_JOIN:
        address = choice % THREADS;
        break;
    case ST_STREAM_SLOT:
        address = choice % THREADS;
        argument = 1 + choice;
        break;
    case ST_STREAM_TEXT:
        address = choice;
        break;
    case ST_STREAM_DEFERRED_READ:
    case ST_STREAM_DEFERRED_WRITE:
        address &= ~(uint64_t)7;
        argument = choice % THREADS | (1 + choice) << 16;
        break;
    case ST_STREAM_LENGTH:
        argument = choice;
        break;
    case ST_STREAM_OBSERVE:
        argument = ring->sequence;
        break;
    case ST_STREAM_SEQUENCE:
        argument = ++ring->sequence;
        atomic_store(&ring->memory.head->next_sequence, argument + 1);
        break;
    default:
        break;
    }
    put(ring, writer, st_stream_what(op, aux, address), argument);
}

/* Anywhere: in the head, where most of it has a meaning, or in the whole memory. */
static void scribble(struct ring *ring, struct input *input) {
    static const uint64_t choices[] = {0, 1, UINT64_MAX, UINT64_C(1) << 47, UINT64_C(1) << 63, 128};
    uint64_t bytes =
        take(input, 1) % 2 ? sizeof(struct st_stream_head) + 8 * CHUNKS : st_stream_bytes(CHUNKS);
    uint64_t at = take(input, 3) % (bytes / 4) * 4;
    uint64_t kind = take(input, 1), value = kind < 128 ? choices[kind % 6] : take(input, 8);
    size_t width = kind % 2 || at + 8 > bytes ? 4 : 8;
    memcpy((char *)ring->memory.head + at, &value, width);
    ring->damaged = true;
}

/* ---- the watcher ---- */

static void check_events(void *context, struct st_event *events, const uint64_t *at, size_t count) {
    struct st_translator **translator = context;
    const struct st_symbols *symbols = st_translator_symbols(*translator);
    (void)at;
    for (size_t i = 0; i < count; i++)
        if (events[i].thread >= symbols->threads.count)
            abort();
}

static uint64_t nothing_is_dead(void *context, uint32_t thread) {
    (void)context, (void)thread;
    return 0;
}

static void act(struct ring *ring, struct st_merge *merge, struct input *input) {
    for (int i = 0; i < MOST_ACTIONS && input->next < input->end; i++) {
        uint64_t action = take(input, 1) % 8;
        if (action < 5)
            emit(ring, input);
        else if (action == 5)
            scribble(ring, input);
        else
            st_merge_step(merge);
    }
}

/* The memory is the same each time. */
static void start(struct ring *ring) {
    static struct st_stream_head *head;
    if (!head && posix_memalign((void **)&head, 4096, st_stream_bytes(CHUNKS)))
        abort();
    memset(head, 0, st_stream_bytes(CHUNKS));
    st_shared_memory_initialize(head, CHUNKS, GIVEN);
    *ring = (struct ring){.memory = {.head = head, .before = *head, .given = GIVEN},
                          .chunks = st_stream_first_chunk(head, CHUNKS)};
    for (uint32_t i = 0; i < THREADS; i++)
        ring->writers[i].serial = i;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, data + size};
    struct ring ring;
    struct st_translator *translator = NULL;
    start(&ring);
    bool deferred = take(&input, 1) % 2;
    struct st_translation options = {.names = take(&input, 1) % 2,
                                     .sites = true,
                                     .sink = check_events,
                                     .dead_before = deferred ? nothing_is_dead : NULL,
                                     .context = &translator};
    translator = st_translator_new(&options);
    st_translator_publish_to(translator, ring.memory.head);
    struct st_merge *merge = st_merge_new(ring.memory.head, GIVEN, st_translate, translator);
    act(&ring, merge, &input);
    st_merge_finish(merge);
    st_translator_flush(translator);
    if (st_shared_memory_is_damaged(&ring.memory) && !ring.damaged)
        abort();
    st_merge_free(merge);
    st_translator_free(translator);
    return 0;
}
