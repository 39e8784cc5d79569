// A pointer that is tested and then followed, and another thread that clears it in between. Between
// the two looks nothing happens that any tool could see: the second is a repetition of the first.
//
// EXPECT violated: use
// EXPECT cut-by: clear
// EXPECT on: place
// EXPECT line: use @out @cut
// RACY the point is that a plain access is repeated
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static int value = 7, spare;
static struct {
    pthread_mutex_t lock;
    int *volatile where;
} place = {.lock = PTHREAD_MUTEX_INITIALIZER, .where = &value};

static void take(void) {
#ifdef FIXED
    pthread_mutex_lock(&place.lock);
#endif
}

static void give(void) {
#ifdef FIXED
    pthread_mutex_unlock(&place.lock);
#endif
}

static BLOCK int use(void) {
    int found = 0;
    take();
    if (place.where) { // @out
        step(1);
        step(4);
        int *where = place.where; // @out
        found = where ? *where : -1;
    }
    give();
    return found;
}

static BLOCK void clear(void) {
    take();
    place.where = NULL; // @cut
    give();
}

THREAD(reader) {
    spare = use();
    return NULL;
}

THREAD(cleaner) {
    step(2);
    clear();
    step(3);
    return NULL;
}

int main(void) {
    together(reader, cleaner);
    check(spare == 7 || spare == -1);
    puts("ok");
    return 0;
}
