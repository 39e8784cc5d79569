/* The stream of a program, read by its watcher: the order, the variables, the events.
 *
 * The streams here are in ordinary memory and written by the tests, by the rules of
 * stream/stream.h. */
#include "base/memory.h"
#include "report/report.h"
#include "watch/merge/merge.h"
#include "watch/places.h"
#include "watch/shared_memory.h"
#include "watch/translator.h"
#include "watch/memory/variables.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- writing a stream ---- */

enum { CHUNKS = 8 };

static struct st_stream_head *new_stream(uint32_t chunks, uint32_t given) {
    struct st_stream_head *head = NULL;
    if (posix_memalign((void **)&head, 4096, st_stream_bytes(chunks)))
        abort();
    memset(head, 0, st_stream_bytes(chunks));
    st_shared_memory_initialize(head, chunks, given);
    atomic_store(&head->next_sequence, UINT64_C(1) << 40); /* the tests choose which they take */
    return head;
}

/* A thread of a program that is watched. */
struct writer {
    struct st_stream_head *head;
    uint32_t serial, chunks, used;
    struct st_stream_chunk *chunk;
};

static bool new_chunk(struct writer *writer) {
    int64_t index = st_stream_take_chunk(writer->head);
    if (index < 0)
        return false;
    writer->chunk = st_stream_chunk(writer->head, (uint32_t)index);
    atomic_store(&writer->chunk->count, 0);
    atomic_store(&writer->chunk->full, 0);
    writer->chunk->thread = writer->serial;
    writer->chunk->index = writer->chunks++;
    writer->used = 0;
    uint32_t place = atomic_fetch_add(&writer->head->announced, 1) % writer->head->chunk_count;
    atomic_store(&st_stream_announcements(writer->head)[place], (uint32_t)index + 1);
    return true;
}

static void put(struct writer *writer, uint64_t what, uint64_t argument) {
    if (writer->chunk && writer->used == ST_STREAM_RECORDS) {
        atomic_store(&writer->chunk->count, writer->used);
        atomic_store(&writer->chunk->full, 1);
        writer->chunk = NULL;
    }
    if (!writer->chunk) {
        atomic_fetch_add(&writer->head->waiting, 1);
        while (!new_chunk(writer))
            sched_yield();
        atomic_fetch_sub(&writer->head->waiting, 1);
    }
    writer->chunk->records[writer->used++] = (struct st_stream_record){what, argument};
}

static void publish(struct writer *writer) {
    atomic_store(&writer->chunk->count, writer->used);
}

/* One record that is whole in itself. */
static void emit(struct writer *writer, enum st_stream_op op, unsigned aux, uint64_t address,
                 uint64_t argument) {
    put(writer, st_stream_what(op, aux, address), argument);
    publish(writer);
}

static void emit_sequenced(struct writer *writer, uint64_t sequence, enum st_stream_op op,
                           uint64_t address, uint64_t argument) {
    put(writer, st_stream_what(ST_STREAM_SEQUENCE, 0, 0), sequence);
    emit(writer, op, 0, address, argument);
}

static void emit_range(struct writer *writer, enum st_stream_op op, uint64_t address,
                       uint64_t argument, uint64_t length) {
    put(writer, st_stream_what(op, 0, address), argument);
    emit(writer, ST_STREAM_LENGTH, 0, 0, length);
}

static void put_text(struct writer *writer, uint64_t id, const char *text) {
    size_t length = strlen(text);
    put(writer, st_stream_what(ST_STREAM_TEXT, 0, length), id);
    for (size_t at = 0; at < length; at += 16) {
        struct st_stream_record raw = {0, 0};
        memcpy(&raw, text + at, length - at < 16 ? length - at : 16);
        put(writer, raw.what, raw.argument);
    }
    publish(writer);
}

static void emit_end(struct writer *writer) {
    emit(writer, ST_STREAM_THREAD_END, 0, 0, 0);
    atomic_store(&writer->chunk->full, 1);
}

/* ---- the order ---- */

/* Notes what it takes: "1:40 " is the record of thread 1 with the address 40. */
struct notes {
    char text[4096];
    size_t used;
};

static size_t note(void *context, uint32_t serial, uint64_t position,
                   const struct st_stream_record *records, size_t count) {
    (void)position;
    struct notes *notes = context;
    size_t i = 0, length;
    while (i < count && st_is_in_turn(&records[i]) &&
           (length = st_item_length(&records[i], count - i))) {
        if (notes->used > sizeof notes->text / 2)
            notes->used = 0; /* nobody looks at so much */
        notes->used += (size_t)snprintf(notes->text + notes->used, sizeof notes->text - notes->used,
                                        "%u:%d ", serial, (int)st_stream_address(&records[i]));
        i += length;
    }
    return i;
}

struct merging {
    struct st_stream_head *head;
    struct st_merge *merge;
    struct notes notes;
    struct writer writers[3];
};

static void start_merging(struct merging *m) {
    memset(m, 0, sizeof *m);
    m->head = new_stream(CHUNKS, CHUNKS);
    m->merge = st_merge_new(m->head, CHUNKS, note, &m->notes);
    for (uint32_t i = 0; i < 3; i++)
        m->writers[i] = (struct writer){.head = m->head, .serial = i};
}

static void end_merging(struct merging *m) {
    st_merge_free(m->merge);
    free(m->head);
}

static void expect(struct merging *m, const char *text) {
    while (st_merge_step(m->merge))
        ;
    st_merge_step(m->merge);
    assert_string_equal(m->notes.text, text);
}

static void a_thread_is_read_in_its_order(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit(&m.writers[0], ST_STREAM_READ, 4, 1, 0);
    emit(&m.writers[0], ST_STREAM_READ, 4, 2, 0);
    expect(&m, "0:1 0:2 ");
    emit(&m.writers[0], ST_STREAM_READ, 4, 3, 0);
    expect(&m, "0:1 0:2 0:3 ");
    end_merging(&m);
}

static void sequence_numbers_give_the_order_between_threads(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit_sequenced(&m.writers[1], 3, ST_STREAM_ACQUIRE, 30, 0);
    emit_sequenced(&m.writers[0], 2, ST_STREAM_RELEASE, 20, 0);
    emit(&m.writers[0], ST_STREAM_READ, 4, 21, 0);
    expect(&m, "");
    emit_sequenced(&m.writers[2], 1, ST_STREAM_ACQUIRE, 10, 0);
    expect(&m, "2:10 0:20 0:21 1:30 ");
    end_merging(&m);
}

static void what_was_visible_before_a_sequence_number_comes_before_it(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit_sequenced(&m.writers[1], 1, ST_STREAM_ACQUIRE, 10, 0);
    emit(&m.writers[0], ST_STREAM_READ, 4, 1, 0);
    assert_true(st_merge_step(m.merge)); /* sees the sequence number, and delivers what has none */
    assert_string_equal(m.notes.text, "0:1 ");
    emit(&m.writers[0], ST_STREAM_READ, 4, 2, 0);
    expect(&m, "0:1 0:2 1:10 ");
    end_merging(&m);
}

static void who_observes_a_sequence_number_waits_for_it(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit(&m.writers[0], ST_STREAM_OBSERVE, 0, 0, 2);
    emit(&m.writers[0], ST_STREAM_READ, 4, 5, 0);
    emit_sequenced(&m.writers[1], 1, ST_STREAM_ACQUIRE, 10, 0);
    expect(&m, "1:10 ");
    emit_sequenced(&m.writers[2], 2, ST_STREAM_ACQUIRE, 20, 0);
    expect(&m, "1:10 2:20 0:5 ");
    end_merging(&m);
}

static void an_item_may_lie_in_two_chunks(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    struct writer *writer = &m.writers[0];
    for (int i = 0; i < ST_STREAM_RECORDS - 2; i++)
        emit(writer, ST_STREAM_SPLIT, 0, 0, 0);
    st_merge_step(m.merge);
    m.notes.used = 0;
    put_text(writer, 1, "a text of three records, as long as that takes");
    emit(writer, ST_STREAM_READ, 4, 7, 0);
    expect(&m, "0:46 0:7 ");
    for (int i = 0; i < ST_STREAM_RECORDS - 4; i++)
        emit(writer, ST_STREAM_SPLIT, 0, 0, 0);
    st_merge_step(m.merge);
    m.notes.used = 0;
    emit_sequenced(writer, 1, ST_STREAM_ACQUIRE, 10, 0);
    expect(&m, "0:10 ");
    end_merging(&m);
}

