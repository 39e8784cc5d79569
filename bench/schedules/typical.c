/* What a test of a threaded program does: workers take jobs from a queue, each works on memory of
 * its own, computes more than it reads and writes, and puts results into a shared table. Without
 * seriatim it takes about 50 ms of processor time. */
#include "../kernels/kernel.h"

#include <string.h>

enum { JOBS = 640, SIZE = 1024, STEPS = 40, BUCKETS = 64, RESULTS = 8 };

struct entry {
    struct entry *next;
    uint32_t key;
    long count;
};
static struct {
    pthread_mutex_t lock;
    struct entry *first;
} table[BUCKETS];
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static long jobs, taken;

static long take_job(void) {
    pthread_mutex_lock(&queue);
    long job = taken < jobs ? taken++ : -1;
    pthread_mutex_unlock(&queue);
    return job;
}

static void count_result(uint32_t key) {
    uint32_t bucket = key % BUCKETS;
    pthread_mutex_lock(&table[bucket].lock);
    struct entry *entry = table[bucket].first;
    while (entry && entry->key != key)
        entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        entry->key = key;
        entry->next = table[bucket].first;
        table[bucket].first = entry;
    }
    entry->count++;
    pthread_mutex_unlock(&table[bucket].lock);
}

/* So many steps for each item that it stands for work of any kind. */
static uint32_t digest(uint32_t item) {
    uint32_t hash = item;
    for (int i = 0; i < STEPS; i++)
        hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return hash;
}

static void do_job(uint32_t *items, long job) {
    uint32_t random = (uint32_t)job;
    for (int i = 0; i < SIZE; i++)
        items[i] = next_random(&random);
    for (int i = 1; i < SIZE; i++)
        items[i] = digest(items[i] ^ items[i - 1]);
}

static void *work(void *number) {
    uint32_t *items = malloc(SIZE * sizeof *items);
    (void)number;
    for (long job; (job = take_job()) >= 0;) {
        do_job(items, job);
        for (int i = 0; i < RESULTS; i++)
            count_result(items[i * (SIZE / RESULTS)] % 512);
    }
    free(items);
    return NULL;
}

int main(int argc, char **argv) {
    jobs = JOBS * scale(argc, argv);
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    run_threads(work);
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *entry = table[i].first; entry; entry = entry->next)
            sum += entry->count * (long)entry->key;
    printf("%ld\n", sum);
}
