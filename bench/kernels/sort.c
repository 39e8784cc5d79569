/* Parallel merge sort: threads are created and joined, each works on its own part. */
#include "kernel.h"

#include <string.h>

struct part {
    uint32_t *items, *scratch;
    size_t count;
    int depth;
};

static void merge(const struct part *part, size_t middle) {
    size_t left = 0, right = middle, out = 0;
    while (out < part->count) {
        int take_left =
            right == part->count || (left < middle && part->items[left] <= part->items[right]);
        part->scratch[out++] = take_left ? part->items[left++] : part->items[right++];
    }
    memcpy(part->items, part->scratch, part->count * sizeof *part->items);
}

static void *sort(void *argument) {
    const struct part *part = argument;
    if (part->count < 2)
        return NULL;
    size_t middle = part->count / 2;
    struct part left = {part->items, part->scratch, middle, part->depth - 1};
    struct part right = {part->items + middle, part->scratch + middle, part->count - middle,
                         part->depth - 1};
    pthread_t thread;
    if (part->depth > 0 && pthread_create(&thread, NULL, sort, &left) == 0) {
        sort(&right);
        pthread_join(thread, NULL);
    } else {
        sort(&left);
        sort(&right);
    }
    merge(part, middle);
    return NULL;
}

int main(int argc, char **argv) {
    size_t count = 200000 * (size_t)scale(argc, argv);
    uint32_t *items = malloc(count * sizeof *items), *scratch = malloc(count * sizeof *items);
    uint32_t random = 1;
    for (size_t i = 0; i < count; i++)
        items[i] = next_random(&random);
    sort(&(struct part){items, scratch, count, 2});
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + items[i];
    printf("%llu\n", (unsigned long long)sum);
}
