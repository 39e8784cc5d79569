/* Which blocks are probably meant to be atomic? Those that ran often and were never violated.
 *
 * In the tree:    make && build/example_infer
 * Installed:      cc infer.c $(pkg-config --cflags --libs seriatim) -o infer && ./infer
 *
 * Three runs of one program: in each, a customer deposits money under a lock, and transfers money
 * without holding the lock all the time. In one of them an audit comes into the middle of the
 * transfer. */
#include <inttypes.h>
#include <seriatim/seriatim.h>
#include <stdbool.h>
#include <stdio.h>

enum { CUSTOMER, AUDITOR };
enum { DEPOSIT, TRANSFER, AUDIT };
enum { CHECKING, SAVINGS };
enum { LOCK };

static const char *const block_names[] = {"deposit", "transfer", "audit"};

static void locked_access(seriatim_checker *checker, uint64_t thread, seriatim_op op,
                          uint64_t account) {
    seriatim_event(checker, thread, SERIATIM_ACQUIRE, LOCK, 0);
    seriatim_event(checker, thread, op, account, 0);
    seriatim_event(checker, thread, SERIATIM_RELEASE, LOCK, 0);
}

static void audit(seriatim_checker *checker) {
    seriatim_event(checker, AUDITOR, SERIATIM_BEGIN, AUDIT, 0);
    locked_access(checker, AUDITOR, SERIATIM_READ, CHECKING);
    locked_access(checker, AUDITOR, SERIATIM_READ, SAVINGS);
    seriatim_event(checker, AUDITOR, SERIATIM_END, 0, 0);
}

static void run(seriatim_checker *checker, bool unlucky) {
    for (int i = 0; i < 2; i++) {
        seriatim_event(checker, CUSTOMER, SERIATIM_BEGIN, DEPOSIT, 0);
        locked_access(checker, CUSTOMER, SERIATIM_WRITE, CHECKING);
        seriatim_event(checker, CUSTOMER, SERIATIM_END, 0, 0);
    }
    seriatim_event(checker, CUSTOMER, SERIATIM_BEGIN, TRANSFER, 0);
    locked_access(checker, CUSTOMER, SERIATIM_WRITE, CHECKING);
    if (unlucky)
        audit(checker);
    locked_access(checker, CUSTOMER, SERIATIM_WRITE, SAVINGS);
    seriatim_event(checker, CUSTOMER, SERIATIM_END, 0, 0);
    if (!unlucky)
        audit(checker);
}

int main(void) {
    seriatim_inference *inference = seriatim_inference_new();
    for (int i = 0; i < 3; i++) {
        seriatim_checker *checker = seriatim_checker_new("witness");
        seriatim_result result;
        run(checker, i == 1);
        seriatim_checker_finish(checker, &result);
        if (seriatim_inference_add(inference, checker) != 0)
            fprintf(stderr, "run %d does not count\n", i + 1);
        seriatim_checker_free(checker);
    }

    size_t count;
    const seriatim_block_counts *blocks = seriatim_inference_blocks(inference, &count);
    printf("%" PRIu64 " runs\n", seriatim_inference_runs(inference));
    for (size_t i = 0; i < count; i++)
        printf("%s: violated in %" PRIu64 " of %" PRIu64 "%s\n", block_names[blocks[i].block],
               blocks[i].violated, blocks[i].executed,
               blocks[i].violated ? "" : ", so it is probably meant to be atomic");
    seriatim_inference_free(inference);
    return 0;
}
