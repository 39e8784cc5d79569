/* A run in which all went well, and what another schedule of it would have done.
 *
 * In the tree:    make && build/example_predict
 * Installed:      cc predict.c $(pkg-config --cflags --libs seriatim) -o predict && ./predict
 *
 * Alice sets a price and prints it, and takes the lock once for each. Bob sets the same price under
 * the same lock. In this run he came later, so a checker has nothing to say. A predictor finds the
 * order in which Alice prints the price of Bob, and that the two take two other locks in opposite
 * order. */
#include <inttypes.h>
#include <seriatim/seriatim.h>
#include <stdio.h>

enum { ALICE, BOB };
enum { SET_AND_PRINT, SET };
enum { PRICE };
enum { PRICES, PRINTER, PAPER };

static const char *const thread_names[] = {"alice", "bob"};
static const char *const block_names[] = {"set_and_print", "set"};
static const char *const lock_names[] = {"prices", "printer", "paper"};
static const char *const op_names[] = {
    [SERIATIM_READ] = "reads",       [SERIATIM_WRITE] = "writes", [SERIATIM_ACQUIRE] = "acquires",
    [SERIATIM_RELEASE] = "releases", [SERIATIM_BEGIN] = "begins", [SERIATIM_END] = "ends",
};
static const char *const outlook_names[] = {
    [SERIATIM_OUTLOOK_ATOMIC] = "atomic",
    [SERIATIM_OUTLOOK_UNDECIDED] = "not decided",
    [SERIATIM_OUTLOOK_POTENTIAL] = "may not be atomic",
    [SERIATIM_OUTLOOK_VIOLATION] = "not atomic in this schedule",
};

static const struct event {
    uint64_t thread;
    seriatim_op op;
    uint64_t operand, line;
} run[] = {
    {ALICE, SERIATIM_BEGIN, SET_AND_PRINT, 10},
    {ALICE, SERIATIM_ACQUIRE, PRICES, 11},
    {ALICE, SERIATIM_WRITE, PRICE, 12},
    {ALICE, SERIATIM_RELEASE, PRICES, 13},
    {ALICE, SERIATIM_ACQUIRE, PRICES, 14},
    {ALICE, SERIATIM_READ, PRICE, 15},
    {ALICE, SERIATIM_RELEASE, PRICES, 16},
    {ALICE, SERIATIM_END, 0, 17},
    {ALICE, SERIATIM_ACQUIRE, PRINTER, 20},
    {ALICE, SERIATIM_ACQUIRE, PAPER, 21},
    {ALICE, SERIATIM_RELEASE, PAPER, 22},
    {ALICE, SERIATIM_RELEASE, PRINTER, 23},
    {BOB, SERIATIM_BEGIN, SET, 30},
    {BOB, SERIATIM_ACQUIRE, PRICES, 31},
    {BOB, SERIATIM_WRITE, PRICE, 32},
    {BOB, SERIATIM_RELEASE, PRICES, 33},
    {BOB, SERIATIM_END, 0, 34},
    {BOB, SERIATIM_ACQUIRE, PAPER, 40},
    {BOB, SERIATIM_ACQUIRE, PRINTER, 41},
    {BOB, SERIATIM_RELEASE, PRINTER, 42},
    {BOB, SERIATIM_RELEASE, PAPER, 43},
};

static void print_event(const struct event *event) {
    printf("    line %" PRIu64 ": %s %s", event->line, thread_names[event->thread],
           op_names[event->op]);
    if (event->op == SERIATIM_BEGIN)
        printf(" %s", block_names[event->operand]);
    else if (event->op == SERIATIM_READ || event->op == SERIATIM_WRITE)
        printf(" the price");
    else if (event->op != SERIATIM_END)
        printf(" %s", lock_names[event->operand]);
    putchar('\n');
}

static void print_block(const seriatim_predicted_block *block) {
    printf("%s's %s: %s\n", thread_names[block->thread], block_names[block->block],
           outlook_names[block->outlook]);
    for (size_t i = 0; i < block->schedule_length; i++)
        print_event(&run[block->schedule[i] - 1]);
}

static void print_deadlock(const seriatim_deadlock *deadlock) {
    printf("could wait for each other forever:\n");
    for (size_t i = 0; i < deadlock->length; i++)
        printf("    %s, who has %s and wants %s\n", thread_names[deadlock->waits[i].holds.thread],
               lock_names[deadlock->waits[i].holds.operand],
               lock_names[deadlock->waits[i].wants.operand]);
}

int main(void) {
    seriatim_predictor *predictor = seriatim_predictor_new(NULL);
    if (!predictor) {
        fprintf(stderr, "this library has no default prediction engine\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        if (seriatim_predictor_event(predictor, run[i].thread, run[i].op, run[i].operand,
                                     run[i].line) != 0)
            fprintf(stderr, "refused: %s\n", seriatim_predictor_error(predictor));

    seriatim_prediction prediction;
    seriatim_predictor_finish(predictor, &prediction);
    for (size_t i = 0; i < prediction.listed; i++)
        print_block(seriatim_predictor_block(predictor, i));
    for (size_t i = 0; i < prediction.deadlocks; i++)
        print_deadlock(seriatim_predictor_deadlock(predictor, i));
    seriatim_predictor_free(predictor);
    return 0;
}
