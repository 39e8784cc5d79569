/* Matrix multiplication: much reading of shared memory, no synchronisation in between. */
#include "kernel.h"

enum { N = 192 };
static double a[N][N], b[N][N], c[N][N];
static long rounds;

static void *work(void *number) {
    for (long round = 0; round < rounds; round++)
        for (int i = (int)(intptr_t)number; i < N; i += THREADS)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < N; k++)
                    sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = scale(argc, argv);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    run_threads(work);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += c[i][j];
    printf("%.0f\n", sum);
}
