// Readers of a table come and go in the middle of a block that reads it twice. Under a mutex the
// block would be cut; the read side of a rwlock orders readers not at all. The table was written
// before, and is written again behind it.
//
// EXPECT none
#include "schedule.h"

static struct {
    pthread_rwlock_t lock;
    int entries[4];
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static BLOCK int get(int i) {
    pthread_rwlock_rdlock(&table.lock);
    int value = table.entries[i];
    pthread_rwlock_unlock(&table.lock);
    return value;
}

static BLOCK void set(int i, int value) {
    pthread_rwlock_wrlock(&table.lock);
    table.entries[i] = value;
    pthread_rwlock_unlock(&table.lock);
}

static BLOCK int sum(void) {
    int total = get(0) + get(1);
    step(1);
    step(4);
    return total + get(2) + get(3);
}

THREAD(summer) {
    check(sum() == 6);
    step(5);
    return NULL;
}

THREAD(reader) {
    step(2);
    check(get(0) + get(3) == 3);
    step(3);
    step(6);
    set(0, 9);
    check(get(0) == 9);
    return NULL;
}

int main(void) {
    for (int i = 0; i < 4; i++)
        set(i, i);
    together(summer, reader);
    puts("ok");
    return 0;
}
