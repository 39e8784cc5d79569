/* Fuzzes the readers of other tools' formats. Each gets every input, whatever it looks like. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_format(const struct st_format *format, const uint8_t *data, size_t size) {
    struct reading whole = fuzz_read(format, data, size, size + 8, 1000);
    struct reading parts = fuzz_read(format, data, size, 8, 3);
    fuzz_check_same(&whole, &parts);
    fuzz_check_promises(&whole);
    if (!whole.failed && !whole.truncated)
        fuzz_check_writing(&whole, &st_native_writer, &st_native_format);
    fuzz_free(&whole);
    fuzz_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_format(&st_roadrunner_format, data, size);
    try_format(&st_csv_format, data, size);
    try_format(&st_rapidbin_format, data, size);
    return 0;
}
