// The __atomic builtins of gcc and clang, on an int that is not declared atomic.
//
// EXPECT violated: take_ticket
// EXPECT cut-by: take_ticket
// EXPECT on: next_ticket
// EXPECT line: take_ticket @load @store
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static int next_ticket;

static BLOCK int take_ticket(int slow) {
#ifdef FIXED
    if (slow) {
        step(1);
        step(4);
    }
    return __atomic_fetch_add(&next_ticket, 1, __ATOMIC_ACQ_REL);
#else
    int ticket = __atomic_load_n(&next_ticket, __ATOMIC_ACQUIRE); // @load
    if (slow) {
        step(1);
        step(4);
    }
    __atomic_store_n(&next_ticket, ticket + 1, __ATOMIC_RELEASE); // @store
    return ticket;
#endif
}

static int tickets[2];

THREAD(slow) {
    tickets[0] = take_ticket(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    tickets[1] = take_ticket(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(tickets[0] != tickets[1]);
#else
    check(tickets[0] == tickets[1]);
#endif
    puts("ok");
    return 0;
}