static void half_an_item_waits_for_the_rest(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    put(&m.writers[0], st_stream_what(ST_STREAM_READ, 0, 5), 0);
    publish(&m.writers[0]);
    expect(&m, "");
    emit(&m.writers[0], ST_STREAM_LENGTH, 0, 0, 100);
    expect(&m, "0:5 ");
    end_merging(&m);
}

static void the_dead_leave_gaps(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit_sequenced(&m.writers[0], 2, ST_STREAM_ACQUIRE, 20, 0);
    emit_sequenced(&m.writers[0], 5, ST_STREAM_ACQUIRE, 50, 0);
    emit(&m.writers[2], ST_STREAM_OBSERVE, 0, 0, 9);
    emit(&m.writers[2], ST_STREAM_READ, 4, 90, 0);
    put(&m.writers[1], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 3);
    publish(&m.writers[1]); /* killed before it wrote the record with the sequence number */
    expect(&m, "");
    st_merge_finish(m.merge);
    assert_string_equal(m.notes.text, "0:20 0:50 2:90 ");
    assert_int_equal(st_merge_facts(m.merge)->lost_sequences, 7); /* 1, 3, 4 and 6 to 9 */
    assert_int_equal(st_merge_facts(m.merge)->torn, 1);
    end_merging(&m);
}

/* It ran out of memory: from then on its threads take numbers and throw their records away. */
static void a_program_that_has_given_up_leaves_any_number_of_gaps(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit_sequenced(&m.writers[0], 1, ST_STREAM_ACQUIRE, 10, 0);
    emit_sequenced(&m.writers[0], 2000, ST_STREAM_ACQUIRE, 20, 0);
    atomic_store(&m.head->closed, 1);
    st_merge_finish(m.merge);
    assert_string_equal(m.notes.text, "0:10 0:20 ");
    assert_int_equal(st_merge_facts(m.merge)->lost_sequences, 0);
    assert_false(st_merge_facts(m.merge)->broken);
    end_merging(&m);
}

static void an_announcement_that_never_came_is_passed(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    atomic_fetch_add(&m.head->announced, 1); /* begun by a thread that is still at it */
    emit(&m.writers[0], ST_STREAM_READ, 4, 1, 0);
    expect(&m, "");
    st_merge_finish(m.merge);
    assert_string_equal(m.notes.text, "0:1 ");
    end_merging(&m);
}

static uint32_t count_free(struct st_stream_head *head) {
    uint32_t count = 0;
    for (uint32_t i = (uint32_t)atomic_load(&head->free_top); i; count++)
        i = atomic_load(&st_stream_next_free(head)[i - 1]);
    return count;
}

static void chunks_come_back(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < ST_STREAM_RECORDS; i++)
            emit(&m.writers[round % 2], ST_STREAM_SPLIT, 0, 0, 0);
        st_merge_step(m.merge);
        m.notes.used = 0;
    }
    emit_end(&m.writers[0]);
    emit_end(&m.writers[1]);
    st_merge_step(m.merge);
    assert_int_equal(count_free(m.head), CHUNKS);
    end_merging(&m);
}

static void more_threads_than_chunks_get_more_chunks(void **state) {
    (void)state;
    struct notes notes = {0};
    struct st_stream_head *head = new_stream(CHUNKS, 2);
    struct st_merge *merge = st_merge_new(head, 2, note, &notes);
    struct writer writers[3];
    for (uint32_t i = 0; i < 3; i++)
        writers[i] = (struct writer){.head = head, .serial = i};
    emit(&writers[0], ST_STREAM_READ, 4, 1, 0);
    emit(&writers[1], ST_STREAM_READ, 4, 2, 0);
    assert_false(new_chunk(&writers[2]));
    atomic_store(&head->waiting, 1);
    for (int i = 0; i < 4; i++)
        st_merge_step(merge);
    assert_true(new_chunk(&writers[2]));
    emit(&writers[2], ST_STREAM_READ, 4, 3, 0);
    st_merge_step(merge);
    assert_string_equal(notes.text, "0:1 1:2 2:3 ");
    st_merge_free(merge);
    free(head);
}

static void garbage_is_counted_and_harms_nobody(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    atomic_store(&st_stream_announcements(m.head)[0], 12345); /* no such chunk */
    atomic_fetch_add(&m.head->announced, 1);
    emit(&m.writers[0], ST_STREAM_READ, 4, 1, 0);
    atomic_store(&m.writers[0].chunk->count, UINT32_MAX);
    st_merge_step(m.merge);
    st_merge_finish(m.merge);
    assert_true(st_merge_facts(m.merge)->garbage > 0);
    end_merging(&m);
}

/* ---- the order, with real threads ---- */

/* Each thread works for itself, then takes a place in a row under a lock, which it emits with a
 * sequence number: its own counter and the shared one. */
enum { PRODUCERS = 4, TURNS = 20000 };

struct race {
    struct st_stream_head *head;
    pthread_mutex_t lock;
    uint64_t shared;
    uint64_t own[PRODUCERS]; /* what was delivered of each */
    uint64_t taken_shared;
    _Atomic int running;
};

struct producer {
    struct race *race;
    uint32_t serial;
};

static void *produce(void *argument) {
    struct producer *producer = argument;
    struct race *race = producer->race;
    struct writer writer = {.head = race->head, .serial = producer->serial};
    uint64_t own = 0, last = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < turn % 5; i++)
            emit(&writer, ST_STREAM_READ, 4, ++own, 0);
        pthread_mutex_lock(&race->lock);
        uint64_t sequence = atomic_fetch_add(&race->head->next_sequence, 1);
        /* The second word is what every record before it in any thread adds up to: without a
         * number, but emitted before the lock was released. */
        struct st_stream_record write = {st_stream_what(ST_STREAM_WRITE, 4, ++own), ++race->shared};
        if (turn % 3 && sequence - last < 65536)
            write = st_stream_with_sequence(write, sequence);
        else
            put(&writer, st_stream_what(ST_STREAM_SEQUENCE, 0, 0), sequence);
        last = sequence;
        put(&writer, write.what, write.argument);
        publish(&writer);
        emit(&writer, ST_STREAM_ATOMIC_READ, 4, ++own, race->shared);
        pthread_mutex_unlock(&race->lock);
    }
    emit_end(&writer);
    race->running--;
    return NULL;
}

static size_t check_order(void *context, uint32_t serial, uint64_t position,
                          const struct st_stream_record *records, size_t count) {
    (void)position;
    struct race *race = context;
    size_t i = 0;
    for (; i < count; i++) {
        enum st_stream_op op = st_stream_op(&records[i]);
        if (!st_is_in_turn(&records[i]))
            break;
        if (op == ST_STREAM_THREAD_END)
            continue;
        assert_int_equal(st_stream_address(&records[i]), ++race->own[serial]);
        if (op == ST_STREAM_WRITE)
            assert_int_equal(records[i].argument, ++race->taken_shared);
        else if (op == ST_STREAM_ATOMIC_READ) /* before the next one wrote */
            assert_int_equal(records[i].argument, race->taken_shared);
    }
    return i;
}

static void a_head_that_was_overwritten_breaks_the_stream(void **state) {
    (void)state;
    struct merging m;
    start_merging(&m);
    emit(&m.writers[0], ST_STREAM_WRITE, 4, 1, 1);
    m.head->chunk_count = 0;
    expect(&m, "0:1 ");
    assert_false(st_merge_facts(m.merge)->broken);
    atomic_store(&m.head->announced, 1000);
    emit(&m.writers[0], ST_STREAM_WRITE, 4, 2, 2);
    st_merge_finish(m.merge);
    assert_true(st_merge_facts(m.merge)->broken);
    end_merging(&m);
}

static void many_threads_are_merged_as_they_happened(void **state) {
    (void)state;
    struct race race = {.lock = PTHREAD_MUTEX_INITIALIZER, .running = PRODUCERS};
    race.head = new_stream(CHUNKS, CHUNKS);
    atomic_store(&race.head->next_sequence, 1); /* the producers take them in turn */
    struct st_merge *merge = st_merge_new(race.head, CHUNKS, check_order, &race);
    struct producer producers[PRODUCERS];
    pthread_t threads[PRODUCERS];
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        producers[i] = (struct producer){&race, i};
        assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
    }
    while (race.running)
        if (!st_merge_step(merge))
            sched_yield();
    for (uint32_t i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    st_merge_finish(merge);
    assert_int_equal(race.taken_shared, PRODUCERS * TURNS);
    assert_int_equal(st_merge_facts(merge)->lost_sequences, 0);
    assert_int_equal(count_free(race.head), CHUNKS);
    st_merge_free(merge);
    free(race.head);
}

