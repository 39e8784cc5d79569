/* Modules that come and go.
 *
 * dlopen is not stood in for. It finds out by its return address who called it, and searches where
 * that module says (RUNPATH, $ORIGIN, its namespace); called from here it would search in vain. It
 * need not be: each instrumented module calls __tsan_init when it is loaded, and modules are told
 * there. What else was loaded is told here at the latest, before it can be gone. */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"

#include <dlfcn.h>

RT_REAL(int, dlclose, void *)

static void tell_modules(void) {
    if (rt_enter()) {
        rt_tell_modules();
        rt_leave();
    }
}

RT_EXPORT int dlclose(void *handle) {
    tell_modules();
    int result = real_dlclose()(handle);
    tell_modules();
    return result;
}
