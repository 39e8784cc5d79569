#include "symbol/machine/code_values.h"

static const unsigned char arguments[] = {ST_RDI, ST_RSI, ST_RDX, ST_RCX, 8, 9};

unsigned st_argument_register(unsigned argument) {
    return arguments[argument];
}

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 29) * UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

static struct st_value constant(uint64_t number) {
    return (struct st_value){.offset = number};
}

static struct st_value unknown(struct st_values *values, unsigned from) {
    return (struct st_value){.base = mix(1, ++values->fresh),
                             .from = (unsigned short)(from | ST_UNKNOWN)};
}

static bool is_equal(struct st_value a, struct st_value b) {
    return a.base == b.base && a.offset == b.offset;
}

/* Some function of two values. */
static struct st_value compute(unsigned how, struct st_value a, struct st_value b) {
    return (struct st_value){.base =
                                 mix(mix(mix(mix(how + 2, a.base), a.offset), b.base), b.offset),
                             .from = a.from | b.from};
}

static struct st_value add(struct st_value a, struct st_value b) {
    if (b.base && a.base)
        return compute(0, a, b);
    struct st_value sum = a.base ? a : b;
    sum.offset = a.offset + b.offset;
    sum.from = a.from | b.from;
    return sum;
}

void st_values_start(struct st_values *values) {
    *values = (struct st_values){.slot_count = 0};
    for (unsigned i = 0; i < ST_REGISTERS; i++)
        values->registers[i] = unknown(values, 0);
    for (unsigned i = 0; i < sizeof arguments; i++)
        values->registers[arguments[i]].from = (unsigned char)(ST_FIRST_ARGUMENT << i);
    for (unsigned i = ST_RSP; i <= ST_RBP; i++) {
        values->registers[i].stack = true;
        values->registers[i].from = 0;
    }
}

/* ---- memory ---- */

/* What fs holds. */
static const struct st_value thread_pointer = {.base = 2, .from = ST_SELF};

static struct st_value address_of(const struct st_values *values,
                                  const struct st_instruction *instruction) {
    struct st_value at = constant((uint64_t)instruction->displacement);
    if (instruction->thread_local)
        at = add(thread_pointer, at);
    if (instruction->base < ST_REGISTERS)
        at = add(values->registers[instruction->base], at);
    if (instruction->index >= ST_REGISTERS)
        return at;
    struct st_value sum = compute(instruction->scale, at, values->registers[instruction->index]);
    sum.stack = at.stack; /* an array in the stack */
    return sum;
}

/* The thread pointer points to itself. */
static struct st_value load(struct st_values *values, struct st_value at) {
    if (is_equal(at, thread_pointer))
        return thread_pointer;
    for (unsigned i = 0; i < values->slot_count; i++)
        if (is_equal(values->slots[i].at, at))
            return values->slots[i].holds;
    if (at.stack && values->slot_count == sizeof values->slots / sizeof *values->slots)
        return unknown(values, 0);
    struct st_value value = compute(1, at, constant(0));
    if (at.from & ST_SELF)
        value.from = (unsigned short)((at.from & ~ST_SELF) | ST_OWN);
    return value;
}

static void store(struct st_values *values, struct st_value at, struct st_value value) {
    unsigned i = 0;
    if (!at.stack)
        return;
    while (i < values->slot_count && !is_equal(values->slots[i].at, at))
        i++;
    if (i == sizeof values->slots / sizeof *values->slots)
        return;
    values->slots[i].at = at;
    values->slots[i].holds = value;
    if (i == values->slot_count)
        values->slot_count++;
}

static struct st_value operand(struct st_values *values, const struct st_instruction *instruction) {
    return instruction->in_memory ? load(values, address_of(values, instruction))
                                  : values->registers[instruction->rm];
}

static void set_operand(struct st_values *values, const struct st_instruction *instruction,
                        struct st_value value) {
    if (instruction->in_memory)
        store(values, address_of(values, instruction), value);
    else
        values->registers[instruction->rm] = value;
}

/* ---- instructions ---- */

static void push(struct st_values *values, struct st_value value) {
    struct st_value *top = &values->registers[ST_RSP];
    top->offset -= 8;
    store(values, *top, value);
}

static struct st_value pop(struct st_values *values) {
    struct st_value *top = &values->registers[ST_RSP];
    struct st_value value = load(values, *top);
    top->offset += 8;
    return value;
}

/* Two values are compared: an answer, and what is the thread's own? */
static unsigned asks_for_self(struct st_value a, struct st_value b) {
    struct st_value other = a.from & ST_ANSWER ? b : a;
    if ((a.from & ST_ANSWER) == (b.from & ST_ANSWER))
        return 0;
    return other.from & ST_OWN ? ST_IS_OWN : other.from & ST_SELF ? ST_IS_SELF : 0;
}