/* ---- variables ---- */

/* Notes "w3 " for a write of variable 3. */
static void note_visit(void *context, uint32_t variable, bool write) {
    struct notes *notes = context;
    notes->used += (size_t)snprintf(notes->text + notes->used, sizeof notes->text - notes->used,
                                    "%c%u ", write ? 'w' : 'r', variable);
}

static void expect_touch(struct st_variables *variables, bool write, uint64_t address,
                         uint64_t length, const char *text) {
    struct notes notes = {0};
    st_variables_touch(variables, address, length, write, note_visit, &notes);
    assert_string_equal(notes.text, text);
}

static void equal_accesses_are_to_one_variable(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    assert_int_equal(st_variables_find(&v, 0x1000, 8), ST_VARIABLE_NONE);
    expect_touch(&v, true, 0x1000, 8, "w0 ");
    expect_touch(&v, false, 0x1000, 8, "r0 ");
    assert_int_equal(st_variables_find(&v, 0x1000, 8), 0);
    assert_int_equal(st_variables_find(&v, 0x1000, 4), ST_VARIABLE_NONE);
    assert_int_equal(st_variables_find(&v, 0x1001, 8), ST_VARIABLE_NONE);
    st_variables_free(&v);
}

static void neighbours_in_a_word_are_different(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1000, 4, "w0 ");
    expect_touch(&v, true, 0x1004, 4, "w1 ");
    assert_int_equal(st_variables_find(&v, 0x1004, 4), 1);
    expect_touch(&v, true, 0x2003, 1, "w5 "); /* the bytes of that word are 2 to 9 */
    expect_touch(&v, true, 0x2004, 1, "w6 ");
    expect_touch(&v, true, 0x1000, 8, "w0 w1 "); /* as a whole: both */
    st_variables_free(&v);
}

static void a_part_follows_what_it_was_part_of(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1000, 8, "w0 "); /* cleared */
    expect_touch(&v, false, 0x1000, 4, "r0 r1 ");
    expect_touch(&v, false, 0x1004, 4, "r0 r2 ");
    expect_touch(&v, true, 0x1000, 4, "r0 w1 ");
    expect_touch(&v, false, 0x1000, 4, "r1 "); /* that write was after the clearing */
    expect_touch(&v, false, 0x1004, 4, "r0 r2 ");
    expect_touch(&v, true, 0x1000, 8, "w1 r0 w2 ");
    expect_touch(&v, false, 0x1004, 4, "r2 ");
    st_variables_free(&v);
}

static void bytes_of_an_int_are_parts_too(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1000, 4, "w0 ");
    expect_touch(&v, true, 0x1003, 2, "r0 w5 r1 w6 "); /* across both ints of the word */
    expect_touch(&v, true, 0x1000, 4, "r0 w10 w5 ");
    expect_touch(&v, true, 0x1004, 4, "w6 r1 w11 ");
    st_variables_free(&v);
}

static void bytes_that_were_parts_have_numbers_in_a_row(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1000, 8, "w0 ");
    expect_touch(&v, true, 0x1006, 1, "r0 w7 "); /* bytes are 1 to 8 */
    expect_touch(&v, true, 0x1001, 1, "r0 w2 ");
    for (unsigned i = 0; i < 8; i++)
        st_variables_touch(&v, 0x1000 + i, 1, true, note_visit, &(struct notes){0});
    expect_touch(&v, false, 0x1000, 8, "r1 r2 r3 r4 r5 r6 r7 r8 ");
    st_variables_free(&v);
}

static void only_ancestors_that_were_written_are_read(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1000, 8, "w0 ");
    expect_touch(&v, false, 0x1000, 2, "r0 r1 ");
    expect_touch(&v, false, 0x1001, 4, "r0 r4 r11 "); /* not 1 and 2; and 0 once, for two parts */
    expect_touch(&v, true, 0x1002, 3, "r0 w11 ");
    expect_touch(&v, false, 0x1003, 1, "r11 r6 "); /* that was written, and comes after 0 */
    expect_touch(&v, false, 0x1005, 1, "r0 r8 ");
    st_variables_free(&v);
}

static void reads_alone_make_no_ancestors(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, false, 0x1001, 4, "r0 ");
    expect_touch(&v, false, 0x1002, 2, "r1 ");
    expect_touch(&v, true, 0x1001, 4, "w2 w1 ");
    st_variables_free(&v);
}

static void ranges_touch_all_that_they_cover(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1008, 4, "w0 ");
    expect_touch(&v, false, 0x1000, 20, "r2 r0 r1 r3 ");
    expect_touch(&v, true, 0x1ffc, 8, "w6 w7 "); /* over the end of a page */
    st_variables_free(&v);
}

static void freed_memory_is_new_memory(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    expect_touch(&v, true, 0x1000, 8, "w0 ");
    expect_touch(&v, true, 0x1008, 8, "w1 ");
    expect_touch(&v, true, 0x1002, 2, "r0 w2 ");
    st_variables_forget(&v, 0x1000, 8);
    expect_touch(&v, true, 0x1000, 8, "w4 ");
    expect_touch(&v, true, 0x1008, 8, "w1 ");
    st_variables_forget(&v, 0, UINT64_C(1) << 47);
    expect_touch(&v, true, 0x1008, 8, "w5 ");
    st_variables_free(&v);
}

/* Notes "3 " for variable 3. */
static void note_forgotten(void *context, uint32_t variable) {
    struct notes *notes = context;
    notes->used += (size_t)snprintf(notes->text + notes->used, sizeof notes->text - notes->used,
                                    "%u ", variable);
}

static void expect_recycled(struct st_variables *variables, const char *text) {
    struct notes notes = {0};
    st_variables_recycle(variables, note_forgotten, &notes);
    assert_string_equal(notes.text, text);
}

static void a_number_is_used_again_for_a_variable_of_the_same_name(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    st_variables_reuse(&v);
    st_variables_allocate(&v, 0x1000, 64, 1);
    expect_touch(&v, true, 0x1000, 8, "w0 ");
    expect_touch(&v, true, 0x1008, 4, "w1 ");
    st_variables_forget(&v, 0x1000, 64);
    st_variables_allocate(&v, 0x3000, 64, 1);
    expect_touch(&v, true, 0x3000, 8, "w3 "); /* somebody may still know the old ones */
    expect_recycled(&v, "0 1 2 ");
    expect_recycled(&v, "");
    st_variables_allocate(&v, 0x4000, 64, 2);
    expect_touch(&v, true, 0x4000, 8, "w4 "); /* of another line */
    st_variables_allocate(&v, 0x5000, 64, 1);
    expect_touch(&v, true, 0x5008, 4, "w1 ");
    expect_touch(&v, true, 0x500c, 4, "w2 ");
    expect_touch(&v, true, 0x5000, 8, "w0 ");
    expect_touch(&v, true, 0x5010, 8, "w5 "); /* at an offset that was not there */
    assert_int_equal(st_variables_place_of(&v, 0).address, 0x5000);
    st_variables_allocate(&v, 0x6000, 64, 1);
    expect_touch(&v, true, 0x6000, 8, "w6 "); /* 0 is in use */
    st_variables_free(&v);
}

static void parts_and_what_they_came_from_are_used_again(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    st_variables_reuse(&v);
    for (int i = 0; i < 3; i++) { /* outside of blocks, an address is a name */
        struct notes notes = {0};
        st_variables_touch(&v, 0x1000, 8, true, note_visit, &notes); /* cleared */
        st_variables_touch(&v, 0x1000, 4, true, note_visit, &notes);
        st_variables_touch(&v, 0x1004, 4, true, note_visit, &notes);
        assert_int_equal(st_variables_count(&v), 3);
        st_variables_forget(&v, 0x1000, 8);
        notes.used = 0;
        st_variables_recycle(&v, note_forgotten, &notes);
    }
    st_variables_free(&v);
}

static void expect_origin(const struct st_variables *v, uint64_t address, uint32_t origin,
                          uint64_t offset) {
    struct st_data_place place = st_variables_place(v, address);
    assert_int_equal(place.origin, origin);
    assert_int_equal(place.offset, offset);
}

