#include "symbol/code/kept_values.h"

#include "symbol/code/code_bytes.h"
#include "symbol/machine/code_values.h"

#include <string.h>

/* Of a way through a prologue or an epilogue. */
enum { LONGEST_WAY = 64 };

/* An instruction, and what machine/instruction.h does not say of it. */
struct line {
    struct st_instruction i;
    bool wide;     /* it is about 64 bits, */
    bool ordinary; /* or about 32, and all of it is in the program's own memory */
};

static bool read_at(struct st_object *object, uint64_t address, struct line *line) {
    size_t left;
    const unsigned char *bytes = st_code_bytes(object, address, &left);
    if (!bytes || !st_instruction_read(bytes, left, address, &line->i))
        return false;
    line->ordinary = !memchr("\x66\xf2\xf3\xf0\x26\x2e\x36\x3e\x64\x65\x67", bytes[0], 11);
    line->wide = (bytes[0] & 0xf8) == 0x48;
    return true;
}

/* rbx, rbp, r12 to r15; the stack pointer is kept, too. */
static bool calls_keep(unsigned number) {
    return number == ST_RBX || number == ST_RBP || number == ST_RSP || number >= 12;
}

/* ---- results ---- */

/* Invariant: `known` has a bit for each register whose value the steps lead to. */
struct way {
    struct st_kept_step steps[3 * LONGEST_WAY];
    unsigned count;
    uint32_t known;
};

static bool is_known(const struct way *way, unsigned number) {
    return number == ST_KEPT_ZERO || (number < ST_KEPT_ZERO && way->known >> number & 1);
}

static void forget(struct way *way, unsigned number) {
    if (number < ST_KEPT_ZERO)
        way->known &= ~(UINT32_C(1) << number);
}

static void add(struct way *way, struct st_kept_step step) {
    bool known =
        is_known(way, step.a) && is_known(way, step.b) && step.number == (int32_t)step.number;
    forget(way, step.to);
    if (!known)
        return;
    way->steps[way->count++] = step;
    way->known |= UINT32_C(1) << step.to;
}

/* What an instruction about 32 bits leaves has no others. */
static void narrow(struct way *way, const struct line *line, unsigned number) {
    if (!line->wide)
        add(way, (struct st_kept_step){ST_KEPT_NARROW, number, number, ST_KEPT_ZERO, 0, 0});
}

static void move_stack(struct way *way, int64_t by) {
    add(way, (struct st_kept_step){ST_KEPT_ADD, ST_RSP, ST_RSP, ST_KEPT_ZERO, 0, by});
}

static void load(struct way *way, unsigned to, unsigned base, int64_t number) {
    add(way, (struct st_kept_step){ST_KEPT_LOAD, to, base, ST_KEPT_ZERO, 0, number});
}

/* add, or, and, sub, xor: register `to`, and another one or a number. */
static void calculate(struct way *way, const struct line *line, unsigned which, unsigned to,
                      unsigned other, int64_t number) {
    enum { ADD, OR, AND = 4, SUBTRACT, XOR, COMPARE };
    struct st_kept_step step = {ST_KEPT_ADD, to, to, other, 0, number};
    if (which == COMPARE)
        return;
    if (which == XOR && other == to)
        step = (struct st_kept_step){ST_KEPT_ADD, to, ST_KEPT_ZERO, ST_KEPT_ZERO, 0, 0};
    else if (which == SUBTRACT && other == ST_KEPT_ZERO)
        step.number = -number;
    else if (which == SUBTRACT)
        step.operation = ST_KEPT_SUBTRACT;
    else if (which == AND || which == OR)
        step.operation = which == AND ? ST_KEPT_AND : ST_KEPT_OR;
    else if (which != ADD)
        step.a = ST_REGISTERS + 1; /* not known */
    add(way, step);
    narrow(way, line, to);
}

static void shift(struct way *way, const struct line *line, unsigned count) {
    enum { LEFT = 4, RIGHT = 5 };
    unsigned to = line->i.rm, which = line->i.reg & 7;
    struct st_kept_step step = {ST_KEPT_ADD, to, ST_KEPT_ZERO, to, count, 0};
    if (which == RIGHT)
        step = (struct st_kept_step){ST_KEPT_SHIFT, to, to, ST_KEPT_ZERO, count, 0};
    if ((which == LEFT || (which == RIGHT && line->wide)) && count < 64) {
        add(way, step);
        narrow(way, line, to);
    } else {
        forget(way, to);
    }
}

