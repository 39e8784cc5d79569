/* Atomic accesses: data, locks (lock_words.h), or how the library makes threads wait. */
#include "watch/translator_state.h"

#include "base/memory.h"

/* ---- words ---- */

static struct st_word *find_word(const struct st_translator *t, uint64_t address) {
    uint32_t index = st_map64_find(&t->words.map, address << 8);
    bool there = index != ST_MAP64_NONE && t->words.list[index].number != ST_NO_OBJECT;
    return there ? &t->word_facts[index] : NULL;
}

/* The address as that of the variable which the word is now. */
static uint64_t generation_of(uint64_t address, unsigned generation) {
    return address | (uint64_t)generation << ST_VARIABLE_GENERATION_AT;
}

/* What was there was freed: its variables are gone, too. */
static void start_anew(struct st_translator *t, struct st_word *word, uint64_t address) {
    for (unsigned i = 1; i <= word->generation; i++)
        st_variables_forget(&t->variables, generation_of(address, i), 1);
    if (word->state == ST_WORD_GATE)
        st_translate_forget_gate(t, address);
    *word = (struct st_word){0};
}

static struct st_word *word_at(struct st_translator *t, uint64_t address) {
    struct st_sync_object *object = st_object_at(&t->words, address, 0);
    size_t index = (size_t)(object - t->words.list);
    st_reserve(&t->word_facts, &t->word_capacity, index + 1);
    if (object->number == ST_NO_OBJECT) {
        object->number = 0;
        start_anew(t, &t->word_facts[index], address);
    }
    return &t->word_facts[index];
}

/* ---- what the library does ---- */

/* A table of waiting threads has a counter for them and, in the next cache line, one of notices. */
enum { POOL_COUNTER_DISTANCE = 64 };

static void mark_pool(struct st_translator *t, uint64_t address) {
    word_at(t, address)->pool = true;
    word_at(t, address + POOL_COUNTER_DISTANCE)->pool = true;
}

/* Who drops the last reference comes after all who dropped theirs, and destroys what they used. */
static bool is_last_drop(const struct st_stream_record *record) {
    return st_stream_op(record) == ST_STREAM_ATOMIC_UPDATE &&
           st_stream_aux(record) & ST_STREAM_WITH_VALUES && st_atomic_of(record).after == 0;
}

/* What is done by the library with a word of its own is a send and a receive: order, no data. */
static void signal_by(struct st_translator *t, struct thread *thread,
                      const struct st_stream_record *record, unsigned calls) {
    enum st_stream_op op = st_stream_op(record);
    struct st_stream_record on = {
        st_stream_what(ST_STREAM_SEND, ST_CHANNEL_LIBRARY, st_stream_address(record)),
        record->argument};
    bool both = calls & (CALL_WAITS | CALL_RECEIVES) || is_last_drop(record);
    if (op == ST_STREAM_ATOMIC_READ || (op == ST_STREAM_ATOMIC_UPDATE && both))
        st_translate_channel(t, thread, &on, ST_RECEIVE);
    if (op != ST_STREAM_ATOMIC_READ && !(calls & CALL_ASKS))
        st_translate_channel(t, thread, &on, ST_SEND);
}

/* ---- accesses ---- */

void st_translate_data(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record, unsigned generation) {
    enum st_stream_op op = st_stream_op(record);
    uint64_t address = generation_of(st_stream_address(record), generation);
    t->joining = false;
    if (op == ST_STREAM_ATOMIC_UPDATE) {
        access_variable(t, thread, address, record, false, true);
        t->joining = true;
    }
    access_variable(t, thread, address, record, op != ST_STREAM_ATOMIC_READ, true);
}

/* The counter of a std::shared_ptr, which has one of weak references beside it. Where everybody
 * else has dropped theirs, a look at both is all that the last one does. */
static bool is_last(const struct st_stream_record *record) {
    const uint64_t one_of_each = UINT64_C(1) << 32 | 1;
    struct st_atomic atomic = st_atomic_of(record);
    return st_stream_op(record) == ST_STREAM_ATOMIC_READ ? atomic.after == one_of_each
                                                         : is_last_drop(record);
}

/* A reference is taken or dropped. Which one is first makes no difference, since nobody acts on the
 * number, but for the last: it comes after all others, and who asks for the number may learn that
 * it is gone. */
