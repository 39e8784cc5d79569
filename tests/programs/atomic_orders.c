// Each memory order, each size from one byte to eight, and a pointer: a relaxed atomic access is an
// access, too. A block looks twice at each variable, and each was changed in between.
//
// EXPECT violated: look1 look2 look4 look8 look_pointer
// EXPECT cut-by: change
// EXPECT on: byte
// EXPECT on: half
// EXPECT on: word
// EXPECT on: wide
// EXPECT on: pointer
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint8_t byte;
static _Atomic uint16_t half;
static _Atomic uint32_t word;
static _Atomic uint64_t wide;
static _Atomic(int *) pointer;

#define LOOK(name, variable, order)                                                                \
    static BLOCK int name(int pass) {                                                              \
        int zeros = !atomic_load_explicit(&variable, order);                                       \
        step(pass);                                                                                \
        step(pass + 3);                                                                            \
        return zeros + AGAIN(variable);                                                            \
    }
#ifdef FIXED
#define AGAIN(variable) 1
#else
#define AGAIN(variable) !!atomic_load_explicit(&variable, memory_order_relaxed)
#endif
LOOK(look1, byte, memory_order_relaxed)
LOOK(look2, half, memory_order_acquire)
LOOK(look4, word, memory_order_seq_cst)
LOOK(look8, wide, memory_order_relaxed)
LOOK(look_pointer, pointer, memory_order_consume)

static BLOCK void change(int which) {
    static int target;
    switch (which) {
    case 0:
        atomic_store_explicit(&byte, 1, memory_order_relaxed);
        break;
    case 1:
        atomic_fetch_or_explicit(&half, 2, memory_order_release);
        break;
    case 2:
        atomic_exchange(&word, 3);
        break;
    case 3: {
        uint64_t zero = 0;
        check(atomic_compare_exchange_strong(&wide, &zero, 4));
        break;
    }
    default:
        atomic_store(&pointer, &target);
    }
}

THREAD(looker) {
    check(look1(1) == 2);
    check(look2(5) == 2);
    check(look4(9) == 2);
    check(look8(13) == 2);
    check(look_pointer(17) == 2);
    return NULL;
}

THREAD(changer) {
    for (int i = 0; i < 5; i++) {
        step(4 * i + 2);
        change(i);
        step(4 * i + 3);
    }
    return NULL;
}

int main(void) {
    together(looker, changer);
    puts("ok");
    return 0;
}
