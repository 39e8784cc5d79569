// Numbers for slots are given out by an atomic counter, and whoever gets the last one sets it back
// to zero. In between, others get numbers for which there is no slot.
//
// EXPECT violated: next_slot
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SLOTS = 4 };

static atomic_uint next;
static atomic_int used[SLOTS], outside;

static unsigned next_slot(void) {
#ifdef FIXED
    return atomic_fetch_add(&next, 1) % SLOTS;
#else
    unsigned slot = atomic_fetch_add(&next, 1);
    if (slot == SLOTS - 1) {
        atomic_store(&next, 0); // @gap-before
    }
    return slot;
#endif
}

static void use(unsigned slot) {
    if (slot < SLOTS)
        atomic_fetch_add(&used[slot], 1);
    else
        atomic_fetch_add(&outside, 1);
}

static void *client(void *argument) {
    use(next_slot());
    use(next_slot());
    return argument;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, client, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d outside\n", outside);
    return outside != 0;
}