static void count_references(struct st_translator *t, struct thread *thread,
                             const struct st_stream_record *record) {
    struct st_stream_record on = {
        st_stream_what(ST_STREAM_SEND, ST_CHANNEL_REFERENCES, st_stream_address(record)),
        record->argument};
    if (is_last(record)) {
        st_translate_channel(t, thread, &on, ST_RECEIVE);
        t->joining = false;
        access_variable(t, thread, st_stream_address(record), record, true, true);
    } else if (st_stream_op(record) == ST_STREAM_ATOMIC_UPDATE &&
               st_atomic_of(record).after < st_atomic_of(record).before) {
        st_translate_channel(t, thread, &on, ST_SEND);
    }
}

/* Blocks are split at a wait, unless it is in a function at which they are not open anyway. */
static void access_word(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record, unsigned calls,
                        unsigned generation) {
    unsigned around = thread->depth ? thread->frames[thread->depth - 1].calls : 0;
    bool splits = calls & CALL_WAITS && !is_waiting_call(around);
    size_t first = splits ? st_translate_suspend(t, thread) : 0;
    if (calls & (CALL_SIGNALS | CALL_SEMAPHORE))
        signal_by(t, thread, record, calls);
    else
        st_translate_data(t, thread, record, generation);
    if (splits)
        st_translate_resume(t, thread, first);
}

/* ---- accesses that were held back ---- */

static void hold_back(struct st_translator *t, struct thread *thread, struct st_word *word,
                      const struct st_stream_record *record, const struct st_atomic *atomic,
                      unsigned calls) {
    word->waiting += !thread->held_back.there;
    thread->held_back = (struct held_back){.there = true,
                                           .calls = calls,
                                           .address = st_stream_address(record),
                                           .turn = t->turns++,
                                           .at = thread->at,
                                           .record = *record,
                                           .atomic = *atomic};
}

/* It was waiting, and nothing else. */
static void drop_held_back(struct thread *thread, struct st_word *word) {
    word->waiting -= thread->held_back.there;
    thread->held_back.there = false;
}

/* The thread whose held back access to the word came first; NULL: there is none. */
static struct thread *first_waiting(const struct st_translator *t, uint64_t address) {
    struct thread *first = NULL;
    for (uint32_t i = 0; i < t->serials.count; i++) {
        struct thread *thread = t->threads[i];
        if (thread && thread->held_back.there && thread->held_back.address == address &&
            (!first || thread->held_back.turn < first->held_back.turn))
            first = thread;
    }
    return first;
}

/* It is emitted as if it had been at once. */
static void emit_held_back(struct st_translator *t, struct thread *thread, struct st_word *word) {
    const struct held_back *access = &thread->held_back;
    uint64_t now = thread->at;
    drop_held_back(thread, word);
    thread->at = access->at;
    access_word(t, thread, &access->record, access->calls, word->generation);
    thread->at = now;
}

static void drop_waiting(struct st_translator *t, struct st_word *word, uint64_t address) {
    struct thread *thread;
    while (word->waiting && (thread = first_waiting(t, address)))
        drop_held_back(thread, word);
    word->waiting = 0;
}

/* Those that saw that it was free, and come too late, look again. (What the library waits for may
 * have come.) */
static void drop_late(struct st_translator *t, struct st_word *word, uint64_t address) {
    for (uint32_t i = 0; word->waiting && i < t->serials.count; i++) {
        struct thread *thread = t->threads[i];
        if (thread && thread->held_back.there && thread->held_back.address == address &&
            !thread->held_back.calls)
            drop_held_back(thread, word);
    }
}

static void emit_waiting(struct st_translator *t, struct st_word *word, uint64_t address) {
    struct thread *thread;
    while (word->waiting && (thread = first_waiting(t, address)))
        emit_held_back(t, thread, word);
    word->waiting = 0;
}

/* ---- locks ---- */

/* A ticket lock has the name of its first word. */
static uint64_t lock_address(const struct st_word *word, uint64_t address) {
    return word->state == ST_WORD_TICKET && word->tickets < address ? word->tickets : address;
}

