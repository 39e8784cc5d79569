/* The waits inside OpenMP runtimes in controlled runs.
 *
 * The GNU runtime waits in the kernel by instructions of its own, not by a function that could be
 * interposed, and both runtimes spin in some places. So instructions are replaced, in memory,
 * before the first thread gets there. A system call is followed by a comparison with ENOSYS, and
 * the pause of a loop often by the load of what it waits for, which makes room for a jump:
 *
 *      syscall; cmp $-38, %rax      becomes      jmp stub; nop
 *      pause; mov (%rdi), %rdx      becomes      jmp stub
 *
 * The stub calls us, does the second instruction, and jumps back. What waits then takes turns, and
 * what wakes others makes them ready, exactly as everywhere else. Where a library looks different,
 * or may not be written, it is left alone: the watchdog notices who waits there, and the run is
 * loose. The driver sees to it that the libraries do not spin before they wait
 * (hunt/controlled/controlled_run.c). */
#define _GNU_SOURCE
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/spin.h"
#include "runtime/parallel/omp_model.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- stubs ---- */

enum { FIRST_BYTES = 2, JUMP_BYTES = 5, MOST_SECOND = 8 };

/* The function may keep what it needs below the stack pointer. */
struct __attribute__((packed)) stub {
    unsigned char below[5]; /* lea -128(%rsp), %rsp */
    unsigned char call[6];  /* call *target(%rip) */
    unsigned char above[8]; /* lea 128(%rsp), %rsp */
    unsigned char second[MOST_SECOND];
    unsigned char jump;
    int32_t back;
    const void *target;
    const unsigned char *code; /* what it stands in for */
    bool pauses;
};

/* As rt_in_stub pushes them. */
struct registers {
    long rax, r10, r9, r8, rdx, rsi, rdi, r11, rcx, flags;
};

static long wait_for_word(const volatile uint32_t *word, uint32_t expected) {
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected)
        return -EAGAIN;
    rt_queue(word, RT_FOREVER);
    return rt_queue_wait() == RT_INTERRUPTED ? -EINTR : 0;
}

static long do_call(const struct registers *r) {
    const volatile uint32_t *word = (const volatile uint32_t *)r->rdi;
    long operation = r->rax == SYS_futex ? r->rsi & FUTEX_CMD_MASK : -1;
    if (operation == FUTEX_WAIT && !r->r10 && rt_takes_turns())
        return wait_for_word(word, (uint32_t)r->rdx);
    long result = rt_system_call(r->rax, r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9);
    if (operation == FUTEX_WAKE && result >= 0 && rt_controlled)
        result += (long)rt_queue_wake(word, (unsigned)r->rdx);
    return result;
}

/* `returns`: to which instruction of the stub. */
__attribute__((used, visibility("hidden"))) void rt_do_replaced(struct registers *r,
                                                                uintptr_t returns);
void rt_do_replaced(struct registers *r, uintptr_t returns) {
    const struct stub *stub = (const struct stub *)(returns - offsetof(struct stub, above));
    if (stub->pauses)
        rt_point(ST_POINT_YIELD, NULL, 0, (uintptr_t)stub->code);
    else
        r->rax = do_call(r);
}

/* A system call leaves vector registers alone, so what was replaced must do that, too; fxsave keeps
 * the lower 128 bits of sixteen of them, as code for any x86-64 knows them. Who called the library
 * expects none of them to be kept. So the upper parts would matter only to a function of the
 * library itself that has a vector of 256 bits in a register while it waits. The libraries that
 * were tried have no such registers in their code at all, and one with AVX would have to keep a
 * vector over a loop that waits. */
__attribute__((visibility("hidden"))) extern const char rt_in_stub[];
__asm__(".text\n"
        ".hidden rt_in_stub\n"
        ".type rt_in_stub, @function\n"
        "rt_in_stub:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    pushfq\n"
        "    push %rcx\n"
        "    push %r11\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    push %r10\n"
        "    push %rax\n"
        "    mov %rsp, %rdi\n"
        "    mov 8(%rbp), %rsi\n"
        "    sub $512, %rsp\n"
        "    and $-16, %rsp\n"
        "    fxsave (%rsp)\n"
        "    cld\n"
        "    call rt_do_replaced\n"
        "    fxrstor (%rsp)\n"
        "    lea -80(%rbp), %rsp\n"
        "    pop %rax\n"
        "    pop %r10\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    pop %r11\n"
        "    pop %rcx\n"
        "    popfq\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size rt_in_stub, . - rt_in_stub\n");

/* ---- replacing instructions ---- */

static const struct stub pattern = {
    .below = {0x48, 0x8d, 0x64, 0x24, 0x80},
    .call = {0xff, 0x15, offsetof(struct stub, target) - offsetof(struct stub, above), 0, 0, 0},
    .above = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0},
    .second = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90},
    .jump = 0xe9,
    .target = rt_in_stub};

enum { MOST_STUBS = 1024, STUB_BYTES = MOST_STUBS * (int)sizeof(struct stub) };

static const unsigned char call_and_compare[] = {0x0f, 0x05, 0x48, 0x83, 0xf8, 0xda};

