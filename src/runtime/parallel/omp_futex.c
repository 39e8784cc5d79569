/* The waits of the GNU OpenMP runtime in controlled runs.
 *
 * That library waits in the kernel by instructions of its own, not by a function that could be
 * interposed. So the instructions are replaced, in memory, before the first thread gets there. Each
 * of these system calls is followed by a comparison with ENOSYS, which makes room for a jump:
 *
 *      syscall; cmp $-38, %rax      becomes      jmp stub; nop
 *
 * The stub calls us, compares, and jumps back. What waits then takes turns, and what wakes others
 * makes them ready, exactly as everywhere else. Where the library looks different, or may not be
 * written, it is left alone: the watchdog notices who waits there, and the run is loose. The driver
 * sees to it that the library does not spin before it waits (hunt/controlled/controlled_run.c). */
#define _GNU_SOURCE
#include "runtime/control/turns.h"
#include "runtime/core/spin.h"
#include "runtime/parallel/omp_model.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the system call ---- */

/* The arguments, as rt_replaced_call pushes them. */
struct arguments {
    long fourth, sixth, fifth, third, second, first;
};

static long wait_for_word(const volatile uint32_t *word, uint32_t expected) {
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected)
        return -EAGAIN;
    rt_queue(word, RT_FOREVER);
    return rt_queue_wait() == RT_INTERRUPTED ? -EINTR : 0;
}

__attribute__((used, visibility("hidden"))) long rt_do_replaced_call(long number,
                                                                     const struct arguments *a);
long rt_do_replaced_call(long number, const struct arguments *a) {
    const volatile uint32_t *word = (const volatile uint32_t *)a->first;
    long operation = number == SYS_futex ? a->second & FUTEX_CMD_MASK : -1;
    if (operation == FUTEX_WAIT && !a->fourth && rt_takes_turns())
        return wait_for_word(word, (uint32_t)a->third);
    long result =
        rt_system_call(number, a->first, a->second, a->third, a->fourth, a->fifth, a->sixth);
    if (operation == FUTEX_WAKE && result >= 0 && rt_controlled)
        result += (long)rt_queue_wake(word, (unsigned)a->third);
    return result;
}

/* A system call leaves all registers alone but three. */
__attribute__((visibility("hidden"))) extern const char rt_replaced_call[];
__asm__(".text\n"
        ".hidden rt_replaced_call\n"
        ".type rt_replaced_call, @function\n"
        "rt_replaced_call:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    push %r10\n"
        "    mov %rsp, %rsi\n"
        "    mov %rax, %rdi\n"
        "    sub $256, %rsp\n"
        "    and $-16, %rsp\n"
        "    movups %xmm0, 0(%rsp)\n"
        "    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n"
        "    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n"
        "    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n"
        "    movups %xmm7, 112(%rsp)\n"
        "    movups %xmm8, 128(%rsp)\n"
        "    movups %xmm9, 144(%rsp)\n"
        "    movups %xmm10, 160(%rsp)\n"
        "    movups %xmm11, 176(%rsp)\n"
        "    movups %xmm12, 192(%rsp)\n"
        "    movups %xmm13, 208(%rsp)\n"
        "    movups %xmm14, 224(%rsp)\n"
        "    movups %xmm15, 240(%rsp)\n"
        "    call rt_do_replaced_call\n"
        "    movups 0(%rsp), %xmm0\n"
        "    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n"
        "    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n"
        "    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n"
        "    movups 112(%rsp), %xmm7\n"
        "    movups 128(%rsp), %xmm8\n"
        "    movups 144(%rsp), %xmm9\n"
        "    movups 160(%rsp), %xmm10\n"
        "    movups 176(%rsp), %xmm11\n"
        "    movups 192(%rsp), %xmm12\n"
        "    movups 208(%rsp), %xmm13\n"
        "    movups 224(%rsp), %xmm14\n"
        "    movups 240(%rsp), %xmm15\n"
        "    lea -48(%rbp), %rsp\n"
        "    pop %r10\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size rt_replaced_call, . - rt_replaced_call\n");