/* Reports do not call it one until it has been given back as locks are. */
static void doubt(struct st_translator *t, uint64_t lock, bool doubtful) {
    const struct st_sync_object *object = st_object_at(&t->locks, lock, 0);
    if (object->number != ST_NO_OBJECT)
        st_symbols_doubt(&t->symbols, object->number, doubtful);
}

/* It was no lock after all. */
static void become_data(struct st_translator *t, struct st_word *word, uint64_t address,
                        uint64_t lock) {
    struct thread *holder = word->holder ? t->threads[word->holder - 1] : NULL;
    struct st_stream_record release = {st_stream_what(ST_STREAM_RELEASE, 0, lock), word->taken_at};
    word->state = ST_WORD_DATA;
    word->holder = 0;
    if (holder)
        st_translate_release(t, holder, &release);
    emit_waiting(t, word, address);
}

static void acquire(struct st_translator *t, struct thread *thread, struct st_word *word,
                    const struct st_stream_record *record, unsigned calls) {
    uint64_t address = st_stream_address(record);
    drop_held_back(thread, word);
    if (word->state == ST_WORD_LOCK)
        drop_late(t, word, address);
    if (word->state == ST_WORD_TICKET) {
        word->tickets = thread->ticket.address;
        thread->ticket.address = 0;
        struct st_word *tickets = find_word(t, word->tickets);
        if (tickets)
            tickets->tickets = address;
    }
    word->taken_at = record->argument;
    word->written = true;
    if (!st_is_proven(word) && !(calls & CALL_SEMAPHORE))
        st_translate_data(t, thread, record, word->generation);
    struct st_stream_record lock = {
        st_stream_what(ST_STREAM_ACQUIRE, 0, lock_address(word, address)), record->argument};
    st_translate_acquire(t, thread, &lock);
    if (!word->clean)
        doubt(t, lock_address(word, address), true);
}

/* The critical section was that of a lock: whoever tried to come in was waiting. */
static void release(struct st_translator *t, struct thread *thread, struct st_word *word,
                    const struct st_stream_record *record) {
    uint64_t address = st_stream_address(record);
    struct st_stream_record lock = {
        st_stream_what(ST_STREAM_RELEASE, 0, lock_address(word, address)), record->argument};
    st_translate_release(t, thread, &lock);
    if (!word->clean)
        doubt(t, lock_address(word, address), false);
    drop_waiting(t, word, address);
    if (st_is_proven(word))
        return;
    word->clean++;
    word->generation++;
    struct st_word *tickets = word->state == ST_WORD_TICKET ? find_word(t, word->tickets) : NULL;
    if (tickets)
        tickets->generation = word->generation;
}

/* ---- tickets ---- */

enum { TICKET_DISTANCE = 64 };

/* The number that the thread has drawn near by, if it has. */
static const uint64_t *ticket_near(const struct thread *thread, uint64_t address) {
    uint64_t from = thread->ticket.address;
    uint64_t distance = from < address ? address - from : from - address;
    return from && distance && distance <= TICKET_DISTANCE ? &thread->ticket.number : NULL;
}

/* Is it a ticket of what is known to be a lock? */
static bool draw_ticket(struct st_translator *t, struct thread *thread, const struct st_word *word,
                        uint64_t address, const struct st_atomic *atomic) {
    if (atomic->kind != ST_ATOMIC_ADD || atomic->after != atomic->before + 1)
        return false;
    thread->ticket.address = address;
    thread->ticket.number = atomic->before;
    const struct st_word *lock = word->tickets ? find_word(t, word->tickets) : NULL;
    return lock && lock->state == ST_WORD_TICKET && st_is_proven(lock);
}

/* ---- all of them ---- */

/* A read. Whoever stores to the word next, having waited for it, has looked at data; but the wait
 * was one. Whoever swaps it next, to come in, has not waited on purpose: so locks are taken. */
static void look_at(struct st_translator *t, struct thread *thread, struct st_word *word,
                    const struct st_stream_record *record, const struct st_atomic *atomic) {
    struct st_spin spin = {0};
    if (atomic->kind == ST_ATOMIC_LOAD)
        spin = st_translate_spin(t, thread, record->argument);
    if (spin.loops && spin.next == ST_SPIN_GOES_ON) {
        st_translate_look(t, thread, word, record);
        return;
    }
    if (spin.loops && spin.next == ST_SPIN_TAKES && !word->large) {
        word->gated = true;
        if (word->state == ST_WORD_DATA)
            st_translate_gate(t, thread, word, record, atomic);
        return;
    }
    if (spin.loops && spin.next == ST_SPIN_STORES)
        st_translate_split(t, thread, ST_SPLIT_HERE);
    if (word->unsent) /* what was written last, if that was before the first look */
        st_translate_data(t, thread, record, word->unsent - 1u);
    st_translate_data(t, thread, record, word->generation);
}

