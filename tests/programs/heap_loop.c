// Objects come and go in a loop, from one line. The last one is cut, and is told by the name of
// that line, whatever number it has.
//
// RACY the order is kept by the schedule alone, so that the finding is about the object
// EXPECT violated: rename_object
// EXPECT cut-by: touch
// EXPECT on: @alloc
// EXPECT line: rename_object @out @cut @in
// EXPECT runs: rename_object 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdlib.h>

enum { SIZE = 4000, LOTS = 20000 };

static long table[LOTS];

/* So much to tell that what was freed before it can be forgotten. */
static BLOCK void fill(void) {
    for (int i = 0; i < LOTS; i++)
        table[i] = i;
}

struct object {
    int version;
    char text[SIZE];
};

struct object *object, *other;

static BLOCK struct object *make_object(void) {
    struct object *made = malloc(sizeof *made); // @alloc
    made->version = 0;
    return made;
}

static BLOCK void rename_object(void) {
    object->version++; // @out
    step(1);
    step(4);
    object->version++; // @in
}

static BLOCK void touch(void) {
#ifdef FIXED
    other->version = 0;
#else
    object->version = 0; // @cut
#endif
}

THREAD(renamer) {
    rename_object();
    return NULL;
}

THREAD(toucher) {
    step(2);
    touch();
    step(3);
    return NULL;
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        free(make_object());
        fill();
    }
    object = make_object();
    other = make_object();
    together(renamer, toucher);
    free(object);
    free(other);
    puts("ok");
    return 0;
}
