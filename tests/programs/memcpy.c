// A record is copied by memcpy of a constant size, which compilers like to expand in place, into a
// neighbourhood where a block works. The twin's copy ends one byte short of the block's variable.
//
// RACY the order is kept by the schedule alone, so that only the copy itself can be seen to cut
// EXPECT violated: stamp
// EXPECT cut-by: restore
// EXPECT on: record
// EXPECT line: stamp @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <string.h>

enum { SIZE = 8 };
#ifdef FIXED
enum { COPIED = SIZE - 1 };
#else
enum { COPIED = SIZE };
#endif

char record[SIZE], backup[SIZE];

static BLOCK int stamp(void) {
    record[SIZE - 1] = 1; // @out
    step(1);
    step(4);
    return record[SIZE - 1]; // @in
}

static BLOCK void restore(void) {
    memcpy(record, backup, COPIED); // @cut
}

THREAD(stamper) {
#ifdef FIXED
    check(stamp() == 1);
#else
    check(stamp() == 0);
#endif
    return NULL;
}

THREAD(restorer) {
    step(2);
    restore();
    step(3);
    return NULL;
}

int main(void) {
    together(stamper, restorer);
    puts("ok");
    return 0;
}