static void memory_knows_its_allocation(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    st_variables_allocate(&v, 0x1010, 24, 1);
    st_variables_allocate(&v, 0x1030, 24, 2);
    st_variables_allocate(&v, 0x1ff0, 64, 3); /* over the end of a page */
    st_variables_allocate(&v, 0x10000, 1 << 20, 4);
    expect_origin(&v, 0x1010, 1, 0);
    expect_origin(&v, 0x1027, 1, 23);
    expect_origin(&v, 0x1028, 0, 0);
    expect_origin(&v, 0x1038, 2, 8);
    expect_origin(&v, 0x2008, 3, 24);
    expect_origin(&v, 0x80000, 4, 0x70000);
    expect_origin(&v, 0x110000, 0, 0);
    st_variables_allocate(&v, 0x1010, 48, 5); /* in place of two others */
    expect_origin(&v, 0x1038, 5, 40);
    st_variables_allocate(&v, 0x20000, 100, 6); /* inside what was a large one */
    expect_origin(&v, 0x20010, 6, 16);
    expect_origin(&v, 0x80000, 0, 0);
    st_variables_allocate(&v, 0x20040, 5000, 7); /* where that ends, which was freed */
    expect_origin(&v, 0x20050, 7, 16);
    st_variables_free(&v);
}

/* A function is known by a return address in it; the byte before that is looked up. */
enum { F = 0xf1, G = 0xa1, H = 0xb1 };

/* ---- sites ---- */

/* A recursion that takes two ways at each level: as many stacks as calls. It took minutes when the
 * caller had no part in where a call is looked for. */
static void there_are_many_stacks_but_not_any_number(void **state) {
    (void)state;
    struct st_sites sites = {0};
    for (uint32_t i = 1; i <= ST_MOST_CALLS; i++)
        assert_int_equal(st_sites_call(&sites, (struct st_call){F, 0x400000 + i % 2, i / 2}), i);
    struct st_call call = st_call(&sites, ST_MOST_CALLS - 1);
    assert_int_equal(call.function, F);
    assert_int_equal(call.called_from, 0x400001);
    assert_int_equal(call.caller, ST_MOST_CALLS / 2 - 1);
    uint32_t more = st_sites_call(&sites, (struct st_call){F, 0x400000, ST_MOST_CALLS});
    assert_int_equal(more, st_sites_call(&sites, (struct st_call){F, 0x400000, more}));
    assert_int_equal(st_call(&sites, more).caller, 0);
    assert_int_equal(st_sites_call(&sites, (struct st_call){F, 0x400001, 1}), 3);
    st_sites_free(&sites);
}

static void expect_site(const struct st_sites *sites, uint64_t loc, struct st_site site,
                        uint32_t held) {
    struct st_site_at at = st_site_at(sites, loc);
    assert_true(loc >> 48 == 0 && loc & ST_LOC_NAME);
    assert_int_equal(at.held, held);
    assert_int_equal(st_site(sites, at.number).pc, site.pc);
    assert_int_equal(st_site(sites, at.number).call, site.call);
}

static void a_location_has_a_site_and_a_set_of_locks(void **state) {
    (void)state;
    struct st_sites sites = {0};
    uint32_t a = st_sites_number(&sites, F, 0), b = st_sites_number(&sites, F, 7);
    assert_int_equal(st_sites_number(&sites, F, 0), a);
    expect_site(&sites, st_location_of(a, 0), (struct st_site){F, 0}, 0);
    expect_site(&sites, st_location_of(b, 0), (struct st_site){F, 7}, 0);
    expect_site(&sites, st_location_of(b, 12), (struct st_site){F, 7}, 12);
    expect_site(&sites, st_location_of(b, ST_SET_UNKNOWN - 1), (struct st_site){F, 7},
                ST_SET_UNKNOWN - 1);
    expect_site(&sites, st_location_of(b, ST_SET_UNKNOWN), (struct st_site){F, 7}, ST_HELD_UNKNOWN);
    expect_site(&sites, st_location_of(b, ST_HELD_UNKNOWN), (struct st_site){F, 7},
                ST_HELD_UNKNOWN);
    assert_int_equal(st_site_at(&sites, ST_LOC_NAME | 2).number, UINT32_MAX);
    assert_int_equal(st_site_at(&sites, 1).number, UINT32_MAX); /* a mere number */
    st_sites_free(&sites);
}

/* As if there were as many. */
static void fill_sites(struct st_sites *sites, size_t count) {
    st_reserve(&sites->sites.list, &sites->sites.capacity, count + 1);
    sites->sites.count = count;
}

static void what_is_beyond_the_last_site_is_known_in_part(void **state) {
    (void)state;
    struct st_sites sites = {0};
    uint32_t known = st_sites_number(&sites, F, 7);
    fill_sites(&sites, ST_MOST_SITES);
    assert_int_equal(st_sites_number(&sites, F, 7), known);
    uint32_t part = st_sites_number(&sites, G, 7);
    expect_site(&sites, st_location_of(part, 3), (struct st_site){G, 0}, 3);
    assert_int_equal(st_sites_number(&sites, G, 8), part);
    fill_sites(&sites, ST_MOST_SITES + ST_MOST_SITES / 2 + 1);
    uint32_t none = st_sites_number(&sites, H, 7);
    expect_site(&sites, st_location_of(none, 3), (struct st_site){0, 0}, 3);
    assert_int_equal(st_sites_number(&sites, H, 8), none);
    assert_int_equal(st_sites_number(&sites, F, 7), known);
    assert_int_equal(st_sites_number(&sites, G, 0), part);
    assert_true(none < 1 << ST_SITE_BITS);
    st_sites_free(&sites);
}

/* ---- events ---- */

/* A program without modules: functions, locations and variables are addresses. */
struct translating {
    struct st_stream_head *head;
    struct st_merge *merge;
    struct st_translator *translator;
    struct st_spec *spec;
    struct writer writers[3];
    char text[8192];
    size_t used;
};

static void write_events(void *context, struct st_event *events, const uint64_t *at, size_t count) {
    (void)at;
    struct translating *t = context;
    const struct st_symbols *symbols = st_translator_symbols(t->translator);
    for (size_t i = 0; i < count; i++) {
        char *op = st_op_text(symbols, &events[i]);
        t->used += (size_t)snprintf(t->text + t->used, sizeof t->text - t->used, "%s|%s%s\n",
                                    st_name(&symbols->threads, events[i].thread), op,
                                    events[i].joined                ? " joined"
                                    : events[i].atomic              ? " atomic"
                                    : !events[i].fresh              ? ""
                                    : events[i].written == ST_BEGIN ? " counted"
                                                                    : " fresh");
        free(op);
    }
}

static void start_translating(struct translating *t, const char *spec) {
    memset(t, 0, sizeof *t);
    struct st_error error;
    if (spec) {
        FILE *file = fmemopen((char *)spec, strlen(spec), "r");
        t->spec = st_spec_read(file, "spec", &error);
        fclose(file);
        assert_non_null(t->spec);
    }
    struct st_translation translation = {
        .names = true, .spec = t->spec, .sink = write_events, .context = t};
    t->head = new_stream(CHUNKS, CHUNKS);
    t->translator = st_translator_new(&translation);
    t->merge = st_merge_new(t->head, CHUNKS, st_translate, t->translator);
    for (uint32_t i = 0; i < 3; i++)
        t->writers[i] = (struct writer){.head = t->head, .serial = i};
}

static void deliver_all(struct translating *t) {
    while (st_merge_step(t->merge))
        ;
}

static void expect_events(struct translating *t, const char *text) {
    st_merge_finish(t->merge);
    st_translator_flush(t->translator);
    assert_string_equal(t->text, text);
    st_merge_free(t->merge);
    st_translator_free(t->translator);
    st_spec_free(t->spec);
    free(t->head);
}

static void what_no_program_can_have_is_garbage(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, UINT64_C(1) << 47, 0x20);
    emit(&t.writers[0], ST_STREAM_WRITE, 17, 0x1000, 0x20);
    emit(&t.writers[0], ST_STREAM_NONE, 0, 0, 0);
    emit(&t.writers[0], ST_STREAM_ATOMIC_READ, 0, 0x1000, 0x20);
    emit_range(&t.writers[0], ST_STREAM_WRITE, 0x1000, 0x20, UINT64_C(1) << 46);
    emit_range(&t.writers[0], ST_STREAM_FREE, 0x1000, 0, UINT64_MAX);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x1000, 0x20, UINT64_C(1) << 63);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x20);
    st_merge_finish(t.merge);
    assert_int_equal(st_translator_facts(t.translator)->garbage + st_merge_facts(t.merge)->garbage,
                     7);
    expect_events(&t, "main|w(0x1000)\n");
}

