// A detached thread ends, and the next one gets its stack, with locals and thread-locals at the
// same addresses. If they were the same variables, a path would lead out of session() and back into
// it.
//
// EXPECT none
#include "schedule.h"

#include <stdatomic.h>
#include <stdint.h>

static atomic_int opened, closed;
static int first_user;
static atomic_uintptr_t address[2];
static _Thread_local int mine;

static BLOCK void session(void) {
    atomic_store(&opened, 1);
    step(1);
    step(6);
    check(atomic_load(&closed) == 1);
}

static BLOCK void fill(int *numbers) {
    for (int i = 0; i < 8; i++)
        numbers[i] = i;
    mine++;
}

static BLOCK void use_stack(int who) {
    int numbers[8];
    fill(numbers);
    atomic_store(&address[who], (uintptr_t)numbers);
}

THREAD(holder) {
    session();
    return NULL;
}

/* Not instrumented: it orders nothing. */
__attribute__((no_sanitize("thread"))) static BLOCK void note_user(void) {
    first_user = schedule_thread();
}

__attribute__((no_sanitize("thread"))) static BLOCK void wait_for_user_to_end(void) {
    schedule_wait_for_end(first_user);
}

THREAD(user) {
    step(2);
    check(atomic_load(&opened) == 1);
    note_user();
    use_stack(0);
    step(3);
    return NULL;
}

THREAD(other_user) {
    use_stack(1);
    atomic_store(&closed, 1);
    step(5);
    return NULL;
}

int main(void) {
    pthread_t thread, temporary;
    check(pthread_create(&thread, NULL, holder, NULL) == 0);
    check(pthread_create(&temporary, NULL, user, NULL) == 0);
    check(pthread_detach(temporary) == 0);
    step(4);
    wait_for_user_to_end(); /* its stack is free again */
    check(pthread_create(&temporary, NULL, other_user, NULL) == 0);
    check(pthread_detach(temporary) == 0);
    check(pthread_join(thread, NULL) == 0);
#ifndef RACE_CHECK /* ThreadSanitizer keeps stacks longer */
    check(atomic_load(&address[0]) == atomic_load(&address[1]));
#endif
    puts("ok");
    return 0;
}
