/* Contexts (makecontext, swapcontext, setcontext): each stack that the program makes one on is a
 * fiber, from the first switch to it until its function returns, or until another context is made
 * on the same memory. A program that says itself which fiber comes next (__tsan_switch_to_fiber) is
 * believed.
 *
 * A context is known by its stack pointer: the program may copy and move the structure. When its
 * function returns, the C library goes on with uc_link, by a call that cannot be interposed. So the
 * return address of that function is changed to ours. */
#define _GNU_SOURCE
#include "runtime/intercept/contexts.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/fibers.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/spin.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"

#include <stdarg.h>
#include <sys/syscall.h>
#include <ucontext.h>

RT_REAL(void, makecontext, ucontext_t *, void (*)(void), int, ...)
RT_REAL(int, swapcontext, ucontext_t *, const ucontext_t *)
RT_REAL(int, setcontext, const ucontext_t *)

/* ---- stacks ---- */

struct context_stack {
    uintptr_t low, high;
    struct rt_thread *fiber; /* NULL until something was run on it */
};

/* By address, without overlap. */
static struct context_stack *stacks;
static size_t capacity;
static _Atomic size_t stack_count;
static struct rt_spin stacks_lock; /* for all of these; held between rt_enter and rt_leave only */

/* The index of the first one that ends above the address. */
static size_t first_above(uintptr_t address) {
    size_t low = 0, high = stack_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stacks[middle].high > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct context_stack *find_stack(uintptr_t address) {
    size_t i = first_above(address);
    return i < stack_count && stacks[i].low <= address ? &stacks[i] : NULL;
}

static bool grow(void) {
    size_t more = capacity ? 2 * capacity : 256;
    struct context_stack *list = rt_map_memory(more * sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < stack_count; i++)
        list[i] = stacks[i];
    if (stacks)
        rt_system_call(SYS_munmap, (long)stacks, (long)(capacity * sizeof *stacks), 0, 0, 0, 0);
    stacks = list;
    capacity = more;
    return true;
}

/* Takes one out that lies in the range, if there is one: its fiber may be NULL. */
static bool take_out(uintptr_t low, uintptr_t high, struct rt_thread **fiber) {
    size_t i = first_above(low);
    if (i == stack_count || stacks[i].low >= high)
        return false;
    *fiber = stacks[i].fiber;
    for (stack_count--; i < stack_count; i++)
        stacks[i] = stacks[i + 1];
    return true;
}

static void put_in(uintptr_t low, uintptr_t high) {
    if (stack_count == capacity && !grow())
        return;
    size_t i = first_above(low);
    for (size_t j = stack_count; j > i; j--)
        stacks[j] = stacks[j - 1];
    stacks[i] = (struct context_stack){low, high, NULL};
    stack_count++;
}

/* What was run in this memory is over. */
static void end_in(uintptr_t low, uintptr_t high, uintptr_t caller) {
    struct rt_thread *fiber;
    for (bool found = true; found;) {
        fiber = NULL;
        rt_spin_lock(&stacks_lock);
        found = take_out(low, high, &fiber);
        rt_spin_unlock(&stacks_lock);
        if (fiber && fiber != rt_self)
            rt_fiber_destroy(fiber, caller);
    }
}

void rt_forget_contexts(const void *memory, size_t size) {
    if (stack_count)
        RT_EMIT(end_in((uintptr_t)memory, (uintptr_t)memory + size, RT_CALLER));
}

/* ---- switching ---- */

static uintptr_t stack_pointer_in(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/* A copy: others may move them. All zero if it is no such stack. */
static struct context_stack look_up(uintptr_t address) {
    rt_spin_lock(&stacks_lock);
    const struct context_stack *found = find_stack(address);
    struct context_stack copy = found ? *found : (struct context_stack){0};
    rt_spin_unlock(&stacks_lock);
    return copy;
}

static struct rt_thread *begin_fiber(const struct context_stack *stack, uintptr_t caller) {
    rt_free((void *)stack->low, stack->high - stack->low); /* it is other memory now */
    struct rt_thread *fiber = rt_fiber_create(caller);
    rt_spin_lock(&stacks_lock);
    struct context_stack *found = find_stack(stack->low);
    if (found)
        found->fiber = fiber;
    rt_spin_unlock(&stacks_lock);
    return fiber ? fiber : rt_fiber_own();
}

/* The fiber of that stack; a new one if nothing was run on it so far. */
static struct rt_thread *fiber_at(uintptr_t address, uintptr_t caller) {
    struct context_stack stack = look_up(address);
    if (!stack.high)
        return rt_fiber_own();
    return stack.fiber ? stack.fiber : begin_fiber(&stack, caller);
}

static void switch_to(const ucontext_t *context, uintptr_t caller) {
    uintptr_t stack = stack_pointer_in(context), here = (uintptr_t)__builtin_frame_address(0);
    bool announced = rt_fiber_was_announced();
    if (!rt_enter())
        return;
    struct rt_thread *fiber = announced ? rt_self : fiber_at(stack, caller);
    if (!announced && fiber != rt_self)
        rt_fiber_switch(fiber, true, caller);
    else if (announced || stack > here) /* back to where getcontext was called, like longjmp */
        rt_unwind_to_stack(stack, announced ? 0 : here);
    rt_leave();
}

/* ---- the end of a function that a context was made for ---- */

static _Atomic uintptr_t libc_end; /* where the C library would go on */

/* The function returns to this, with RBX as the C library has set it: it points to uc_link. */
void rt_context_end(void) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden rt_context_end\n"
        ".globl rt_context_end\n"
        ".type rt_context_end, @function\n"
        "rt_context_end:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "movq (%rbx), %rdi\n"
        "call rt_context_returned\n"
        "jmp *%rax\n"
        ".cfi_endproc\n"
        ".size rt_context_end, . - rt_context_end\n");

/* The fiber ends, and what comes next goes on after it. Without a link the thread exits here. */
uintptr_t rt_context_returned(const ucontext_t *link) __attribute__((visibility("hidden"), used));
uintptr_t rt_context_returned(const ucontext_t *link) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (link && !rt_fiber_was_announced() && rt_enter()) {
        if (look_up(here).fiber == rt_self) {
            rt_fiber_switch(fiber_at(stack_pointer_in(link), RT_CALLER), true, RT_CALLER);
            end_in(here, here + 1, RT_CALLER);
        }
        rt_leave();
    }
    return libc_end;
}

