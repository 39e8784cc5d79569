#include "watch/words/lock_words.h"

/* As those of <stdatomic.h>. */
enum { CONSUME = 1, ACQUIRE = 2, RELEASE = 3, BOTH = 4, SEQUENTIAL = 5 };

static bool acquires(const struct st_atomic *atomic) {
    return atomic->order == CONSUME || atomic->order == ACQUIRE || atomic->order >= BOTH;
}

static bool releases(const struct st_atomic *atomic) {
    return atomic->order >= RELEASE && atomic->order <= SEQUENTIAL;
}

static uint64_t low_bytes(uint64_t value, unsigned bytes) {
    return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

struct st_atomic st_atomic_of(const struct st_stream_record *records) {
    unsigned how = st_stream_aux(&records[1]);
    unsigned bytes = st_stream_aux(&records[0]) & ST_STREAM_ACCESS_BYTES;
    unsigned kept = bytes < 6 ? bytes : 6; /* of a value before, there are 48 bits */
    return (struct st_atomic){.kind = (enum st_stream_atomic)(how & 15),
                              .order = how >> 4 & 7,
                              .bytes = kept,
                              .before = low_bytes(st_stream_address(&records[1]), kept),
                              .after = low_bytes(records[1].argument, kept)};
}

bool st_is_small(uint64_t value, unsigned bytes) {
    enum { LIMIT = 1 << 23 };
    return value < LIMIT || low_bytes(-value, bytes) < LIMIT;
}

static bool is_swap(const struct st_atomic *atomic) {
    return atomic->kind == ST_ATOMIC_EXCHANGE || atomic->kind == ST_ATOMIC_COMPARE ||
           atomic->kind == ST_ATOMIC_BITS;
}

static bool is_write(const struct st_atomic *atomic) {
    return atomic->kind > ST_ATOMIC_FAIL;
}

/* A pointer that only this thread takes the word by, as far as is known. */
static bool is_owner(const struct st_word *word, uint32_t thread, uint64_t value) {
    for (size_t i = 0; i < sizeof word->owners / sizeof *word->owners; i++)
        if (word->owners[i].thread &&
            (word->owners[i].thread == thread + 1) != (word->owners[i].value == value))
            return false;
    return true;
}

static void note_owner(struct st_word *word, uint32_t thread, uint64_t value) {
    size_t count = sizeof word->owners / sizeof *word->owners;
    for (size_t i = 0; i < count; i++)
        if (word->owners[i].thread == thread + 1)
            return;
    word->owners[word->next_owner].thread = thread + 1;
    word->owners[word->next_owner].value = value;
    word->next_owner = (uint8_t)((word->next_owner + 1) % count);
}

static bool is_take(const struct st_word *word, uint32_t thread, const struct st_atomic *atomic) {
    bool first = word->state == ST_WORD_FRESH;
    bool from_free = first ? atomic->before == 0 || (atomic->before == 1 && atomic->after == 0)
                           : atomic->before == word->free;
    return is_swap(atomic) && acquires(atomic) && from_free && atomic->before != atomic->after &&
           (st_is_small(atomic->after, atomic->bytes) || is_owner(word, thread, atomic->after));
}

static enum st_word_use become_data(struct st_word *word) {
    word->state = ST_WORD_DATA;
    return ST_USE_DATA;
}

/* A lock has two numbers for taken at a time, at most: who has waited takes it with its mark. */
static void note_taken(struct st_word *word, uint64_t value) {
    bool first = word->state == ST_WORD_FRESH;
    if (!first && (value == word->taken || (word->marked && value == word->mark)))
        return;
    if (first || word->marked) {
        word->taken = value;
        return;
    }
    word->marked = true;
    word->mark = value;
}

static enum st_word_use take(struct st_word *word, uint32_t thread,
                             const struct st_atomic *atomic) {
    note_taken(word, atomic->after);
    if (!st_is_small(atomic->after, atomic->bytes))
        note_owner(word, thread, atomic->after);
    word->state = ST_WORD_LOCK;
    word->free = atomic->before;
    word->unsettled = false;
    word->holder = thread + 1;
    return ST_USE_TAKE;
}

/* Back to the free value is what makes it a lock. */
static enum st_word_use use_by_holder(struct st_word *word, const struct st_atomic *atomic) {
    if (!is_write(atomic))
        return ST_USE_NOTHING;
    if (word->unsettled && !word->clean)
        return become_data(word);
    if (atomic->after == word->free && releases(atomic)) {
        word->holder = 0;
        return ST_USE_RELEASE;
    }
    if (atomic->after == word->taken || (word->marked && atomic->after == word->mark))
        return ST_USE_NOTHING; /* on its way back */
    return become_data(word);
}

static enum st_word_use use_of_taken(struct st_word *word, const struct st_atomic *atomic) {
    if (!is_write(atomic) || (is_swap(atomic) && atomic->before == atomic->after))
        return ST_USE_WAIT;
    if (!is_swap(atomic) || atomic->after == word->free ||
        !st_is_small(atomic->after, atomic->bytes))
        return become_data(word);
    if (atomic->after == word->taken)
        return ST_USE_WAIT;
    if (word->marked && atomic->after != word->mark)
        return become_data(word);
    word->marked = true;
    word->mark = atomic->after;
    return ST_USE_WAIT;
}

static enum st_word_use use_of_free(struct st_word *word, uint32_t thread,
                                    const struct st_atomic *atomic) {
    if (is_take(word, thread, atomic))
        return take(word, thread, atomic);
    if (!is_write(atomic))
        return ST_USE_WAIT;
    return atomic->after == word->free ? ST_USE_NOTHING : become_data(word);
}

static enum st_word_use use_of_ticket(struct st_word *word, uint32_t thread,
                                      const struct st_atomic *atomic, const uint64_t *ticket) {
    if (word->holder) {
        if (!is_write(atomic))
            return word->holder == thread + 1 ? ST_USE_NOTHING : ST_USE_WAIT;
        if (word->holder != thread + 1 || !releases(atomic) || atomic->after != word->free)
            return become_data(word);
        word->holder = 0;
        return ST_USE_RELEASE;
    }
    if (is_write(atomic))
        return become_data(word);
    if (!ticket || low_bytes(*ticket, atomic->bytes) != atomic->after || !acquires(atomic))
        return ST_USE_WAIT;
    word->free = low_bytes(*ticket + 1, atomic->bytes);
    word->holder = thread + 1;
    return ST_USE_TAKE;
}

/* An initial store of 0 says nothing. */
static enum st_word_use use_of_fresh(struct st_word *word, uint32_t thread,
                                     const struct st_atomic *atomic, const uint64_t *ticket) {
    if (atomic->kind == ST_ATOMIC_LOAD && ticket) {
        word->state = ST_WORD_TICKET;
        enum st_word_use use = use_of_ticket(word, thread, atomic, ticket);
        if (use == ST_USE_TAKE)
            return use;
        word->state = ST_WORD_FRESH;
    }
    if (is_take(word, thread, atomic))
        return take(word, thread, atomic);
    if (is_write(atomic) && !(atomic->kind == ST_ATOMIC_STORE && atomic->after == 0))
        return become_data(word);
    return ST_USE_DATA;
}

static bool is_nobody(uint64_t value, unsigned bytes) {
    return value == 0 || value == low_bytes(UINT64_MAX, bytes);
}

void st_note_writer(struct st_word *word, uint32_t thread, const struct st_atomic *atomic) {
    if (word->notes_others || !is_write(atomic))
        return;
    bool by_same = word->noted == thread + 1;
    if (is_nobody(atomic->after, atomic->bytes)) {
        word->notes_others = word->note_stands && !by_same;
        word->taken_back |= word->note_stands;
        word->note_stands = false;
        return;
    }
    word->notes_others = atomic->kind == ST_ATOMIC_ADD || (word->note_stands && !by_same) ||
                         (word->noted && by_same != (word->note == atomic->after));
    word->noted = thread + 1;
    word->note = atomic->after;
    word->note_stands = true;
}

bool st_is_other(const struct st_word *word, uint32_t thread, uint64_t value, bool by_own) {
    return !word->notes_others && (word->taken_back || !by_own) &&
           !(word->noted == thread + 1 && word->note == value);
}

enum st_word_use st_word_use(struct st_word *word, uint32_t thread, const struct st_atomic *atomic,
                             const uint64_t *ticket) {
    switch ((enum st_word_state)word->state) {
    case ST_WORD_FRESH:
        return use_of_fresh(word, thread, atomic, ticket);
    case ST_WORD_LOCK:
        if (!word->holder)
            return use_of_free(word, thread, atomic);
        return word->holder == thread + 1 ? use_by_holder(word, atomic)
                                          : use_of_taken(word, atomic);
    case ST_WORD_TICKET:
        return use_of_ticket(word, thread, atomic, ticket);
    case ST_WORD_DATA:
    case ST_WORD_GATE:
        break;
    }
    return ST_USE_DATA;
}
