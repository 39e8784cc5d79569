// strcpy, strlen, strcmp, strcat and strncpy read up to the byte that ends the string, and write
// that one, too. A block each is cut at that byte; the twin's strings end one byte earlier.
//
// RACY the order is kept by the schedule alone, so that only the calls decide
// EXPECT violated: with_strcpy with_strlen with_strcmp with_strcat with_strncpy
// EXPECT cut-by: intrude
// EXPECT on: name
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <string.h>

/* The block's byte is name[5]. */
char name[16] = "abcde", copy[16] = "abcde";
#ifdef FIXED
char source[16] = "abcd", end[16] = "cd";
unsigned long count = 5;
#else
char source[16] = "abcde", end[16] = "cde";
unsigned long count = 6;
#endif
unsigned long length;
int order;

static void pause_at(int number) {
    step(number);
    step(number + 3);
}

#define WITH(function, number)                                                                     \
    static BLOCK void with_##function(void) {                                                      \
        name[5] = 0;                                                                               \
        pause_at(number);                                                                          \
        name[5] = 0;                                                                               \
    }
WITH(strcpy, 1)
WITH(strlen, 5)
WITH(strcmp, 9)
WITH(strcat, 13)
WITH(strncpy, 17)

static BLOCK void intrude(int which) {
    switch (which) {
    case 0:
        strcpy(name, source);
        break;
    case 1:
        length = strlen(name);
        break;
    case 2:
        order = strcmp(name, copy);
        break;
    case 3:
        name[2] = 0;
        strcat(name, end);
        break;
    default:
        strncpy(name, source, count);
    }
}

THREAD(worker) {
    with_strcpy();
    with_strlen();
    with_strcmp();
    with_strcat();
    with_strncpy();
    return NULL;
}

THREAD(intruder) {
    for (int i = 0; i < 5; i++) {
        step(4 * i + 2);
        intrude(i);
        step(4 * i + 3);
    }
    return NULL;
}

int main(void) {
    together(worker, intruder);
    puts("ok");
    return 0;
}