/* A swap that is tried until it finds the one value that it waits for, which others write. What it
 * finds in vain is no access, and in the end it has waited. */
static bool is_waiting_swap(struct st_translator *t, const struct thread *thread,
                            const struct st_stream_record *record, const struct st_atomic *atomic) {
    if (atomic->kind == ST_ATOMIC_LOAD || atomic->kind == ST_ATOMIC_STORE ||
        atomic->kind == ST_ATOMIC_ADD)
        return false;
    struct st_spin spin = st_translate_spin(t, thread, record->argument);
    return spin.loops && spin.fixed;
}

/* It found another value: that is no access, whatever the word is. */
static bool is_swap_in_vain(struct st_translator *t, const struct thread *thread,
                            const struct st_stream_record *record, const struct st_atomic *atomic) {
    return atomic->before == atomic->after && is_waiting_swap(t, thread, record, atomic);
}

/* A look in a loop that waits until the word is free. It is no access, whatever the word is: not
 * what it saw in vain, nor what it saw in the end, when another thread may still come first. But
 * who then stores to the word, or swaps it without asking what was there, has acted on the look. */
static bool is_wait(struct st_translator *t, const struct thread *thread,
                    const struct st_stream_record *record, const struct st_atomic *atomic) {
    if (atomic->kind != ST_ATOMIC_LOAD)
        return is_swap_in_vain(t, thread, record, atomic);
    struct st_spin spin = st_translate_spin(t, thread, record->argument);
    return spin.loops && (spin.next == ST_SPIN_GOES_ON || spin.next == ST_SPIN_TAKES);
}

static void access_plainly(struct st_translator *t, struct thread *thread, struct st_word *word,
                           const struct st_stream_record *record, const struct st_atomic *atomic) {
    if (is_swap_in_vain(t, thread, record, atomic))
        return;
    if (is_waiting_swap(t, thread, record, atomic))
        st_translate_split(t, thread, ST_SPLIT_HERE);
    if (atomic->kind > ST_ATOMIC_FAIL)
        st_translate_seen_write(t, thread, word, record);
    else
        look_at(t, thread, word, record, atomic);
}

/* Only small numbers are gates: heads of lists are waited for, too. */
static bool may_be_gate(struct st_translator *t, const struct thread *thread, struct st_word *word,
                        const struct st_stream_record *record, const struct st_atomic *atomic) {
    word->large |=
        !st_is_small(atomic->before, atomic->bytes) || !st_is_small(atomic->after, atomic->bytes);
    if (atomic->kind > ST_ATOMIC_STORE)
        word->gated |= st_translate_takes(t, thread, word, record->argument);
    return atomic->kind > ST_ATOMIC_STORE && word->gated && !word->large;
}

/* A second thread comes in while the first is. Until then the word is a lock for one. (An exchange
 * is a try that failed.) */
static bool comes_in_too(const struct thread *thread, const struct st_word *word,
                         const struct st_atomic *atomic) {
    return word->gated && word->state == ST_WORD_LOCK && word->holder &&
           atomic->kind != ST_ATOMIC_EXCHANGE && word->holder != thread->number + 1 &&
           atomic->before != atomic->after;
}

/* `ticket`: it was taken for a ticket lock, with this address. */
static void pass_gate(struct st_translator *t, struct thread *thread, struct st_word *word,
                      const struct st_stream_record *record, const struct st_atomic *atomic,
                      uint64_t ticket) {
    drop_waiting(t, word, st_stream_address(record));
    if (ticket)
        become_data(t, word, st_stream_address(record), ticket);
    st_translate_gate(t, thread, word, record, atomic);
}

/* The number that the thread has drawn near by, if this can be the word of a ticket lock that says
 * whose turn it is: who has drawn one spins there. */
