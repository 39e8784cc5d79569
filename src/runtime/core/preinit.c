/* The start of the runtime that is inside an executable: before the constructors of its shared
 * libraries, which come before those of the executable. A shared library has no such thing and
 * needs none, since those that use it start after it. getenv does not work yet, nor secure_getenv:
 * a program with more rights than its caller does not listen to the caller's environment. */
#include "runtime/core/runtime.h"
#include "stream/control.h"

#include <sys/auxv.h>

static const char *value_of(const char *name, char **environment) {
    for (; *environment; environment++) {
        size_t i = 0;
        while (name[i] && (*environment)[i] == name[i])
            i++;
        if (!name[i] && (*environment)[i] == '=')
            return *environment + i + 1;
    }
    return NULL;
}

static void on_start(int argc, char **argv, char **environment) {
    (void)argc, (void)argv;
    bool trusted = !getauxval(AT_SECURE);
    rt_initialize(trusted ? value_of(ST_STREAM_VARIABLE, environment) : NULL,
                  trusted ? value_of(ST_CONTROL_VARIABLE, environment) : NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*const start)(int, char **,
                                                                            char **) = on_start;
