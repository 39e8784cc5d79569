/* Small functions in hot loops, the worst case for calls that are not inlined: a ring buffer with
 * accessors, and a sort that swaps. */
#include <stdio.h>

enum { SLOTS = 1024, ROUNDS = 20000, NUMBERS = 1000000 };

static struct ring {
    unsigned head, tail;
    long slots[SLOTS];
} ring;

static inline int is_empty(const struct ring *r) {
    return r->head == r->tail;
}

static inline long *slot(struct ring *r, unsigned i) {
    return &r->slots[i % SLOTS];
}

static void push(struct ring *r, long value) {
    *slot(r, r->head++) = value;
}

static long pop(struct ring *r) {
    return *slot(r, r->tail++);
}

static void swap(int *a, int *b) {
    int old = *a;
    *a = *b;
    *b = old;
}

static void sort(int *numbers, int count) {
    if (count < 2)
        return;
    int pivot = numbers[count / 2], i = 0, j = count - 1;
    while (i <= j) {
        while (numbers[i] < pivot)
            i++;
        while (numbers[j] > pivot)
            j--;
        if (i <= j)
            swap(&numbers[i++], &numbers[j--]);
    }
    sort(numbers, j + 1);
    sort(numbers + i, count - i);
}

int main(void) {
    static int numbers[NUMBERS];
    unsigned random = 1;
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SLOTS / 2; i++)
            push(&ring, i);
        while (!is_empty(&ring))
            sum += pop(&ring);
    }
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (int)(random = random * 1664525 + 1013904223);
    sort(numbers, NUMBERS);
    printf("%ld %d\n", sum, numbers[NUMBERS / 2]);
}
