// A loop that looks at a flag between two pieces of work, until somebody has set it, is no wait: it
// works. So the function around it is one step, and is cut by who sets the flag. The twin works for
// as long as it wants.
//
// EXPECT violated: serve
// EXPECT cut-by: stop_serving
// EXPECT on: stop
// EXPECT line: serve @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

static atomic_int stop;
static int served;

static BLOCK void serve_one(void) {
    served++;
}

static BLOCK void serve(void) {
#ifdef FIXED
    for (int i = 0; i < 2; i++) {
#else
    for (int i = 0; !atomic_load(&stop); i++) { // @out @in
#endif
        serve_one();
        if (i == 0) {
            step(1);
            step(4);
        }
    }
}

static BLOCK void stop_serving(void) {
    atomic_store(&stop, 1); // @cut
}

THREAD(server) {
    serve();
    return NULL;
}

THREAD(manager) {
    step(2);
    stop_serving();
    step(3);
    return NULL;
}

int main(void) {
    together(server, manager);
    check(served > 0);
    puts("ok");
    return 0;
}
