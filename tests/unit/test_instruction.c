/* The decoder of instructions against objdump: on this program itself, and on the mathematical
 * library, which has code for every vector unit. Each instruction must have the same length, and
 * lead to the same place. */
#include "symbol/machine/instruction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 15, MOST_COMPLAINTS = 20 };

#ifdef __x86_64__
enum { IS_X86_64 = 1 };
#else
enum { IS_X86_64 = 0 };
#endif

/* A line of objdump: address, bytes, and the instruction as text. */
struct line {
    uint64_t address;
    unsigned char bytes[2 * LONGEST];
    size_t length;
    const char *word;
};

/* "  401136:\t48 8d 05 c3 2e 00 00 \tlea    0x2ec3(%rip),%rax        # 404000 <x>" */
static bool parse(char *text, struct line *line) {
    char *colon = strchr(text, ':'), *at;
    if (text[0] != ' ' || !colon || colon[1] != '\t')
        return false;
    line->address = strtoull(text, NULL, 16);
    memset(line->bytes, 0x90, sizeof line->bytes);
    line->length = 0;
    for (at = colon + 2; isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]);
         at += 3) {
        assert_true(line->length < LONGEST);
        line->bytes[line->length++] = (unsigned char)strtoul(at, NULL, 16);
    }
    if (line->length > 1 && line->bytes[0] == 0x9b) { /* objdump joins fwait with what follows */
        memmove(line->bytes, line->bytes + 1, --line->length);
        line->address++;
    }
    at += strspn(at, " \t");
    line->word = at;
    return line->length && *at;
}

/* Prefixes that objdump writes before the name of an instruction. */
static const char *name_of(const char *text) {
    static const char *const prefixes[] = {
        "bnd ", "notrack ", "rep ", "repz ", "repnz ",  "lock ",     "data16 ",   "cs ",    "ds ",
        "es ",  "ss ",      "fs ",  "gs ",   "addr32 ", "xacquire ", "xrelease ", "rex.W ", NULL};
    for (size_t i = 0; prefixes[i]; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return name_of(text + strlen(prefixes[i]) + strspn(text + strlen(prefixes[i]), " "));
    return text;
}

static bool is_name(const char *text, const char *name) {
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] == ' ' || !text[length]);
}

static bool is_one_of(const char *text, const char *const *names) {
    for (; *names; names++)
        if (is_name(text, *names))
            return true;
    return false;
}

static const char *operands_of(const char *name) {
    name += strcspn(name, " ");
    return name + strspn(name, " ");
}

/* The flow of a jump or a call, by its operand: "*%rax", "*0x2fe2(%rip)  # 3ff0", "1136 <main>". */
static enum st_flow flow_by(const char *operands, enum st_flow direct, enum st_flow slot,
                            enum st_flow anywhere, uint64_t *target) {
    const char *comment = strstr(operands, "# ");
    if (operands[0] != '*') {
        *target = strtoull(operands, NULL, 16);
        return direct;
    }
    if (!strstr(operands, "(%rip)") || !comment)
        return anywhere;
    *target = strtoull(comment + 2, NULL, 16);
    return slot;
}

/* What objdump's text says. */
static enum st_flow flow_of(const char *name, uint64_t *target) {
    static const char *const returns[] = {"ret", "retq", "lret", "iret", "iretq", "lretq", NULL};
    static const char *const stops[] = {"ud2", "ud1", "ud0", "hlt", "int3", NULL};
    const char *operands = operands_of(name);
    *target = 0;
    if (is_one_of(name, returns))
        return ST_FLOW_RETURN;
    if (is_one_of(name, stops))
        return ST_FLOW_STOP;
    if (is_name(name, "call") || is_name(name, "callq"))
        return flow_by(operands, ST_FLOW_CALL, ST_FLOW_CALL_SLOT, ST_FLOW_CALL_ANYWHERE, target);
    if (is_name(name, "jmp") || is_name(name, "jmpq"))
        return flow_by(operands, ST_FLOW_JUMP, ST_FLOW_JUMP_SLOT, ST_FLOW_JUMP_ANYWHERE, target);
    if (name[0] != 'j' && strncmp(name, "loop", 4) != 0 && !is_name(name, "xbegin"))
        return ST_FLOW_NEXT;
    *target = strtoull(operands, NULL, 16);
    return ST_FLOW_BRANCH;
}

static bool agrees(const struct line *line) {
    struct st_instruction instruction;
    uint64_t target;
    enum st_flow flow = flow_of(name_of(line->word), &target);
    return st_instruction_read(line->bytes, sizeof line->bytes, line->address, &instruction) &&
           instruction.length == line->length && instruction.flow == flow &&
           (!target || instruction.target == target);
}

/* How many instructions of the file were compared; complains about those that differ. */
static size_t compare(const char *file, size_t *different) {
    char command[4096], *text = NULL;
    size_t size = 0, compared = 0;
    struct line line;
    snprintf(command, sizeof command, "objdump -d -w --insn-width=16 -j .text '%s'", file);
    FILE *lines = popen(command, "r");
    assert_non_null(lines);
    while (getline(&text, &size, lines) > 0) {
        text[strcspn(text, "\n")] = '\0';
        if (!parse(text, &line) || strstr(line.word, "(bad)"))
            continue;
        compared++;
        if (!agrees(&line) && (*different)++ < MOST_COMPLAINTS)
            print_error("%s: %s\n", file, text);
    }
    free(text);
    assert_int_equal(pclose(lines), 0);
    return compared;
}

/* Where the library is that has a function, by this process's own map. */
static bool find_library(const char *name, char *path, size_t size) {
    char text[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;
    while (maps && !found && fgets(text, sizeof text, maps)) {
        const char *file = strchr(text, '/');
        found = file && strstr(file, name);
        if (found)
            snprintf(path, size, "%.*s", (int)strcspn(file, "\n"), file);
    }
    if (maps)
        fclose(maps);
    return found;
}

static void our_own_code(void **state) {
    size_t different = 0;
    (void)state;
    if (!IS_X86_64)
        skip();
    assert_true(compare("/proc/self/exe", &different) > 1000);
    assert_int_equal(different, 0);
}

static void vector_code(void **state) {
    char path[4096];
    size_t different = 0;
    volatile double half = 0.5;
    (void)state;
    assert_true(sin(half) > 0); /* it is linked */
    if (!IS_X86_64 || !find_library("/libm.so", path, sizeof path))
        skip();
    assert_true(compare(path, &different) > 10000);
    assert_int_equal(different, 0);
}

/* Whatever the bytes are, an instruction is not longer than what is there. */
static void any_bytes(void **state) {
    unsigned char bytes[LONGEST];
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        struct st_instruction instruction;
        size_t left = (size_t)(random % (LONGEST + 1));
        for (size_t j = 0; j < left; j++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            bytes[j] = (unsigned char)(random >> 32);
        }
        if (st_instruction_read(bytes, left, 0x1000, &instruction))
            assert_in_range(instruction.length, 1, left);
        random += 0x9e3779b97f4a7c15u;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_code),
        cmocka_unit_test(vector_code),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