static void functions_are_blocks(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x20);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x21, G);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0); /* entered before anybody listened */
    expect_events(&t, "main|begin(0xf0)\n"
                      "main|w(0x1000)\n"
                      "main|begin(0xa0)\n"
                      "main|end(0xa0)\n"
                      "main|end(0xf0)\n");
}

static void what_a_thread_starts_with_is_no_block(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_sequenced(&t.writers[0], 1, ST_STREAM_FORK, 1, 0x20);
    emit(&t.writers[1], ST_STREAM_OBSERVE, 0, 0, 1);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, G);
    emit(&t.writers[1], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, F);
    put(&t.writers[1], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 2);
    emit_end(&t.writers[1]);
    emit_sequenced(&t.writers[0], 3, ST_STREAM_JOIN, 1, 0x20);
    expect_events(&t, "main|fork(T1)\n"
                      "T1|begin(0xa0)\n"
                      "T1|end(0xa0)\n"
                      "T1|begin(0xf0)\n"
                      "T1|end(0xf0)\n"
                      "main|join(T1)\n");
}

static void a_handler_is_not_what_a_thread_starts_with(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[1], ST_STREAM_ENTER, ST_STREAM_HANDLER, 0x10, G);
    emit(&t.writers[1], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[1], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[1], ST_STREAM_LEAVE, 0, 0, 0);
    expect_events(&t, "T1|begin(0xa0)\n"
                      "T1|end(0xa0)\n"
                      "T1|begin(0xf0)\n"
                      "T1|end(0xf0)\n");
}

static void the_specification_says_what_a_block_is(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, "atomic function 0xa0\n");
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, G);
    emit(&t.writers[1], ST_STREAM_ENTER, 0, 0x10, H);
    emit(&t.writers[1], ST_STREAM_SPLIT, 0, 0, 0); /* not of one that was named */
    emit(&t.writers[1], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[1], ST_STREAM_LEAVE, 0, 0, 0);
    expect_events(&t, "T1|begin(0xa0)\n"
                      "T1|end(0xa0)\n");
}

static void waiting_splits_blocks_that_nobody_named(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    put_text(&t.writers[0], 7, "named");
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[0], ST_STREAM_BEGIN, 0, 0x10, 7);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, G);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, H);
    emit(&t.writers[0], ST_STREAM_SPLIT, 0, 0, 0);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    emit(&t.writers[0], ST_STREAM_END, 0, 0, 0);
    expect_events(&t, "main|begin(0xf0)\n"
                      "main|begin(named)\n"
                      "main|begin(0xa0)\n"
                      "main|begin(0xb0)\n"
                      "main|end(0xb0)\n"
                      "main|end(0xa0)\n"
                      "main|begin(0xa0) joined\n"
                      "main|begin(0xb0) joined\n"
                      "main|end(0xb0)\n"
                      "main|end(0xa0)\n"
                      "main|end(named)\n");
}

static void emit_lock(struct writer *writer, uint64_t sequence, enum st_stream_op op,
                      enum st_stream_lock what) {
    put(writer, st_stream_what(ST_STREAM_SEQUENCE, 0, 0), sequence);
    emit(writer, op, what, 0x500, 1);
}

/* ---- functions that were boarded ---- */

static uint64_t nothing_is_dead(void *context, uint32_t thread) {
    (void)context;
    (void)thread;
    return 0;
}

/* Accesses are deferred. Both threads are in a function, the first one since its second epoch: it
 * has the slot 0, with epochs from 100 on, so a record at position p is of epoch 101 + p. */
static void start_deferring(struct translating *t) {
    start_translating(t, NULL);
    st_merge_free(t->merge);
    st_translator_free(t->translator);
    struct st_translation translation = {
        .names = true, .sink = write_events, .dead_before = nothing_is_dead, .context = t};
    t->translator = st_translator_new(&translation);
    t->merge = st_merge_new(t->head, CHUNKS, st_translate, t->translator);
    emit(&t->writers[0], ST_STREAM_SLOT, 0, 0, 100);
    emit(&t->writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t->writers[1], ST_STREAM_SLOT, 0, 1, 100);
    deliver_all(t);
}

static void emit_boarded(struct writer *writer, uint64_t function, uint64_t begun,
                         uint64_t around) {
    put(writer, st_stream_what(ST_STREAM_BOARDED, 0, 0x10), function);
    put(writer, st_stream_what(ST_STREAM_BOARDED_AT, 0, around), begun << 16);
    publish(writer);
}

static void emit_deferred(struct writer *writer, enum st_stream_op op, uint64_t address,
                          uint64_t epoch) {
    put(writer, st_stream_what(op, 0xf, address), epoch << 16);
    put(writer, st_stream_what(ST_STREAM_PC, 0, 0), 0x20);
    publish(writer);
}

#define DEFERRING_BEGINS "main|r\nmain|begin(0xf0)\n"

static void a_function_is_open_that_another_thread_has_seen(void **state) {
    (void)state;
    struct translating t;
    start_deferring(&t);
    emit_boarded(&t.writers[1], G, 104, 0);
    emit_deferred(&t.writers[1], ST_STREAM_DEFERRED_WRITE, 0x1000, 105);
    deliver_all(&t);
    emit(&t.writers[0], ST_STREAM_ENTER, 1 << ST_STREAM_PASSED_AT | ST_STREAM_COUNTED, 0x10, G);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x2000, 0x20);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    expect_events(&t, DEFERRING_BEGINS "main|begin(0xa0) counted\n"
                                       "main|w(0x1000)\n"
                                       "main|w(0x2000)\n"
                                       "main|end(0xa0)\n");
}

static void a_function_was_left_that_another_thread_has_seen(void **state) {
    (void)state;
    struct translating t;
    start_deferring(&t);
    emit_boarded(&t.writers[1], G, 104, 0);
    emit_boarded(&t.writers[1], H, 105, 104);
    emit_boarded(&t.writers[1], G, 104, 0); /* again */
    emit_boarded(&t.writers[1], F, 107, 104);
    emit_boarded(&t.writers[1], H, 105, 104); /* seen earlier, and late */
    deliver_all(&t);
    emit(&t.writers[0], ST_STREAM_AT, 0, 0, 40);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x2000, 0x20);
    deliver_all(&t);
    emit_boarded(&t.writers[1], G, 110, 0); /* before what is known */
    expect_events(&t, DEFERRING_BEGINS "main|begin(0xa0) counted\n"
                                       "main|begin(0xb0) counted\n"
                                       "main|end(0xb0)\n"
                                       "main|begin(0xf0) counted\n"
                                       "main|end(0xf0)\n"
                                       "main|end(0xa0)\n"
                                       "main|w(0x2000)\n");
}

static void an_access_of_its_own_says_nothing_of_functions(void **state) {
    (void)state;
    struct translating t;
    start_deferring(&t);
    emit_boarded(&t.writers[1], G, 104, 0);
    deliver_all(&t);
    emit(&t.writers[0], ST_STREAM_WITHIN, 0, 0x10, H);
    emit_deferred(&t.writers[0], ST_STREAM_KEPT_READ, 0x1000, 102);
    emit(&t.writers[0], ST_STREAM_ENTER, 1 << ST_STREAM_PASSED_AT | ST_STREAM_COUNTED, 0x10, G);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x2000, 0x20);
    expect_events(&t, DEFERRING_BEGINS "main|begin(0xa0) counted\n"
                                       "main|r(0x1000)\n"
                                       "main|w(0x2000)\n");
}

/* The locks held at the location of an event, the last one first: "0x500 0x400", or "?". */
static void expect_held(const struct translating *t, uint64_t loc, const char *expected) {
    struct st_sites *sites = st_translator_sites(t->translator);
    const struct st_symbols *symbols = st_translator_symbols(t->translator);
    char text[100] = "";
    uint32_t held = st_site_at(sites, loc).held;
    if (held == ST_HELD_UNKNOWN)
        snprintf(text, sizeof text, "?");
    while (held && held != ST_HELD_UNKNOWN) {
        struct st_held row = st_held(sites, held);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                 st_name(&symbols->locks, row.lock));
        held = row.rest;
    }
    assert_string_equal(text, expected);
}