/* ---- replacing it ---- */

static const unsigned char call_and_compare[] = {0x0f, 0x05, 0x48, 0x83, 0xf8, 0xda};

/* The function may keep what it needs below the stack pointer. */
struct __attribute__((packed)) stub {
    unsigned char below[5]; /* lea -128(%rsp), %rsp */
    unsigned char call[6];  /* call *target(%rip) */
    unsigned char above[8]; /* lea 128(%rsp), %rsp */
    unsigned char compare[4];
    unsigned char jump;
    int32_t back;
    const void *target;
};

static const struct stub stub_pattern = {
    .below = {0x48, 0x8d, 0x64, 0x24, 0x80},
    .call = {0xff, 0x15, offsetof(struct stub, target) - offsetof(struct stub, above), 0, 0, 0},
    .above = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0},
    .compare = {0x48, 0x83, 0xf8, 0xda},
    .jump = 0xe9,
    .target = rt_replaced_call};

enum { MOST_STUBS = 1024, STUB_BYTES = MOST_STUBS * (int)sizeof(struct stub) };

static bool is_call(const unsigned char *code) {
    for (size_t i = 0; i < sizeof call_and_compare; i++)
        if (code[i] != call_and_compare[i])
            return false;
    return true;
}

static void replace(unsigned char *code, struct stub *stub) {
    intptr_t behind = (intptr_t)(code + sizeof call_and_compare);
    *stub = stub_pattern;
    stub->back = (int32_t)(behind - (intptr_t)&stub->target);
    int32_t there = (int32_t)((intptr_t)stub - (intptr_t)(code + 5));
    code[0] = 0xe9;
    for (int i = 0; i < 4; i++)
        code[1 + i] = (unsigned char)((uint32_t)there >> 8 * i);
    code[5] = 0x90;
}

/* Memory that is near enough for a jump, below the library. */
static struct stub *map_near(uintptr_t start) {
    enum { STEP = 1 << 20, TRIES = 1024 };
    for (uintptr_t i = 1; i <= TRIES && start > i * STEP; i++) {
        long got = rt_system_call(SYS_mmap, (long)((start & -(uintptr_t)STEP) - i * STEP),
                                  STUB_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got > 0)
            return (struct stub *)got;
        if (got != -EEXIST)
            return NULL;
    }
    return NULL;
}

static bool protect(uintptr_t start, uintptr_t length, int protection) {
    return rt_system_call(SYS_mprotect, (long)start, (long)length, protection, 0, 0, 0) == 0;
}

/* All of a segment: others do not run now. */
static void replace_in(uintptr_t start, uintptr_t length) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = start & -page, bytes = (start + length - first + page - 1) & -page;
    struct stub *stubs = map_near(first);
    if (!stubs)
        return;
    size_t used = 0;
    if (protect(first, bytes, PROT_READ | PROT_WRITE)) {
        unsigned char *code = (unsigned char *)start;
        for (size_t i = 0; i + sizeof call_and_compare <= length && used < MOST_STUBS; i++)
            if (is_call(code + i))
                replace(code + i, &stubs[used++]);
    }
    protect(first, bytes, PROT_READ | PROT_EXEC);
    protect((uintptr_t)stubs, STUB_BYTES, PROT_READ | PROT_EXEC);
}

static bool is_gomp(const char *path) {
    static const char wanted[] = "libgomp.so";
    const char *name = path;
    for (; *path; path++)
        name = *path == '/' ? path + 1 : name;
    size_t i = 0;
    while (wanted[i] && name[i] == wanted[i])
        i++;
    return !wanted[i];
}

static int visit(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    if (!info->dlpi_name || !is_gomp(info->dlpi_name))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            replace_in(info->dlpi_addr + header->p_vaddr, header->p_memsz);
    }
    *(bool *)found = true;
    return 1;
}

void rt_control_gomp(void) {
    static bool done;
    if (!done && rt_takes_turns())
        dl_iterate_phdr(visit, &done);
}
