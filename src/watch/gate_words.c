/* Words that let several threads in at a time: semaphores and reader-writer locks that programs
 * make themselves. Who comes in adds to the word, or swaps it for another number, and undoes that
 * when it leaves. A counter of data does the same. But who waits to come in spins at the word and
 * then changes it, in one function, and does what depends on how that went; nobody waits like this
 * for data. The machine code shows it (takes, in symbol/code/spin_loop.h).
 *
 * Such a word is a lock as far as lock_words.h has it: most are, while only one thread is in. As
 * soon as it would be data, it is a gate instead, which is a semaphore for the rest of the
 * translator: what changes it is no access. A thread that undoes what it did leaves. Any other
 * change is a thread that comes in, if it is where threads do, or a post by one that is not in:
 * then the semaphore is a signal, and blocks are split where threads wait for it (locks.c). */
#include "watch/translator_state.h"

enum { GATES = 4 };

/* How threads come in at a place: it shows that they wait to come in, or only that they try again
 * and again. */
enum { COMES_IN = 1, TRIES = 2 };

bool st_translate_takes(struct st_translator *t, const struct thread *thread, struct st_word *word,
                        uint64_t pc) {
    uint64_t caller = thread->depth ? thread->frames[thread->depth - 1].called_from : 0;
    uint64_t place = pc ^ caller << 16;
    if (word->asked != place) {
        struct st_spin spin = st_translate_spin(t, thread, pc);
        word->asked = place;
        word->takes = spin.takes ? COMES_IN : spin.loops ? TRIES : 0;
    }
    return word->takes == COMES_IN;
}

/* Does a thread that is not in come in by it? Otherwise it lets another one in. */
static bool comes_in(struct st_word *word, const struct st_atomic *atomic, int64_t change) {
    if (word->takes == COMES_IN) {
        word->counts_down |= change < 0 && atomic->before != 0;
        return true;
    }
    if (word->counts_down)
        return change < 0;
    return word->takes == TRIES || atomic->kind == ST_ATOMIC_COMPARE;
}

/* A thread that is in more gates than that at once is in the last ones. */
static int64_t *balance_of(struct thread *thread, uint64_t address) {
    unsigned i = 0;
    while (i < GATES && thread->gates[i].address != address)
        i++;
    for (unsigned free = 0; i == GATES && free < GATES; free++)
        if (!thread->gates[free].balance)
            i = free;
    if (i == GATES)
        i = 0;
    if (thread->gates[i].address != address) {
        thread->gates[i].address = address;
        thread->gates[i].balance = 0;
    }
    return &thread->gates[i].balance;
}

void st_translate_forget_gate(struct st_translator *t, uint64_t address) {
    for (uint32_t n = 0; n < t->serials.count; n++)
        for (unsigned i = 0; t->threads[n] && i < GATES; i++)
            if (t->threads[n]->gates[i].address == address)
                t->threads[n]->gates[i].balance = 0;
}

static void as_semaphore(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record, bool acquire) {
    struct st_stream_record on = {st_stream_what(acquire ? ST_STREAM_ACQUIRE : ST_STREAM_RELEASE,
                                                 ST_STREAM_SEMAPHORE, st_stream_address(record)),
                                  record->argument};
    st_translate_shared(t, thread, &on, acquire);
}

/* How much was added, as a signed number of so many bytes. */
static int64_t change_of(uint64_t before, uint64_t after, unsigned bytes) {
    unsigned unused = 64 - 8 * bytes;
    return (int64_t)((after - before) << unused) >> unused;
}

/* What was written before it was known as a gate happens before who comes in now. */
static void come_in(struct st_translator *t, struct thread *thread, struct st_word *word,
                    const struct st_stream_record *record, int64_t change) {
    struct st_stream_record read = {
        st_stream_what(ST_STREAM_ATOMIC_READ, st_stream_aux(record), st_stream_address(record)),
        record->argument};
    if (word->unsent)
        st_translate_data(t, thread, &read, word->unsent - 1u);
    *balance_of(thread, st_stream_address(record)) += change;
    as_semaphore(t, thread, record, true);
}

static void go_out(struct st_translator *t, struct thread *thread, struct st_word *word,
                   const struct st_stream_record *record) {
    word->unsent = 0;
    as_semaphore(t, thread, record, false);
}

/* It may have been a lock for one thread so far; that thread is in. */
static void make_gate(struct st_translator *t, struct st_word *word, uint64_t address,
                      const struct st_atomic *atomic) {
    enum { SEVERAL = 2 };
    struct thread *holder = word->holder ? t->threads[word->holder - 1] : NULL;
    struct st_stream_record made = {st_stream_what(ST_STREAM_SEMAPHORE_MADE, SEVERAL, address), 0};
    struct st_stream_record taken = {st_stream_what(ST_STREAM_RELEASE, 0, address), word->taken_at};
    st_translate_semaphore(t, &made);
    word->state = ST_WORD_GATE;
    word->holder = 0;
    if (holder) {
        st_translate_release(t, holder, &taken);
        come_in(t, holder, word, &taken, change_of(word->free, atomic->before, atomic->bytes));
    }
    if (word->written && !word->unsent)
        word->unsent = ++word->generation;
}

void st_translate_gate(struct st_translator *t, struct thread *thread, struct st_word *word,
                       const struct st_stream_record *record, const struct st_atomic *atomic) {
    uint64_t address = st_stream_address(record);
    if (word->state != ST_WORD_GATE)
        make_gate(t, word, address, atomic);
    if (atomic->kind <= ST_ATOMIC_FAIL)
        return; /* it waits, or tries */
    int64_t balance = *balance_of(thread, address);
    int64_t change = change_of(atomic->before, atomic->after, atomic->bytes);
    if (atomic->kind == ST_ATOMIC_STORE)
        change = -balance; /* what was there before is not known */
    else
        st_translate_takes(t, thread, word, record->argument);
    if (!change)
        return;
    if (balance && (balance < 0) != (change < 0)) {
        *balance_of(thread, address) += change;
        go_out(t, thread, word, record);
    } else if (comes_in(word, atomic, change)) {
        come_in(t, thread, word, record, change);
    } else {
        go_out(t, thread, word, record);
    }
}
