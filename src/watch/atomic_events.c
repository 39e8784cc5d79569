/* Atomic accesses: data, or how threads wait for each other. */
#include "watch/translator_state.h"

#include "base/memory.h"

static struct word *word_at(struct st_translator *t, uint64_t address) {
    struct st_sync_object *object = st_object_at(&t->words, address, 0);
    size_t index = (size_t)(object - t->words.list);
    st_reserve(&t->word_facts, &t->word_capacity, index + 1);
    if (object->number == ST_NO_OBJECT) {
        object->number = 0;
        t->word_facts[index] = (struct word){0};
    }
    return &t->word_facts[index];
}

static const struct word *find_word(const struct st_translator *t, uint64_t address) {
    uint32_t index = st_map64_find(&t->words.map, address << 8);
    bool there = index != ST_MAP64_NONE && t->words.list[index].number != ST_NO_OBJECT;
    return there ? &t->word_facts[index] : NULL;
}

/* ---- what the library does ---- */

/* A table of waiting threads has a counter for them and, in the next cache line, one of notices. */
enum { POOL_COUNTER_DISTANCE = 64 };

static void mark_pool(struct st_translator *t, uint64_t address) {
    word_at(t, address)->pool = true;
    word_at(t, address + POOL_COUNTER_DISTANCE)->pool = true;
}

/* What is done by the library with a word of its own is a send and a receive: order, no data. */
static void signal_by(struct st_translator *t, struct thread *thread,
                      const struct st_stream_record *record, enum st_stream_op op, unsigned calls) {
    struct st_stream_record on = {
        st_stream_what(ST_STREAM_SEND, ST_CHANNEL_LIBRARY, st_stream_address(record)),
        record->argument};
    bool both = calls & (CALL_WAITS | CALL_RECEIVES);
    if (op == ST_STREAM_ATOMIC_READ || (op == ST_STREAM_ATOMIC_UPDATE && both))
        st_translate_channel(t, thread, &on, ST_RECEIVE);
    if (op != ST_STREAM_ATOMIC_READ)
        st_translate_channel(t, thread, &on, ST_SEND);
}

static void access_data(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record, enum st_stream_op op) {
    t->joining = false;
    if (op == ST_STREAM_ATOMIC_UPDATE) {
        access_variable(t, thread, record, false, true);
        t->joining = true;
    }
    access_variable(t, thread, record, op != ST_STREAM_ATOMIC_READ, true);
}

void st_translate_atomic(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record, enum st_stream_op op) {
    unsigned around = thread->depth ? thread->frames[thread->depth - 1].calls : 0;
    unsigned calls = around | st_library_calls_at(t, record->argument);
    const struct word *word = word_at(t, st_stream_address(record));
    if (calls & CALL_POOL)
        mark_pool(t, st_stream_address(record));
    if (calls & CALL_POOL || word->pool)
        return;
    bool waits = calls & CALL_WAITS && !(around & CALL_WAITS); /* inlined: no function to wait in */
    size_t first = waits ? st_translate_suspend(t, thread) : 0;
    if (calls & (CALL_SIGNALS | CALL_SEMAPHORE))
        signal_by(t, thread, record, op, calls);
    else
        access_data(t, thread, record, op);
    if (waits)
        st_translate_resume(t, thread, first);
}

/* ---- futexes ---- */

/* Only words that the program itself accesses: what code without instrumentation does is none of
 * our business. */
void st_translate_futex(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    const struct word *word = find_word(t, st_stream_address(record));
    if (!word || word->pool)
        return;
    if (st_stream_op(record) == ST_STREAM_FUTEX_WAIT)
        st_translate_split(t, thread, ST_SPLIT_HERE);
    else
        st_translate_channel(t, thread, record,
                             st_stream_op(record) == ST_STREAM_FUTEX_WAKE ? ST_SEND : ST_RECEIVE);
}
