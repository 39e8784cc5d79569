// memset, memmove, memcmp and memchr read and write what they are told to, of sizes that no
// compiler knows. A block each is cut; the twin's calls stay just short of the blocks' bytes.
//
// RACY the order is kept by the schedule alone, so that only the calls decide
// EXPECT violated: with_memset with_memmove with_memcmp with_memchr
// EXPECT cut-by: intrude
// EXPECT on: bytes
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <string.h>

enum { SIZE = 64 };
char bytes[SIZE], others[SIZE];
#ifdef FIXED
unsigned long size = SIZE - 1;
#else
unsigned long size = SIZE;
#endif
int results[4];

static void pause_at(int number) {
    step(number);
    step(number + 3);
}

/* Two writes of the last byte, or two reads, with somebody in between. */
static BLOCK void with_memset(void) {
    bytes[SIZE - 1] = 1;
    pause_at(1);
    bytes[SIZE - 1] = 1;
}

static BLOCK void with_memmove(void) {
    bytes[SIZE - 1] = 2;
    pause_at(5);
    bytes[SIZE - 1] = 2;
}

static BLOCK void with_memcmp(void) {
    bytes[SIZE - 1] = 3;
    pause_at(9);
    bytes[SIZE - 1] = 0;
}

static BLOCK void with_memchr(void) {
    bytes[SIZE - 1] = 4;
    pause_at(13);
    bytes[SIZE - 1] = 4;
}

static BLOCK int intrude(int which) {
    switch (which) {
    case 0:
        memset(bytes, 0, size);
        return 0;
    case 1:
        memmove(bytes, others, size);
        return 0;
    case 2:
        return memcmp(bytes, others, size);
    default:
        return memchr(bytes, 99, size) != NULL;
    }
}

THREAD(worker) {
    with_memset();
    with_memmove();
    with_memcmp();
    with_memchr();
    return NULL;
}

THREAD(intruder) {
    for (int i = 0; i < 4; i++) {
        step(4 * i + 2);
        results[i] = intrude(i);
        step(4 * i + 3);
    }
    return NULL;
}

int main(void) {
    together(worker, intruder);
    puts("ok");
    return 0;
}
