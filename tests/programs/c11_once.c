// threads.h: initialisation by hand in two critical sections, and by call_once in the twin.
//
// EXPECT violated: get_table
// EXPECT cut-by: get_table
// EXPECT on: table
// EXPECT line: get_table @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <threads.h>

static struct {
    mtx_t lock;
    int ready, fills;
    int squares[4];
} table;

static BLOCK void fill(void) {
    for (int i = 0; i < 4; i++)
        table.squares[i] = i * i;
    table.ready = 1;
    table.fills++;
}

#ifdef FIXED
static once_flag once = ONCE_FLAG_INIT;

static void fill_slowly(void) {
    step(1);
    step(4);
    fill();
}
#endif

static BLOCK const int *get_table(int slow) {
#ifdef FIXED
    (void)slow;
    call_once(&once, fill_slowly);
#else
    mtx_lock(&table.lock);
    int ready = table.ready; // @out
    mtx_unlock(&table.lock); // @out
    if (slow) {
        step(1);
        step(4);
    }
    if (!ready) {
        mtx_lock(&table.lock); // @in
        fill();                // @in
        mtx_unlock(&table.lock);
    }
#endif
    return table.squares;
}

static int slow(void *argument) {
    (void)argument;
    get_table(1);
    return 0;
}

static int fast(void *argument) {
    (void)argument;
    step(2);
    get_table(0);
    step(3);
    return 0;
}

int main(void) {
    thrd_t one, two;
    check(mtx_init(&table.lock, mtx_plain) == thrd_success);
    check(thrd_create(&one, slow, NULL) == thrd_success);
    check(thrd_create(&two, fast, NULL) == thrd_success);
    check(thrd_join(one, NULL) == thrd_success);
    check(thrd_join(two, NULL) == thrd_success);
    check(get_table(0)[3] == 9);
#ifdef FIXED
    check(table.fills == 1);
#else
    check(table.fills == 2);
#endif
    puts("ok");
    return 0;
}
