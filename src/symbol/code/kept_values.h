/* Where a function keeps a value while it calls another one, from its machine code: in a register
 * that calls keep, or on its stack.
 *
 * Nothing here is a guess: where the code does anything that is not understood with what the value
 * depends on, there is no answer. */
#ifndef SERIATIM_SYMBOL_CODE_KEPT_VALUES_H
#define SERIATIM_SYMBOL_CODE_KEPT_VALUES_H

#include "symbol/object.h"

/* A step of the way from registers that calls keep to the value, as in stream/stream.h: registers
 * have their numbers in machine code, ST_KEPT_ZERO holds 0, and the value ends in rax. */
enum st_kept_operation {
    ST_KEPT_ADD,      /* a + (b << shift) + number */
    ST_KEPT_LOAD,     /* 8 bytes at that address */
    ST_KEPT_SUBTRACT, /* a - b */
    ST_KEPT_MULTIPLY, /* a * (b + number) */
    ST_KEPT_AND,      /* a and (b + number) */
    ST_KEPT_OR,
    ST_KEPT_SHIFT,  /* a >> shift */
    ST_KEPT_WIDEN,  /* the lower 32 bits of a as a signed number ... */
    ST_KEPT_NARROW, /* ... or as one without a sign */
};
enum { ST_KEPT_ZERO = 16, ST_KEPT_STEPS = 12 };

struct st_kept_step {
    enum st_kept_operation operation;
    unsigned to, a, b, shift;
    int64_t number; /* of 32 bits */
};

struct st_kept_value {
    struct st_kept_step steps[ST_KEPT_STEPS];
    unsigned count;
};

/* What the function will return, once a call that returns to `site` is over: it makes no other one.
 * Addresses are those of the file, which must be open. False: it is not known. */
bool st_kept_result(struct st_object *object, uint64_t site, struct st_kept_value *kept);

/* An argument (0 is the first one that is a number or a pointer) of the function that begins at
 * `start`, during its first call; that one calls `callee` and returns to *site. */
bool st_kept_argument(struct st_object *object, uint64_t start, const char *callee,
                      unsigned argument, uint64_t *site, struct st_kept_value *kept);

#endif