static const uint64_t *ticket_for(struct st_translator *t, const struct thread *thread,
                                  const struct st_word *word,
                                  const struct st_stream_record *record) {
    const uint64_t *ticket = ticket_near(thread, st_stream_address(record));
    if (!ticket || word->state == ST_WORD_TICKET)
        return ticket;
    struct st_spin spin = st_translate_spin(t, thread, record->argument);
    return spin.loops && spin.next == ST_SPIN_GOES_ON ? ticket : NULL;
}

/* A look before the thread tries to take what is perhaps a lock: is it its own already? */
static bool may_ask_first(struct st_translator *t, const struct thread *thread,
                          const struct st_word *word, const struct st_stream_record *record,
                          const struct st_atomic *atomic) {
    return word->state == ST_WORD_FRESH && atomic->kind == ST_ATOMIC_LOAD &&
           st_translate_spin(t, thread, record->argument).asks_first;
}

/* A thread that has ended may have left its value to a new one. */
static void note_writer(struct st_translator *t, const struct thread *thread, struct st_word *word,
                        const struct st_atomic *atomic) {
    if (word->noted && !word->note_stands && !t->threads[word->noted - 1])
        word->noted = 0;
    st_note_writer(word, thread->number, atomic);
}

/* Is it me? No, and nobody else can change that. */
static bool asks_in_vain(struct st_translator *t, const struct thread *thread,
                         const struct st_word *word, const struct st_stream_record *record,
                         const struct st_atomic *atomic) {
    if (atomic->kind != ST_ATOMIC_LOAD || word->notes_others ||
        (word->state != ST_WORD_FRESH && word->state != ST_WORD_DATA))
        return false;
    struct st_spin spin = st_translate_spin(t, thread, record->argument);
    return spin.asks_for_self && st_is_other(word, thread->number, atomic->after, spin.by_own);
}

static void use_word(struct st_translator *t, struct thread *thread, struct st_word *word,
                     const struct st_stream_record *record, unsigned calls) {
    uint64_t address = st_stream_address(record);
    struct st_atomic atomic = st_atomic_of(record);
    uint64_t lock = lock_address(word, address);
    if (draw_ticket(t, thread, word, address, &atomic))
        return;
    note_writer(t, thread, word, &atomic);
    if (asks_in_vain(t, thread, word, record, &atomic))
        return;
    bool gate = !calls && may_be_gate(t, thread, word, record, &atomic);
    if (word->state == ST_WORD_GATE || (gate && comes_in_too(thread, word, &atomic))) {
        pass_gate(t, thread, word, record, &atomic, 0);
        return;
    }
    uint64_t ticket = word->state == ST_WORD_TICKET ? lock : 0;
    enum st_word_use use =
        st_word_use(word, thread->number, &atomic, ticket_for(t, thread, word, record));
    if (use == ST_USE_DATA && word->state == ST_WORD_FRESH && atomic.kind <= ST_ATOMIC_FAIL &&
        calls & (CALL_WAITS | CALL_SEMAPHORE))
        use = ST_USE_WAIT;
    if (use == ST_USE_DATA && !calls && may_ask_first(t, thread, word, record, &atomic))
        use = ST_USE_WAIT;
    switch (use) {
    case ST_USE_TAKE:
        acquire(t, thread, word, record, calls);
        break;
    case ST_USE_RELEASE:
        release(t, thread, word, record);
        break;
    case ST_USE_WAIT:
        if (!st_is_proven(word) && (calls || !is_wait(t, thread, record, &atomic)))
            hold_back(t, thread, word, record, &atomic, calls);
        break;
    case ST_USE_NOTHING:
        if (atomic.kind <= ST_ATOMIC_FAIL && !st_is_proven(word))
            access_word(t, thread, record, calls, word->generation);
        break;
    case ST_USE_DATA:
        if (gate) {
            pass_gate(t, thread, word, record, &atomic, ticket);
            break;
        }
        if (word->state == ST_WORD_DATA && (word->holder || word->waiting))
            become_data(t, word, address, lock);
        if (calls)
            access_word(t, thread, record, calls, word->generation);
        else
            access_plainly(t, thread, word, record, &atomic);
    }
}

/* ---- a lock in one bit ---- */

