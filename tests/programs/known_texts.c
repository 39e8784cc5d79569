// Texts and sizes that the compiler knows, in calls of strcpy, memset, memcmp and strncmp, which
// compilers like to expand in place. A block each is cut at name[3]; the twin's calls end one byte
// earlier.
//
// RACY the order is kept by the schedule alone, so that only the calls decide
// EXPECT violated: with_strcpy with_memset with_memcmp with_strncmp
// EXPECT cut-by: intrude
// EXPECT on: name
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <string.h>

char name[16] = "abc", copy[16] = "abc";
#ifdef FIXED
#define TEXT "ab"
enum { SIZE = 3 };
#else
#define TEXT "abc"
enum { SIZE = 4 };
#endif
int results[4];

static void pause_at(int number) {
    step(number);
    step(number + 3);
}

#define WITH(function, number)                                                                     \
    static BLOCK void with_##function(void) {                                                      \
        name[3] = 0;                                                                               \
        pause_at(number);                                                                          \
        name[3] = 0;                                                                               \
    }
WITH(strcpy, 1)
WITH(memset, 5)
WITH(memcmp, 9)
WITH(strncmp, 13)

static BLOCK int intrude(int which) {
    switch (which) {
    case 0:
        strcpy(name, TEXT);
        return 0;
    case 1:
        memset(name, 0, SIZE);
        strcpy(name, TEXT); /* of what differs early, no more is read */
        return 0;
    case 2:
        return memcmp(name, copy, SIZE) == 0;
    default:
        return strncmp(name, "abc", SIZE) == 0;
    }
}

THREAD(worker) {
    with_strcpy();
    with_memset();
    with_memcmp();
    with_strncmp();
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