/* The last comparison, by who asks for more than whether both are equal. */
static struct st_value flags_for(const struct st_values *values, unsigned opcode) {
    struct st_value flags = values->flags;
    if ((opcode & 0xe) != 4)
        flags.from &= (unsigned short)~(ST_IS_SELF | ST_IS_OWN);
    return flags;
}

/* add, or, adc, sbb, and, sub, xor, cmp: `which` of them. */
static struct st_value calculate(struct st_values *values, unsigned which, struct st_value a,
                                 struct st_value b, bool same) {
    enum { ADD, OR, ADC, SBB, AND, SUB, XOR, COMPARE };
    values->flags = compute(32 + which, a, b);
    if (which == COMPARE || which == SUB)
        values->flags.from |= (unsigned short)asks_for_self(a, b);
    if (same && (which == SUB || which == XOR))
        return constant(0);
    if (which == ADC || which == SBB)
        return unknown(values, a.from | b.from);
    if (which == ADD)
        return add(a, b);
    if (which == SUB && !b.base)
        return add(a, constant(-b.offset));
    struct st_value result = compute(16 + which, a, b);
    result.stack = which == AND && a.stack; /* aligned */
    return result;
}

static void step_calculation(struct st_values *values, const struct st_instruction *i) {
    enum { COMPARE = 7 };
    unsigned which = i->opcode >> 3 & 7, form = i->opcode & 7;
    struct st_value *reg = &values->registers[form >= 4 ? ST_RAX : i->reg];
    struct st_value other = form >= 4 ? constant((uint64_t)i->immediate) : operand(values, i);
    bool same = form < 4 && !i->in_memory && i->reg == i->rm;
    bool into_reg = form & 2 || form >= 4;
    struct st_value result = into_reg ? calculate(values, which, *reg, other, same)
                                      : calculate(values, which, other, *reg, same);
    if (which == COMPARE)
        return;
    if (into_reg)
        *reg = result;
    else
        set_operand(values, i, result);
}

static void step_immediate(struct st_values *values, const struct st_instruction *i) {
    enum { COMPARE = 7 };
    struct st_value result =
        calculate(values, i->reg & 7, operand(values, i), constant((uint64_t)i->immediate), false);
    if ((i->reg & 7) != COMPARE)
        set_operand(values, i, result);
}

/* Nothing is known of what it leaves. */
static void step_other(struct st_values *values, const struct st_instruction *i) {
    unsigned from = i->has_modrm ? operand(values, i).from : 0;
    if (i->has_modrm) {
        from |= values->registers[i->reg].from;
        set_operand(values, i, unknown(values, from));
        values->registers[i->reg] = unknown(values, from);
    }
    values->registers[ST_RAX] = unknown(values, from | values->registers[ST_RAX].from);
    values->registers[ST_RDX] = unknown(values, from | values->registers[ST_RDX].from);
    if (!i->has_modrm) { /* one for strings, perhaps */
        values->registers[ST_RCX] = unknown(values, 0);
        values->registers[ST_RSI] = unknown(values, 0);
        values->registers[ST_RDI] = unknown(values, 0);
    }
    values->flags = unknown(values, from | values->flags.from);
}

static void step_two_bytes(struct st_values *values, const struct st_instruction *i) {
    unsigned op = i->opcode;
    if (op == 0x0d || op == 0x18 || op == 0x1e || op == 0x1f || (op & 0xf0) == 0x80 || op == 0xae)
        return;                                               /* hints, jumps, fences */
    if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) /* wider */
        values->registers[i->reg] = compute(op, operand(values, i), constant(0));
    else if ((op & 0xf0) == 0x90) /* set if */
        set_operand(values, i, compute(op, flags_for(values, op), constant(0)));
    else if ((op & 0xf0) == 0x40) /* move if */
        values->registers[i->reg] = compute(
            op, flags_for(values, op), compute(op, values->registers[i->reg], operand(values, i)));
    else
        step_other(values, i);
}

static void step_unary(struct st_values *values, const struct st_instruction *i) {
    struct st_value value = operand(values, i);
    unsigned which = i->reg & 7;
    if (i->opcode == 0xf6 || i->opcode == 0xf7) {
        values->flags = compute(0x300 + which, value, constant((uint64_t)i->immediate));
        if (which == 2 || which == 3) /* not, neg */
            set_operand(values, i, compute(0x100 + which, value, constant(0)));
        else if (which > 3)
            step_other(values, i);
        return; /* 0 and 1 are tests */
    }
    values->flags = compute(0x400 + which, value, constant(0)); /* fe, ff: inc and dec */
    if (which < 2)
        set_operand(values, i, add(value, constant(which ? (uint64_t)-1 : 1)));
    else if (which == 6)
        push(values, value);
}

