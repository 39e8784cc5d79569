/* Calls in loops that do nothing but wait, from the machine code.
 *
 * A thread that waits for others in a loop of its own looks at a word in memory, again and again,
 * until somebody has changed it. Such a loop can be recognised: there is a way from the look back
 * to it on which nothing happens but yields, sleeps, pauses, reads, other looks, and writes to the
 * stack; the address of the word is the same at each turn; and what was seen decides whether there
 * is another one, which it does not where the turns are counted. A loop that goes through memory
 * has other addresses. One that works, between two
 * looks, writes or calls something; one that swaps the word (the loops of algorithms without locks)
 * does so, too.
 *
 * A look may be in a function of its own, as in `while (!is_ready());`. Then the loop is around the
 * call of that function, or around a call of a function that calls it. That function may look, and
 * swap or add to what it has seen; if it does more, it checks and acts, and is no look.
 *
 * As in code_flow.h, there is no guess: where the code cannot be followed, it is no such loop. */
#ifndef SERIATIM_SYMBOL_CODE_SPIN_LOOP_H
#define SERIATIM_SYMBOL_CODE_SPIN_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct st_modules;

/* What comes next, once it has seen what it waits for: with nothing in between, the word itself may
 * be stored to, or swapped or added to, and what comes then may depend on what that has found. */
enum st_spin_next { ST_SPIN_GOES_ON, ST_SPIN_STORES, ST_SPIN_CHANGES, ST_SPIN_TAKES };

/* What the function around a call that looks does with it. */
struct st_spin {
    bool loops; /* it does nothing but look, until it sees what it waits for ... */
    enum st_spin_next next;
    bool
        fixed; /* a compare-and-swap: for the same value each time, not for the one that it found */
    /* The call swaps the word or adds to it, if it does not look: the function also spins at that
     * word, and what it does depends on what the call says. So a semaphore or a lock is taken. */
    bool takes;
    /* It looks, and then the function swaps the word, expecting a value of its own, and does what
     * depends on whether that worked. So who holds a lock asks first whether it is its own. */
    bool asks_first;
    /* It looks, and what it sees says only whether it is the thread itself (`by_own`: or what the
     * thread has in memory of its own). */
    bool asks_for_self, by_own;
    bool passes; /* it looks, and at most takes: the call of this function is a look, too ... */
    unsigned char arguments; /* ... at a place that depends on these arguments (code_values.h) */
};

/* The call that returns to `pc`, in a program that ran. The place that it looks at depends on
 * `arguments`; that of a load is its first. */
struct st_spin st_spin_around(struct st_modules *modules, uint64_t pc, unsigned char arguments);

struct st_object;
struct st_spin st_spin_in(struct st_object *object, uint64_t after, unsigned char arguments);

#endif
