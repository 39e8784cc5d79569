/* A buffer of 64 KB is allocated, filled and freed, 1,000 times for each unit of scale. */
#include "../kernels/kernel.h"

#include <string.h>

enum { BUFFER = 64 << 10 };

__attribute__((noinline)) static int use_buffer(int value) {
    char *buffer = malloc(BUFFER);
    memset(buffer, value, BUFFER);
    int last = buffer[BUFFER - 1];
    free(buffer);
    return last;
}

int main(int argc, char **argv) {
    long sum = 0;
    for (long i = 0; i < 1000 * scale(argc, argv); i++)
        sum += use_buffer((int)(i % 100));
    printf("%ld\n", sum);
    return 0;
}