static void step_one_byte(struct st_values *values, const struct st_instruction *i) {
    unsigned op = i->opcode;
    struct st_value *reg = &values->registers[i->reg];
    if (op < 0x40) {
        step_calculation(values, i);
    } else if (op >= 0x50 && op <= 0x57) {
        push(values, values->registers[i->rm]);
    } else if (op >= 0x58 && op <= 0x5f) {
        values->registers[i->rm] = pop(values);
    } else if (op >= 0x80 && op <= 0x83) {
        step_immediate(values, i);
    } else if (op >= 0xb0 && op <= 0xbf) {
        values->registers[i->rm] = constant((uint64_t)i->immediate);
    } else {
        switch (op) {
        case 0x63:
            *reg = compute(op, operand(values, i), constant(0));
            break;
        case 0x69:
        case 0x6b:
            *reg = compute(op, operand(values, i), constant((uint64_t)i->immediate));
            values->flags = *reg;
            break;
        case 0x84:
        case 0x85:
            values->flags = compute(op, operand(values, i), *reg);
            break;
        case 0x88:
        case 0x89:
            set_operand(values, i, *reg);
            break;
        case 0x8a:
        case 0x8b:
            *reg = operand(values, i);
            break;
        case 0x8d:
            *reg = address_of(values, i);
            break;
        case 0x90:
            break;
        case 0x98:
            values->registers[ST_RAX] = compute(op, values->registers[ST_RAX], constant(0));
            break;
        case 0x99:
            values->registers[ST_RDX] = compute(op, values->registers[ST_RAX], constant(0));
            break;
        case 0xa8:
        case 0xa9:
            values->flags =
                compute(op, values->registers[ST_RAX], constant((uint64_t)i->immediate));
            break;
        case 0xc0:
        case 0xc1:
        case 0xd0:
        case 0xd1:
            set_operand(values, i,
                        compute(0x200 + (i->reg & 7), operand(values, i),
                                constant((uint64_t)(op < 0xd0 ? i->immediate : 1))));
            values->flags = operand(values, i);
            break;
        case 0xc6:
        case 0xc7:
            set_operand(values, i, constant((uint64_t)i->immediate));
            break;
        case 0xc9:
            values->registers[ST_RSP] = values->registers[ST_RBP];
            values->registers[ST_RBP] = pop(values);
            break;
        case 0xf6:
        case 0xf7:
        case 0xfe:
        case 0xff:
            step_unary(values, i);
            break;
        default:
            step_other(values, i);
        }
    }
}

void st_values_step(struct st_values *values, const struct st_instruction *instruction) {
    if (instruction->flow != ST_FLOW_NEXT)
        return;
    if (instruction->map == 0)
        step_one_byte(values, instruction);
    else if (instruction->map == 1)
        step_two_bytes(values, instruction);
    else
        step_other(values, instruction);
}

void st_values_call(struct st_values *values, unsigned from) {
    static const unsigned char lost[] = {ST_RAX, ST_RCX, ST_RDX, ST_RSI, ST_RDI, 8, 9, 10, 11};
    for (unsigned i = 0; i < sizeof arguments; i++)
        from |= values->registers[arguments[i]].from & ST_ANSWER;
    for (unsigned i = 0; i < sizeof lost; i++)
        values->registers[lost[i]] = unknown(values, 0);
    values->registers[ST_RAX].from |= (unsigned short)from;
    values->flags = constant(0);
}

void st_values_call_comparison(struct st_values *values) {
    st_values_call(values, asks_for_self(values->registers[ST_RDI], values->registers[ST_RSI]));
}

void st_values_answer_there(struct st_values *values) {
    store(values, values->registers[ST_RSI], unknown(values, ST_ANSWER));
}

struct st_value st_values_there(struct st_values *values) {
    struct st_value at = values->registers[ST_RSI];
    return at.stack ? load(values, at) : unknown(values, ST_ANSWER);
}

bool st_values_writes(const struct st_values *values, const struct st_instruction *i) {
    if (!i->in_memory || i->flow != ST_FLOW_NEXT || address_of(values, i).stack)
        return false;
    if (i->map != 0)
        return i->map != 1 || !(i->opcode == 0xb6 || i->opcode == 0xb7 || i->opcode == 0xbe ||
                                i->opcode == 0xbf || (i->opcode & 0xf0) == 0x40 ||
                                i->opcode == 0x0d || i->opcode == 0x18 || i->opcode == 0x1f);
    if (i->opcode < 0x40)
        return (i->opcode & 7) < 2 && i->opcode >> 3 != 7;
    if (i->opcode >= 0x80 && i->opcode <= 0x83)
        return (i->reg & 7) != 7;
    bool tests = (i->opcode == 0xf6 || i->opcode == 0xf7) && (i->reg & 7) < 2;
    bool reads = i->opcode == 0x63 || i->opcode == 0x69 || i->opcode == 0x6b || i->opcode == 0x84 ||
                 i->opcode == 0x85 || i->opcode == 0x8a || i->opcode == 0x8b || i->opcode == 0x8d;
    return !tests && !reads;
}
