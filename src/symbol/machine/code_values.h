/* What registers and local variables hold along a path through machine code, as far as two of them
 * can be compared: equal values are equal in every run that takes the path.
 *
 * Memory that is not the function's own stack counts as constant. Who asks about a path on which
 * nothing is written asks whether anything can change but by other threads. */
#ifndef SERIATIM_SYMBOL_MACHINE_CODE_VALUES_H
#define SERIATIM_SYMBOL_MACHINE_CODE_VALUES_H

#include "symbol/machine/instruction.h"

/* What a value was computed from: arguments of the function (rdi, rsi, rdx, rcx, r8, r9), what a
 * call has answered, what is not known at all, who the thread is (its name, or the address of what
 * is its own), what is in memory of its own, and whether an answer is one of these. */
enum {
    ST_FIRST_ARGUMENT = 1,
    ST_ARGUMENTS = 0x3f,
    ST_ANSWER = 0x40,
    ST_UNKNOWN = 0x80,
    ST_SELF = 0x100,
    ST_OWN = 0x200,
    ST_IS_SELF = 0x400,
    ST_IS_OWN = 0x800
};

/* An unknown number, and another one added to it. */
struct st_value {
    uint64_t base, offset;
    unsigned short from;
    bool stack; /* an address in the function's own stack */
};

struct st_values {
    struct st_value registers[ST_REGISTERS];
    struct {
        struct st_value at, holds;
    } slots[48]; /* in the stack; if there are more, those hold anything */
    unsigned slot_count;
    struct st_value flags; /* what the last comparison was about */
    uint64_t fresh;        /* numbers that nothing is known of */
};

/* Where a function begins. */
void st_values_start(struct st_values *values);

/* An instruction that is no call. */
void st_values_step(struct st_values *values, const struct st_instruction *instruction);

/* A call; `from`: what is known of what it returns, ST_ANSWER or ST_SELF. */
void st_values_call(struct st_values *values, unsigned from);

/* The same for one that compares its first two arguments. */
void st_values_call_comparison(struct st_values *values);

/* A call that leaves an answer where its second argument points to: before the call. What is there,
 * if that is the stack; otherwise anything. */
void st_values_answer_there(struct st_values *values);
struct st_value st_values_there(struct st_values *values);

/* The register of an argument, 0 to 5. */
unsigned st_argument_register(unsigned argument);

/* An instruction that writes to memory which is not the stack. */
bool st_values_writes(const struct st_values *values, const struct st_instruction *instruction);

#endif
