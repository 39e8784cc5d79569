/* Threads that wait in a loop of their own, until others have written what they wait for.
 *
 * That is a wait on purpose, as one for a condition is: inferred blocks are split there, whether
 * the thread had to wait or saw at once what it waits for, since that is chance. What it waits with
 * is no access: not what it saw in vain, which would cut the functions of others while they write,
 * nor what it saw in the end, which happens after the write and before nothing. So the writes are
 * sends and the looks are receives. To others, who do not wait, the writes are writes.
 *
 * The machine code says which loads are such looks (symbol/code/spin_loop.h). That a word is
 * awaited shows with the first look at it. Writes before that were no sends, so looks are reads of
 * them until there is one. From the first look on, the word is another variable (its generation):
 * those reads are before no write. Other reads, and the next write, are of both, so what was
 * written before the first look is before them. Lost is one thing, once: that a read which did not
 * wait, before the first look of all, came before the next write. */
#include "watch/translator_state.h"

#include "base/memory.h"
#include "symbol/machine/code_values.h"

/* ---- where ---- */

static struct st_spin spin_at(struct st_translator *t, uint64_t pc, unsigned char arguments) {
    uint32_t before = t->spins.count;
    uint32_t number = st_map64_number(&t->spins, pc << 8 | arguments);
    if (number == before) {
        st_reserve(&t->spin_facts, &t->spin_capacity, (size_t)number + 1);
        t->spin_facts[number] = st_places_spin(t->places, pc, arguments);
    }
    return t->spin_facts[number];
}

/* It is often in a function of its own, or of the library. */
struct st_spin st_translate_spin(struct st_translator *t, const struct thread *thread,
                                 uint64_t pc) {
    unsigned char arguments = ST_FIRST_ARGUMENT;
    for (size_t i = thread->depth;;) {
        struct st_spin spin = spin_at(t, pc, arguments);
        if (spin.loops || spin.takes || spin.asks_first || spin.asks_for_self || !spin.passes)
            return spin;
        while (i && !thread->frames[i - 1].called_from)
            i--;
        if (!i)
            return spin;
        pc = thread->frames[--i].called_from;
        arguments = spin.arguments;
    }
}

/* ---- looks and writes ---- */

static void on_channel(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record, enum st_op op) {
    struct st_stream_record on = {
        st_stream_what(ST_STREAM_SEND, ST_CHANNEL_SPIN, st_stream_address(record)),
        record->argument};
    st_translate_channel(t, thread, &on, op);
}

static struct st_stream_record as_read(const struct st_stream_record *record) {
    return (struct st_stream_record){
        st_stream_what(ST_STREAM_ATOMIC_READ, st_stream_aux(record), st_stream_address(record)),
        record->argument};
}

void st_translate_look(struct st_translator *t, struct thread *thread, struct st_word *word,
                       const struct st_stream_record *record) {
    if (!word->awaited && word->written)
        word->unsent = ++word->generation;
    word->awaited = true;
    size_t first = st_translate_suspend(t, thread);
    if (word->unsent)
        st_translate_data(t, thread, record, word->unsent - 1u);
    if (word->written) /* if nothing was sent, it says that the read ended a wait */
        on_channel(t, thread, record, ST_RECEIVE);
    st_translate_resume(t, thread, first);
}

void st_translate_seen_write(struct st_translator *t, struct thread *thread, struct st_word *word,
                             const struct st_stream_record *record) {
    if (word->unsent) {
        struct st_stream_record read = as_read(record);
        st_translate_data(t, thread, &read, word->unsent - 1u);
        word->unsent = 0;
    }
    st_translate_data(t, thread, record, word->generation);
    word->written = true;
    if (word->awaited)
        on_channel(t, thread, record, ST_SEND);
}