static unsigned scale_of(unsigned scale) {
    return scale > 1 ? (unsigned)__builtin_ctz(scale) : 0;
}

/* The address that is computed, or what is there. Relative to the code, it is not known. */
static void address(struct way *way, const struct line *line, enum st_kept_operation operation) {
    const struct st_instruction *i = &line->i;
    _Static_assert((int)ST_KEPT_ZERO == ST_NO_REGISTER, "no register is as good as 0");
    add(way, (struct st_kept_step){operation, i->reg, i->base, i->index, scale_of(i->scale),
                                   i->displacement});
    narrow(way, line, i->reg);
}

/* Nothing is known of what it leaves; false if it may change memory. */
static bool step_other(struct way *way, const struct st_instruction *i) {
    static const unsigned char some[] = {ST_RAX, ST_RCX, ST_RDX, ST_RSI, ST_RDI};
    forget(way, i->reg);
    if (!i->in_memory)
        forget(way, i->rm);
    for (unsigned j = 0; j < sizeof some; j++)
        forget(way, some[j]);
    struct st_values nothing;
    st_values_start(&nothing);
    return !i->in_memory || !st_values_writes(&nothing, i);
}

/* Comparisons, and instructions that do nothing. */
static bool is_without_effect(unsigned op) {
    return op >> 3 == 7 || op == 0x84 || op == 0x85 || op == 0x90 || op == 0xa8 || op == 0xa9;
}

static bool pushes(unsigned op) {
    return (op >= 0x50 && op <= 0x57) || op == 0x68 || op == 0x6a;
}

static bool step_one_byte(struct way *way, const struct line *line) {
    const struct st_instruction *i = &line->i;
    unsigned op = i->opcode, form = op & 7;
    if (op < 0x40 && (form == 1 || form == 3) && !i->in_memory) {
        calculate(way, line, op >> 3 & 7, form == 1 ? i->rm : i->reg, form == 1 ? i->reg : i->rm,
                  0);
    } else if (op < 0x40 && form == 5) {
        calculate(way, line, op >> 3 & 7, ST_RAX, ST_KEPT_ZERO, i->immediate);
    } else if ((op == 0x81 || op == 0x83) && !i->in_memory) {
        calculate(way, line, i->reg & 7, i->rm, ST_KEPT_ZERO, i->immediate);
    } else if (op >= 0x58 && op <= 0x5f) {
        load(way, i->rm, ST_RSP, 0);
        if (i->rm != ST_RSP)
            move_stack(way, 8);
    } else if ((op == 0x89 || op == 0x8b) && !i->in_memory) {
        unsigned to = op == 0x89 ? i->rm : i->reg, from = op == 0x89 ? i->reg : i->rm;
        add(way, (struct st_kept_step){ST_KEPT_ADD, to, from, ST_KEPT_ZERO, 0, 0});
        narrow(way, line, to);
    } else if (op == 0x8b) {
        address(way, line, ST_KEPT_LOAD);
    } else if (op == 0x8d) {
        address(way, line, ST_KEPT_ADD);
    } else if (op == 0x63 && !i->in_memory && line->wide) {
        add(way, (struct st_kept_step){ST_KEPT_WIDEN, i->reg, i->rm, ST_KEPT_ZERO, 0, 0});
    } else if ((op == 0x69 || op == 0x6b) && !i->in_memory) {
        add(way,
            (struct st_kept_step){ST_KEPT_MULTIPLY, i->reg, i->rm, ST_KEPT_ZERO, 0, i->immediate});
        narrow(way, line, i->reg);
    } else if ((op == 0xc1 || op == 0xd1) && !i->in_memory) {
        shift(way, line, op == 0xc1 ? (unsigned)i->immediate : 1);
    } else if (op == 0xc9) {
        add(way, (struct st_kept_step){ST_KEPT_ADD, ST_RSP, ST_RBP, ST_KEPT_ZERO, 0, 0});
        load(way, ST_RBP, ST_RSP, 0);
        move_stack(way, 8);
    } else if (op >= 0xb8 && op <= 0xbf) {
        add(way,
            (struct st_kept_step){ST_KEPT_ADD, i->rm, ST_KEPT_ZERO, ST_KEPT_ZERO, 0, i->immediate});
    } else if (!is_without_effect(op)) {
        return !pushes(op) && step_other(way, i);
    }
    return true;
}