static size_t call_bytes(const unsigned char *code) {
    for (size_t i = 0; i < sizeof call_and_compare; i++)
        if (code[i] != call_and_compare[i])
            return 0;
    return sizeof call_and_compare;
}

/* The load is from where a register points to, with an offset of 0, 1 or 4 bytes. */
static size_t pause_bytes(const unsigned char *code) {
    enum { PREFIX = 0x40, LOAD = 0x8b, NEEDS_SIB = 4, FROM_HERE = 5, REGISTERS = 8 };
    if (code[0] != 0xf3 || code[1] != 0x90)
        return 0;
    const unsigned char *second = code + FIRST_BYTES;
    second += *second >> 4 == PREFIX >> 4;
    unsigned mode = second[1] >> 6, base = second[1] % REGISTERS;
    if (*second != LOAD || mode > 2 || base == NEEDS_SIB || (mode == 0 && base == FROM_HERE))
        return 0;
    size_t length = (size_t)(second - code) + 2 + (mode == 0 ? 0 : mode == 1 ? 1 : 4);
    return length >= JUMP_BYTES ? length : 0;
}

/* May some instruction near by jump to this one, as loops are entered? In doubt it does. Nothing
 * jumps to where the result of a call is looked at. */
static bool is_target(const unsigned char *code, const unsigned char *start,
                      const unsigned char *end) {
    enum { NEAR = 1 << 14, SHORT = 128 };
    const unsigned char *first = code - start > NEAR ? code - NEAR : start;
    const unsigned char *last = end - code > NEAR ? code + NEAR : end;
    for (const unsigned char *at = first; at + 4 <= last; at++) {
        uint32_t far = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        bool is_short = at > first && (at[-1] == 0xeb || at[-1] >> 4 == 7);
        if (at + 4 + (int32_t)far == code || (is_short && at + 1 + (signed char)at[0] == code))
            return true;
    }
    return false;
}

static void replace(unsigned char *code, size_t length, bool pauses, struct stub *stub) {
    *stub = pattern;
    stub->code = code;
    stub->pauses = pauses;
    stub->back = (int32_t)((intptr_t)(code + length) - (intptr_t)&stub->target);
    for (size_t i = FIRST_BYTES; i < length; i++) {
        stub->second[i - FIRST_BYTES] = code[i];
        code[i] = 0x90;
    }
    int32_t there = (int32_t)((intptr_t)stub - (intptr_t)(code + JUMP_BYTES));
    code[0] = 0xe9;
    for (int i = 0; i < 4; i++)
        code[1 + i] = (unsigned char)((uint32_t)there >> 8 * i);
}

/* Memory at this address, or NULL; 0: anywhere. */
static struct stub *map_at(uintptr_t address) {
    long got =
        rt_system_call(SYS_mmap, (long)address, STUB_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    return got > 0 ? (struct stub *)got : NULL;
}

/* Memory that is near enough for a jump. */
static struct stub *map_near(uintptr_t start) {
    enum { STEP = 1 << 20, TRIES = 1800 };
    struct stub *got = map_at(0);
    if (got && (uintptr_t)got + TRIES * (uintptr_t)STEP - start < 2 * TRIES * (uintptr_t)STEP)
        return got;
    if (got)
        rt_system_call(SYS_munmap, (long)got, STUB_BYTES, 0, 0, 0, 0);
    got = NULL;
    for (uintptr_t i = 1; !got && i <= TRIES && start > i * STEP; i++)
        got = map_at((start & -(uintptr_t)STEP) - i * STEP);
    return got;
}

static bool protect(uintptr_t start, uintptr_t length, int protection) {
    return rt_system_call(SYS_mprotect, (long)start, (long)length, protection, 0, 0, 0) == 0;
}

/* Others do not run now. */
static void replace_all(unsigned char *start, size_t length, struct stub *stubs) {
    enum { LONGEST = 16 };
    unsigned char *end = start + length;
    size_t used = 0;
    for (unsigned char *code = start; code + LONGEST <= end && used < MOST_STUBS; code++) {
        size_t call = call_bytes(code), bytes = call ? call : pause_bytes(code);
        if (call || (bytes && !is_target(code + FIRST_BYTES, start, end)))
            replace(code, bytes, !call, &stubs[used++]);
    }
}

static void replace_in_segment(uintptr_t start, uintptr_t length) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = start & -page, bytes = (start + length - first + page - 1) & -page;
    struct stub *stubs = map_near(first);
    if (!stubs)
        return;
    if (protect(first, bytes, PROT_READ | PROT_WRITE))
        replace_all((unsigned char *)start, length, stubs);
    protect(first, bytes, PROT_READ | PROT_EXEC);
    protect((uintptr_t)stubs, STUB_BYTES, PROT_READ | PROT_EXEC);
}

static int visit(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    if (!info->dlpi_name || !rt_is_openmp(info->dlpi_name))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            replace_in_segment(info->dlpi_addr + header->p_vaddr, header->p_memsz);
    }
    *(bool *)found = true;
    return 0;
}

void rt_control_omp(void) {
    static bool done;
    if (!done && rt_takes_turns())
        dl_iterate_phdr(visit, &done);
}