struct held_events {
    struct translating t;
    uint64_t locs[8];
    size_t count;
};

static void note_accesses(void *context, struct st_event *events, const uint64_t *at,
                          size_t count) {
    (void)at;
    struct held_events *noted = context;
    for (size_t i = 0; i < count; i++)
        if ((events[i].op == ST_WRITE || events[i].op == ST_DEFERRED_READ) && noted->count < 8)
            noted->locs[noted->count++] = events[i].loc;
}

static void emit_holding(struct writer *writer, enum st_stream_op op, unsigned aux, uint64_t lock) {
    put(writer, st_stream_what(op, aux, lock), 0x30);
    publish(writer);
}

static void locks_without_events_are_held_at_accesses(void **state) {
    (void)state;
    struct held_events noted = {.count = 0};
    struct translating *t = &noted.t;
    start_translating(t, NULL);
    st_merge_free(t->merge);
    st_translator_free(t->translator);
    struct st_translation translation = {.sites = true,
                                         .sink = note_accesses,
                                         .dead_before = nothing_is_dead,
                                         .quiet_locks = true,
                                         .context = &noted};
    t->translator = st_translator_new(&translation);
    t->merge = st_merge_new(t->head, CHUNKS, st_translate, t->translator);
    emit(&t->writers[0], ST_STREAM_SLOT, 0, 0, 100);
    emit(&t->writers[1], ST_STREAM_SLOT, 0, 1, 100);
    emit_holding(&t->writers[0], ST_STREAM_HOLDS, ST_STREAM_MUTEX, 0x400);
    emit_holding(&t->writers[0], ST_STREAM_HOLDS, ST_STREAM_MUTEX | ST_STREAM_HOLDS_TOO, 0x500);
    emit(&t->writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x20);
    emit_holding(&t->writers[0], ST_STREAM_HOLDS, ST_STREAM_TRIED, 0x500);
    emit(&t->writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x20);
    emit(&t->writers[0], ST_STREAM_ENTER, ST_STREAM_LOCK_FREE, 0x10, G);
    emit(&t->writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x20);
    deliver_all(t);
    /* what the first thread held then, as another one says, and what it does not know */
    emit_holding(&t->writers[1], ST_STREAM_HELD, ST_STREAM_MUTEX, 0x500);
    emit_deferred(&t->writers[1], ST_STREAM_DEFERRED_READ, 0x2000, 103);
    emit_holding(&t->writers[1], ST_STREAM_HELD, ST_STREAM_HOLDS_NOTHING, 0);
    emit_deferred(&t->writers[1], ST_STREAM_DEFERRED_READ, 0x2000, 103);
    emit_deferred(&t->writers[1], ST_STREAM_DEFERRED_READ, 0x2000, 103);
    deliver_all(t);
    st_translator_finish(t->translator, true);
    assert_int_equal(noted.count, 6);
    static const char *const expected[] = {"0x500 0x400", "0x500", "", "0x500", "?", ""};
    for (size_t i = 0; i < 6; i++)
        expect_held(t, noted.locs[i], expected[i]);
    st_merge_free(t->merge);
    st_translator_free(t->translator);
    free(t->head);
}

static void reader_writer_locks_are_two_channels(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_lock(&t.writers[0], 1, ST_STREAM_ACQUIRE, ST_STREAM_WRITING);
    emit_lock(&t.writers[0], 2, ST_STREAM_RELEASE, ST_STREAM_WRITING);
    emit_lock(&t.writers[1], 3, ST_STREAM_ACQUIRE, ST_STREAM_READING);
    emit_lock(&t.writers[1], 4, ST_STREAM_RELEASE, ST_STREAM_READING);
    expect_events(&t, "main|rcv(0x500 [write])\n"
                      "main|rcv(0x500 [read])\n"
                      "main|snd(0x500 [write])\n"
                      "T1|rcv(0x500 [write])\n"
                      "T1|snd(0x500 [read])\n");
}

static void a_semaphore_is_a_lock_until_somebody_else_posts_it(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[0], ST_STREAM_SEMAPHORE_MADE, 1, 0x500, 1);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, G);
    emit_lock(&t.writers[0], 1, ST_STREAM_ACQUIRE, ST_STREAM_SEMAPHORE);
    emit_lock(&t.writers[0], 2, ST_STREAM_RELEASE, ST_STREAM_SEMAPHORE);
    emit_lock(&t.writers[0], 3, ST_STREAM_ACQUIRE, ST_STREAM_SEMAPHORE);
    emit_lock(&t.writers[1], 4, ST_STREAM_RELEASE, ST_STREAM_SEMAPHORE);
    emit_lock(&t.writers[0], 5, ST_STREAM_ACQUIRE, ST_STREAM_SEMAPHORE);
    emit_lock(&t.writers[0], 6, ST_STREAM_RELEASE, ST_STREAM_SEMAPHORE);
    expect_events(&t, "main|begin(0xf0)\n"
                      "main|begin(0xa0)\n"
                      "main|rcv(0x500 [lock])\n"
                      "main|snd(0x500 [lock])\n"
                      "main|rcv(0x500 [lock])\n"
                      "T1|snd(0x500 [signal])\n"
                      "main|end(0xa0)\n"
                      "main|end(0xf0)\n"
                      "main|begin(0xf0) joined\n"
                      "main|begin(0xa0) joined\n"
                      "main|rcv(0x500 [signal])\n"
                      "main|rcv(0x500 [lock])\n"
                      "main|snd(0x500 [lock])\n");
}

/* The second one was made when nobody looked. */
static void a_semaphore_without_a_value_is_a_signal(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[0], ST_STREAM_SEMAPHORE_MADE, 0, 0x500, 1);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit_lock(&t.writers[0], 1, ST_STREAM_ACQUIRE, ST_STREAM_SEMAPHORE);
    emit_lock(&t.writers[0], 2, ST_STREAM_RELEASE, ST_STREAM_SEMAPHORE);
    emit(&t.writers[0], ST_STREAM_RELEASE, ST_STREAM_SEMAPHORE, 0x600, 1);
    emit(&t.writers[0], ST_STREAM_SEMAPHORE_MADE, ST_STREAM_OPENED | 1, 0x600, 1);
    emit(&t.writers[0], ST_STREAM_RELEASE, ST_STREAM_SEMAPHORE, 0x600, 1);
    emit(&t.writers[0], ST_STREAM_ACQUIRE, 77, 0x600, 1);
    expect_events(&t, "main|begin(0xf0)\n"
                      "main|end(0xf0)\n"
                      "main|begin(0xf0) joined\n"
                      "main|rcv(0x500)\n"
                      "main|snd(0x500)\n"
                      "main|snd(0x600)\n"
                      "main|snd(0x600)\n");
}

static void critical_sections_can_be_blocks(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, "atomic section\nignore function *\n");
    emit_sequenced(&t.writers[0], 1, ST_STREAM_ACQUIRE, 0x500, 0x21);
    emit_sequenced(&t.writers[0], 2, ST_STREAM_ACQUIRE, 0x508, 0x31);
    emit_sequenced(&t.writers[0], 3, ST_STREAM_RELEASE, 0x500, 0x41);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit_sequenced(&t.writers[0], 4, ST_STREAM_RELEASE, 0x508, 0x51);
    expect_events(&t, "main|begin(section of 0x500 at 0x20)\n"
                      "main|acq(0x500)\n"
                      "main|acq(0x508)\n"
                      "main|rel(0x500)\n"
                      "main|rel(0x508)\n"
                      "main|end(section of 0x500 at 0x20)\n");
}

static void a_section_ends_with_the_function_that_it_began_in(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, "atomic section\natomic function 0xf0\n");
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit_sequenced(&t.writers[0], 1, ST_STREAM_ACQUIRE, 0x500, 0x21);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    emit_sequenced(&t.writers[0], 2, ST_STREAM_RELEASE, 0x500, 0x41);
    emit_sequenced(&t.writers[0], 3, ST_STREAM_ACQUIRE, 0x500, 0x21);
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0x10, F);
    emit_sequenced(&t.writers[0], 4, ST_STREAM_RELEASE, 0x500, 0x41);
    emit(&t.writers[0], ST_STREAM_LEAVE, 0, 0, 0);
    expect_events(&t, "main|begin(0xf0)\n"
                      "main|begin(section of 0x500 at 0x20)\n"
                      "main|acq(0x500)\n"
                      "main|end(section of 0x500 at 0x20)\n"
                      "main|end(0xf0)\n"
                      "main|rel(0x500)\n"
                      "main|begin(section of 0x500 at 0x20)\n"
                      "main|acq(0x500)\n"
                      "main|begin(0xf0)\n"
                      "main|rel(0x500)\n"
                      "main|end(0xf0)\n"
                      "main|end(section of 0x500 at 0x20)\n");
}

