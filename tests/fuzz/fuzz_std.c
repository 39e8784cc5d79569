/* Fuzzes the reader of STD text. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reading whole = fuzz_read(&st_std_format, data, size, size + 8, 1000);
    struct reading parts = fuzz_read(&st_std_format, data, size, 8, 3);
    fuzz_check_same(&whole, &parts);
    fuzz_check_promises(&whole);
    if (!whole.failed) {
        fuzz_check_writing(&whole, &st_std_writer, &st_std_format);
        fuzz_check_writing(&whole, &st_native_writer, &st_native_format);
    }
    fuzz_free(&whole);
    fuzz_free(&parts);
    return 0;
}
