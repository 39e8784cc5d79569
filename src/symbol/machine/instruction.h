/* Instructions of x86-64: how long they are, where they lead, and what their operands are. */
#ifndef SERIATIM_SYMBOL_MACHINE_INSTRUCTION_H
#define SERIATIM_SYMBOL_MACHINE_INSTRUCTION_H

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

/* Registers by their numbers in machine code: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
enum { ST_RAX, ST_RCX, ST_RDX, ST_RBX, ST_RSP, ST_RBP, ST_RSI, ST_RDI, ST_REGISTERS = 16 };
enum { ST_NO_REGISTER = ST_REGISTERS, ST_RIP }; /* in addresses */

struct st_instruction {
    unsigned length;
    enum st_flow flow;
    uint64_t target;

    /* Operands. `map`: 0: opcodes of one byte, 1: behind 0f, more: others, and all of VEX. */
    unsigned map, opcode;
    bool has_modrm, in_memory; /* `rm` is memory, not a register ... */
    bool thread_local;         /* ... of the thread's own: the address is relative to fs */
    unsigned reg, rm;          /* numbers of registers; reg may be part of the opcode */
    unsigned base, index, scale;
    int64_t displacement, immediate; /* with ST_RIP as base: the address itself */
};

/* False when the bytes are no instruction that we know. `address` is that of the first byte. */
bool st_instruction_read(const unsigned char *bytes, size_t left, uint64_t address,
                         struct st_instruction *instruction);

#endif
