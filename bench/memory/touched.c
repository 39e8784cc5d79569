/* Two threads fill 64 MB, and free it: the data of a program that computes on arrays. */
#include "../kernels/kernel.h"

#include <string.h>

enum { SIZE = 64 << 20, PART = SIZE / THREADS };

static char *data;

__attribute__((noinline)) static void fill(char *at) {
    memset(at, 1, PART);
}

static void *work(void *number) {
    fill(data + (intptr_t)number * PART);
    return NULL;
}

int main(void) {
    long sum = 0;
    data = malloc(SIZE);
    run_threads(work);
    for (int i = 0; i < SIZE; i += PART)
        sum += data[i];
    printf("%ld\n", sum);
    free(data);
    return 0;
}
