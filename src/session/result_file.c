#include "session/result_file.h"

/* The longest result that is read. Nobody would look at a longer one. */
#define LARGEST_RESULT (UINT64_C(1) << 32)

enum { MORE = 1 << 20 };

int st_result_read_rest(struct st_input *input, struct st_error *error) {
    while (!input->at_end) {
        if (st_input_fill(input, st_input_available(input) + MORE, error) < 0)
            return -1;
        if (st_input_available(input) > LARGEST_RESULT)
            return st_fail(error, input->name, ST_AT_FILE, 0, "is too large for a result");
    }
    return 0;
}
