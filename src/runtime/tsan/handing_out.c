/* Functions of the program that hand out memory: what they return.
 *
 * Compilers tell us that a function ends, and not what it returns. By then the value is in a
 * register that calls keep or on the stack, and the watcher has found out where from the machine
 * code (struct st_stream_handing). So __tsan_func_entry and __tsan_func_exit are a few instructions
 * that look whether there are such functions at all, and then keep the registers. What the two do
 * apart from that is in core/call_stack.c. */
#include "runtime/core/call_stack.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/memory_events.h"

/* Return addresses that are known not to be among the sites, by their lowest bits: most are not. */
enum { ORDINARY = 1024 };
extern _Atomic uintptr_t rt_ordinary_sites[ORDINARY];
_Atomic uintptr_t rt_ordinary_sites[ORDINARY];

/* Registers as the function left them; then what the stub needs, the return address, and the
 * function's own stack. */
enum { RBX, RBP, R12, R13, R14, R15, OF_STUB, RETURN_ADDRESS, STACK };

static const struct st_stream_handing *find_site(uintptr_t site) {
    for (uint32_t i = 0; i < rt_handing_count; i++)
        if (rt_head->handing[i].site == site)
            return &rt_head->handing[i];
    atomic_store_explicit(&rt_ordinary_sites[site % ORDINARY], site, memory_order_relaxed);
    return NULL;
}

static uint64_t result_of(const struct st_stream_step *step, const uint64_t *registers) {
    uint64_t a = registers[step->a], b = registers[step->b],
             number = (uint64_t)(int64_t)step->number, sum = a + (b << step->shift) + number;
    switch ((enum st_stream_operation)step->operation) {
    case ST_STEP_ADD:
        return sum;
    case ST_STEP_LOAD: /* the function will do the same */
        return *(const volatile uint64_t *)(uintptr_t)sum;
    case ST_STEP_SUBTRACT:
        return a - b;
    case ST_STEP_MULTIPLY:
        return a * (b + number);
    case ST_STEP_AND:
        return a & (b + number);
    case ST_STEP_OR:
        return a | (b + number);
    case ST_STEP_SHIFT:
        return a >> step->shift;
    case ST_STEP_WIDEN:
        return (uint64_t)(int32_t)a;
    case ST_STEP_NARROW:
        return (uint32_t)a;
    }
    return 0;
}

static uintptr_t value_of(const struct st_stream_handing *site, const uintptr_t *kept) {
    uint64_t registers[ST_STREAM_ZERO + 1] = {[3] = kept[RBX],  [4] = (uintptr_t)&kept[STACK],
                                              [5] = kept[RBP],  [12] = kept[R12],
                                              [13] = kept[R13], [14] = kept[R14],
                                              [15] = kept[R15]};
    for (unsigned i = 0; i < site->step_count && i < ST_STREAM_MOST_STEPS; i++)
        registers[site->steps[i].to] = result_of(&site->steps[i], registers);
    return registers[0];
}

/* The function is not among the frames yet. */
static void note_wanted(struct rt_thread *t, size_t size) {
    enum { MOST = sizeof t->wanted / sizeof *t->wanted };
    while (t->wanted_count && t->wanted[t->wanted_count - 1].depth >= t->depth)
        t->wanted_count--; /* left by a jump */
    if (t->wanted_count == MOST)
        return;
    t->wanted[t->wanted_count].depth = t->depth;
    t->wanted[t->wanted_count++].size = size;
}

static size_t take_wanted(struct rt_thread *t, size_t depth) {
    while (t->wanted_count && t->wanted[t->wanted_count - 1].depth > depth)
        t->wanted_count--;
    if (!t->wanted_count || t->wanted[t->wanted_count - 1].depth != depth)
        return 0;
    return t->wanted[--t->wanted_count].size;
}

void rt_handing_enters(const uintptr_t *kept) __attribute__((visibility("hidden"), used));
void rt_handing_enters(const uintptr_t *kept) {
    const struct st_stream_handing *site;
    if (!rt_self || !rt_enter())
        return;
    if ((site = find_site(kept[RETURN_ADDRESS])) && site->enters) {
        uintptr_t size = value_of(site, kept);
        note_wanted(rt_self,
                    site->bytes < 8 ? size & ((UINT64_C(1) << 8 * site->bytes) - 1) : size);
    }
    rt_leave();
}

/* Blocks that the function left open are above it. */
static const struct rt_frame *innermost_function(const struct rt_thread *t, size_t *depth) {
    *depth = t->depth;
    while (*depth && t->frames[*depth - 1].block)
        --*depth;
    return *depth ? &t->frames[--*depth] : NULL;
}

void rt_handing_leaves(const uintptr_t *kept) __attribute__((visibility("hidden"), used));
void rt_handing_leaves(const uintptr_t *kept) {
    const struct st_stream_handing *site;
    const struct rt_frame *frame;
    size_t depth;
    if (!rt_self || !rt_enter())
        return;
    if ((site = find_site(kept[RETURN_ADDRESS])) && !site->enters &&
        (frame = innermost_function(rt_self, &depth))) {
        size_t wanted = take_wanted(rt_self, depth);
        rt_hand_out(value_of(site, kept), wanted > site->size ? wanted : site->size,
                    frame->called_from);
    }
    rt_leave();
}

/* The stack is as the function that they go on with expects it: they only jump there. While there
 * are no sites, that is all. */
#define STUB(name, then, noted)                                                                    \
    __asm__(".text\n"                                                                              \
            ".globl " name "\n"                                                                    \
            ".type " name ", @function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "cmpb $0, rt_hands_out(%rip)\n"                                                        \
            "jne 1f\n"                                                                             \
            "jmp " then "\n"                                                                       \
            "1: movq (%rsp), %rax\n"                                                               \
            "movl %eax, %ecx\n"                                                                    \
            "andl $1023, %ecx\n"                                                                   \
            "leaq rt_ordinary_sites(%rip), %rdx\n"                                                 \
            "cmpq %rax, (%rdx,%rcx,8)\n"                                                           \
            "jne 2f\n"                                                                             \
            "jmp " then "\n"                                                                       \
            "2: pushq %rdi\n"                                                                      \
            "pushq %r15\n"                                                                         \
            "pushq %r14\n"                                                                         \
            "pushq %r13\n"                                                                         \
            "pushq %r12\n"                                                                         \
            "pushq %rbp\n"                                                                         \
            "pushq %rbx\n"                                                                         \
            ".cfi_adjust_cfa_offset 56\n"                                                          \
            "movq %rsp, %rdi\n"                                                                    \
            "call " noted "\n"                                                                     \
            "addq $48, %rsp\n"                                                                     \
            "popq %rdi\n"                                                                          \
            ".cfi_adjust_cfa_offset -56\n"                                                         \
            "jmp " then "\n"                                                                       \
            ".cfi_endproc\n"                                                                       \
            ".size " name ", . - " name "\n")

STUB("__tsan_func_entry", "rt_func_entry", "rt_handing_enters");
STUB("__tsan_func_exit", "rt_func_exit", "rt_handing_leaves");
