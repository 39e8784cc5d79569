#include "symbol/machine/instruction.h"

#include <string.h>

/* What follows an opcode: a ModRM byte with what belongs to it, and an immediate operand. */
enum operands {
    NONE = 0,
    MODRM = 1,
    IMM8 = 2,  /* one byte */
    IMMZ = 4,  /* four bytes, two with an operand-size prefix */
    IMM16 = 8, /* two bytes */
    BAD = 16,
    MB = MODRM | IMM8,
    MZ = MODRM | IMMZ
};

/* By opcode. Prefixes and what VEX and EVEX begin with never get here. */
static const unsigned char one_byte[256] = {
#define ALU MODRM, MODRM, MODRM, MODRM, IMM8, IMMZ, BAD, BAD
    ALU,          ALU,   ALU,   ALU,   ALU,   ALU,   ALU,   ALU, /* 00 to 3f */
    BAD,          BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,
    BAD,          BAD,   BAD, /* 40: REX */
    NONE,         NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,
    NONE,         NONE,  NONE,  BAD,   BAD,   BAD,   MODRM, BAD,   BAD,   BAD,   BAD,   IMMZ,  MZ,
    IMM8,         MB,    NONE,  NONE,  NONE,  NONE, /* 60 */
    IMM8,         IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,
    IMM8,         IMM8,  IMM8,  MB,    MZ,    BAD,   MB,    MODRM, MODRM, MODRM, MODRM, /* 80 */
    MODRM,        MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, NONE,  NONE,  NONE,  NONE,  NONE,
    NONE,         NONE,  NONE, /* 90 */
    NONE,         NONE,  BAD,   NONE,  NONE,  NONE,  NONE,  NONE,  BAD,   BAD,   BAD,   BAD,   NONE,
    NONE,         NONE,  NONE, /* a0: addresses of 8 bytes, see below */
    IMM8,         IMMZ,  NONE,  NONE,  NONE,  NONE,  NONE,  NONE,  IMM8,  IMM8,  IMM8,  IMM8,  IMM8,
    IMM8,         IMM8,  IMM8, /* b0 */
    IMMZ,         IMMZ,  IMMZ,  IMMZ,  IMMZ,  IMMZ,  IMMZ,  IMMZ,  MB,    MB,    IMM16, NONE,  BAD,
    BAD,          MB,    MZ, /* c0 */
    IMM16 | IMM8, NONE,  IMM16, NONE,  NONE,  IMM8,  BAD,   NONE,  MODRM, MODRM, MODRM, MODRM, BAD,
    BAD,          BAD,   NONE, /* d0 */
    MODRM,        MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, IMM8,  IMM8,  IMM8,  IMM8,  IMM8,
    IMM8,         IMM8,  IMM8, /* e0 */
    IMMZ,         IMMZ,  BAD,   IMM8,  NONE,  NONE,  NONE,  NONE,  BAD,   NONE,  BAD,   BAD,   NONE,
    NONE,         MODRM, MODRM, /* f0; f6 and f7: see below */
    NONE,         NONE,  NONE,  NONE,  NONE,  NONE,  MODRM, MODRM,
#undef ALU
};

/* Behind 0f, and in map 1 of VEX and EVEX. */
static unsigned two_byte(unsigned opcode) {
    switch (opcode) {
    case 0x04:
    case 0x0a:
    case 0x0c:
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x27:
    case 0x36:
    case 0x39:
    case 0x3b:
    case 0x3c:
    case 0x3d:
    case 0x3e:
    case 0x3f:
    case 0xa6:
    case 0xa7:
        return BAD;
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b:
    case 0x0e:
    case 0x30:
    case 0x31:
    case 0x32:
    case 0x33:
    case 0x34:
    case 0x35:
    case 0x37:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa:
        return NONE;
    case 0x0f:
    case 0x70:
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return MB;
    default:
        if (opcode >= 0x80 && opcode <= 0x8f)
            return IMMZ;
        return opcode >= 0xc8 && opcode <= 0xcf ? NONE : MODRM;
    }
}

/* Reading from the front. */
struct reader {
    const unsigned char *bytes;
    size_t left, at;
    bool failed;
};

