// A pair under a spinlock, read in two critical sections.
//
// EXPECT violated: read_pair
// EXPECT cut-by: write_pair
// EXPECT on: pair
// EXPECT line: read_pair @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_spinlock_t lock;
    int x, y;
} pair;

static BLOCK int read_pair(void) {
    pthread_spin_lock(&pair.lock);
    int x = pair.x; // @out
#ifndef FIXED
    pthread_spin_unlock(&pair.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    check(pthread_spin_trylock(&pair.lock) == 0); // @in
#endif
    int y = pair.y; // @in
    pthread_spin_unlock(&pair.lock);
    return x == y;
}

static BLOCK void write_pair(int value) {
    pthread_spin_lock(&pair.lock);   // @cut
    pair.x = value;                  // @cut
    pair.y = value;                  // @cut
    pthread_spin_unlock(&pair.lock); // @cut
}

THREAD(reader) {
#ifdef FIXED
    check(read_pair());
#else
    check(!read_pair());
#endif
    return NULL;
}

THREAD(writer) {
    step(2);
    write_pair(1);
    step(3);
    return NULL;
}

int main(void) {
    pthread_spin_init(&pair.lock, PTHREAD_PROCESS_PRIVATE);
    together(reader, writer);
    pthread_spin_destroy(&pair.lock);
    puts("ok");
    return 0;
}
