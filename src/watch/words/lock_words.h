/* Words that the program accesses atomically, and which of them are locks.
 *
 * A word is a lock as far as it behaves like one:
 * - it is free when it is 0 (or 1, and then 0 is taken), and taken by a read-modify-write that is
 *   no addition, has acquire order and makes it a small number, or a pointer that is the thread's
 *   own: the same each time, and that of no other thread;
 * - the thread that took it gives it back: it sets it to its free value, with release order;
 * - in between, other threads read it, fail to swap it, exchange one number that is not free for
 *   another, or mark it by a second number, as those do who then wait at a futex. That is waiting.
 * A ticket lock is two words, at most 64 bytes apart: a thread adds 1 to the one and waits until
 * the other has the number that it got, and gives the lock back by setting that to the next number.
 *
 * Anything else, once, and the word is data, for ever: a counter, which is added to; a flag or a
 * state that another thread changes back, or that has three values; the head of a list, whose
 * values are pointers to what is in it; a word that another thread swaps while it is taken and goes
 * on.
 *
 * The first few critical sections are a probation. They are acquires and releases, but a take is
 * also a write, and what others do to the word when they do not wait is emitted as well: if the
 * word turns out to be data, nothing that was done to it since it was last free is lost. Only the
 * release is no write. If it is given back as a lock is, nobody has changed it in between, and no
 * path can have come back to the holder over the word but by that write. From then on the word is
 * another variable (its generation), so no path leads from one critical section to the next over
 * the word; that is what locks are for. After the probation there are acquires and releases only.
 */
#ifndef SERIATIM_WATCH_WORDS_LOCK_WORDS_H
#define SERIATIM_WATCH_WORDS_LOCK_WORDS_H

#include "stream/stream.h"

enum { ST_PROBATION = 4 }; /* critical sections */

enum st_word_state {
    ST_WORD_FRESH, /* never taken */
    ST_WORD_LOCK,
    ST_WORD_TICKET, /* the word of a ticket lock that says whose turn it is */
    ST_WORD_DATA,
    ST_WORD_GATE /* of a lock that several can hold, or a semaphore (gate_words.c) */
};

struct st_word {
    uint8_t state;
    bool pool;          /* of the library, which means nothing (library_calls.c) */
    bool marked;        /* `mark` has been seen */
    bool unsettled;     /* who marked it has not waited since */
    uint8_t clean;      /* critical sections, up to ST_PROBATION */
    uint8_t generation; /* which variable it is now */
    uint32_t holder;    /* thread + 1; 0: free */
    uint32_t waiting;   /* how many threads have a held back access to it */
    uint64_t free, taken, mark;
    uint64_t taken_at; /* return address of the take */
    struct {
        uint32_t thread; /* + 1; 0: none */
        uint64_t value;
    } owners[4]; /* threads that take it by a pointer, always the same one; the last ones */
    uint8_t next_owner;
    bool written;      /* by an atomic operation, so far */
    bool awaited;      /* threads spin until they see what they want: writes are sends, too */
    uint8_t unsent;    /* 1 + the generation with writes that came before that; 0: none */
    bool gated;        /* threads spin at it and then swap it, or add to it, to come in ... */
    bool counts_down;  /* ... and it counts how many still may */
    bool large;        /* it had values that are no small numbers: a pointer, perhaps */
    uint8_t takes;     /* what the place in the code does (gate_words.c) ... */
    uint64_t asked;    /* ... that was asked about last */
    bool notes_others; /* it is no note of who holds something: its values are not such */
    uint32_t noted;    /* + 1: the thread that wrote its own value into it last; 0: none has ... */
    bool note_stands;  /* ... and has not taken it back ... */
    bool taken_back;   /* ... as was done before ... */
    uint64_t note;     /* ... which was this one */
    uint64_t tickets;  /* of ST_WORD_TICKET: the address of the other word; of that: of this one */
};

/* An atomic operation. */
struct st_atomic {
    enum st_stream_atomic kind;
    int order;
    unsigned bytes;
    uint64_t before, after; /* only as many bytes as it has */
};

enum st_word_use {
    ST_USE_DATA,
    ST_USE_TAKE,
    ST_USE_RELEASE,
    ST_USE_WAIT,   /* it may be data if the thread goes on to something else */
    ST_USE_NOTHING /* by the holder, or without effect */
};

static inline bool st_is_proven(const struct st_word *word) {
    return word->clean >= ST_PROBATION;
}

/* A number, such as that of a thread, and no pointer. */
bool st_is_small(uint64_t value, unsigned bytes);

/* Reads an operation from a record and the one after it. */
struct st_atomic st_atomic_of(const struct st_stream_record *records);

/* What the thread does with the word, which is changed. If it has become data, its holder stays
 * there for the caller to see. `ticket`: the number that the thread has drawn from a word near by,
 * NULL: none. */
enum st_word_use st_word_use(struct st_word *word, uint32_t thread, const struct st_atomic *atomic,
                             const uint64_t *ticket);

/* A word may say which thread holds something, as those of recursive locks do: a thread that comes
 * in writes a value of its own, and sets it back before another one writes its value. Who only asks
 * whether it is itself (st_spin's asks_for_self), and is not, is told the same whatever others
 * write meanwhile. So such a look is no access.
 *
 * Notes what the thread wrote. */
void st_note_writer(struct st_word *word, uint32_t thread, const struct st_atomic *atomic);

/* As far as is known, is the word such a note, and does it not say that it is this thread? What is
 * not a name of the thread (by_own) may be of another kind, such as a version that it has seen.
 * Then nothing is known until a note has been taken back: versions are not. */
bool st_is_other(const struct st_word *word, uint32_t thread, uint64_t value, bool by_own);

/* Did it change a word that was taken, knowing that? An exchange may be a try that failed. */
static inline bool st_is_change(const struct st_atomic *atomic) {
    return (atomic->kind == ST_ATOMIC_COMPARE || atomic->kind == ST_ATOMIC_BITS) &&
           atomic->before != atomic->after;
}

#endif