static unsigned take(struct reader *reader) {
    if (reader->at >= reader->left || reader->at >= 15) {
        reader->failed = true;
        return 0;
    }
    return reader->bytes[reader->at++];
}

static void skip(struct reader *reader, size_t count) {
    while (count--)
        take(reader);
}

static int64_t take_signed(struct reader *reader, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)take(reader) << 8 * i;
    return size == 1 ? (int8_t)value : size == 4 ? (int32_t)value : (int64_t)value;
}

struct decoding {
    struct reader reader;
    bool narrow, wide; /* operands: 66, and REX.W */
    bool short_address;
    unsigned map;  /* 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a; more: EVEX has them */
    bool extended; /* VEX or EVEX */
    bool thread_local;
    unsigned rex;
    unsigned opcode, modrm;
    unsigned base, index, scale; /* of memory */
    bool slot;                   /* the operand is memory at a fixed address ... */
    int64_t displacement;        /* ... so far behind the instruction */
    int64_t immediate;
};

static bool is_prefix(unsigned byte) {
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
           byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
           byte == 0x65;
}

/* Up to the opcode. */
static void take_opcode(struct decoding *d) {
    unsigned byte = take(&d->reader);
    for (; is_prefix(byte); byte = take(&d->reader)) {
        d->narrow |= byte == 0x66;
        d->thread_local |= byte == 0x64;
        d->short_address |= byte == 0x67;
    }
    d->extended = byte == 0xc5 || byte == 0xc4 || byte == 0x62;
    if (byte == 0xc5) {
        skip(&d->reader, 1);
        d->map = 1;
    } else if (byte == 0xc4) {
        d->map = take(&d->reader) & 0x1f;
        skip(&d->reader, 1);
    } else if (byte == 0x62) {
        d->map = take(&d->reader) & 7;
        skip(&d->reader, 2);
    } else {
        if ((byte & 0xf0) == 0x40) {
            d->rex = byte;
            d->wide = byte & 8;
            byte = take(&d->reader);
        }
        d->opcode = byte;
        if (byte != 0x0f)
            return;
        d->map = 1;
        d->opcode = take(&d->reader);
        if (d->opcode != 0x38 && d->opcode != 0x3a)
            return;
        d->map = d->opcode == 0x38 ? 2 : 3;
    }
    d->opcode = take(&d->reader);
}

static unsigned operands_of(const struct decoding *d) {
    switch (d->map) {
    case 0:
        return one_byte[d->opcode];
    case 1:
        return two_byte(d->opcode);
    case 3:
        return MB;
    case 2:
    case 5:
    case 6:
        return MODRM;
    default:
        return BAD;
    }
}

static void take_sib(struct decoding *d) {
    unsigned sib = take(&d->reader), index = (sib >> 3 & 7) | (d->rex & 2) << 2;
    d->base = (sib & 7) | (d->rex & 1) << 3;
    d->index = index == ST_RSP ? ST_NO_REGISTER : index;
    d->scale = 1u << (sib >> 6);
}

static void take_modrm(struct decoding *d) {
    d->modrm = take(&d->reader);
    unsigned mode = d->modrm >> 6;
    if (mode == 3)
        return;
    bool indexed = (d->modrm & 7) == 4;
    d->base = (d->modrm & 7) | (d->rex & 1) << 3;
    if (indexed)
        take_sib(d);
    bool no_base = mode == 0 && (d->base & 7) == ST_RBP;
    if (mode == 1)
        d->displacement = take_signed(&d->reader, 1);
    else if (mode == 2 || no_base)
        d->displacement = take_signed(&d->reader, 4);
    d->slot = no_base && !indexed;
    if (no_base)
        d->base = d->slot ? ST_RIP : ST_NO_REGISTER;
}

static void take_immediate(struct decoding *d, unsigned operands) {
    unsigned part = d->modrm >> 3 & 7;
    bool near = d->map == 0 && (d->opcode == 0xe8 || d->opcode == 0xe9);
    bool conditional = d->map == 1 && (d->opcode & 0xf0) == 0x80;
    if (d->map == 0 && (d->opcode == 0xf6 || d->opcode == 0xf7) && part < 2) /* test */
        operands |= d->opcode == 0xf6 ? IMM8 : IMMZ;
    if (d->map == 0 && d->opcode >= 0xa0 && d->opcode <= 0xa3)
        skip(&d->reader, d->short_address ? 4 : 8);
    if (operands & IMM16)
        skip(&d->reader, 2);
    if (operands & IMM8)
        d->immediate = take_signed(&d->reader, 1);
    if (!(operands & IMMZ))
        return;
    if (d->map == 0 && (d->opcode & 0xf8) == 0xb8 && d->wide)
        skip(&d->reader, 8);
    else if (d->narrow && !d->wide && !near && !conditional)
        skip(&d->reader, 2);
    else
        d->immediate = take_signed(&d->reader, 4);
}

