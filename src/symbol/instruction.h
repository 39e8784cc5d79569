/* Instructions of x86-64, as far as control flow needs it: how long they are, and where they lead.
 */
#ifndef SERIATIM_SYMBOL_INSTRUCTION_H
#define SERIATIM_SYMBOL_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum st_flow {
    ST_FLOW_NEXT,          /* to the next one */
    ST_FLOW_BRANCH,        /* to the target, or to the next one */
    ST_FLOW_JUMP,          /* to the target */
    ST_FLOW_JUMP_SLOT,     /* to what the pointer at the target holds */
    ST_FLOW_JUMP_ANYWHERE, /* to what a register or memory holds */
    ST_FLOW_CALL,          /* the same for calls, which return to the next one */
    ST_FLOW_CALL_SLOT,
    ST_FLOW_CALL_ANYWHERE,
    ST_FLOW_RETURN,
    ST_FLOW_STOP /* a trap: nothing comes after it */
};

struct st_instruction {
    unsigned length;
    enum st_flow flow;
    uint64_t target;
};

/* False when the bytes are no instruction that we know. `address` is that of the first byte. */
bool st_instruction_read(const unsigned char *bytes, size_t left, uint64_t address,
                         struct st_instruction *instruction);

#endif
