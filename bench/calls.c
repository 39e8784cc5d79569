/* What a call costs, and accesses in it: prints the nanoseconds of each call of small functions,
 * the best of a few turns. bench/calls.py builds and runs it in several ways.
 *
 * They run in a second thread, since what a program does while it has one thread is simpler, and
 * some functions deep: what a thread starts with is treated in a way of its own. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 2000000, TURNS = 3, WORDS = 256, DEPTH = 10 };

typedef uint64_t __attribute__((aligned(1), may_alias)) anywhere;

struct data {
    uint64_t words[WORDS];
    uint32_t halves[WORDS];
    uint8_t bytes[WORDS];
    char text[2 * WORDS];
};

#define OPAQUE __attribute__((noinline))
/* The compiler must take it that the value is used, and that memory is. */
#define USE(value) __asm__ volatile("" ::"r"(value) : "memory")

static OPAQUE void one_read(struct data *d, unsigned i) {
    USE(d->words[i % WORDS]);
}
static OPAQUE void one_write(struct data *d, unsigned i) {
    d->words[i % WORDS] = i;
    USE(i);
}
static OPAQUE void three(struct data *d, unsigned i) {
    d->words[i % WORDS] = d->words[(i + 1) % WORDS] + d->words[(i + 2) % WORDS];
    USE(i);
}
static OPAQUE void in_halves(struct data *d, unsigned i) {
    d->halves[i % WORDS] = d->halves[(i + 7) % WORDS] + 1;
    USE(i);
}
static OPAQUE void in_bytes(struct data *d, unsigned i) {
    d->bytes[i % WORDS] = (uint8_t)(d->bytes[(i + 7) % WORDS] + 1);
    USE(i);
}
static OPAQUE void across(struct data *d, unsigned i) {
    USE(*(const anywhere *)(d->text + i % WORDS));
}
static OPAQUE void copied(struct data *d, unsigned i) {
    uint64_t value;
    memcpy(&value, d->text + i % WORDS, sizeof value);
    USE(value);
}
static OPAQUE void two_deep(struct data *d, unsigned i) {
    three(d, i);
    d->words[i % WORDS]++;
}

static const struct {
    const char *name;
    void (*call)(struct data *d, unsigned i);
} kinds[] = {
    {"a read", one_read},
    {"a write", one_write},
    {"two reads, a write", three},
    {"a read and a write of 4 bytes", in_halves},
    {"a read and a write of a byte", in_bytes},
    {"a read across two words", across},
    {"memcpy of 8 bytes", copied},
    {"two calls, five accesses", two_deep},
};

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static OPAQUE double measure(struct data *d, void (*call)(struct data *, unsigned)) {
    double best = 1e9;
    for (int turn = 0; turn < TURNS; turn++) {
        double before = seconds();
        for (unsigned i = 0; i < CALLS; i++)
            call(d, i);
        double taken = seconds() - before;
        best = taken < best ? taken : best;
    }
    return best / CALLS * 1e9;
}

static OPAQUE void go_deep(struct data *d, int depth) {
    d->words[0]++;
    if (depth > 0)
        go_deep(d, depth - 1);
    else
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            printf("%.1f %s\n", measure(d, kinds[i].call), kinds[i].name);
    USE(depth);
}

static void *start(void *data) {
    go_deep(data, DEPTH);
    return NULL;
}

int main(void) {
    struct data *data = calloc(1, sizeof *data);
    pthread_t thread;
    if (!data || pthread_create(&thread, NULL, start, data))
        return 1;
    pthread_join(thread, NULL);
    free(data);
    return 0;
}