/* Calls and jumps through registers and memory. */
static enum st_flow indirect_flow(const struct decoding *d) {
    switch (d->modrm >> 3 & 7) {
    case 2:
        return d->slot ? ST_FLOW_CALL_SLOT : ST_FLOW_CALL_ANYWHERE;
    case 3:
        return ST_FLOW_CALL_ANYWHERE;
    case 4:
        return d->slot ? ST_FLOW_JUMP_SLOT : ST_FLOW_JUMP_ANYWHERE;
    case 5:
        return ST_FLOW_JUMP_ANYWHERE;
    default:
        return ST_FLOW_NEXT;
    }
}

static enum st_flow flow_of(const struct decoding *d) {
    unsigned opcode = d->opcode;
    if (d->map == 1)
        return (opcode & 0xf0) == 0x80                              ? ST_FLOW_BRANCH
               : opcode == 0x0b || opcode == 0xb9 || opcode == 0xff ? ST_FLOW_STOP
                                                                    : ST_FLOW_NEXT;
    if (d->map != 0)
        return ST_FLOW_NEXT;
    if ((opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3))
        return ST_FLOW_BRANCH;
    if (opcode == 0xc7 && d->modrm == 0xf8) /* a transaction begins; an abort comes back */
        return ST_FLOW_BRANCH;
    switch (opcode) {
    case 0xe8:
        return ST_FLOW_CALL;
    case 0xe9:
    case 0xeb:
        return ST_FLOW_JUMP;
    case 0xc2:
    case 0xc3:
    case 0xca:
    case 0xcb:
    case 0xcf:
        return ST_FLOW_RETURN;
    case 0xcc:
    case 0xf4:
        return ST_FLOW_STOP;
    case 0xff:
        return indirect_flow(d);
    default:
        return ST_FLOW_NEXT;
    }
}

static void note_operands(const struct decoding *d, bool has_modrm, uint64_t end,
                          struct st_instruction *instruction) {
    instruction->map = d->extended ? d->map + 8 : d->map;
    instruction->opcode = d->opcode;
    instruction->has_modrm = has_modrm;
    instruction->in_memory = has_modrm && d->modrm >> 6 != 3;
    instruction->thread_local = d->thread_local;
    instruction->reg = (d->modrm >> 3 & 7) | (d->rex & 4) << 1;
    instruction->rm = ((has_modrm ? d->modrm : d->opcode) & 7) | (d->rex & 1) << 3;
    instruction->base = d->base;
    instruction->index = d->index;
    instruction->scale = d->scale;
    instruction->displacement = d->displacement + (d->slot ? (int64_t)end : 0);
    instruction->immediate = d->immediate;
}

bool st_instruction_read(const unsigned char *bytes, size_t left, uint64_t address,
                         struct st_instruction *instruction) {
    struct decoding d = {.reader = {.bytes = bytes, .left = left}, .index = ST_NO_REGISTER};
    take_opcode(&d);
    bool moves_far = d.map == 0 && d.opcode >= 0xa0 && d.opcode <= 0xa3;
    unsigned operands = operands_of(&d);
    if (d.reader.failed || (operands & BAD && !moves_far))
        return false;
    if (operands & MODRM)
        take_modrm(&d);
    take_immediate(&d, operands);
    instruction->length = (unsigned)d.reader.at;
    instruction->flow = flow_of(&d);
    bool slot = instruction->flow == ST_FLOW_CALL_SLOT || instruction->flow == ST_FLOW_JUMP_SLOT;
    instruction->target = address + d.reader.at + (uint64_t)(slot ? d.displacement : d.immediate);
    note_operands(&d, operands & MODRM, address + d.reader.at, instruction);
    return !d.reader.failed;
}
