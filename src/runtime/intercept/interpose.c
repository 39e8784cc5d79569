#define _GNU_SOURCE
#include "runtime/intercept/interpose.h"

#include <dlfcn.h>

void *rt_real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void *rt_real_version(const char *name, const char *version) {
    return dlvsym(RTLD_NEXT, name, version);
}