/* Where the stack pointer of a new context points there is the return address of its function. */
static void notice_context(ucontext_t *context, uintptr_t caller) {
    uintptr_t low = (uintptr_t)context->uc_stack.ss_sp, high = low + context->uc_stack.ss_size;
    uintptr_t stack = stack_pointer_in(context);
    if (stack < low || stack >= high || !rt_enter())
        return;
    end_in(low, high, caller);
    rt_spin_lock(&stacks_lock);
    put_in(low, high);
    rt_spin_unlock(&stacks_lock);
    rt_leave();
    libc_end = *(uintptr_t *)stack;
    *(uintptr_t *)stack = (uintptr_t)rt_context_end;
}

/* ---- what programs call ---- */

/* The arguments are words, and as many as the caller says are looked at. */
RT_EXPORT void makecontext(ucontext_t *context, void (*function)(void), int count, ...) {
    enum { MOST = 24 };
    long words[MOST] = {0};
    va_list rest;
    va_start(rest, count);
    for (int i = 0; i < count && i < MOST; i++)
        words[i] = va_arg(rest, long);
    va_end(rest);
    real_makecontext()(context, function, count, words[0], words[1], words[2], words[3], words[4],
                       words[5], words[6], words[7], words[8], words[9], words[10], words[11],
                       words[12], words[13], words[14], words[15], words[16], words[17], words[18],
                       words[19], words[20], words[21], words[22], words[23]);
    notice_context(context, RT_CALLER);
}

RT_EXPORT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to) {
    switch_to(to, RT_CALLER);
    return real_swapcontext()(from, to);
}

RT_EXPORT int setcontext(const ucontext_t *to) {
    switch_to(to, RT_CALLER);
    return real_setcontext()(to);
}