static void locks_are_released_by_who_holds_them(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_sequenced(&t.writers[0], 1, ST_STREAM_RELEASE, 0x500, 1); /* acquired unseen */
    emit_sequenced(&t.writers[0], 2, ST_STREAM_ACQUIRE, 0x500, 1);
    emit_sequenced(&t.writers[0], 3, ST_STREAM_ACQUIRE, 0x500, 1);
    emit_sequenced(&t.writers[0], 4, ST_STREAM_RELEASE, 0x500, 1);
    emit_sequenced(&t.writers[1], 5, ST_STREAM_RELEASE, 0x500, 1); /* not its own */
    emit_sequenced(&t.writers[1], 6, ST_STREAM_ACQUIRE, 0x500, 1);
    emit_sequenced(&t.writers[1], 7, ST_STREAM_RELEASE, 0x500, 1);
    expect_events(&t, "main|acq(0x500)\n"
                      "main|acq(0x500)\n"
                      "main|rel(0x500)\n"
                      "T1|acq(0x500 #2)\n"
                      "T1|rel(0x500 #2)\n");
}

static void atomic_operations_are_marked(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x1000, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_UPDATE, 4, 0x1000, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_READ, 8, 0x2000, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_WRITE, 8, 0x2000, 1);
    emit(&t.writers[0], ST_STREAM_READ, 4, 0x3000, 1);
    expect_events(&t, "main|w(0x1000)\n"
                      "main|r(0x1000) atomic\n"
                      "main|w(0x1000) joined\n"
                      "main|r(0x2000) atomic\n"
                      "main|w(0x2000) atomic\n"
                      "main|r(0x3000)\n");
}

/* Bytes that were accessed one by one are variables of their own. What is read or written at once
 * becomes two rounds of events (watch/access_events.c), and is one operation all the same. */
static void an_atomic_operation_on_several_variables_is_one(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit(&t.writers[0], ST_STREAM_WRITE, 1, 0x1000, 1);
    emit(&t.writers[0], ST_STREAM_WRITE, 1, 0x1001, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_UPDATE, 2, 0x1000, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_READ, 1, 0x1001, 1);
    expect_events(&t, "main|w(0x1000)\n"
                      "main|w(0x1001)\n"
                      "main|r(0x1000) atomic\n"
                      "main|r(0x1001) joined\n"
                      "main|r(0x1000) joined\n"
                      "main|r(0x1001) joined\n"
                      "main|w(0x1000) joined\n"
                      "main|w(0x1001) joined\n"
                      "main|w(0x1000) joined\n"
                      "main|w(0x1001) joined\n"
                      "main|r(0x1001) atomic\n");
}

static void channels_are_distinguished(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    put(&t.writers[0], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 1);
    emit(&t.writers[0], ST_STREAM_SEND, 0, 0x500, 1);
    put(&t.writers[1], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 2);
    emit(&t.writers[1], ST_STREAM_RECEIVE, 0, 0x500, 1);
    put(&t.writers[1], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 3);
    emit(&t.writers[1], ST_STREAM_SEND, 1, 0x500, 1); /* another channel of the same object */
    expect_events(&t, "main|snd(0x500)\n"
                      "T1|rcv(0x500)\n"
                      "T1|snd(0x500 #2)\n");
}

static void heap_is_named_after_its_allocation(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x1000, 0x21, 64);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x31);
    emit(&t.writers[0], ST_STREAM_READ, 4, 0x1008, 0x31);
    put(&t.writers[0], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 1);
    emit_range(&t.writers[0], ST_STREAM_FREE, 0x1000, 0, 64);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x1000, 0x51, 32);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x1000, 0x31);
    expect_events(&t, "main|w(heap block of 64 bytes from 0x20 (0x20)) fresh\n"
                      "main|r(heap block of 64 bytes from 0x20 (0x20)+8) fresh\n"
                      "main|w(heap block of 32 bytes from 0x50 (0x50)) fresh\n");
}

/* Only as far as it was handed out, and only what is part of a large allocation. */
static void what_an_allocator_hands_out_is_named_after_who_gets_it(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x10000, 0x21, 8192);
    emit_range(&t.writers[0], ST_STREAM_HANDED_OUT, 0x10010, 0x41, 24);
    emit_range(&t.writers[0], ST_STREAM_HANDED_OUT, 0x10030, 0x51, 16);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x10008, 1);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x10018, 1);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x10028, 1);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x10030, 1);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x20000, 0x21, 64);
    emit_range(&t.writers[0], ST_STREAM_HANDED_OUT, 0x20000, 0x41, 24);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x20000, 1);
    expect_events(&t, "main|w(heap block of 8192 bytes from 0x20 (0x20)+8) fresh\n"
                      "main|w(heap block of 24 bytes from 0x40 (0x40)+8) fresh\n"
                      "main|w(heap block of 8192 bytes from 0x20 (0x20)+40) fresh\n"
                      "main|w(heap block of 16 bytes from 0x50 (0x50)) fresh\n"
                      "main|w(heap block of 64 bytes from 0x20 (0x20)) fresh\n");
}

/* It is the same memory as before: who reads it next depends on who wrote it. */
static void handing_out_forgets_nothing(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x10000, 0x21, 8192);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x10010, 1);
    deliver_all(&t);
    emit_range(&t.writers[1], ST_STREAM_HANDED_OUT, 0x10010, 0x41, 16);
    emit(&t.writers[1], ST_STREAM_READ, 8, 0x10010, 1);
    emit(&t.writers[1], ST_STREAM_WRITE, 8, 0x10010, 1);
    emit(&t.writers[1], ST_STREAM_READ, 8, 0x10010, 1);
    expect_events(&t, "main|w(heap block of 8192 bytes from 0x20 (0x20)+16) fresh\n"
                      "T1|r(heap block of 8192 bytes from 0x20 (0x20)+16)\n"
                      "T1|r(heap block of 16 bytes from 0x40 (0x40))\n"
                      "T1|r(heap block of 8192 bytes from 0x20 (0x20)+16)\n" /* once more: */
                      "T1|r(heap block of 16 bytes from 0x40 (0x40))\n"      /* one access */
                      "T1|r(heap block of 8192 bytes from 0x20 (0x20)+16)\n"
                      "T1|w(heap block of 16 bytes from 0x40 (0x40))\n"
                      "T1|w(heap block of 16 bytes from 0x40 (0x40))\n"
                      "T1|r(heap block of 16 bytes from 0x40 (0x40))\n");
}

/* What a thread writes elsewhere, what it reads and which locks it takes make no difference. */
static void memory_is_fresh_until_its_thread_releases_something(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x1000, 0x21, 8);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x2000, 1);
    emit_lock(&t.writers[0], 1, ST_STREAM_ACQUIRE, ST_STREAM_MUTEX);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x1000, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_READ, 8, 0x3000, 1);
    emit_range(&t.writers[0], ST_STREAM_WRITE, 0x1000, 1, 8);
    emit_range(&t.writers[0], ST_STREAM_WRITE, 0x1000, 1, 16); /* more than was allocated */
    emit_lock(&t.writers[0], 2, ST_STREAM_RELEASE, ST_STREAM_MUTEX);
    emit(&t.writers[0], ST_STREAM_READ, 8, 0x1000, 1);
    expect_events(&t, "main|w(0x2000)\n"
                      "main|acq(0x500)\n"
                      "main|w(heap block of 8 bytes from 0x20 (0x20)) fresh\n"
                      "main|r(0x3000) atomic\n"
                      "main|w(heap block of 8 bytes from 0x20 (0x20)) fresh\n"
                      "main|w(heap block of 8 bytes from 0x20 (0x20))\n"
                      "main|w(0x1008)\n"
                      "main|w(heap block of 8 bytes from 0x20 (0x20))\n"
                      "main|w(0x1008)\n"
                      "main|rel(0x500)\n"
                      "main|r(heap block of 8 bytes from 0x20 (0x20))\n");
}

