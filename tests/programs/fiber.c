// A coroutine that begins in one thread and goes on in another, with ThreadSanitizer's annotations
// around each switch of stacks. visit() returns in a thread other than the one in which it was
// called, and is over then. deposit() is a block of the coroutine, whoever runs it: the thread that
// ran it first comes in between.
//
// EXPECT violated: deposit
// EXPECT cut-by: withdraw
// EXPECT on: account
// EXPECT line: deposit @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <ucontext.h>

void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);
void __tsan_set_fiber_name(void *fiber, const char *name);

static struct {
    pthread_mutex_t lock;
    long balance;
} account = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    ucontext_t context, caller;
    void *fiber, *caller_fiber;
    char stack[256 * 1024];
} teller;

// Always inlined: a function that is entered in one fiber must not be left in another.
#define SWITCH(from, to, fiber)                                                                    \
    do {                                                                                           \
        __tsan_switch_to_fiber(fiber, 0);                                                          \
        check(swapcontext(from, to) == 0);                                                         \
    } while (0)

static BLOCK long get_balance(void) {
    pthread_mutex_lock(&account.lock);   // @out
    long balance = account.balance;      // @out
    pthread_mutex_unlock(&account.lock); // @out
    return balance;
}

static __attribute__((unused)) BLOCK void set_balance(long balance) {
    pthread_mutex_lock(&account.lock); // @in
    account.balance = balance;         // @in
    pthread_mutex_unlock(&account.lock);
}

static BLOCK void deposit(long amount) {
#ifdef FIXED
    pthread_mutex_lock(&account.lock);
    step(1);
    step(4);
    account.balance += amount;
    pthread_mutex_unlock(&account.lock);
#else
    long balance = get_balance();
    step(1);
    step(4);
    set_balance(balance + amount);
#endif
}

static BLOCK void withdraw(long amount) {
    pthread_mutex_lock(&account.lock);   // @cut
    account.balance -= amount;           // @cut
    pthread_mutex_unlock(&account.lock); // @cut
}

static BLOCK void visit(void) {
    get_balance();
    SWITCH(&teller.context, &teller.caller, teller.caller_fiber);
}

static void serve(void) {
    visit(); // returns in the other thread
    deposit(10);
    visit(); // never returns
}

static BLOCK void run_teller(void) {
    teller.caller_fiber = __tsan_get_current_fiber();
    SWITCH(&teller.caller, &teller.context, teller.fiber);
}

THREAD(second) {
    run_teller();
    return NULL;
}

int main(void) {
    pthread_t thread;
    check(getcontext(&teller.context) == 0);
    teller.context.uc_stack.ss_sp = teller.stack;
    teller.context.uc_stack.ss_size = sizeof teller.stack;
    makecontext(&teller.context, serve, 0);
    teller.fiber = __tsan_create_fiber(0);
    __tsan_set_fiber_name(teller.fiber, "teller");
    run_teller();
    check(pthread_create(&thread, NULL, second, NULL) == 0);
    step(2);
    withdraw(1);
    step(3);
    check(pthread_join(thread, NULL) == 0);
    __tsan_destroy_fiber(teller.fiber);
    puts("ok");
    return 0;
}