/* In a std::atomic<std::shared_ptr>. What else is in the word is a pointer, which changes together
 * with the one beside it; that one is accessed under the lock, like any data. So the word is no
 * data: not what it was before the lock was taken, and not what it is set to when it is given back.
 * But who waits until the pointer changes may not look at the other one. */
static void use_lock_bit(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record, unsigned calls) {
    const uint64_t bit = 1;
    struct st_atomic atomic = st_atomic_of(record);
    struct st_stream_record on = {st_stream_what(ST_STREAM_ACQUIRE, 0, st_stream_address(record)),
                                  record->argument};
    if (atomic.kind == ST_ATOMIC_LOAD && calls & CALL_WAITS) {
        size_t first = st_translate_suspend(t, thread);
        signal_by(t, thread, record, CALL_RECEIVES);
        st_translate_resume(t, thread, first);
    } else if (~atomic.before & atomic.after & bit) {
        st_translate_acquire(t, thread, &on);
    } else if (atomic.before & ~atomic.after & bit) {
        if (atomic.kind == ST_ATOMIC_EXCHANGE)
            signal_by(t, thread, record, 0);
        st_translate_release(t, thread, &on);
    }
}

/* The word that the lock at this address is, or that says whose turn it is. */
static struct st_word *word_of_lock(const struct st_translator *t, uint64_t *address) {
    struct st_word *word = find_word(t, *address);
    if (word && word->state == ST_WORD_DATA && word->tickets) {
        *address = word->tickets;
        word = find_word(t, *address);
    }
    return word;
}

void st_translate_end_of_words(struct st_translator *t, struct thread *thread) {
    for (size_t i = thread->lock_count; i-- > 0;) {
        if (thread->locks[i].object & SHARED_OBJECT)
            continue;
        uint64_t lock = t->locks.list[thread->locks[i].object].address, address = lock;
        struct st_word *word = word_of_lock(t, &address);
        if (word && word->holder == thread->number + 1 && !word->clean)
            become_data(t, word, address, lock);
    }
}

void st_translate_atomic(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record) {
    unsigned around = thread->depth ? thread->frames[thread->depth - 1].calls : 0;
    unsigned here = st_library_calls_at(t, record->argument), calls = around | here;
    uint64_t address = st_stream_address(record);
    t->has_lists |= (here & CALL_LISTS) != 0;
    if (here & CALL_COUNTS && st_stream_aux(record) & ST_STREAM_WITH_VALUES) {
        count_references(t, thread, record);
        return;
    }
    if (calls & CALL_POOL)
        mark_pool(t, address);
    struct st_word *word = word_at(t, address);
    if (word->pool)
        return;
    if (calls & CALL_LOCK_BIT && st_stream_aux(record) & ST_STREAM_WITH_VALUES) {
        use_lock_bit(t, thread, record, calls);
        return;
    }
    t->valued = st_stream_aux(record) & ST_STREAM_WITH_VALUES ? record : NULL;
    if (calls & CALL_SIGNALS || !t->valued)
        access_word(t, thread, record, calls, 0);
    else
        use_word(t, thread, word, record, calls);
    t->valued = NULL;
}

bool st_translate_looks_at_data(struct st_translator *t, const struct thread *thread, uint64_t pc,
                                uint64_t *address) {
    unsigned around = thread->depth ? thread->frames[thread->depth - 1].calls : 0;
    const struct st_word *word = find_word(t, *address);
    if (!word || word->pool || (word->state != ST_WORD_FRESH && word->state != ST_WORD_DATA) ||
        (around | st_library_calls_at(t, pc)))
        return false;
    struct st_spin spin = st_translate_spin(t, thread, pc);
    *address = generation_of(*address, word->generation);
    return !spin.loops && !spin.asks_for_self;
}

/* ---- futexes ---- */

/* Only words that the program itself accesses: what code without instrumentation does is none of
 * our business. A thread that waits for a lock does not do so on purpose. */
void st_translate_futex(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    struct st_word *word = find_word(t, st_stream_address(record));
    if (word)
        word->unsettled = false;
    if (!word || word->pool || word->state == ST_WORD_LOCK || word->state == ST_WORD_TICKET ||
        word->state == ST_WORD_GATE)
        return;
    if (st_stream_op(record) == ST_STREAM_FUTEX_WAIT)
        st_translate_split(t, thread, ST_SPLIT_HERE);
    else
        st_translate_channel(t, thread, record,
                             st_stream_op(record) == ST_STREAM_FUTEX_WAKE ? ST_SEND : ST_RECEIVE);
}

