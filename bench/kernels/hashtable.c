/* A hash table with a lock for each bucket. */
#include "kernel.h"

#include <string.h>

enum { BUCKETS = 256, KEYS = 4096 };
struct entry {
    struct entry *next;
    uint32_t key;
    long value;
};
static struct {
    pthread_mutex_t lock;
    struct entry *first;
} buckets[BUCKETS];
static long rounds;

static void add(uint32_t key, long value) {
    unsigned bucket = key % BUCKETS;
    pthread_mutex_lock(&buckets[bucket].lock);
    struct entry *entry = buckets[bucket].first;
    while (entry && entry->key != key)
        entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        entry->key = key;
        entry->next = buckets[bucket].first;
        buckets[bucket].first = entry;
    }
    entry->value += value;
    pthread_mutex_unlock(&buckets[bucket].lock);
}

static void *work(void *number) {
    uint32_t random = (uint32_t)(intptr_t)number;
    for (long i = 0; i < rounds; i++)
        add((next_random(&random) >> 8) % KEYS, 1);
    return NULL;
}

int main(int argc, char **argv) {
    rounds = 100000 * scale(argc, argv);
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&buckets[i].lock, NULL);
    run_threads(work);
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *entry = buckets[i].first; entry; entry = entry->next)
            sum += entry->value;
    printf("%ld\n", sum);
}
