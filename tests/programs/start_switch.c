// A machine that executes commands: a loop around a switch with so many cases that a compiler makes
// a table of jumps of it. Each iteration is a block all the same.
//
// EXPECT violated: one?iteration?of?the?loop?at?machine,*
// EXPECT cut-by: other
// EXPECT on: state
// EXPECT line: one?iteration* @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    long value, sum, steps;
} state = {PTHREAD_MUTEX_INITIALIZER, 1, 0, 0};

static const char *commands = "012345672";

THREAD(machine) {
    for (const char *command = commands; *command; command++) {
        pthread_mutex_lock(&state.lock);
        long value = state.value; // @out
#ifndef FIXED
        pthread_mutex_unlock(&state.lock);
        if (command == commands + 4) {
            step(1);
            step(4);
        }
        pthread_mutex_lock(&state.lock);
#endif
        switch (*command) {
        case '0':
            state.value = value + 3; // @in
            break;
        case '1':
            state.sum += value;
            break;
        case '2':
            state.value = value * 2; // @in
            break;
        case '3':
            state.steps += 2;
            break;
        case '4':
            state.value = value - 7; // @in
            break;
        case '5':
            state.sum -= state.steps;
            break;
        case '6':
            state.steps = state.sum;
            break;
        case '7':
            state.sum = 0;
            break;
        }
        pthread_mutex_unlock(&state.lock);
#ifdef FIXED
        if (command == commands + 4) {
            step(1);
            step(4);
        }
#endif
    }
    return NULL;
}

THREAD(other) {
    step(2);
    pthread_mutex_lock(&state.lock);
    state.value += 1000; // @cut
    pthread_mutex_unlock(&state.lock);
    step(3);
    return NULL;
}

int main(void) {
    together(machine, other);
#ifdef FIXED
    check(state.value == 2002);
#else
    check(state.value == 2);
#endif
    puts("ok");
    return 0;
}
