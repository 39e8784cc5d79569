// A block that was said to be atomic starts threads and waits for them: they work in between. In
// the twin nothing is said: a function is split where it starts or joins a thread.
//
// SPEC atomic function parallel_sum
// EXPECT violated: parallel_sum
// EXPECT line: parallel_sum @create @join
// TWIN -DFIXED
// SPEC-FIXED none
// EXPECT-FIXED none
#include "schedule.h"

enum { PARTS = 3, SIZE = 30 };

static int numbers[SIZE], sums[PARTS];

static BLOCK int add_part(int part) {
    int sum = 0;
    for (int i = part; i < SIZE; i += PARTS)
        sum += numbers[i];
    return sum;
}

static void *adder(void *argument) {
    int *sum = argument;
    *sum = add_part(sum - sums);
    return NULL;
}

static BLOCK int parallel_sum(void) {
    pthread_t threads[PARTS];
    int total = 0;
    for (int i = 0; i < PARTS; i++)
        check(pthread_create(&threads[i], NULL, adder, &sums[i]) == 0); // @create
    for (int i = 0; i < PARTS; i++) {
        check(pthread_join(threads[i], NULL) == 0); // @join
        total += sums[i];
    }
    return total;
}

int main(void) {
    for (int i = 0; i < SIZE; i++)
        numbers[i] = i;
    check(parallel_sum() == 435);
    check(parallel_sum() == 435);
    puts("ok");
    return 0;
}