/* ---- what a thread does next ---- */

/* Is the word what the thread comes to next, after entering and leaving functions, as far as its
 * records are here? */
static bool comes_to_word(const struct thread *thread, const struct st_stream_record *record,
                          size_t left) {
    for (size_t i = 0, length; (length = st_item_length(&record[i], left - i)); i += length)
        switch (st_stream_op(&record[i])) {
        case ST_STREAM_ENTER:
        case ST_STREAM_LEAVE:
        case ST_STREAM_AT:
        case ST_STREAM_SEQUENCE:
        case ST_STREAM_OBSERVE:
            break;
        case ST_STREAM_ATOMIC_READ:
        case ST_STREAM_ATOMIC_WRITE:
        case ST_STREAM_ATOMIC_UPDATE:
            return st_stream_address(&record[i]) == thread->held_back.address;
        default:
            return false;
        }
    return false;
}

/* It has looked at the word, and what comes next is the word again. */
static bool looks_again(const struct thread *thread, const struct st_stream_record *record,
                        size_t left) {
    return !st_is_change(&thread->held_back.atomic) && comes_to_word(thread, record, left);
}

/* Functions of its own may be what it waits with. But they have begins and ends: unless they come
 * back to the word, the access is emitted first. */
static bool is_still_waiting(struct st_translator *t, const struct thread *thread,
                             const struct st_stream_record *record, size_t left) {
    switch (st_stream_op(record)) {
    case ST_STREAM_ATOMIC_READ:
    case ST_STREAM_ATOMIC_WRITE:
    case ST_STREAM_ATOMIC_UPDATE:
    case ST_STREAM_FUTEX_WAIT:
    case ST_STREAM_FUTEX_WAKE:
    case ST_STREAM_FUTEX_WOKEN:
        return st_stream_address(record) == thread->held_back.address;
    case ST_STREAM_ENTER:
        return st_translate_is_hidden(t, record) || looks_again(thread, record, left);
    case ST_STREAM_LEAVE:
        return (thread->depth && thread->frames[thread->depth - 1].hidden) ||
               looks_again(thread, record, left);
    case ST_STREAM_NONE:
    case ST_STREAM_DEFERRED_READ:
    case ST_STREAM_DEFERRED_WRITE:
    case ST_STREAM_KEPT_READ:
    case ST_STREAM_KEPT_WRITE:
    case ST_STREAM_WITHIN:
    case ST_STREAM_ALLOCATE:
    case ST_STREAM_ALLOCATE_QUIETLY:
    case ST_STREAM_HANDED_OUT:
    case ST_STREAM_FRAME:
    case ST_STREAM_THREAD_NAME:
    case ST_STREAM_TEXT:
    case ST_STREAM_MODULE:
        return true;
    default:
        return false;
    }
}

/* It may be about to wait, with functions and local variables of its own. */
static bool may_wait_next(enum st_stream_op op) {
    return op == ST_STREAM_LEAVE || op == ST_STREAM_ENTER || op == ST_STREAM_AT ||
           op == ST_STREAM_READ || op == ST_STREAM_WRITE;
}

/* It swapped a word that was taken, and does not wait: that is no lock. */
static bool shows_data(const struct thread *thread, struct st_word *word,
                       const struct st_stream_record *record) {
    if (word->state != ST_WORD_LOCK || !word->holder || !st_is_change(&thread->held_back.atomic))
        return false;
    word->unsettled = true;
    return record && !may_wait_next(st_stream_op(record));
}

void st_translate_held_back(struct st_translator *t, struct thread *thread,
                            const struct st_stream_record *record, size_t left) {
    struct st_word *word = find_word(t, thread->held_back.address);
    if (!word)
        thread->held_back.there = false;
    if (!word || (record && is_still_waiting(t, thread, record, left)))
        return;
    if (shows_data(thread, word, record))
        become_data(t, word, thread->held_back.address, thread->held_back.address);
    else if (st_is_proven(word))
        drop_held_back(thread, word);
    else
        emit_held_back(t, thread, word);
}
