#include "trace/format.h"

bool st_native_detect(const char *bytes, size_t length) {
    (void)bytes;
    (void)length;
    return false;
}

const struct st_format st_native_format = {.name = "native"};
