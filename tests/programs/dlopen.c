// A library is loaded while threads are running, and they call into it: its function is cut, and
// its names and lines are known.
//
// LIBRARY dlopen_plugin.c
// EXPECT violated: plugin_update
// EXPECT cut-by: plugin_look
// EXPECT on: plugin_state
// EXPECT line: plugin_update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

typedef void update_function(void (*pause)(void));
typedef int look_function(void);

static _Atomic(update_function *) update;
static _Atomic(look_function *) look;

static BLOCK void let_others_in(void) {
    step(4);
    step(7);
}

THREAD(updater) {
    step(1);
    schedule_step(3);
    atomic_load (&update)(let_others_in);
    return NULL;
}

THREAD(looker) {
    schedule_step(5);
    int difference = atomic_load(&look)();
    step(6);
#ifdef FIXED
    check(difference == 0);
#else
    check(difference == 1);
#endif
    return NULL;
}

/* The library lies beside the program. */
static void *open_library(const char *program) {
    char path[4096];
    const char *slash = strrchr(program, '/');
    check(slash != NULL);
    snprintf(path, sizeof path, "%.*s/dlopen_plugin.so", (int)(slash - program), program);
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    check(library != NULL);
    return library;
}

int main(int count, char **arguments) {
    pthread_t one, two;
    check(count == 1);
    check(pthread_create(&one, NULL, updater, NULL) == 0);
    check(pthread_create(&two, NULL, looker, NULL) == 0);
    void *library = open_library(arguments[0]);
    update = (update_function *)dlsym(library, "plugin_update");
    look = (look_function *)dlsym(library, "plugin_look");
    check(update && look);
    schedule_step(2);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    check(dlclose(library) == 0);
    puts("ok");
    return 0;
}