static void an_atomic_write_or_a_fork_ends_freshness_too(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x1000, 0x21, 8);
    emit(&t.writers[0], ST_STREAM_READ, 4, 0x1000, 1);
    emit(&t.writers[0], ST_STREAM_ATOMIC_WRITE, 8, 0x3000, 1);
    emit(&t.writers[0], ST_STREAM_READ, 4, 0x1000, 1);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x2000, 0x21, 8);
    emit(&t.writers[0], ST_STREAM_FORK, 0, 1, 1);
    emit(&t.writers[0], ST_STREAM_READ, 4, 0x2000, 1);
    expect_events(&t, "main|r(heap block of 8 bytes from 0x20 (0x20)) fresh\n"
                      "main|w(0x3000) atomic\n"
                      "main|r(heap block of 8 bytes from 0x20 (0x20))\n"
                      "main|fork(T1)\n"
                      "main|r(heap block of 8 bytes from 0x20 (0x20))\n");
}

/* The program need not say that it has freed what it never used. */
static void memory_that_another_thread_gets_is_not_fresh_for_the_first(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_range(&t.writers[0], ST_STREAM_ALLOCATE, 0x1000, 0x21, 32);
    deliver_all(&t);
    emit_range(&t.writers[1], ST_STREAM_ALLOCATE, 0x1010, 0x21, 32);
    emit(&t.writers[1], ST_STREAM_WRITE, 8, 0x1010, 1);
    deliver_all(&t);
    emit(&t.writers[0], ST_STREAM_WRITE, 8, 0x1010, 1);
    expect_events(&t, "T1|w(heap block of 32 bytes from 0x20 (0x20)) fresh\n"
                      "main|w(heap block of 32 bytes from 0x20 (0x20))\n");
}

static void a_lock_in_freed_memory_is_another_lock(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    emit_sequenced(&t.writers[0], 1, ST_STREAM_ACQUIRE, 0x1010, 1);
    emit_sequenced(&t.writers[0], 2, ST_STREAM_RELEASE, 0x1010, 1);
    put(&t.writers[0], st_stream_what(ST_STREAM_SEQUENCE, 0, 0), 3);
    emit_range(&t.writers[0], ST_STREAM_FREE, 0x1000, 0, 64);
    emit_sequenced(&t.writers[0], 4, ST_STREAM_ACQUIRE, 0x1010, 1);
    expect_events(&t, "main|acq(0x1010)\n"
                      "main|rel(0x1010)\n"
                      "main|acq(0x1010 #2)\n");
}

static void addresses_are_named_after_their_module(void **state) {
    (void)state;
    struct translating t;
    start_translating(&t, NULL);
    put(&t.writers[0], st_stream_what(ST_STREAM_MODULE, 0, 0x10000), 0x8000);
    put(&t.writers[0], st_stream_what(ST_STREAM_LENGTH, 0, 0), 0x1000);
    put_text(&t.writers[0], 0, "/no/such/folder/libbank.so");
    emit(&t.writers[0], ST_STREAM_ENTER, 0, 0, 0x10021);
    emit(&t.writers[0], ST_STREAM_WRITE, 4, 0x10500, 0x10031);
    expect_events(&t, "main|begin(libbank.so+0x8020)\n"
                      "main|w(libbank.so+0x8500)\n");
}

/* A program and a library whose addresses have the same lower halves, partly. */
static void half_an_address_is_completed_near_its_function(void **state) {
    const uint64_t program = 0x555500001000, library = 0x7f1200000000, bytes = 0x2000;
    (void)state;
    struct st_places *places = st_places_new(NULL, NULL);
    st_places_add_module(places, "program", program, bytes, program);
    st_places_add_module(places, "library", library, bytes, library);
    assert_int_equal(st_places_complete(places, 0x1234, program + 8), program + 0x234);
    assert_int_equal(st_places_complete(places, 0x1234, library + 8), library + 0x1234);
    assert_int_equal(st_places_complete(places, 0x1234, 0), program + 0x234);
    assert_int_equal(st_places_complete(places, 0x2abc, library), program + 0x1abc);
    assert_int_equal(st_places_complete(places, 0xabc, program), library + 0xabc);
    assert_int_equal(st_places_complete(places, 0x3000, program), 0);
    st_places_free(places);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_read_in_its_order),
        cmocka_unit_test(sequence_numbers_give_the_order_between_threads),
        cmocka_unit_test(what_was_visible_before_a_sequence_number_comes_before_it),
        cmocka_unit_test(who_observes_a_sequence_number_waits_for_it),
        cmocka_unit_test(an_item_may_lie_in_two_chunks),
        cmocka_unit_test(half_an_item_waits_for_the_rest),
        cmocka_unit_test(the_dead_leave_gaps),
        cmocka_unit_test(a_program_that_has_given_up_leaves_any_number_of_gaps),
        cmocka_unit_test(an_announcement_that_never_came_is_passed),
        cmocka_unit_test(chunks_come_back),
        cmocka_unit_test(more_threads_than_chunks_get_more_chunks),
        cmocka_unit_test(garbage_is_counted_and_harms_nobody),
        cmocka_unit_test(a_head_that_was_overwritten_breaks_the_stream),
        cmocka_unit_test(many_threads_are_merged_as_they_happened),
        cmocka_unit_test(equal_accesses_are_to_one_variable),
        cmocka_unit_test(neighbours_in_a_word_are_different),
        cmocka_unit_test(a_part_follows_what_it_was_part_of),
        cmocka_unit_test(bytes_of_an_int_are_parts_too),
        cmocka_unit_test(bytes_that_were_parts_have_numbers_in_a_row),
        cmocka_unit_test(only_ancestors_that_were_written_are_read),
        cmocka_unit_test(reads_alone_make_no_ancestors),
        cmocka_unit_test(ranges_touch_all_that_they_cover),
        cmocka_unit_test(freed_memory_is_new_memory),
        cmocka_unit_test(a_number_is_used_again_for_a_variable_of_the_same_name),
        cmocka_unit_test(parts_and_what_they_came_from_are_used_again),
        cmocka_unit_test(memory_knows_its_allocation),
        cmocka_unit_test(there_are_many_stacks_but_not_any_number),
        cmocka_unit_test(a_location_has_a_site_and_a_set_of_locks),
        cmocka_unit_test(what_is_beyond_the_last_site_is_known_in_part),
        cmocka_unit_test(what_no_program_can_have_is_garbage),
        cmocka_unit_test(functions_are_blocks),
        cmocka_unit_test(what_a_thread_starts_with_is_no_block),
        cmocka_unit_test(a_handler_is_not_what_a_thread_starts_with),
        cmocka_unit_test(the_specification_says_what_a_block_is),
        cmocka_unit_test(waiting_splits_blocks_that_nobody_named),
        cmocka_unit_test(a_function_is_open_that_another_thread_has_seen),
        cmocka_unit_test(a_function_was_left_that_another_thread_has_seen),
        cmocka_unit_test(an_access_of_its_own_says_nothing_of_functions),
        cmocka_unit_test(locks_without_events_are_held_at_accesses),
        cmocka_unit_test(reader_writer_locks_are_two_channels),
        cmocka_unit_test(a_semaphore_is_a_lock_until_somebody_else_posts_it),
        cmocka_unit_test(a_semaphore_without_a_value_is_a_signal),
        cmocka_unit_test(critical_sections_can_be_blocks),
        cmocka_unit_test(a_section_ends_with_the_function_that_it_began_in),
        cmocka_unit_test(locks_are_released_by_who_holds_them),
        cmocka_unit_test(atomic_operations_are_marked),
        cmocka_unit_test(an_atomic_operation_on_several_variables_is_one),
        cmocka_unit_test(channels_are_distinguished),
        cmocka_unit_test(heap_is_named_after_its_allocation),
        cmocka_unit_test(what_an_allocator_hands_out_is_named_after_who_gets_it),
        cmocka_unit_test(handing_out_forgets_nothing),
        cmocka_unit_test(memory_is_fresh_until_its_thread_releases_something),
        cmocka_unit_test(an_atomic_write_or_a_fork_ends_freshness_too),
        cmocka_unit_test(memory_that_another_thread_gets_is_not_fresh_for_the_first),
        cmocka_unit_test(a_lock_in_freed_memory_is_another_lock),
        cmocka_unit_test(addresses_are_named_after_their_module),
        cmocka_unit_test(half_an_address_is_completed_near_its_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
