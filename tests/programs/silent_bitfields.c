// Bit-fields in groups of their own, and plain members on both sides of a group: different memory
// locations by the C standard, whoever writes them.
//
// EXPECT none
#include "schedule.h"

struct {
    char before;
    unsigned a : 3;
    unsigned b : 4;
    unsigned : 0;
    unsigned c : 5;
    unsigned d : 2;
    char after;
} fields;

static BLOCK void first_group(void) {
    fields.a = 1;
    fields.b = 2;
    step(1);
    step(4);
    fields.a++;
    fields.b++;
}

static BLOCK void others(void) {
    fields.before++;
    fields.c = 3;
    fields.d = 1;
    fields.after++;
}

THREAD(one) {
    first_group();
    return NULL;
}

THREAD(two) {
    step(2);
    others();
    step(3);
    return NULL;
}

int main(void) {
    together(one, two);
    check(fields.a == 2 && fields.b == 3 && fields.c == 3);
    puts("ok");
    return 0;
}