/* False: the rest cannot be followed. */
static bool step(struct way *way, const struct line *line) {
    const struct st_instruction *i = &line->i;
    if (i->map == 0 && line->ordinary)
        return step_one_byte(way, line);
    if (i->map == 1 && i->opcode == 0xaf && !i->in_memory && line->ordinary) {
        add(way, (struct st_kept_step){ST_KEPT_MULTIPLY, i->reg, i->reg, i->rm, 0, 0});
        narrow(way, line, i->reg);
        return true;
    }
    bool hint = i->map == 1 && (i->opcode == 0x1e || i->opcode == 0x1f);
    return hint || step_other(way, i);
}

/* The steps that rax depends on, if there are not too many. */
static bool put_steps(const struct way *way, struct st_kept_value *kept) {
    bool needed[3 * LONGEST_WAY] = {false};
    uint64_t wanted = UINT64_C(1) << ST_RAX;
    kept->count = 0;
    for (unsigned i = way->count; i-- > 0;) {
        const struct st_kept_step *step = &way->steps[i];
        needed[i] = wanted >> step->to & 1;
        if (!needed[i])
            continue;
        wanted &= ~(UINT64_C(1) << step->to);
        wanted |= UINT64_C(1) << step->a | UINT64_C(1) << step->b;
    }
    for (unsigned i = 0; i < way->count; i++) {
        if (needed[i] && kept->count == ST_KEPT_STEPS)
            return false;
        if (needed[i])
            kept->steps[kept->count++] = way->steps[i];
    }
    return true;
}

bool st_kept_result(struct st_object *object, uint64_t site, struct st_kept_value *kept) {
    struct way way = {.count = 0};
    struct line line;
    bool branched = false;
    for (unsigned i = 0; i < ST_REGISTERS; i++)
        way.known |= (uint32_t)calls_keep(i) << i;
    for (unsigned steps = 0; steps < LONGEST_WAY && read_at(object, site, &line); steps++) {
        site += line.i.length;
        switch (line.i.flow) {
        case ST_FLOW_NEXT:
            if (!step(&way, &line))
                return false;
            break;
        case ST_FLOW_JUMP:
            site = line.i.target;
            break;
        case ST_FLOW_BRANCH: /* at most one: is the stack still whole? */
            if (branched)
                return false;
            branched = true;
            break;
        case ST_FLOW_RETURN:
            return is_known(&way, ST_RAX) && put_steps(&way, kept);
        default:
            return false;
        }
    }
    return false;
}

/* ---- arguments ---- */

static bool is_same(struct st_value a, struct st_value b) {
    return a.base == b.base && a.offset == b.offset;
}

static bool find_argument(const struct st_values *values, struct st_value argument,
                          struct st_kept_step *kept) {
    for (unsigned i = 0; i < ST_REGISTERS; i++)
        if (calls_keep(i) && is_same(values->registers[i], argument)) {
            *kept = (struct st_kept_step){ST_KEPT_ADD, ST_RAX, i, ST_KEPT_ZERO, 0, 0};
            return true;
        }
    for (unsigned i = 0; i < values->slot_count; i++) {
        struct st_value at = values->slots[i].at, stack = values->registers[ST_RSP];
        if (!is_same(values->slots[i].holds, argument) || at.base != stack.base)
            continue;
        *kept = (struct st_kept_step){ST_KEPT_LOAD, ST_RAX, ST_RSP,
                                      ST_KEPT_ZERO, 0,      (int64_t)(at.offset - stack.offset)};
        return true;
    }
    return false;
}

bool st_kept_argument(struct st_object *object, uint64_t start, const char *callee,
                      unsigned argument, uint64_t *site, struct st_kept_value *kept) {
    struct st_values values;
    struct line line;
    st_values_start(&values);
    struct st_value wanted = values.registers[st_argument_register(argument)];
    kept->count = 1;
    for (unsigned steps = 0; steps < LONGEST_WAY && read_at(object, start, &line); steps++) {
        start += line.i.length;
        if (line.i.flow == ST_FLOW_NEXT) {
            st_values_step(&values, &line.i);
        } else if (line.i.flow == ST_FLOW_CALL || line.i.flow == ST_FLOW_CALL_SLOT) {
            const char *name = st_code_callee(object, &line.i).name;
            *site = start;
            return name && strcmp(name, callee) == 0 &&
                   find_argument(&values, wanted, &kept->steps[0]);
        } else {
            return false;
        }
    }
    return false;
}
