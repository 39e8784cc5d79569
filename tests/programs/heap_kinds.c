// Memory from calloc, realloc, aligned_alloc and strdup: shared, each is a variable like another.
// In the twin each thread has its own.
//
// FLAGS -D_GNU_SOURCE
// RACY the order is kept by the schedule alone, so that only the objects decide
// EXPECT violated: work
// EXPECT cut-by: disturb
// EXPECT on: @calloc @realloc @aligned
// EXPECT runs: work 4/4
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 4 };

char *mine[KINDS], *theirs[KINDS];

static void allocate(char **into) {
    into[0] = calloc(1, 32);            // @calloc
    into[1] = realloc(malloc(8), 4096); // @realloc
    into[2] = aligned_alloc(64, 64);    // @aligned
    into[3] = strdup("a string");
}

static BLOCK void work(char *object, int number) {
    object[5] = 'x';
    step(number);
    step(number + 3);
    object[5] = 'y';
}

static BLOCK void disturb(char *object) {
    object[5] = 'z';
}

THREAD(worker) {
    for (int i = 0; i < KINDS; i++)
        work(mine[i], 4 * i + 1);
    return NULL;
}

THREAD(disturber) {
    for (int i = 0; i < KINDS; i++) {
        step(4 * i + 2);
        disturb(theirs[i]);
        step(4 * i + 3);
    }
    return NULL;
}

int main(void) {
    allocate(mine);
#ifdef FIXED
    allocate(theirs);
#else
    memcpy(theirs, mine, sizeof mine);
#endif
    together(worker, disturber);
    for (int i = 0; i < KINDS; i++) {
        free(mine[i]);
#ifdef FIXED
        free(theirs[i]);
#endif
    }
    puts("ok");
    return 0;
}
