#include "trace/writer.h"

const struct st_writer_format st_native_writer = {.name = "native"};
