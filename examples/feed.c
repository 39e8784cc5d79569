/* A bank transfer, fed to the checker event by event; prints what was found.
 *
 * In the tree:    make && build/example_feed
 * Installed:      cc feed.c $(pkg-config --cflags --libs seriatim) -o feed && ./feed
 *
 * Alice transfers money from one account to another, which should be atomic. Each access is made
 * under a lock, so there is no data race. But the lock is released between the two accounts, and an
 * audit adds up both at that moment. */
#include <inttypes.h>
#include <seriatim/seriatim.h>
#include <stdio.h>

enum { MAIN, ALICE, AUDITOR };
enum { TRANSFER, AUDIT };

static const char *const thread_names[] = {"main", "alice", "auditor"};
static const char *const block_names[] = {"transfer", "audit"};
static const char *const op_names[] = {
    [SERIATIM_READ] = "read",       [SERIATIM_WRITE] = "write", [SERIATIM_ACQUIRE] = "acquire",
    [SERIATIM_RELEASE] = "release", [SERIATIM_FORK] = "fork",   [SERIATIM_JOIN] = "join",
    [SERIATIM_BEGIN] = "begin",     [SERIATIM_END] = "end",     [SERIATIM_SEND] = "send",
    [SERIATIM_RECEIVE] = "receive",
};

/* Any numbers will do as ids; these are addresses. */
static int checking, savings, lock;

static uint64_t id(const void *address) {
    return (uint64_t)(uintptr_t)address;
}

static void print_place(const char *before, const seriatim_place *place) {
    printf("%s event %2" PRIu64 ", %s by %s at line %" PRIu64 "\n", before, place->event,
           op_names[place->op], thread_names[place->thread], place->loc);
}

/* The path leads out of the block and back into it, to the event that proves the violation. */
static void print_violation(void *context, const seriatim_violation *violation) {
    (void)context;
    printf("%s's block '%s', which began at line %" PRIu64 ", is not atomic:\n",
           thread_names[violation->thread], block_names[violation->block], violation->begin_loc);
    for (size_t i = 0; i < violation->path_length; i++) {
        print_place("    after  ", &violation->path[i].from);
        print_place("      comes", &violation->path[i].to);
    }
}

static const struct {
    uint64_t thread;
    seriatim_op op;
    const void *operand;
    uint64_t block, line;
} run[] = {
    {ALICE, SERIATIM_BEGIN, NULL, TRANSFER, 10},
    {ALICE, SERIATIM_ACQUIRE, &lock, 0, 11},
    {ALICE, SERIATIM_READ, &checking, 0, 12},
    {ALICE, SERIATIM_WRITE, &checking, 0, 12},
    {ALICE, SERIATIM_RELEASE, &lock, 0, 13},
    {AUDITOR, SERIATIM_BEGIN, NULL, AUDIT, 30},
    {AUDITOR, SERIATIM_ACQUIRE, &lock, 0, 31},
    {AUDITOR, SERIATIM_READ, &checking, 0, 32}, /* after the money left, */
    {AUDITOR, SERIATIM_READ, &savings, 0, 32},  /* before it arrived */
    {AUDITOR, SERIATIM_RELEASE, &lock, 0, 33},
    {AUDITOR, SERIATIM_END, NULL, 0, 34},
    {ALICE, SERIATIM_ACQUIRE, &lock, 0, 14},
    {ALICE, SERIATIM_READ, &savings, 0, 15},
    {ALICE, SERIATIM_WRITE, &savings, 0, 15},
    {ALICE, SERIATIM_RELEASE, &lock, 0, 16},
    {ALICE, SERIATIM_END, NULL, 0, 17},
};

int main(void) {
    seriatim_checker *checker = seriatim_checker_new(NULL);
    if (!checker) {
        fprintf(stderr, "this library has no default engine\n");
        return 2;
    }
    seriatim_checker_on_violation(checker, print_violation, NULL);

    seriatim_event(checker, MAIN, SERIATIM_FORK, ALICE, 1);
    seriatim_event(checker, MAIN, SERIATIM_FORK, AUDITOR, 2);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        uint64_t operand = run[i].op == SERIATIM_BEGIN ? run[i].block : id(run[i].operand);
        if (seriatim_event(checker, run[i].thread, run[i].op, operand, run[i].line) != 0)
            fprintf(stderr, "refused: %s\n", seriatim_error(checker));
    }

    /* An event that cannot happen is refused, and does no harm. */
    if (seriatim_event(checker, ALICE, SERIATIM_RELEASE, id(&lock), 18) != 0)
        printf("refused: a release by %s, who no longer holds the lock\n", thread_names[ALICE]);

    seriatim_result result;
    seriatim_checker_finish(checker, &result);
    printf("%" PRIu64 " events, %s, %" PRIu64 " violated block%s\n", result.events,
           result.serializable ? "serializable" : "not serializable", result.violation_count,
           result.violation_count == 1 ? "" : "s");
    seriatim_checker_free(checker);
    return 0;
}
