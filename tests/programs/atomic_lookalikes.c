// Atomics that are data, each for a moment or in part like a lock: a counter of free seats that is
// tested and then swapped down; a flag that is set once, by an exchange; a state that is swapped
// forward; the head of a list; a counter that is swapped up and added down. What cuts a function on
// one of them is found, as on any other data. The twins do it in one step, or look once.
//
// EXPECT violated: reserve_two look_at_flag look_at_state push_two count_twice
// EXPECT cut-by: reserve_one
// EXPECT cut-by: raise_flag
// EXPECT cut-by: advance
// EXPECT cut-by: push_one
// EXPECT cut-by: count_once
// EXPECT on: seats
// EXPECT on: raised
// EXPECT on: state
// EXPECT on: head
// EXPECT on: counter
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

static atomic_int seats = 2, raised, state, counter;
static _Atomic(struct node *) head;

struct node {
    struct node *next;
};
static struct node nodes[3];

static int swap_down(void) {
    int left = atomic_load(&seats);
    return left > 0 && atomic_compare_exchange_strong(&seats, &left, left - 1);
}

static BLOCK int reserve_one(void) {
    return swap_down();
}

/* Two seats side by side, or none. */
static BLOCK int reserve_two(void) {
#ifdef FIXED
    step(1);
    step(4);
    int two = 2;
    return atomic_compare_exchange_strong(&seats, &two, 0);
#else
    int first = swap_down();
    step(1);
    step(4);
    return first + swap_down();
#endif
}

static BLOCK void raise_flag(void) {
    atomic_exchange(&raised, 1);
}

static BLOCK int look_at_flag(void) {
    int before = atomic_load(&raised);
    step(5);
    step(8);
#ifdef FIXED
    return before;
#else
    return before + atomic_load(&raised);
#endif
}

static BLOCK void advance(int from) {
    atomic_compare_exchange_strong(&state, &from, from + 1);
}

/* Whoever sees the first of two states should see the second, too. */
static BLOCK int look_at_state(void) {
#ifdef FIXED
    step(9);
    step(12);
    return atomic_load(&state);
#else
    int seen = atomic_load(&state);
    step(9);
    step(12);
    return atomic_load(&state) - seen;
#endif
}

static void push(struct node *node) {
    node->next = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &node->next, node))
        continue;
}

static BLOCK void push_one(void) {
    push(&nodes[2]);
}

static BLOCK void push_two(void) {
#ifdef FIXED
    step(13);
    step(16);
    nodes[0].next = &nodes[1];
    nodes[1].next = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &nodes[1].next, &nodes[0]))
        continue;
#else
    push(&nodes[0]);
    step(13);
    step(16);
    push(&nodes[1]);
#endif
}

static void swap_up(void) {
    int old = atomic_load(&counter);
    while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
        continue;
}

static BLOCK void count_once(void) {
    swap_up();
}

/* Up, and down again: others should not see it in between, nor count from there. */
static BLOCK void count_twice(void) {
#ifdef FIXED
    step(17);
    step(20);
    atomic_load(&counter);
#else
    swap_up();
    step(17);
    step(20);
    atomic_fetch_sub(&counter, 1);
#endif
}

THREAD(slow) {
    reserve_two();
    look_at_flag();
    look_at_state();
    push_two();
    count_twice();
    return NULL;
}

THREAD(fast) {
    step(2);
    reserve_one();
    step(3);
    step(6);
    raise_flag();
    step(7);
    step(10);
    advance(0);
    advance(1);
    step(11);
    step(14);
    push_one();
    step(15);
    step(18);
    count_once();
    step(19);
    return NULL;
}

int main(void) {
    together(slow, fast);
    puts("ok");
    return 0;
}
