#include "symbol/code/known_branches.h"

#include "base/memory.h"
#include "symbol/code/code_walk.h"

#include <stdlib.h>

/* One byte of the stack, at a fixed distance from a register. */
struct byte {
    unsigned base;
    int64_t displacement;
};

enum { MOST_BETWEEN = 4 }; /* instructions between the constant and the jump */

/* ---- instructions ---- */

static bool is_plain(const struct st_instruction *i, unsigned opcode) {
    return i->map == 0 && i->opcode == opcode && i->flow == ST_FLOW_NEXT;
}

/* Moves al to a byte of the stack (0x88), or back (0x8a). */
static bool moves_al(const struct st_instruction *i, unsigned opcode, struct byte *byte) {
    *byte = (struct byte){i->base, i->displacement};
    return is_plain(i, opcode) && i->in_memory && i->reg == ST_RAX && i->index >= ST_REGISTERS &&
           (i->base == ST_RBP || i->base == ST_RSP);
}

/* Leaves a constant in al. */
static bool sets_al(const struct st_instruction *i, unsigned *constant) {
    bool moves = i->map == 0 && i->opcode >= 0xb0 && i->opcode <= 0xb7 && i->rm == ST_RAX;
    bool clears = (is_plain(i, 0x31) || is_plain(i, 0x33)) && !i->in_memory && i->reg == ST_RAX &&
                  i->rm == ST_RAX;
    *constant = moves ? (unsigned)i->immediate & 0xff : 0;
    return moves || clears;
}

/* Compares something, and changes nothing. */
static bool compares(const struct st_instruction *i) {
    bool by_immediate = i->opcode >= 0x80 && i->opcode <= 0x83 && (i->reg & 7) == 7;
    bool of_registers = i->opcode >= 0x38 && i->opcode <= 0x3d;
    bool tests = i->opcode == 0x84 || i->opcode == 0x85 || i->opcode == 0xa8 || i->opcode == 0xa9 ||
                 ((i->opcode == 0xf6 || i->opcode == 0xf7) && (i->reg & 7) < 2);
    return i->map == 0 && (by_immediate || of_registers || tests);
}

/* Branches if the last bit that was tested is one, or if it is zero. */
static bool asks_bit(const struct st_instruction *i, bool *if_set) {
    unsigned condition = i->opcode & 0xf;
    *if_set = condition == 5;
    return i->flow == ST_FLOW_BRANCH && (condition == 4 || condition == 5) &&
           (i->map == 1 ? (i->opcode & 0xf0) == 0x80 : i->map == 0 && (i->opcode & 0xf0) == 0x70);
}

/* ---- ways ---- */

static const struct st_instruction *instruction_at(const struct st_code_walk *walk, uint32_t at) {
    return &walk->steps[at].instruction;
}

/* Where a step leads that does not branch. */
static uint32_t next_of(const struct st_code_walk *walk, uint32_t at) {
    return walk->steps[at].calls ? ST_NOWHERE : walk->steps[at].next[0];
}

/* What the byte holds whenever the branch is reached. `before`: the one step that leads to each, or
 * ST_NOWHERE if there are several. */
static bool known_at(const struct st_code_walk *walk, const uint32_t *before, uint32_t branch,
                     struct byte *byte, unsigned *constant) {
    uint32_t at = before[branch];
    if (at == ST_NOWHERE || !moves_al(instruction_at(walk, at), 0x88, byte))
        return false;
    for (int i = 0; i < MOST_BETWEEN; i++) {
        at = before[at];
        if (at == ST_NOWHERE || walk->steps[at].calls)
            return false;
        if (sets_al(instruction_at(walk, at), constant))
            return true;
        if (!compares(instruction_at(walk, at)))
            return false;
    }
    return false;
}

/* Where the code at `at` leads that asks for the byte, which holds this; otherwise `at`. */
static uint32_t answer_at(const struct st_code_walk *walk, uint32_t at, const struct byte *byte,
                          unsigned holds) {
    enum { XOR_AL = 0x34, TEST_AL = 0xa8 };
    struct byte asked;
    bool if_set;
    uint32_t on = at;
    if (!moves_al(instruction_at(walk, on), 0x8a, &asked) || asked.base != byte->base ||
        asked.displacement != byte->displacement || (on = next_of(walk, on)) == ST_NOWHERE)
        return at;
    if (is_plain(instruction_at(walk, on), XOR_AL)) { /* not */
        holds ^= (unsigned)instruction_at(walk, on)->immediate;
        if ((on = next_of(walk, on)) == ST_NOWHERE)
            return at;
    }
    if (!is_plain(instruction_at(walk, on), TEST_AL) || instruction_at(walk, on)->immediate != 1 ||
        (on = next_of(walk, on)) == ST_NOWHERE || !asks_bit(instruction_at(walk, on), &if_set))
        return at;
    uint32_t to = walk->steps[on].next[(holds & 1) == if_set];
    return to == ST_NOWHERE ? at : to;
}

/* The one step that leads to each. */
static uint32_t *steps_before(const struct st_code_walk *walk) {
    uint32_t *before = st_alloc(walk->count, sizeof *before);
    bool *led_to = st_alloc(walk->count, sizeof *led_to);
    for (uint32_t i = 0; i < walk->count; i++)
        before[i] = ST_NOWHERE;
    led_to[0] = true; /* by whoever calls the function */
    for (uint32_t i = 0; i < walk->count; i++)
        for (int way = 0; way < 2; way++) {
            uint32_t next = walk->steps[i].next[way];
            if (next == ST_NOWHERE)
                continue;
            before[next] = led_to[next] ? ST_NOWHERE : i;
            led_to[next] = true;
        }
    free(led_to);
    return before;
}

void st_walk_lead_on(struct st_code_walk *walk) {
    uint32_t *before = steps_before(walk);
    for (uint32_t i = 0; i < walk->count; i++) {
        struct st_code_step *step = &walk->steps[i];
        struct byte byte;
        unsigned constant;
        if (step->instruction.flow == ST_FLOW_BRANCH && step->next[1] != ST_NOWHERE &&
            known_at(walk, before, i, &byte, &constant))
            step->next[1] = answer_at(walk, step->next[1], &byte, constant);
    }
    free(before);
}
