// Generators made with makecontext, without any annotation. next() is over when it has returned,
// also while the generator is still in yield(): what comes in between later cuts draw() and nothing
// else.
//
// EXPECT violated: draw
// EXPECT cut-by: refill
// EXPECT on: urn
// EXPECT line: draw @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <ucontext.h>

static struct {
    pthread_mutex_t lock;
    long balls;
} urn = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct generator {
    ucontext_t context, caller;
    long value;
    char stack[256 * 1024];
};

static BLOCK void yield(struct generator *generator, long value) {
    generator->value = value;
    check(swapcontext(&generator->context, &generator->caller) == 0);
}

static BLOCK long next(struct generator *generator) {
    check(swapcontext(&generator->caller, &generator->context) == 0);
    return generator->value;
}

static BLOCK long count(void) {
    pthread_mutex_lock(&urn.lock);   // @out
    long balls = urn.balls;          // @out
    pthread_mutex_unlock(&urn.lock); // @out
    return balls;
}

static BLOCK void set_count(long balls) {
    pthread_mutex_lock(&urn.lock); // @in
    urn.balls = balls;             // @in
    pthread_mutex_unlock(&urn.lock);
}

// The generator's function: the odd numbers, beginning with how many balls there are. An address is
// handed over in two halves, since arguments are ints.
static void generate(unsigned high, unsigned low) {
    struct generator *generator = (struct generator *)((unsigned long)high << 32 | low);
    for (long i = 0; i < 3; i++)
        yield(generator, count() + 2 * i + 1);
}

static BLOCK void start(struct generator *generator) {
    unsigned long address = (unsigned long)generator;
    check(getcontext(&generator->context) == 0);
    generator->context.uc_stack.ss_sp = generator->stack;
    generator->context.uc_stack.ss_size = sizeof generator->stack;
    generator->context.uc_link = &generator->caller;
    makecontext(&generator->context, (void (*)(void))generate, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

static BLOCK void draw(void) {
#ifdef FIXED
    pthread_mutex_lock(&urn.lock);
    step(1);
    step(4);
    urn.balls--;
    pthread_mutex_unlock(&urn.lock);
#else
    long balls = count();
    step(1);
    step(4);
    set_count(balls - 1);
#endif
}

static BLOCK void refill(void) {
    pthread_mutex_lock(&urn.lock);   // @cut
    urn.balls += 10;                 // @cut
    pthread_mutex_unlock(&urn.lock); // @cut
}

static struct generator one, two;

THREAD(player) {
    start(&one);
    check(next(&one) == 1);
    check(next(&one) == 3); // it stays in yield()
    draw();
    return NULL;
}

THREAD(keeper) {
    start(&two);
    step(2);
    refill();
    step(3);
    for (int i = 0; i < 4; i++) // the last time it returns, and its function goes on to the link
        next(&two);
    start(&two); // another one on the same stack
    next(&two);
    return NULL;
}

int main(void) {
    set_count(0);
    together(player, keeper);
    puts("ok");
    return 0;
}
