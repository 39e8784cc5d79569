/* Events of contexts: which fiber runs, and what is left by a jump. */
#define _GNU_SOURCE
#include "mock_core.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <cmocka.h>

static ucontext_t caller, made;
static char stack[64 * 1024];
static long sum;

static void add_words(long a, long b, long c, long d, long e, long f, long g, long h) {
    sum = a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h;
}

static void come_back(void) {
    swapcontext(&made, &caller);
}

static void make(void (*function)(void), ucontext_t *link) {
    getcontext(&made);
    made.uc_stack.ss_sp = stack;
    made.uc_stack.ss_size = sizeof stack;
    made.uc_link = link;
    makecontext(&made, function, 0);
}

static void a_context_is_a_fiber_until_its_function_returns(void **state) {
    (void)state;
    mock_begin();
    mock_fibers();
    make(come_back, &caller);
    assert_string_equal(mock_emitted(0), "");
    swapcontext(&caller, &made);
    swapcontext(&caller, &made);
    assert_string_equal(mock_emitted(0), "create fiber 1, switch to fiber 1, switch to fiber 0, "
                                         "switch to fiber 1, switch to fiber 0, destroy fiber 1");
}

static void a_context_on_the_stack_of_another_ends_that_one(void **state) {
    (void)state;
    mock_begin();
    mock_fibers();
    make(come_back, &caller);
    swapcontext(&caller, &made);
    make(come_back, &caller);
    swapcontext(&caller, &made);
    assert_string_equal(mock_emitted(0),
                        "create fiber 1, switch to fiber 1, switch to fiber 0, destroy fiber 1, "
                        "create fiber 2, switch to fiber 2, switch to fiber 0");
}

static void a_switch_that_the_program_announced_is_done_once(void **state) {
    (void)state;
    make(come_back, &caller);
    mock_begin();
    mock_fibers();
    mock_announce();
    swapcontext(&caller, &made); /* the function comes back without a word */
    assert_string_equal(mock_emitted(0), "");
}

static void arguments_arrive_however_many_there_are(void **state) {
    (void)state;
    mock_begin();
    mock_fibers();
    make((void (*)(void))add_words, &caller);
    makecontext(&made, (void (*)(void))add_words, 8, 1, 2, 3, 4, 5, 6, 7, 8);
    swapcontext(&caller, &made);
    assert_int_equal(sum, 87654321);
    assert_string_equal(mock_emitted(0), "create fiber 1, switch to fiber 1, switch to fiber 0, "
                                         "destroy fiber 1");
}

static void setcontext_goes_back_like_a_jump(void **state) {
    (void)state;
    ucontext_t here;
    volatile int times = 0;
    mock_begin();
    mock_fibers();
    getcontext(&here);
    mock_name((void *)(uintptr_t)here.uc_mcontext.gregs[REG_RSP], 1, "here");
    if (times++ == 0)
        setcontext(&here);
    assert_int_equal(times, 2);
    assert_string_equal(mock_emitted(0), "unwind to here");
}

/* ---- jumps out of handlers ---- */

static sigjmp_buf recovery;

static void jump_out(int signal) {
    (void)signal;
    siglongjmp(recovery, 1);
}

static uintptr_t stack_pointer_of(const struct __jmp_buf_tag *target) {
    uintptr_t value = (uintptr_t)target->__jmpbuf[6];
    __asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(value) : : "cc");
    return value;
}

/* The stack of the handler lies below that of the first thread, or above that of a context which
 * is lower still. */
static char both[2 * sizeof stack];

static void raise_on_stack(char *alternate) {
    stack_t signal_stack = {.ss_sp = alternate, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = jump_out, .sa_flags = SA_ONSTACK}, old;
    assert_int_equal(sigaltstack(&signal_stack, NULL), 0);
    sigaction(SIGUSR1, &action, &old);
    if (sigsetjmp(recovery, 1) == 0) {
        mock_name((void *)stack_pointer_of(recovery), 1, "recovery");
        raise(SIGUSR1);
    }
    sigaction(SIGUSR1, &old, NULL);
    signal_stack.ss_flags = SS_DISABLE;
    sigaltstack(&signal_stack, NULL);
}

static void raise_below_the_signal_stack(void) {
    raise_on_stack(both + sizeof stack);
}

static void a_jump_from_a_higher_signal_stack_leaves_it(void **state) {
    (void)state;
    mock_begin();
    mock_fibers();
    raise_on_stack(both);
    assert_string_equal(mock_emitted(0), "unwind to recovery");
    getcontext(&made);
    made.uc_stack.ss_sp = both;
    made.uc_stack.ss_size = sizeof stack;
    made.uc_link = &caller;
    makecontext(&made, raise_below_the_signal_stack, 0);
    mock_begin();
    mock_fibers();
    swapcontext(&caller, &made);
    assert_string_equal(mock_emitted(0), "create fiber 1, switch to fiber 1, unwind to recovery, "
                                         "switch to fiber 0, destroy fiber 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_is_a_fiber_until_its_function_returns),
        cmocka_unit_test(a_context_on_the_stack_of_another_ends_that_one),
        cmocka_unit_test(a_switch_that_the_program_announced_is_done_once),
        cmocka_unit_test(arguments_arrive_however_many_there_are),
        cmocka_unit_test(setcontext_goes_back_like_a_jump),
        cmocka_unit_test(a_jump_from_a_higher_signal_stack_leaves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
